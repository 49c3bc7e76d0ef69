//! Loops that a warp shares (see [`crate::backend::cuda::sharing`]): their two parts as lambdas, before the loop as it was.
//! Each gives whether the iteration goes to its end; one that does not is the loop's to run.

use super::function::{Uses, Writer};
use super::width::Width;
use crate::ir::fission::{Fission, Folds};
use crate::ir::{BinaryOp, Block, Label, Stmt, Value, Var, walk};

/// A part of a loop that is being written.
pub(super) struct Part<'a> {
    label: Label,
    fission: &'a Fission,
    serial: bool,
    /// Labels in it.
    labels: Vec<Label>,
}

impl<'a> Writer<'a, '_> {
    /// Is the function one of elements that warps may share?
    pub(super) fn is_shared(&self) -> bool {
        self.names.sharing.functions[self.index]
    }

    pub(super) fn shared_loop(&mut self, label: Label, fission: &'a Fission) {
        self.line("if (SHARED) {");
        self.depth += 1;
        self.line("auto parallel = [&](int lane) -> bool {");
        self.depth += 1;
        for (var, step) in &fission.counters {
            self.line(&format!("if (!has_room({var}, {step})) return false;"));
        }
        self.part(label, fission, &fission.parallel, false);
        self.line("return true;");
        self.depth -= 1;
        self.line("};");
        let folds = fission.folds();
        if folds.is_none() {
            self.serial(label, fission);
        }
        let counts: String = fission
            .counters
            .iter()
            .map(|(var, step)| format!(" {var} += {};", times("done", *step)))
            .collect();
        self.line(&format!("auto count = [&](int done) {{{counts} }};"));
        match folds {
            None => self.line("if (!share(e, parallel, serial, count)) return false;"),
            Some(folds) => self.folds(&folds),
        }
        self.depth -= 1;
        self.line("}");
    }

    fn folds(&mut self, Folds { op, variables }: &Folds) {
        let all: Vec<String> = variables.iter().map(ToString::to_string).collect();
        let sign = match op {
            BinaryOp::MulF => "*",
            BinaryOp::SubF => "-",
            _ => "+",
        };
        self.line(&format!("double folded[{}] = {{{}}};", all.len(), all.join(", ")));
        self.line("auto first = [&](int number) -> const u64* { return &recorded(number, 0); };");
        self.line(&format!("auto fold = [](double x, double y) {{ return x {sign} y; }};"));
        self.line("if (!share_folds(e, parallel, first, folded, fold, count)) return false;");
        for (number, var) in all.iter().enumerate() {
            self.line(&format!("{var} = folded[{number}];"));
        }
    }

    fn serial(&mut self, label: Label, fission: &'a Fission) {
        self.line("auto serial = [&](int lane) -> bool {");
        self.depth += 1;
        if fission.stops {
            for var in &fission.carried {
                let ty = self.var_width(*var).c_name();
                self.line(&format!("{ty} {var}_before = {var};"));
            }
        }
        for (number, value) in fission.record.iter().enumerate() {
            let width = self.width(*value);
            let word = format!("recorded({number}, lane)");
            let text = match width {
                Width::Double => format!("__longlong_as_double((i64){word})"),
                Width::Bool => format!("{word} != 0"),
                Width::Int | Width::Long => format!("({}){word}", width.c_name()),
            };
            self.texts[value.0 as usize] = None;
            self.line(&format!("{} {value} = {text};", width.c_name()));
            self.reciprocal(*value);
        }
        self.part(label, fission, &fission.serial, true);
        self.line("return true;");
        self.depth -= 1;
        self.line("};");
    }

    fn part(&mut self, label: Label, fission: &'a Fission, block: &Block, serial: bool) {
        let mut labels = Vec::new();
        walk::for_each(block, &mut |stmt| {
            if let Stmt::Loop { label, .. } | Stmt::Block { label, .. } = stmt {
                labels.push(*label);
            }
        });
        let uses = std::mem::replace(&mut self.uses, Uses::of(block, self.function.values.len()));
        let loops = std::mem::take(&mut self.loops);
        let jumped = std::mem::take(&mut self.jumped);
        self.part = Some(Part { label, fission, serial, labels });
        self.block(block, 0);
        self.part = None;
        (self.uses, self.loops, self.jumped) = (uses, loops, jumped);
    }

    /// Does a jump to this label end the part?
    pub(super) fn ends_part(&self, label: Label) -> bool {
        self.part.as_ref().is_some_and(|part| !part.labels.contains(&label))
    }

    pub(super) fn end_of_part(&self, label: Label, continues: bool) -> String {
        let goes_on = continues && self.part.as_ref().is_some_and(|part| part.label == label);
        if goes_on { "return true;".to_owned() } else { self.stop() }
    }

    /// Stops the iteration, with all as it was before it.
    pub(super) fn stop(&self) -> String {
        let Some(Part { fission, serial: true, .. }) = &self.part else { return "return false;".to_owned() };
        let back: String = fission.carried.iter().map(|var| format!("{var} = {var}_before; ")).collect();
        format!("{{ {back}return false; }}")
    }

    fn recorded(&self, value: Value) -> Option<usize> {
        let part = self.part.as_ref().filter(|part| !part.serial)?;
        part.fission.record.iter().position(|recorded| *recorded == value)
    }

    pub(super) fn is_recorded(&self, value: Value) -> bool {
        self.recorded(value).is_some()
    }

    pub(super) fn record(&mut self, value: Value) {
        let Some(number) = self.recorded(value) else { return };
        let text = match self.width(value) {
            Width::Double => format!("(u64)__double_as_longlong({value})"),
            _ => format!("(u64){value}"),
        };
        self.line(&format!("recorded({number}, lane) = {text};"));
    }

    /// What a counter is in the iteration of a lane.
    pub(super) fn counted(&self, var: Var) -> Option<String> {
        let counters = &self.part.as_ref()?.fission.counters;
        let (_, step) = counters.iter().find(|(counter, _)| *counter == var)?;
        Some(format!("{var} + {}", times("lane", *step)))
    }
}

fn times(count: &str, step: i64) -> String {
    if step == 1 { count.to_owned() } else { format!("{count} * ({step})") }
}
