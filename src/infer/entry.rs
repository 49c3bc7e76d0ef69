//! The section itself: the program is specialised for each class of the base, with an entry function for it. Elements
//! are sorted by class, and each class runs its own entry, which never asks of which class its element is. An entry
//! knows its class exactly, and no warp mixes classes.

use super::calls::Arguments;
use super::expressions::SLOT_LEAVE;
use super::keys::{Context, Step};
use super::operand::Operand;
use super::{Control, Frame, Inlined, Lowerer};
use crate::heap::Schema;
use crate::heap::schema::{Base, BaseColumn, Form, Output};
use crate::ir::builder::Builder;
use crate::ir::{Entry, FuncId, Kernel};
use crate::scalar::Ty;
use crate::syntax::ast::{Code, CodeKind};
use crate::types::{Type, TypeSet};
use std::rc::Rc;

impl Lowerer<'_> {
    /// All of the section, once.
    pub(super) fn walk(&mut self, code: &Rc<Code>, output: Output) -> Schema {
        let schema = if output == Output::Program { self.program(code) } else { self.section(code) };
        // Maybe it was found late that somebody goes by them.
        self.memo.note_failures();
        self.number_calls();
        schema
    }

    /// Lowers the section and everything it calls; the schema is that of the memo so far.
    pub(crate) fn section(&mut self, code: &Rc<Code>) -> Schema {
        let Some(base) = self.begin_section(code) else { return Schema::default() };
        let mut entries: Vec<TypeSet> = Vec::new();
        let own = base.own();
        let own_types = base.columns[own].types();
        self.own.shared = base.columns[own].holds_objects();
        for ty in &own_types {
            match ty {
                Type::True if own_types.contains(&Type::False) => {}
                Type::False if own_types.contains(&Type::True) => entries.push(TypeSet::bool()),
                other => entries.push(other.clone().into()),
            }
        }
        // Entries come first among the functions.
        let mut kernel = Kernel::default();
        for types in &entries {
            self.program.functions.push(Default::default());
            let function = FuncId(self.program.functions.len() as u32 - 1);
            kernel.entries.push(Entry { name: self.describe(types), function });
        }
        for (i, types) in entries.iter().enumerate() {
            let choice = self.memo.type_number(types);
            self.context = self.memo.context(Context::ROOT, Step::Section, choice);
            self.b = Builder::new(kernel.entries[i].name.clone(), &[Ty::I32, Ty::I64, Ty::I64], &[]);
            let index = self.b.param(0);
            let columns = self.load_columns(&base, types, index);
            let is_read = matches!(base.columns[own], BaseColumn::Items(_));
            self.own.id = columns[own].values.first().copied().filter(|_| is_read);
            (self.own.key, self.entry) = (self.context, kernel.entries[i].function);
            let positional = base.arguments.iter().map(|form| self.formed(form, &columns)).collect();
            self.lower_entry(code, &base, Arguments { positional, ..Arguments::default() });
            self.own.id = None;
            let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
            self.program.functions[kernel.entries[i].function.0 as usize] = b.finish();
        }
        self.program.kernels.push(kernel);
        self.lower_pending_functions();
        self.lower_driver();
        self.program.uses_random |= self.draws_random();
        self.schema(base, entries)
    }

    /// What the section goes over, once it is known what its code assigns.
    pub(super) fn begin_section(&mut self, code: &Code) -> Option<Base> {
        self.span = code.span;
        let base = self.host.base().map_err(|refusal| self.refuse(refusal)).ok()?;
        self.find_written(code);
        self.find_global_state();
        Some(base)
    }

    pub(super) fn draws_random(&self) -> bool {
        let mut functions = self.program.functions.iter();
        functions.any(|f| crate::ir::any_op(&f.body, &mut |op| matches!(op, crate::ir::Op::Random)))
    }

    fn formed(&mut self, form: &Form, columns: &[Operand]) -> Operand {
        match form {
            Form::Column(n) => columns[*n as usize].clone(),
            Form::Tuple(parts) => {
                let parts: Vec<Operand> = parts.iter().map(|part| self.formed(part, columns)).collect();
                self.tuple(&parts)
            }
        }
    }

    fn lower_entry(&mut self, code: &Rc<Code>, base: &Base, arguments: Arguments) {
        self.frames = vec![Frame::of_section(code, self.fresh_locals(code))];
        self.current = 0;
        self.begin_running(code);
        self.joins.clear();
        self.facts.clear();
        self.loops.clear();
        self.watched.clear();
        self.active = vec![Inlined::new(code, false)];
        self.depth = None;
        self.begun_at = self.own_steps();
        self.node = code.body.id;
        self.span = code.span;
        let code = Rc::clone(code);
        let unused = self.output == Output::Nothing;
        self.open_captured();
        self.wait_for_rows();
        self.clear_scratch();
        let value = self.labelled(SLOT_LEAVE, !unused, |s, join| {
            // A lambda's `return` and `break` end it as `next` does.
            let is_lambda = code.kind == CodeKind::Lambda;
            s.frames[0].return_to = is_lambda.then_some(join);
            s.frames[0].control.push(Control { break_to: is_lambda.then_some(join), next_to: Some(join) });
            match is_lambda && !base.takes_apart {
                true => s.bind_method(&code.params, arguments),
                false => s.bind_block(&code.params, arguments),
            }
            if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, unused) }
        });
        self.span = code.span;
        self.close_captured();
        self.with_stored_made(base, |s| match s.output {
            Output::Nothing => {}
            Output::Values | Output::Program => s.store_result(&value),
            Output::Selection => {
                let truth = s.truth(&value);
                s.store_result(&Operand::bool(truth));
            }
            Output::Kept => s.store_kept(&value),
        });
    }
}
