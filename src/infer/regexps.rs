//! Regexps. One is an object of the program, a literal too; beside its id there is a column with the address of what
//! the host has compiled it to ([`crate::regexp::Pattern`]), which machine code matches with the bytes of a String. How
//! many groups a Regexp has is known of roots while compiling, and part of what a program is found by, as `scan` gives
//! texts or lists by that.
//!
//! A call or `case` that may match is a `Matching` node: while it is lowered the frame knows the local, and the
//! built-in that matches assigns it (`#set_match`) through the frames of built-ins between. Such built-ins are not
//! functions. Elsewhere matches are not kept, and groups are not asked for.

use super::births::Birth;
use super::host::RootKey;
use super::leaving::FROZEN;
use super::operand::Operand;
use super::{Lowerer, refused};
use crate::ir::{ScalarSource, Value};
use crate::regexp::Request;
use crate::source::Span;
use crate::syntax::ast::LocalId;
use crate::types::{ClassId, RecordType, Type};
use std::rc::Rc;

/// Of one that the section makes.
const GROUPS: &str = "#groups";

/// The column of addresses; nil for a Regexp that sections do not know.
pub const PATTERN: &str = "#pattern";

impl Lowerer<'_> {
    /// Lowers what may assign the last match.
    pub(super) fn matching<T>(&mut self, last: LocalId, lower: impl FnOnce(&mut Self) -> T) -> T {
        let frame = self.current;
        let around = self.frames[frame].last_match.replace(last);
        let lowered = lower(self);
        self.frames[frame].last_match = around;
        lowered
    }

    /// The frame of the user's code that called a built-in, its local that holds the last match, and where it made the
    /// call. Where a built-in's block is at work it is an `each` of the user's that runs it, as MRI has it: the nearest
    /// frame of Ruby code.
    fn place_of_match(&self) -> Option<(usize, LocalId, Span)> {
        let (mut at, mut above, mut span) = (self.current, self.frames.len(), self.span);
        loop {
            let frame = &self.frames[at];
            let runs = self.frames.get(at + 1..above).unwrap_or_default();
            if !frame.builtin {
                return frame.last_match.map(|local| (at, local, span));
            }
            if frame.outermost || frame.caller == at || runs.iter().any(|frame| !frame.builtin) {
                return None;
            }
            (at, above, span) = (frame.caller, at, frame.call_span);
        }
    }

    /// Runs `work` as if `frame` was what is being lowered, at `span`.
    fn within_frame<R>(&mut self, frame: usize, span: Span, work: impl FnOnce(&mut Self) -> R) -> R {
        let here = (self.current, self.span);
        (self.current, self.span) = (frame, span);
        let result = work(self);
        (self.current, self.span) = here;
        result
    }

    /// Is what is matched now looked at by the code that called a built-in?
    pub(crate) fn keeps_matches(&self) -> bool {
        self.place_of_match().is_some()
    }

    /// Sets the last match of the code that called this one to `found` (a MatchData, or nil).
    pub(crate) fn set_match(&mut self, found: Operand) {
        if let Some((frame, local, span)) = self.place_of_match() {
            self.within_frame(frame, span, |s| s.write_local(local, found));
        }
    }

    pub(crate) fn last_match(&mut self) -> Option<Operand> {
        let (frame, local, span) = self.place_of_match()?;
        Some(self.within_frame(frame, span, |s| s.read_local(local)))
    }

    /// What a chain's pattern has matched right before it runs the block of the current frame. False: nobody knows.
    pub(crate) fn match_before(&mut self) -> Operand {
        let unknown = Operand::bool(self.b.bool(false));
        let (frame, around) = (self.frame(), self.frame().caller);
        if frame.outermost || around == self.current {
            return unknown;
        }
        let chain = &self.frames[around];
        let is_chain = self.host.place(chain.code.span).0.starts_with("(ikra chain ");
        let Some(local) = chain.last_match.filter(|_| is_chain) else { return unknown };
        let span = self.frame().call_span;
        self.within_frame(around, span, |s| {
            let found = s.read_local(local);
            // The block may match something itself, which a later one would see.
            s.write_local(local, unknown);
            found
        })
    }

    /// A MatchData: its pattern, a String that stays as it is, and the bytes at which the groups begin and end.
    pub(crate) fn match_data(&mut self, values: [&Operand; 3]) -> Operand {
        let class = ClassId::MATCH_DATA;
        let fields = ["#regexp", "#text", "#places"].map(str::to_string);
        if self.memo.made.contains_key(&class) {
            let values: Vec<(String, Operand)> = fields.into_iter().zip(values.map(Clone::clone)).collect();
            return self.make(class, &values);
        }
        let fields = fields.into_iter().zip(values.map(|value| value.types.clone())).collect();
        let types = Type::Record(Rc::new(RecordType { class, fields })).into();
        if !self.is_bounded(&types) {
            return Operand::bottom();
        }
        Operand {
            types,
            values: values.into_iter().flat_map(|value| value.values.clone()).collect(),
            birth: Birth::UNKNOWN,
        }
    }

    /// A Regexp that the section makes: the address of what it is compiled to, and, of a literal, are groups written in it?
    /// Else nil. The type tells, as that decides what `scan` gives.
    pub(crate) fn made_regexp(&mut self, values: [&Operand; 2]) -> Operand {
        let class = ClassId::REGEXP;
        let is_literal = self.is_literal_by_groups(values[1]);
        let mut all: Vec<(String, Operand)> = Vec::new();
        all.extend([PATTERN, GROUPS].map(str::to_string).into_iter().zip(values.map(Clone::clone)));
        for (name, value) in self.hidden_variables(class) {
            let value = if name == FROZEN { Operand::bool(is_literal) } else { value };
            all.push((name, value));
        }
        let regexp = if self.memo.made.contains_key(&class) {
            self.make(class, &all)
        } else {
            let fields = all.iter().map(|(name, value)| (name.clone(), value.types.clone())).collect();
            let types = Type::Record(Rc::new(RecordType { class, fields })).into();
            let values = all.into_iter().flat_map(|(_, value)| value.values).collect();
            Operand { types, values, birth: Birth::UNKNOWN }
        };
        match self.in_driver && self.memo.of_drivers.contains(&class) {
            true => self.settle_now(&regexp),
            false => regexp,
        }
    }

    /// Are groups written in a Regexp that the section has made? `None`: in some of those that it may be.
    pub(crate) fn writes_groups(&mut self, regexp: &Operand) -> Option<bool> {
        let groups = self.read_ivar(regexp, GROUPS);
        let writes = groups.types.contains(&Type::True);
        (!writes || groups.types.single().is_some()).then_some(writes)
    }

    /// Is it a literal, by its groups?
    fn is_literal_by_groups(&mut self, groups: &Operand) -> Value {
        let literal = groups.types.filter(|ty| *ty != Type::Nil);
        match literal.len() {
            0 => self.b.bool(false),
            count if count == groups.types.len() => self.b.bool(true),
            _ => self.is_one_of(groups, &literal).value,
        }
    }

    /// Is a Regexp that the section has made frozen?
    pub(crate) fn is_frozen_regexp(&mut self, regexp: &Operand) -> Value {
        let grew = self.memo.freezing.insert(ClassId::REGEXP);
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        self.is_frozen_made(regexp)
    }

    /// A literal.
    pub(super) fn regexp(&mut self, source: &str, options: u32) -> Operand {
        self.root(&RootKey::Regexp(source.into(), options)).unwrap_or_else(Operand::bottom)
    }

    /// How many groups a Regexp has, where it is one that is known before the section runs.
    pub(crate) fn groups_of(&self, regexp: &Operand) -> Option<u32> {
        regexp.types.single()?;
        let scalar = self.b.scalar_of(regexp.value())?;
        match self.program.scalars.get(scalar.0 as usize)?.source {
            ScalarSource::Root(number, _) => self.host.groups(number),
            _ => None,
        }
    }

    /// Where what a Regexp is compiled to is.
    pub(crate) fn pattern_address(&mut self, regexp: &Operand) -> Operand {
        let pattern = self.read_ivar(regexp, PATTERN);
        if pattern.types.contains(&Type::Nil) {
            let (part, why) = self.host.refused_pattern().unwrap_or_default();
            return self.refuse(refused::pattern(&part, &why));
        }
        if pattern.types.single() == Some(&Type::Integer) { pattern } else { Operand::bottom() }
    }

    /// [`crate::ir::Op::Match`] with the bytes of a String.
    pub(crate) fn ask_pattern(&mut self, regexp: &Operand, string: &Operand, asks: [Value; 4]) -> Value {
        let pattern = self.pattern_address(regexp);
        if pattern.is_bottom() {
            return self.b.i64(0);
        }
        self.ask_of_text(pattern.value(), string, asks)
    }

    /// [`Request::Compile`]
    pub(crate) fn compile_pattern(&mut self, source: &Operand, options: Value) -> Value {
        let [none, request] = [0, Request::Compile as i64].map(|number| self.b.i64(number));
        let encoding = self.string_encoding(source);
        self.ask_of_text(none, source, [options, request, encoding, none])
    }

    /// What is asked of no pattern: the place, the request and what preparing gave.
    pub(crate) fn ask_patterns(&mut self, text: &Operand, asks: [Value; 3]) -> Value {
        let none = self.b.i64(0);
        let [place, request, prepared] = asks;
        self.ask_of_text(none, text, [place, request, prepared, none])
    }

    fn ask_of_text(&mut self, pattern: Value, string: &Operand, asks: [Value; 4]) -> Value {
        let Some((words, first)) = self.place_of_bytes(string) else { return self.b.i64(0) };
        let size = self.string_size(string);
        let [place, request, prepared, wanted] = asks;
        self.b.search(words, first, vec![pattern, size, place, request, prepared, wanted])
    }
}
