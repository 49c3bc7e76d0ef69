//! Scalar replacement: what a section makes is no object of Ruby's. An array of known length is a tuple: its items side
//! by side, in registers, and blocks over it are code for each item; where that were much it is a list first
//! (`as_loop`).
//!
//! An object made in the section (`Vector.new(x, y)`) is its instance variables side by side, which is right while
//! nobody changes it after `initialize` or asks for its identity, and while its type has an end. Where the walk finds
//! that one of these does not hold, it notes the class in the memo and begins anew: the objects of that class are then
//! kept in scratch memory ([`super::made`]).

use super::births::Birth;
use super::builtins::{self, Builtin, Invocation};
use super::calls::Arguments;
use super::exceptions::keeps_text;
use super::host::{FoundMethod, Method, StructKeywords};
use super::keys::ProcKey;
use super::keyword_splats::has_hash_splat;
use super::leaving::ORDER;
use super::operand::Operand;
use super::operand::Values;
use super::{BlockRef, Frame, LocalValue, Lowerer, refused};
use crate::ir::{Comparison, ErrorKind};
use crate::syntax::ast::Code;
use crate::types::{ClassId, RecordType, Type};
use std::rc::Rc;

/// A record under construction: the frame whose locals are its variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Building {
    frame: usize,
}

