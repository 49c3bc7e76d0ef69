//! Splats: arrays spread over a literal, an argument list, parameters or targets. Items of an array of known length are
//! values like others. Where the length is known at run time only, a literal is a list, arguments end with the array,
//! and parameters and targets take its items from there.

use super::assign::Place;
use super::calls::Arguments;
use super::growing::Changing;
use super::operand::Operand;
use super::{Condition, Lowerer, is_held_range};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Receiver, Value};
use crate::syntax::ast::{Code, Kind, LocalId, Multiple, Node, Params};
use crate::types::{ClassId, Type};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A method that calls itself with other numbers of arguments each time is specialised for so many of them.
const MAX_ARGUMENT_COUNTS: usize = 4;

/// What a splat gives.
pub(super) enum Spread {
    Items(Vec<Operand>),
    /// An array whose length is known at run time only.
    Array(Operand),
}

/// The places of a multiple assignment.
pub(super) struct Places<'t> {
    before: Vec<Place<'t>>,
    splat: Option<Option<Box<Place<'t>>>>,
    after: Vec<Place<'t>>,
}

impl Places<'_> {
    /// Are all of them variables of a method or an object, each once?
    fn are_variables(&self) -> bool {
        let is_variable = |place: &Place<'_>| match place {
            Place::Local(_) | Place::Ivar(_) => true,
            Place::State(name, _) => !name.starts_with(['$', '@']),
            _ => false,
        };
        let is_same = |one: &Place<'_>, other: &Place<'_>| match (one, other) {
            (Place::Local(one), Place::Local(other)) => one == other,
            (Place::Ivar(one), Place::Ivar(other)) => one == other,
            (Place::State(one, _), Place::State(other, _)) => one == other,
            _ => false,
        };
        let before = &self.before;
        let is_known = |i: usize| before[..i].iter().any(|known| is_same(known, &before[i]));
        self.splat.is_none() && before.iter().all(is_variable) && !(0..before.len()).any(is_known)
    }
}

/// A parameter that may be left to its default: where it is known at run time only, whether it is.
pub(super) type LeftOut<'p> = (LocalId, &'p Node, Option<Absent<'p>>);

/// When it is.
pub(super) enum Absent<'p> {
    /// Where that is true; else the parameter has its value.
    Where(Value),
    /// Unless a Hash has the key, where `has` is true.
    Unless { has: Value, hash: Operand, name: &'p str },
}

/// Is it made by Ruby's own classes of what `to_a` gives?
fn has_list_of_items(ty: &Type) -> bool {
    ty.is_hash()
        || ty.is_text_range()
        || is_held_range(ty)
        || matches!(ty, Type::Range { .. } | Type::Enumerator(..))
}

