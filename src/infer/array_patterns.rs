//! Array patterns: over arrays whose length is known, or only at run time, and the find pattern.

use super::calls::CallType;
use super::no_match::{Miss, Told};
use super::operand::Operand;
use super::patterns::{SLOT_CLASS, SLOT_HIT, SLOT_MISS};
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Value};
use crate::syntax::ast::{Pattern, PatternKind, Target};
use crate::types::Type;

impl Lowerer<'_> {
    /// An array pattern: over an array, or over what `deconstruct` makes one of.
    pub(super) fn match_array(
        &mut self,
        pattern: &Pattern,
        subject: &Operand,
        miss: &Miss,
        deconstructs: bool,
    ) {
        self.switch(subject, SLOT_CLASS, &mut |s, part| {
            s.enter_pattern(pattern);
            let is_array =
                matches!(part.types.single(), Some(Type::Tuple(_) | Type::Array(_) | Type::List(_)));
            let mut asked = ["[]", "length", "deconstruct"].iter().take(if deconstructs { 3 } else { 2 });
            if is_array && asked.any(|name| s.refuse_redefined(&part.types, name, "a pattern")) {
                return Operand::bottom();
            }
            match part.types.single() {
                Some(Type::Tuple(_)) => {
                    let items = s.tuple_items(&part);
                    s.match_tuple(pattern, &part, &items, miss);
                }
                Some(Type::Array(_) | Type::List(_)) => s.match_long_array(pattern, &part, miss),
                _ if !deconstructs => {
                    s.fail(ErrorKind::TypeError("deconstruct must return Array".into()), &[]);
                }
                Some(Type::Object(..) | Type::Record(_) | Type::Made(_))
                    if s.deconstructs(&part, "deconstruct") =>
                {
                    let array = s.send_from(&part, "deconstruct", &[], 1, CallType::Own);
                    if !array.is_bottom() {
                        s.match_array(pattern, &array, miss, false);
                    }
                }
                _ => s.missed(
                    miss,
                    vec![
                        Told::Inspected(part.clone()),
                        Told::Text(" does not respond to #deconstruct".into()),
                    ],
                ),
            }
            if s.b.is_dead() { Operand::bottom() } else { Operand::nil() }
        });
    }

    /// `[*, a, b, *]` over an array of known length.
    fn find_in_tuple(&mut self, pattern: &Pattern, array: &Operand, items: &[Operand], miss: &Miss) {
        let PatternKind::Find { before, middle, after, .. } = &pattern.kind else { return };
        if items.len() < middle.len() {
            let given = Told::Text(items.len().to_string());
            return self.missed(miss, length_mismatch(array, given, middle.len(), true));
        }
        self.labelled(SLOT_HIT, false, |s, hit| {
            for first in 0..=items.len() - middle.len() {
                s.within_slot(first as u32, |s| {
                    s.labelled(SLOT_MISS, false, |s, next| {
                        for (item, pattern) in items[first..].iter().zip(middle) {
                            s.match_pattern(pattern, item, &Miss::Jump(next));
                        }
                        let parts = [(before, &items[..first]), (after, &items[first + middle.len()..])];
                        for (target, part) in parts {
                            s.assign_rest(target.as_ref(), |s| s.rest_of_known(part));
                        }
                        s.jump(hit, None);
                        Operand::bottom()
                    })
                });
            }
            s.found_nowhere(pattern, array, miss)
        });
    }

    /// What is before or behind what was found, if that has a name.
    fn assign_rest(&mut self, target: Option<&Target>, part: impl FnOnce(&mut Self) -> Operand) {
        if let (Some(target), false) = (target, self.b.is_dead()) {
            let part = part(self);
            self.assign(target, &part);
        }
    }

    fn found_nowhere(&mut self, pattern: &Pattern, array: &Operand, miss: &Miss) -> Operand {
        self.enter_pattern(pattern);
        let reason =
            vec![Told::Inspected(array.clone()), Told::Text(" does not match to find pattern".into())];
        self.missed(miss, reason);
        Operand::bottom()
    }

    /// The same where the length is known at run time only.
    fn find_in_array(&mut self, pattern: &Pattern, array: &Operand, miss: &Miss) {
        let PatternKind::Find { before, middle, after, .. } = &pattern.kind else { return };
        let length = match array.types.single() {
            Some(Type::List(_)) => self.list_length(array.value()),
            Some(Type::Array(kind)) => self.array_length(*kind, array.value()),
            _ => return,
        };
        let many = self.b.i64(middle.len() as i64);
        let value = self.b.compare(Comparison::Ge, length, many);
        let given = Told::Inspected(Operand::integer(length));
        let fits = Condition { value, yes: vec![], no: vec![] };
        self.expect(fits, miss, |_| length_mismatch(array, given, middle.len(), true));
        if self.b.is_dead() {
            return;
        }
        let (zero, end) = (self.b.i64(0), self.plus(length, 1 - middle.len() as i64));
        self.labelled(SLOT_HIT, false, |s, hit| {
            s.within_slot(0, |s| {
                s.counted(zero, end, 1, &mut |s, first, _, _| {
                    s.labelled(SLOT_MISS, false, |s, next| {
                        for (i, pattern) in middle.iter().enumerate() {
                            let index = s.plus(first, i as i64);
                            s.match_item(array, index, pattern, &Miss::Jump(next));
                        }
                        let behind = s.plus(first, middle.len() as i64);
                        let left = s.b.binary(BinaryOp::Sub, length, behind);
                        for (target, start, count) in [(before, zero, first), (after, behind, left)] {
                            s.assign_rest(target.as_ref(), |s| {
                                s.within(pattern.span.start, |s| s.part_of(array, start, count))
                            });
                        }
                        s.jump(hit, None);
                        Operand::bottom()
                    });
                });
            });
            s.found_nowhere(pattern, array, miss)
        });
    }

    fn match_tuple(&mut self, pattern: &Pattern, array: &Operand, items: &[Operand], miss: &Miss) {
        if let PatternKind::Find { .. } = &pattern.kind {
            return self.find_in_tuple(pattern, array, items, miss);
        }
        let PatternKind::Array { before, rest, after, .. } = &pattern.kind else { return };
        let least = before.len() + after.len();
        if items.len() < least || (rest.is_none() && items.len() > least) {
            let given = Told::Text(items.len().to_string());
            return self.missed(miss, length_mismatch(array, given, least, rest.is_some()));
        }
        for (item, pattern) in items.iter().zip(before) {
            self.match_pattern(pattern, item, miss);
        }
        let tail = items.len() - after.len();
        if let Some(Some(target)) = rest
            && !self.b.is_dead()
        {
            let middle = self.rest_of_known(&items[before.len()..tail]);
            self.assign(target, &middle);
        }
        for (item, pattern) in items[tail..].iter().zip(after) {
            self.match_pattern(pattern, item, miss);
        }
    }

    /// An array whose length is known at run time only.
    fn match_long_array(&mut self, pattern: &Pattern, array: &Operand, miss: &Miss) {
        if let PatternKind::Find { .. } = &pattern.kind {
            return self.find_in_array(pattern, array, miss);
        }
        let PatternKind::Array { before, rest, after, .. } = &pattern.kind else { return };
        let least = before.len() + after.len();
        let length = match array.types.single() {
            Some(Type::List(_)) => self.list_length(array.value()),
            Some(Type::Array(kind)) => self.array_length(*kind, array.value()),
            _ => return,
        };
        let wanted = self.b.i64(least as i64);
        let comparison = if rest.is_some() { Comparison::Ge } else { Comparison::Eq };
        let value = self.b.compare(comparison, length, wanted);
        let fits = Condition { value, yes: vec![], no: vec![] };
        let given = Told::Inspected(Operand::integer(length));
        self.expect(fits, miss, |_| length_mismatch(array, given, least, rest.is_some()));
        for (i, pattern) in before.iter().enumerate() {
            let index = self.b.i64(i as i64);
            self.match_item(array, index, pattern, miss);
        }
        if let Some(Some(target)) = rest
            && !self.b.is_dead()
        {
            let start = self.b.i64(before.len() as i64);
            let count = self.plus(length, -(least as i64));
            let middle = self.within(pattern.span.start, |s| s.part_of(array, start, count));
            self.assign(target, &middle);
        }
        for (i, pattern) in after.iter().enumerate() {
            if self.b.is_dead() {
                return;
            }
            let from_end = self.b.i64((after.len() - i) as i64);
            let index = self.b.binary(BinaryOp::Sub, length, from_end);
            self.match_item(array, index, pattern, miss);
        }
    }

    fn match_item(&mut self, array: &Operand, index: Value, pattern: &Pattern, miss: &Miss) {
        if self.b.is_dead() {
            return;
        }
        let item = match array.types.single() {
            Some(Type::List(kind)) => self.list_item(*kind, array.value(), index),
            Some(Type::Array(kind)) => self.array_item(*kind, array.value(), index),
            _ => return,
        };
        if item.is_bottom() {
            // All arrays of the kind are empty: the length did not match.
            self.b.mark_dead();
            return;
        }
        self.match_pattern(pattern, &item, miss);
    }
}

fn length_mismatch(array: &Operand, given: Told, least: usize, more: bool) -> Vec<Told> {
    vec![
        Told::Inspected(array.clone()),
        Told::Text(" length mismatch (given ".into()),
        given,
        Told::Text(format!(", expected {least}{})", if more { "+" } else { "" })),
    ]
}