impl Lowerer<'_> {
    /// `class.new(arguments)`.
    pub(crate) fn construct(
        &mut self,
        class: ClassId,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let object = self.construct_here(class, arguments, block);
        // One that is in memory from its beginning has got its row there.
        let has_row = object.types.iter().all(|ty| matches!(ty, Type::Object(..)));
        if self.gets_row(class) && !has_row { self.settle_now(&object) } else { object }
    }

    /// Do objects of the class get rows as soon as they are made here?
    fn gets_row(&self, class: ClassId) -> bool {
        self.in_driver && self.memo.of_drivers.contains(&class)
    }

    /// The code of a class's `initialize`, where that is not one of those that are known here.
    fn code_of_initialize(
        &mut self,
        class: ClassId,
        arguments: &Arguments,
    ) -> Result<Option<(ClassId, Rc<Code>)>, Operand> {
        // Random's own is that of `Random::Base`, so that a program can give it another one.
        let is_plain = (class.is_plain() || class == ClassId::RANDOM) && !self.host.is_module(class);
        let initialize = match self.host.method(class, "initialize") {
            Err(refusal) => return Err(self.refuse(refusal)),
            Ok(found) => found,
        };
        Ok(match initialize {
            Some(FoundMethod { owner, method: Method::Ruby(code), .. }) if is_plain => Some((owner, code)),
            Some(FoundMethod { owner, method: Method::Native { .. }, .. })
                if self.host.is_subclass(class, ClassId::RANDOM) =>
            {
                match self.builtins.of_random("initialize") {
                    Some(Builtin::Ruby(code)) => Some((owner, code)),
                    _ => None,
                }
            }
            Some(FoundMethod { owner: ClassId::BASIC_OBJECT, method: Method::Native { .. }, .. })
                if is_plain && (arguments.positional.is_empty() || arguments.splat.is_none()) =>
            {
                let given = arguments.positional.len() + usize::from(!arguments.keywords.is_empty());
                if given > 0 && arguments.splat.is_none() {
                    return Err(builtins::wrong_count(self, given, "0"));
                }
                None
            }
            Some(FoundMethod { owner: ClassId::STRUCT, method: Method::Native { .. }, .. })
                if is_plain && !self.host.members(class).is_empty() =>
            {
                None
            }
            Some(FoundMethod { owner: ClassId::DATA, method: Method::Native { .. }, .. }) if is_plain => None,
            Some(FoundMethod { owner: ClassId::EXCEPTION, method: Method::Native { .. }, .. })
                if arguments.keywords.is_empty() && arguments.splat.is_none() =>
            {
                None
            }
            Some(FoundMethod { owner, method: Method::Native { .. }, .. })
                if keeps_text(owner) && arguments.splat.is_none() && !has_hash_splat(&arguments.keywords) =>
            {
                None
            }
            _ => {
                let name = self.host.class_name(class);
                let hint = self.builtins.hint_of_class(&name, "new");
                return Err(self.refuse(refused::new(&name, hint)));
            }
        })
    }

    fn construct_here(&mut self, class: ClassId, arguments: &Arguments, block: Option<&BlockRef>) -> Operand {
        let code = match self.code_of_initialize(class, arguments) {
            Ok(code) => code,
            Err(refused) => return refused,
        };
        if arguments.splat.is_some() && code.is_none() && self.host.members(class).is_empty() {
            return self.refuse_splat();
        }
        let Some(arguments) = &self.data_arguments(class, arguments) else { return Operand::bottom() };
        let recursive = code.as_ref().is_some_and(|(_, code)| self.is_recursive(code));
        if recursive && !self.memo.made.get(&class).is_some_and(|made| made.early) {
            self.keep_from_beginning(class);
            return Operand::bottom();
        }
        if self.is_exception(class) && !self.is_in_memory(class) {
            return Operand::bottom();
        }
        if self.memo.made.get(&class).is_some_and(|made| made.early) {
            let hidden = self.hidden_variables(class);
            let mut object = self.make(class, &hidden);
            // `initialize` may put it into what has rows.
            if self.gets_row(class) && !self.is_exception(class) {
                object = self.settle_now(&object);
            }
            if !object.is_bottom() {
                self.initialize(&object, class, code, arguments, block);
            }
            return if self.b.is_dead() { Operand::bottom() } else { object };
        }
        // Struct's own `initialize` sets all members; there may be further variables.
        let members = self.host.members(class);
        self.memo.fields.entry(class).or_insert(members);
        let hidden = self.hidden_variables(class);
        let names = self.memo.fields[&class].clone();
        let version = self.fresh_version();
        let frame = Frame {
            code: Rc::clone(&self.frame().code),
            locals: names
                .iter()
                .map(|name| {
                    let known = hidden.iter().find(|(known, _)| known == name);
                    LocalValue::new(known.map_or_else(Operand::nil, |(_, value)| value.clone()), version)
                })
                .collect(),
            receiver: Operand::bottom(),
            owner: class,
            scope: self.frame().scope.clone(),
            block: None,
            closure: None,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: version,
            blocks: Rc::default(),
            call_span: self.span,
            caller: self.current,
            builtin: true,
            name: String::new(),
            outermost: false,
            shared: vec![],
            last_match: None,
        };
        self.frames.push(frame);
        let building = Building { frame: self.frames.len() - 1 };
        let number = self.memo.proc_number(ProcKey::Building(self.context));
        self.buildings.insert(number, building);
        let receiver = Operand {
            types: Type::Building(number, class).into(),
            values: Values::new(),
            birth: Birth::UNKNOWN,
        };
        self.initialize(&receiver, class, code, arguments, block);
        let slots = self.frames.pop().map(|f| f.locals).unwrap_or_default();
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let operands: Vec<Operand> = slots.iter().map(|s| self.carrier(s.operand.clone())).collect();
        if operands.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        if self.memo.made.contains_key(&class) {
            let values: Vec<(String, Operand)> = names.into_iter().zip(operands).collect();
            return self.make(class, &values);
        }
        let fields = names.into_iter().zip(&operands).map(|(name, o)| (name, o.types.clone())).collect();
        let types = Type::Record(Rc::new(RecordType { class, fields })).into();
        if !self.is_bounded(&types) {
            return Operand::bottom();
        }
        let birth = Birth::of_parts(operands.iter().map(|operand| operand.birth.clone()).collect());
        Operand { types, values: operands.into_iter().flat_map(|o| o.values).collect(), birth }
    }

    /// A number that is put together of others: see [`ClassId::parts`].
    pub(crate) fn new_number(&mut self, class: ClassId, parts: &[&Operand]) -> Operand {
        let names = class.parts().unwrap_or_default().iter().map(|name| name.to_string());
        let mut all: Vec<(String, Operand)> = names.zip(parts.iter().map(|part| (*part).clone())).collect();
        all.extend(self.hidden_variables(class));
        let number = if self.memo.made.contains_key(&class) {
            self.make(class, &all)
        } else {
            let fields = all.iter().map(|(name, value)| (name.clone(), value.types.clone())).collect();
            let types = Type::Record(Rc::new(RecordType { class, fields })).into();
            if !self.is_bounded(&types) {
                return Operand::bottom();
            }
            let birth = Birth::of_parts(all.iter().map(|(_, value)| value.birth.clone()).collect());
            Operand { types, values: all.into_iter().flat_map(|(_, value)| value.values).collect(), birth }
        };
        let has_row = number.types.iter().all(|ty| matches!(ty, Type::Object(..)));
        if self.gets_row(class) && !has_row { self.settle_now(&number) } else { number }
    }

    /// Runs a class's `initialize`, where it has one that does something.
    fn initialize(
        &mut self,
        receiver: &Operand,
        class: ClassId,
        code: Option<(ClassId, Rc<Code>)>,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) {
        match code {
            Some((owner, code)) => {
                let builtin = code.span.file.is_core();
                self.method_call(receiver, "initialize", owner, &code, builtin, arguments, block);
            }
            None if !self.host.members(class).is_empty() || self.host.is_subclass(class, ClassId::DATA) => {
                self.initialize_struct(receiver, class, arguments);
            }
            None if self.is_exception(class) => match self.host.method(class, "initialize") {
                Ok(Some(found)) if keeps_text(found.owner) => {
                    self.initialize_keeping(&Invocation {
                        receiver: receiver.clone(),
                        name: "initialize".into(),
                        args: arguments.positional.clone(),
                        splat: None,
                        keywords: arguments.keywords.clone(),
                        keyword_splat: arguments.keyword_splat,
                        block: None,
                    });
                }
                _ => {
                    self.initialize_exception(receiver, &arguments.positional);
                }
            },
            None => {}
        }
    }

    /// The arguments that `initialize` gets: that of a subclass of Data always by name. `None`: there are too many.
    fn data_arguments(&mut self, class: ClassId, arguments: &Arguments) -> Option<Arguments> {
        let given = arguments.positional.len();
        if !self.host.is_subclass(class, ClassId::DATA) || given == 0 && arguments.splat.is_none() {
            return Some(arguments.clone());
        }
        if arguments.splat.is_some() {
            self.refuse_splat();
            return None;
        }
        let members = self.host.members(class);
        let (given, expected) = match (arguments.keywords.is_empty(), members.len()) {
            (false, _) => (given + 1, "0".to_string()),
            (true, 0) => (given, "0".to_string()),
            (true, most) if given > most => (given, format!("0..{most}")),
            (true, _) => {
                let keywords = members.into_iter().zip(arguments.positional.iter().cloned()).collect();
                return Some(Arguments { positional: vec![], keywords, ..arguments.clone() });
            }
        };
        let message = format!("wrong number of arguments (given {given}, expected {expected})");
        self.fail(ErrorKind::ArgumentError(message), &[]);
        None
    }

    /// Data's `initialize` takes all members by name, and nothing else.
    fn check_data_keywords(&mut self, members: &[String], arguments: &Arguments) -> bool {
        let given = arguments.positional.len();
        if given > 0 {
            let message = format!("wrong number of arguments (given {given}, expected 0)");
            self.fail(ErrorKind::ArgumentError(message), &[]);
            return false;
        }
        let keywords = &arguments.keywords;
        let is_given = |member: &&String| keywords.iter().any(|(name, _)| name == *member);
        let mut missing: Vec<&String> = members.iter().filter(|member| !is_given(member)).collect();
        let unknown: Vec<&String> =
            keywords.iter().map(|(name, _)| name).filter(|name| !members.contains(name)).collect();
        // Some versions count them only.
        if keywords.len() >= members.len() && !unknown.is_empty() && !self.host.dialect().data_asks_for_each {
            missing.clear();
        }
        for (what, names) in [("missing", missing), ("unknown", unknown)] {
            if !names.is_empty() {
                let plural = if names.len() > 1 { "s" } else { "" };
                let names: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
                let message = format!("{what} keyword{plural}: {}", names.join(", "));
                self.fail(ErrorKind::ArgumentError(message), &[]);
                return false;
            }
        }
        true
    }

    /// Struct's `initialize`: the members from the arguments in order or, of classes with `keyword_init`, by name.
    pub(crate) fn initialize_struct(&mut self, receiver: &Operand, class: ClassId, arguments: &Arguments) {
        let members = self.host.members(class);
        if has_hash_splat(&arguments.keywords) {
            // A Data wants all of them.
            let is_data = self.host.is_subclass(class, ClassId::DATA);
            if arguments.positional.is_empty() && arguments.splat.is_none() {
                if let Some(named) = self.members_of_spread(arguments, &members, is_data) {
                    self.initialize_struct(receiver, class, &named);
                }
            } else {
                self.refuse_hash_splat("of a Hash behind other arguments of a Struct");
            }
            return;
        }
        if self.host.is_subclass(class, ClassId::DATA) {
            if self.check_data_keywords(&members, arguments) {
                for (name, value) in &arguments.keywords {
                    self.write_record(receiver, name, value);
                }
            }
            return;
        }
        let given = arguments.positional.len();
        let keywords = self.host.struct_keywords(class);
        let alone = given == 0 && arguments.splat.is_none() && !arguments.keywords.is_empty();
        if keywords == StructKeywords::Always || keywords == StructKeywords::Alone && alone {
            if arguments.splat.is_some() {
                self.refuse_splat();
                return;
            }
            if given > 0 {
                let message = format!("wrong number of arguments (given {given}, expected 0)");
                self.fail(ErrorKind::ArgumentError(message), &[]);
                return;
            }
            let is_unknown = |(name, _): &&(String, Operand)| !members.contains(name);
            let unknown: Vec<&str> =
                arguments.keywords.iter().filter(is_unknown).map(|(name, _)| name.as_str()).collect();
            if !unknown.is_empty() {
                let message = format!("unknown keywords: {}", unknown.join(", "));
                self.fail(ErrorKind::ArgumentError(message), &[]);
                return;
            }
        } else if !arguments.keywords.is_empty() {
            let name = self.host.class_name(class);
            self.refuse_here(
                "unsupported-new",
                format!("`{name}.new` with keywords makes a Hash of them"),
                Some("give the members in order, or all by name to a Struct that takes that".into()),
            );
            return;
        } else if given > members.len() {
            self.fail(ErrorKind::ArgumentError("struct size differs".into()), &[]);
            return;
        }
        if arguments.splat.is_some() {
            let (given, most) = (self.given(arguments), self.b.i64(members.len() as i64));
            let fits = self.b.compare(Comparison::Le, given, most);
            self.check(fits, ErrorKind::ArgumentError("struct size differs".into()), &[]);
        }
        let positional = self.arguments_or_nil(arguments, members.len());
        for (i, member) in members.iter().enumerate() {
            let named =
                arguments.keywords.iter().rev().find(|(name, _)| name == member).map(|(_, value)| value);
            let value = named.or(positional.get(i)).cloned().unwrap_or_else(Operand::nil);
            self.write_record(receiver, member, &value);
        }
    }

    /// An instance variable of a record, or of one under construction; `None` for other receivers.
    pub(crate) fn record_variable(&mut self, receiver: &Operand, name: &str) -> Option<Operand> {
        match receiver.types.single()? {
            Type::Record(record) => {
                let position = record.fields.iter().position(|(field, _)| field == name);
                let items = self.tuple_items(receiver);
                Some(position.map_or_else(Operand::nil, |i| items[i].clone()))
            }
            Type::Building(number, class) => {
                let slot = self.building_slot(*number, *class, name);
                let Some((frame, local)) = slot else { return Some(Operand::nil()) };
                let operand = self.frames[frame].locals[local].operand.clone();
                let operand = self.carrier(operand);
                Some(self.refine(operand))
            }
            Type::Made(class) => Some(self.read_made(receiver.value(), *class, name)),
            Type::Object(hierarchy, _) if name == ORDER => Some(self.order_of_settled(*hierarchy, receiver)),
            _ => None,
        }
    }

    /// Writes an instance variable of a record under construction; true if the receiver was a record at all.
    pub(crate) fn write_record(&mut self, receiver: &Operand, name: &str, value: &Operand) -> bool {
        match receiver.types.single() {
            Some(Type::Building(_, class) | Type::Made(class))
                if name.starts_with('@') && self.host.is_subclass(*class, ClassId::DATA) =>
            {
                self.refuse_here(
                    "unsupported-new",
                    "an object of a Data class is frozen by its `initialize`, so it cannot have other variables",
                    Some("make it a member, or compute it where it is needed".into()),
                );
                true
            }
            Some(Type::Building(number, class)) => {
                if self.keep_building(&value.types) {
                    return true;
                }
                self.check_unfrozen_made(receiver, *class, name);
                match self.building_slot(*number, *class, name) {
                    Some((frame, local)) => {
                        let version = self.fresh_version();
                        self.frames[frame].locals[local] = LocalValue::new(value.clone(), version);
                        self.note_set(receiver, *class, name);
                    }
                    None => {
                        self.memo.fields.entry(*class).or_default().push(name.to_string());
                        self.memo.restart = true;
                    }
                }
                true
            }
            Some(Type::Made(class)) => {
                self.check_unfrozen_made(receiver, *class, name);
                if self.host.members(*class).iter().any(|member| member == name) {
                    self.memo.changed |= self.memo.changed_members.insert(*class);
                }
                self.write_made(receiver.value(), *class, name, value);
                self.note_set(receiver, *class, name);
                true
            }
            Some(Type::Object(hierarchy, _)) if name == ORDER => {
                self.set_order_of_settled(*hierarchy, receiver, value);
                true
            }
            Some(Type::Record(record)) if !self.host.is_subclass(record.class, ClassId::DATA) => {
                self.keep_made(&receiver.types);
                true
            }
            Some(Type::Record(record)) => {
                let class = self.host.class_name(record.class);
                self.refuse_here(
                    "changed-record",
                    format!("{name} of a {class} made in the section is written after initialize"),
                    Some(format!("make a new {class} instead")),
                );
                true
            }
            _ => false,
        }
    }

    pub(super) fn building_slot(&self, number: u32, class: ClassId, name: &str) -> Option<(usize, usize)> {
        let building = self.buildings.get(&number)?;
        let local = self.memo.fields.get(&class)?.iter().position(|field| field == name)?;
        (local < self.frames.get(building.frame)?.locals.len()).then_some((building.frame, local))
    }
}