impl Lowerer<'_> {
    /// What a splat at the current node makes of a value: its items, if it is an array or has a `to_a`, or itself.
    pub(super) fn spread(&mut self, operand: &Operand) -> Spread {
        let nil = operand.types.filter(|ty| *ty == Type::Nil);
        if self.refuse_redefined(&nil, "to_a", "`*` of nil") {
            return Spread::Items(vec![]);
        }
        let operand = match operand.types.single() {
            Some(ty) if has_list_of_items(ty) => {
                self.send_from(operand, "to_a", &[], 6, super::calls::CallType::Own)
            }
            _ => self.as_array(operand, "to_a"),
        };
        let has_items =
            |t: &Type| !matches!(t, Type::Integer | Type::Float | Type::Symbol | Type::True | Type::False);
        match operand.types.single() {
            Some(Type::Tuple(_)) => Spread::Items(self.tuple_items(&operand)),
            Some(Type::Nil) => Spread::Items(vec![]),
            Some(Type::Array(_) | Type::List(_)) => Spread::Array(operand),
            None if operand.types.iter().any(has_items) => {
                let list = self.listed_items(&[]);
                self.append(&list, &operand, true);
                Spread::Array(list)
            }
            _ => Spread::Items(vec![operand]),
        }
    }

    /// A new list of these items, at the current node.
    pub(super) fn listed_items(&mut self, items: &[Operand]) -> Operand {
        let room = self.b.i64(items.len() as i64);
        let list = self.new_list(0, room);
        self.push_all(&list, 0, items);
        list
    }

    pub(super) fn push_all(&mut self, list: &Operand, slot: u32, items: &[Operand]) {
        let Some(into) = Changing::of(list) else { return };
        for (i, item) in items.iter().enumerate() {
            self.within_slot(slot + i as u32, |s| s.push_to(into, item));
        }
    }

    /// Puts the items of arrays behind a list, and what is no array as it is, but for nil in a splat.
    pub(super) fn append(&mut self, list: &Operand, value: &Operand, splat: bool) {
        let Some(into) = Changing::of(list) else { return };
        self.switch(value, 30, &mut |s, value| {
            match value.types.single() {
                Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => {
                    s.builtins.each_item(s, &value, &mut |s, item, _, _| s.push_to(into, &item));
                }
                Some(Type::Nil) if splat => {}
                Some(ty) if splat && has_list_of_items(ty) => {
                    let items = s.send_from(&value, "to_a", &[], 31, super::calls::CallType::Own);
                    s.builtins.each_item(s, &items, &mut |s, item, _, _| s.push_to(into, &item));
                }
                _ => s.push_to(into, &value),
            }
            Operand::nil()
        });
    }

    // ---- literals and arguments ------------------------------------------------------------------------------------

    /// The items of a literal with splats: a list, where they have an array of unknown length among them.
    pub(super) fn literal_items(&mut self, node: &Node, items: &[Node]) -> Result<Vec<Operand>, Operand> {
        let mut all = Vec::new();
        let mut list: Option<Operand> = None;
        for (i, item) in items.iter().enumerate() {
            let spread = match &item.kind {
                Kind::Splat(inner) => {
                    let inner = self.expr(inner);
                    self.enter(item);
                    self.spread(&inner)
                }
                _ => Spread::Items(vec![self.expr(item)]),
            };
            self.enter(node);
            match (spread, &list) {
                (Spread::Items(items), None) => all.extend(items),
                (Spread::Items(items), Some(list)) => {
                    self.within(0x600 + i as u32, |s| s.push_all(list, 0, &items));
                }
                (Spread::Array(array), None) => {
                    if all.iter().any(Operand::is_bottom) {
                        return Err(Operand::bottom());
                    }
                    let made = self.listed_items(&all);
                    self.within(0x600 + i as u32, |s| s.append(&made, &array, true));
                    list = Some(made);
                }
                (Spread::Array(array), Some(list)) => {
                    self.within(0x600 + i as u32, |s| s.append(list, &array, true));
                }
            }
        }
        match list {
            Some(_) if self.b.is_dead() => Err(Operand::bottom()),
            Some(list) => Err(list),
            None => Ok(all),
        }
    }

    /// One more splat in an argument list, the last argument or not.
    pub(super) fn add_splat(&mut self, arguments: &mut Arguments, spread: Spread, is_last: bool) {
        match spread {
            Spread::Items(items) => items.into_iter().for_each(|item| self.add_argument(arguments, item)),
            // What comes later could change the array.
            Spread::Array(array) if is_last && arguments.splat.is_none() => arguments.splat = Some(array),
            Spread::Array(array) => {
                let list = match arguments.splat.take() {
                    Some(list) => list,
                    None => self.listed_items(&[]),
                };
                self.append(&list, &array, true);
                arguments.splat = Some(list);
            }
        }
    }

    /// One more argument: behind an array of unknown length it is an item of that.
    pub(super) fn add_argument(&mut self, arguments: &mut Arguments, value: Operand) {
        match arguments.splat.clone() {
            None => arguments.positional.push(value),
            Some(list) => self.push_all(&list, 0, &[value]),
        }
    }

    /// Arguments of a method that calls itself, where that is called with ever more of them: those behind the required
    /// ones in an array.
    pub(super) fn gathered(&mut self, code: &Rc<Code>, arguments: &Arguments) -> Arguments {
        let required = code.params.required.len();
        let identity = Rc::as_ptr(code) as usize;
        if code.params.rest.is_none() || arguments.splat.is_some() || arguments.positional.len() < required {
            return arguments.clone();
        }
        let known = self.memo.specialisations.get(&identity).map_or(&[][..], Vec::as_slice);
        let counts: BTreeSet<usize> =
            known.iter().filter(|key| !key.form.splat).map(|key| key.args.len()).collect();
        if counts.len() < MAX_ARGUMENT_COUNTS {
            return arguments.clone();
        }
        let mut arguments = arguments.clone();
        let rest = arguments.positional.split_off(required);
        arguments.splat = Some(self.within_slot(0x3c2, |s| s.listed_items(&rest)));
        arguments
    }

    /// What takes no arguments of unknown number.
    pub(crate) fn refuse_splat(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-splat",
            "an array of unknown length cannot be splatted in this call",
            Some("name the items, as in `f(a[0], a[1])`".into()),
        )
    }

    /// So many arguments, with nil for those that are not given; how many there are is checked by the caller.
    pub(super) fn arguments_or_nil(&mut self, arguments: &Arguments, count: usize) -> Vec<Operand> {
        let mut all = arguments.positional.clone();
        if let Some(array) = &arguments.splat {
            for i in 0..count.saturating_sub(all.len()) {
                let index = self.b.i64(i as i64);
                all.push(self.within_slot(i as u32, |s| s.item_of(array, index, false)));
            }
        }
        all
    }

    /// How many arguments there are.
    pub(super) fn given(&mut self, arguments: &Arguments) -> Value {
        let known = self.b.i64(arguments.positional.len() as i64);
        match &arguments.splat {
            Some(array) => {
                let length = self.length_of(array);
                self.b.binary(BinaryOp::Add, known, length)
            }
            None => known,
        }
    }

    fn length_of(&mut self, array: &Operand) -> Value {
        match array.types.single() {
            Some(Type::Array(kind)) => self.array_length(*kind, array.value()),
            _ => self.list_length(array.value()),
        }
    }

    /// An item of an array, which is there if `sure`.
    pub(super) fn item_of(&mut self, array: &Operand, index: Value, sure: bool) -> Operand {
        match (array.types.single(), sure) {
            (Some(Type::Array(kind)), true) => self.array_item(*kind, array.value(), index),
            (Some(Type::Array(kind)), false) => self.array_at(*kind, array.value(), index),
            (Some(Type::List(kind)), true) => self.list_item(*kind, array.value(), index),
            (Some(Type::List(kind)), false) => self.list_at(*kind, array.value(), index),
            _ => Operand::bottom(),
        }
    }

    /// So many items from `start` on, as a new array.
    pub(super) fn part_of(&mut self, array: &Operand, start: Value, count: Value) -> Operand {
        self.send(array, "#part", &[Operand::integer(start), Operand::integer(count)], 7)
    }

    // ---- parameters ------------------------------------------------------------------------------------------------

    /// The array that a block's parameters take apart, as one of unknown length.
    pub(super) fn array_to_spread(&mut self, value: &Operand) -> Operand {
        if let Some(Type::Array(_) | Type::List(_)) = value.types.single() {
            return value.clone();
        }
        let list = self.listed_items(&[]);
        self.append(&list, value, false);
        list
    }

    /// Is an array, or what has a `to_ary`, among these values or the items of the array?
    pub(super) fn holds_arrays(&mut self, values: &[Operand], array: &Operand) -> bool {
        let Some(ty) = array.types.single() else { return true };
        let items = self.types_of_items(ty);
        values.iter().map(|value| &value.types).chain([&items]).flatten().any(|ty| {
            matches!(ty, Type::Array(_) | Type::List(_) | Type::Tuple(_)) || self.type_responds(ty, "to_ary")
        })
    }

    /// Checks how many arguments a method gets of an array of unknown length.
    pub(super) fn check_given(
        &mut self,
        arguments: &Arguments,
        least: usize,
        most: Option<usize>,
        expected: &str,
    ) {
        let given = self.given(arguments);
        let low = self.b.i64(least as i64);
        let mut ok = self.b.compare(Comparison::Ge, given, low);
        if let Some(most) = most {
            let high = self.b.i64(most as i64);
            let fits = self.b.compare(Comparison::Le, given, high);
            ok = self.b.binary(BinaryOp::AndB, ok, fits);
        }
        let message = vec![
            MessagePart::Text("wrong number of arguments (given ".into()),
            MessagePart::Value(Receiver::Integer),
            MessagePart::Text(format!(", expected {expected})")),
        ];
        let error = ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(message) };
        let site = self.binding_site(error);
        self.check_at(ok, site, &[given]);
    }

    /// Binds parameters to arguments that end with an array. In methods all that need one have one; blocks take nil for
    /// what is missing, and drop what is too much.
    pub(super) fn bind_spread<'p>(
        &mut self,
        params: &'p Params,
        mut known: Vec<Operand>,
        array: &Operand,
        strict: bool,
    ) -> Vec<LeftOut<'p>> {
        let (required, optional, post) = (params.required.len(), params.optional.len(), params.post.len());
        let mut array = array.clone();
        if known.len() > required {
            let surplus = known.split_off(required);
            let list = self.listed_items(&surplus);
            self.within_slot(0x20, |s| s.append(&list, &array, false));
            array = list;
        }
        // Behind the required ones, of which the array has some.
        let of_array = required - known.len();
        for (id, value) in params.required.iter().zip(known) {
            self.write_local(*id, value);
        }
        let mut length = self.length_of(&array);
        if !strict {
            let least = self.b.i64((of_array + post) as i64);
            length = self.greater(length, least);
            if params.rest.is_none() {
                let most = self.b.i64((of_array + optional + post) as i64);
                let short = self.b.compare(Comparison::Lt, length, most);
                length = self.b.select(short, length, most);
            }
        }
        let zero = self.b.i64(0);
        for (i, id) in params.required[required - of_array..].iter().enumerate() {
            let index = self.b.i64(i as i64);
            let value = self.within_slot(0x40 + i as u32, |s| s.item_of(&array, index, strict));
            self.bind_item(*id, value);
        }
        let mut left_out: Vec<LeftOut<'p>> = Vec::new();
        let behind = self.plus(length, -((of_array + post) as i64));
        for (i, (id, default)) in params.optional.iter().enumerate() {
            let number = self.b.i64(i as i64);
            let absent = self.b.compare(Comparison::Le, behind, number);
            let index = self.b.i64((of_array + i) as i64);
            let condition = Condition { value: absent, yes: vec![], no: vec![] };
            let value = self.within_slot(0x60 + i as u32, |s| {
                s.branch(8, condition, |_| Operand::nil(), |s| s.item_of(&array, index, true))
            });
            self.bind_item(*id, value);
            left_out.push((*id, default, Some(Absent::Where(absent))));
        }
        if let Some(id) = params.rest {
            let count = self.plus(behind, -(optional as i64));
            let count = self.greater(count, zero);
            let start = self.b.i64((of_array + optional) as i64);
            let rest = self.part_of(&array, start, count);
            self.bind_item(id, rest);
        }
        let first = self.plus(length, -(post as i64));
        for (i, id) in params.post.iter().enumerate() {
            let index = self.plus(first, i as i64);
            let value = self.within_slot(0x80 + i as u32, |s| s.item_of(&array, index, strict));
            self.bind_item(*id, value);
        }
        left_out
    }

    /// What nothing is known of comes from an array that is empty, as far as is known.
    fn bind_item(&mut self, id: LocalId, value: Operand) {
        let value = if value.is_bottom() { Operand::nil() } else { value };
        self.write_local(id, value);
    }

    fn greater(&mut self, a: Value, b: Value) -> Value {
        let less = self.b.compare(Comparison::Lt, a, b);
        self.b.select(less, b, a)
    }

    // ---- targets ---------------------------------------------------------------------------------------------------

    /// `a, (b, *c), d = value`, where the value is there already.
    pub(crate) fn assign_multiple(&mut self, targets: &Multiple, value: &Operand) {
        let places = self.resolve_multiple(targets);
        self.assign_places(&places, value, false);
    }

    /// Evaluates what the targets need before their values.
    pub(super) fn resolve_multiple<'t>(&mut self, targets: &'t Multiple) -> Places<'t> {
        Places {
            before: targets.before.iter().map(|target| self.resolve(target)).collect(),
            splat: targets
                .splat
                .as_ref()
                .map(|splat| splat.as_ref().map(|target| Box::new(self.resolve(target)))),
            after: targets.after.iter().map(|target| self.resolve(target)).collect(),
        }
    }

    /// All items are taken before any is assigned. Some Rubies assign variables those of a `literal`, where nobody uses the
    /// assignment's value, from the last one on, which decides in what order an object has its own.
    pub(super) fn assign_places(&mut self, places: &Places<'_>, value: &Operand, literal: bool) {
        let value = self.through_to_ary(value);
        if value.is_bottom() {
            return;
        }
        let (before, rest, after) = self.taken_apart(&value, places);
        let mut before: Vec<_> = places.before.iter().zip(before).collect();
        if literal && places.are_variables() && self.host.dialect().variables_are_assigned_backwards {
            before.reverse();
        }
        for (place, item) in before {
            self.assign_place(place, &item);
        }
        if let (Some(Some(place)), Some(rest)) = (&places.splat, rest) {
            self.assign_place(place, &rest);
        }
        for (place, item) in places.after.iter().zip(after) {
            self.assign_place(place, &item);
        }
    }

    fn taken_apart(
        &mut self,
        value: &Operand,
        targets: &Places<'_>,
    ) -> (Vec<Operand>, Option<Operand>, Vec<Operand>) {
        let (before, after) = (targets.before.len(), targets.after.len());
        let is_array = |t: &Type| matches!(t, Type::Array(_) | Type::List(_) | Type::Tuple(_));
        let tuple = matches!(value.types.single(), Some(Type::Tuple(_)));
        if targets.splat.is_none() && !tuple {
            return ((0..before).map(|i| self.destructured(value, i)).collect(), None, vec![]);
        }
        let named = matches!(targets.splat, Some(Some(_)));
        if tuple || !value.types.iter().any(is_array) {
            // What is no array is the only item of one.
            let items = if tuple { self.tuple_items(value) } else { vec![value.clone()] };
            let item = |i: usize| items.get(i).cloned().unwrap_or_else(Operand::nil);
            let end = items.len().saturating_sub(after).max(before);
            let middle = items.get(before..end.min(items.len())).unwrap_or(&[]);
            let rest = named.then(|| self.rest_of_known(middle));
            return ((0..before).map(item).collect(), rest, (end..end + after).map(item).collect());
        }
        let array = self.array_to_spread(value);
        let length = self.length_of(&array);
        let start = self.b.i64(before as i64);
        let end = self.plus(length, -(after as i64));
        let end = self.greater(end, start);
        let firsts = (0..before).map(|i| {
            let index = self.b.i64(i as i64);
            self.within_slot(0x40 + i as u32, |s| s.item_of(&array, index, false))
        });
        let firsts = firsts.collect();
        let rest = named.then(|| {
            let count = self.b.binary(BinaryOp::Sub, end, start);
            self.part_of(&array, start, count)
        });
        let lasts = (0..after).map(|i| {
            let index = self.plus(end, i as i64);
            self.within_slot(0x80 + i as u32, |s| s.item_of(&array, index, false))
        });
        let lasts = lasts.collect();
        (firsts, rest, lasts)
    }

    /// What a splat takes of an array of known length: a list, where it is changed later.
    pub(super) fn rest_of_known(&mut self, items: &[Operand]) -> Operand {
        let rest = self.tuple(items);
        let place = (Rc::as_ptr(&self.frame().code) as usize, self.node);
        if self.memo.grown.contains(&place) {
            return self.make_list(0x3c1, &rest);
        }
        self.memo.makes_array(&rest.types, place);
        self.note_maker(&rest, place);
        rest
    }

    /// Item `i` of a value on the right of a multiple assignment: what is no array is its own first item.
    pub(super) fn destructured(&mut self, value: &Operand, i: usize) -> Operand {
        self.within_slot(i as u32, |s| {
            s.switch(value, 18, &mut |s, value| match value.types.single() {
                Some(Type::Array(_) | Type::List(_)) => {
                    let index = s.b.i64(i as i64);
                    s.item_of(&value, index, false)
                }
                Some(Type::Tuple(_)) => s.tuple_items(&value).get(i).cloned().unwrap_or_else(Operand::nil),
                _ if i == 0 => value,
                _ => Operand::nil(),
            })
        })
    }
}
