//! Literals: numbers, Symbols, Strings with what is put into them, arrays and ranges.

use super::Lowerer;
use super::births::Birth;
use super::operand::Operand;
use crate::ir::{BinaryOp, Comparison, ErrorKind};
use crate::string_layout::Encoding;
use crate::syntax::ast::{Kind, Node, StringPart};
use crate::types::{ClassId, RangeEnd, RecordType, Type, TypeSet};
use std::rc::Rc;

/// Bytes of a text that there is room for where a value is put into it.
const VALUE_ROOM: i64 = 8;

/// What a text is put together of.
pub(super) enum Piece {
    Written(String),
    /// What cannot change: its text is made where it is put.
    Value(Operand),
    Text(Operand),
}

impl Lowerer<'_> {
    /// A literal.
    pub(super) fn literal_value(&mut self, node: &Node) -> Operand {
        match &node.kind {
            Kind::Nil => Operand::nil(),
            Kind::True | Kind::False => {
                let value = node_bool(&node.kind);
                let ty = if value { Type::True } else { Type::False };
                let value = self.b.bool(value);
                Operand::one(ty, value)
            }
            Kind::Integer(n) => {
                let value = self.b.i64(*n);
                Operand::integer(value)
            }
            Kind::Float(x) => {
                let value = self.b.f64(*x);
                Operand::float(value)
            }
            Kind::Symbol(name) => self.symbol(name),
            Kind::Regexp(source, options) => self.regexp(source, *options),
            Kind::String(parts) => self.string(node, parts),
            Kind::Array(items) => self.array_literal_of(node, items),
            Kind::Range { low, high, exclusive } => self.range(low.as_deref(), high.as_deref(), *exclusive),
            _ => unreachable!("the kinds of literals"),
        }
    }

    /// `[…]`
    fn array_literal_of(&mut self, node: &Node, items: &[Node]) -> Operand {
        if let Some(list) = self.constant_list(node, items) {
            return list;
        }
        let all = match self.literal_items(node, items) {
            Ok(all) => all,
            Err(list) => return list,
        };
        if all.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        self.enter(node);
        let place = (std::rc::Rc::as_ptr(&self.frame().code) as usize, node.id);
        if self.makes_endless_list(place, &all) {
            return Operand::bottom();
        }
        let all: Vec<Operand> =
            (0x680..).zip(all).map(|(slot, item)| self.within_slot(slot, |s| s.narrowed(&item))).collect();
        let all: Vec<Operand> =
            (0..).zip(all).map(|(i, item)| self.named(item, node.id.0.rotate_left(7) ^ i)).collect();
        let is_list = self.grows(node) || self.memo.grown.contains(&place);
        if is_list && !all.iter().fold(false, |kept, item| self.keep_building(&item.types) | kept) {
            return self.make_list(0, &super::operand::side_by_side(&all));
        }
        let tuple = self.tuple(&all);
        self.memo.makes_array(&tuple.types, place);
        self.note_maker(&tuple, place);
        tuple
    }

    /// What is changed came from a literal or a call that makes arrays of fixed length, here or in a method around: those
    /// that make such arrays make lists from the next walk on. False if there is none.
    pub(crate) fn grow_literals(&mut self, made: &TypeSet) -> bool {
        let places = self.memo.array_makers.get(made).cloned().unwrap_or_default();
        let known = self.memo.grown.len();
        self.memo.grown.extend(places);
        let grew = self.memo.grown.len() > known;
        // What was learned names arrays of fixed length.
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        grew
    }

    /// Is the array of a literal changed later?
    fn grows(&mut self, node: &Node) -> bool {
        let code = &self.frames[self.current].code;
        let key = std::rc::Rc::as_ptr(code) as usize;
        let found = self
            .mutable_literals
            .entry(key)
            .or_insert_with(|| super::mutable_literals::mutable_literals(code).into());
        found.contains(&node.id)
    }

    /// A symbol by name.
    pub(crate) fn symbol(&mut self, name: &str) -> Operand {
        let number = self.host.symbol(name);
        self.symbols.insert(number, name.to_owned());
        let value = self.b.i32(number);
        Operand::one(Type::Symbol, value)
    }

    fn range(&mut self, low: Option<&Node>, high: Option<&Node>, exclusive: bool) -> Operand {
        // Who is given it may change an end that is a String.
        let shares = [low, high].into_iter().flatten().all(|end| matches!(end.kind, Kind::String(_)));
        let mut end = |node: &Node| {
            let shared = if shares { self.shared_literal(node) } else { None };
            shared.unwrap_or_else(|| self.expr(node))
        };
        let (low, high) = (low.map(&mut end), high.map(&mut end));
        self.range_between(low, high, exclusive)
    }

    /// The range of two ends, nil being none.
    pub(crate) fn range_between(
        &mut self,
        low: Option<Operand>,
        high: Option<Operand>,
        exclusive: bool,
    ) -> Operand {
        let (low, high) =
            (low.map(|low| self.sure_end(low, 0x3e8)), high.map(|high| self.sure_end(high, 0x3e9)));
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => {
                let first = self.comparable_end(&low, &high, 0x3ea);
                (Some(first), Some(self.comparable_end(&high, &low, 0x3eb)))
            }
            ends => ends,
        };
        if let (Some(low), Some(high)) = (&low, &high) {
            let is_text = |end: &Operand| end.types.single().is_some_and(Type::is_string);
            let is_date = |end: &Operand| {
                end.types.iter().all(|ty| super::class_of(ty) == ClassId::DATE && ty.is_instance())
            };
            let are_dates = !low.is_bottom() && !high.is_bottom() && is_date(low) && is_date(high);
            if is_text(low) && is_text(high) || are_dates {
                return Self::text_range(low, high, exclusive);
            }
            if let (Some(one), Some(other)) = (low.types.single(), high.types.single())
                && never_compare(one, other)
            {
                return self.fail(ErrorKind::ArgumentError("bad value for range".into()), &[]);
            }
        }
        let mut values = Vec::new();
        let mut end = |s: &mut Self, operand: Option<Operand>| -> Option<RangeEnd> {
            let Some(operand) = operand else { return Some(RangeEnd::None) };
            let end = match operand.types.single() {
                Some(Type::Nil) => return Some(RangeEnd::None),
                Some(Type::Integer) => RangeEnd::Integer,
                Some(Type::Float) => RangeEnd::Float,
                _ => {
                    let is_bounded = |ty: &Type| ty.is_string() || super::class_of(ty) == ClassId::DATE;
                    let what = s.describe(&operand.types);
                    let message = match operand.types.iter().all(is_bounded) {
                        true => "a range of Strings or Dates in a section has both ends".to_string(),
                        false => {
                            format!("a range in a section goes over numbers, Strings or Dates, not {what}")
                        }
                    };
                    if !operand.is_bottom() {
                        let hint = "make sure that both its ends are numbers, or Strings";
                        s.refuse_here("unsupported-range", message, Some(hint.into()));
                    }
                    return None;
                }
            };
            values.push(operand.value());
            Some(end)
        };
        let (Some(low), Some(high)) = (end(self, low), end(self, high)) else { return Operand::bottom() };
        if let [low_value, high_value] = values[..] {
            // Ends that do not compare: only NaN among numbers.
            for (end, value) in [(low, low_value), (high, high_value)] {
                if end == RangeEnd::Float {
                    let ok = self.b.compare(Comparison::Eq, value, value);
                    self.check(ok, ErrorKind::ArgumentError("bad value for range".into()), &[]);
                }
            }
        }
        Operand {
            types: Type::Range { exclusive, low, high }.into(),
            values: values.into(),
            birth: Birth::UNKNOWN,
        }
    }

    /// The end of a range, of which it is known whether there is one: what may be nil ends the section where it is.
    fn sure_end(&mut self, end: Operand, slot: u32) -> Operand {
        let end = self.end_of_64_bits(end, slot);
        if end.types.len() < 2 || !end.types.contains(&Type::Nil) {
            return end;
        }
        let some = end.types.filter(|ty| *ty != Type::Nil);
        let condition = self.is_one_of(&end, &some);
        let there = |s: &mut Self| s.narrow(&end, &some);
        self.within_slot(slot, |s| {
            s.branch(0, condition, there, |s| {
                let message = "an end of a range is nil, where it is a number or String elsewhere: such a range cannot run \
                               in a section [unsupported-range]";
                let hint = "write the range without that end, in a branch of its own";
                s.fail(ErrorKind::Unsupported(format!("{message}\n  hint: {hint}")), &[])
            })
        })
    }

    /// The same of what may be an Integer beyond 64 bits.
    fn end_of_64_bits(&mut self, end: Operand, slot: u32) -> Operand {
        let end = self.within_slot(slot + 0x20, |s| s.narrowed(&end));
        let others = end.types.filter(|ty| !super::is_big_integer(ty));
        if others.len() == end.types.len() {
            return end;
        }
        let message = "an end of a range is an Integer beyond 64 bits: such a range cannot run in a section";
        let hint = "compare with the ends, or count in a loop";
        if others.is_empty() {
            return self.refuse_here("unsupported-range", message, Some(hint.into()));
        }
        let condition = self.is_one_of(&end, &others);
        let there = |s: &mut Self| s.narrow(&end, &others);
        self.within_slot(slot + 0x10, |s| {
            s.branch(0, condition, there, |s| {
                s.fail(ErrorKind::Unsupported(format!("{message} [unsupported-range]\n  hint: {hint}")), &[])
            })
        })
    }

    /// The end of a range whose other end is a number: Ruby raises where it is what no number compares with, as what
    /// `x & 3` gives where x is nil.
    fn comparable_end(&mut self, end: &Operand, other: &Operand, slot: u32) -> Operand {
        let is_number = |ty: &Type| matches!(ty, Type::Integer | Type::Float);
        let differs = |ty: &Type| {
            matches!(ty, Type::True | Type::False | Type::Symbol)
                || matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_))
                || ty.is_string()
        };
        let bad = end.types.filter(differs);
        if bad.is_empty() || other.types.is_empty() || !other.types.iter().all(is_number) {
            return end.clone();
        }
        let fail = |s: &mut Self| s.fail(ErrorKind::ArgumentError("bad value for range".into()), &[]);
        let good = end.types.filter(|ty| !differs(ty));
        if good.is_empty() {
            return fail(self);
        }
        let condition = self.is_one_of(end, &good);
        self.within_slot(slot, |s| s.branch(0, condition, |s| s.narrow(end, &good), fail))
    }

    fn text_range(low: &Operand, high: &Operand, exclusive: bool) -> Operand {
        let names = [RecordType::TEXTS[0], RecordType::TEXTS[if exclusive { 2 } else { 1 }]];
        let fields = names.iter().zip([low, high]).map(|(name, end)| (name.to_string(), end.types.clone()));
        let record = RecordType { class: ClassId::RANGE, fields: fields.collect() };
        Operand {
            types: Type::Record(Rc::new(record)).into(),
            values: low.values.iter().chain(&high.values).copied().collect(),
            birth: Birth::UNKNOWN,
        }
    }

    /// A String of texts and what expressions give.
    fn string(&mut self, node: &Node, parts: &[StringPart]) -> Operand {
        if let [StringPart::Frozen(text)] = parts {
            return self.outside_literal(text).unwrap_or_else(Operand::bottom);
        }
        if let [] | [StringPart::Text(_)] = parts {
            let text = if let [StringPart::Text(text)] = parts { text.as_str() } else { "" };
            return self.string_of_text(text);
        }
        let mut values = Vec::new();
        let mut pieces = Vec::new();
        // A text is made as soon as its value is there.
        for (i, part) in parts.iter().enumerate() {
            if let StringPart::Expression(expression) = part {
                values.push(self.interpolated(expression));
                self.enter(node);
            }
            match self.piece(i, part, &mut values.drain(..)) {
                Some(piece) => pieces.push(piece),
                None => return Operand::bottom(),
            }
        }
        self.joined(&pieces)
    }

    /// A part of a text, whose value comes next if it has one.
    fn piece(
        &mut self,
        number: usize,
        part: &StringPart,
        values: &mut dyn Iterator<Item = Operand>,
    ) -> Option<Piece> {
        let (StringPart::Text(text) | StringPart::Frozen(text)) = part else {
            let value = values.next().filter(|value| !value.is_bottom())?;
            if self.has_plain_text(&value.types) {
                return Some(Piece::Value(value));
            }
            let text = self.within_slot(number as u32, |s| super::strings::text_of(s, &value));
            if text.is_bottom() {
                return None;
            }
            if !text.types.iter().all(Type::is_string) {
                let (of, given) = (self.describe(&value.types), self.describe(&text.types));
                self.refuse_here(
                    "unsupported-string",
                    format!("`to_s` of {of} gives {given}: Ruby shows the object with its address then"),
                    Some("let `to_s` give a String".into()),
                );
                return None;
            }
            return Some(Piece::Text(text));
        };
        Some(Piece::Written(text.clone()))
    }

    /// The parts of a text whose values are there.
    pub(super) fn pieces_of(
        &mut self,
        parts: &[StringPart],
        values: &mut dyn Iterator<Item = Operand>,
    ) -> Option<Vec<Piece>> {
        parts.iter().enumerate().map(|(i, part)| self.piece(i, part, values)).collect()
    }

    /// Values that cannot change, and of which Ruby's own `to_s` makes texts.
    fn has_plain_text(&mut self, types: &TypeSet) -> bool {
        let is_plain = |ty: &Type| {
            matches!(ty, Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol)
        };
        types.iter().all(|ty| is_plain(ty) && !self.is_redefined(super::class_of(ty), "to_s"))
    }

    /// A String of its parts.
    pub(super) fn joined(&mut self, pieces: &[Piece]) -> Operand {
        let has_text = pieces.iter().any(|piece| matches!(piece, Piece::Written(_)));
        let like_first = has_text || pieces.len() > 1 && self.host.dialect().expressions_tell_encoding;
        let mut room = self.b.i64(0);
        for (i, piece) in pieces.iter().enumerate() {
            let size = match piece {
                Piece::Written(text) => self.b.i64(text.len() as i64),
                Piece::Value(_) => self.b.i64(VALUE_ROOM),
                Piece::Text(text) => match self.send(text, "#bytesize", &[], 0x400 + i as u32) {
                    size if size.is_bottom() => return size,
                    size => size.value(),
                },
            };
            room = self.b.binary(BinaryOp::Add, room, size);
        }
        let string = match pieces.first().filter(|_| like_first) {
            Some(Piece::Written(text)) => self.begun_text(text, room),
            Some(Piece::Text(text)) => self.send(text, "#build", &[Operand::integer(room)], 0),
            // The texts of Symbols say themselves which encoding they have.
            Some(Piece::Value(value)) if value.types.contains(&Type::Symbol) => {
                let text = super::strings::text_of(self, value);
                if text.is_bottom() {
                    return text;
                }
                self.send(&text, "#build", &[Operand::integer(room)], 0)
            }
            Some(Piece::Value(_)) => {
                let ascii = self.b.i64(Encoding::UsAscii as i64);
                self.new_string(room, ascii)
            }
            None => self.begun_text("", room),
        };
        if string.is_bottom() {
            return string;
        }
        for (i, piece) in pieces.iter().enumerate() {
            let slot = 1 + i as u32;
            let put = match piece {
                Piece::Written(_) if i == 0 => continue,
                Piece::Written(text) if text.is_ascii() => {
                    self.within_slot(slot, |s| s.put_written(&string, text, "#any_ascii"))
                }
                Piece::Written(text) => {
                    let text = self.string_of_text(text);
                    self.send(&string, "#interpolate", &[text], slot)
                }
                Piece::Value(value) => self.send(&string, "#any_value", std::slice::from_ref(value), slot),
                Piece::Text(text) => self.send(&string, "#interpolate", std::slice::from_ref(text), slot),
            };
            if put.is_bottom() {
                return put;
            }
        }
        string
    }
}

/// Is `<=>` of such values nil, whatever they are?
fn never_compare(one: &Type, other: &Type) -> bool {
    let kind = |ty: &Type| match ty {
        Type::Integer | Type::Float => Some(0),
        ty if ty.is_string() => Some(1),
        Type::Symbol => Some(2),
        Type::True => Some(3),
        Type::False => Some(4),
        Type::Array(_) | Type::Tuple(_) | Type::List(_) => Some(5),
        _ => None,
    };
    matches!((kind(one), kind(other)), (Some(one), Some(other)) if one != other)
}

const fn node_bool(kind: &Kind) -> bool {
    matches!(kind, Kind::True)
}
