//! What was learned, when it names what is no more: lists that have become of one kind are named by its number, and
//! what names records that are kept in memory is forgotten.

use super::{ListMemo, Memo};
use crate::infer::{FunctionKey, operand};
use crate::types::{ListKind, Type, TypeSet};

impl Memo {
    /// Forgets what names lists and records; contexts, the kinds of lists and the variables of records stay.
    pub(super) fn forget(&mut self) {
        self.joins.clear();
        self.functions.take();
        self.left.clear();
        self.failures.take();
        self.stores.take();
        self.specialisations.clear();
        self.accumulators.clear();
        self.result = TypeSet::empty();
        self.given = TypeSet::empty();
        self.kernel_results.clear();
        self.list_loops.take();
        self.made.values_mut().for_each(|made| made.fields.clear());
        let mut variables = std::mem::take(&mut self.variables);
        let (mut columns, mut arrays) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.arrays));
        let of_columns = columns.values_mut().flat_map(|column| [&mut column.stored, &mut column.written]);
        let of_arrays = arrays.values_mut().flat_map(|array| [&mut array.stored, &mut array.written]);
        for types in of_columns.chain(of_arrays).chain(variables.values_mut()) {
            *types = self.with_united_rows(&types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_))));
        }
        (self.columns, self.arrays, self.variables) = (columns, arrays, variables);
        for list in &mut self.lists {
            *list = ListMemo { parent: list.parent, ..ListMemo::default() };
        }
    }

    /// Names lists that have become of one kind by its number, in all that was learned.
    pub(super) fn rename(&mut self) {
        let kinds: Vec<u32> = (0..self.lists.len() as u32).map(|number| self.canonical(number)).collect();
        let set = |types: &mut TypeSet| {
            if let Some(renamed) = renamed(types, &kinds) {
                *types = renamed;
            }
        };
        let key = |key: &FunctionKey| {
            let mut key = key.clone();
            key.types_mut().for_each(set);
            key
        };
        for join in self.joins.values_mut() {
            join.carried.values_mut().chain([&mut join.result]).for_each(set);
        }
        for list in &mut self.lists {
            list.copied.iter_mut().chain([&mut list.items]).for_each(set);
        }
        for column in self.columns.values_mut() {
            [&mut column.stored, &mut column.written].into_iter().for_each(set);
        }
        for array in self.arrays.values_mut() {
            [&mut array.stored, &mut array.written].into_iter().for_each(set);
        }
        let fields = self.made.values_mut().flat_map(|made| &mut made.fields).map(|(_, types)| types);
        let given = self.kernel_results.values_mut();
        fields
            .chain(self.accumulators.values_mut())
            .chain([&mut self.result, &mut self.given])
            .chain(given)
            .for_each(set);
        for (function, mut types) in self.functions.take() {
            set(&mut types);
            let known = self.functions.entry(key(&function));
            *known = operand::join(known, &types);
        }
        for (function, mut left) in std::mem::take(&mut self.left) {
            left.iter_mut().for_each(set);
            let known = self.left.entry(key(&function)).or_default();
            known.resize(left.len().max(known.len()), TypeSet::empty());
            known.iter_mut().zip(&left).for_each(|(known, types)| *known = operand::join(known, types));
        }
        for (function, sites) in self.failures.take() {
            let known = self.failures.entry(key(&function));
            sites.into_iter().for_each(|site| {
                if !known.contains(&site) {
                    known.push(site)
                }
            });
        }
        for (function, stores) in self.stores.take() {
            let known = self.stores.entry(key(&function));
            known.anywhere |= stores.anywhere;
            known.watched |= stores.watched;
            known.makes |= stores.makes;
            let renamed = |kind: &ListKind| ListKind(kinds[kind.0 as usize]);
            known.kinds.extend(stores.kinds.iter().map(renamed));
            known.made.extend(stores.made.iter().map(renamed));
        }
        for known in self.specialisations.values_mut() {
            let mut all: Vec<FunctionKey> = Vec::new();
            for function in known.iter().map(key) {
                if !all.contains(&function) {
                    all.push(function);
                }
            }
            *known = all;
        }
        // Functions find what was learned of their bodies by the numbers of the types that they take.
        let mut numbers: Vec<(TypeSet, u32)> =
            self.type_numbers.iter().map(|(types, number)| (types.clone(), *number)).collect();
        numbers.sort_unstable_by_key(|(_, number)| *number);
        for (types, number) in numbers {
            if let Some(types) = renamed(&types, &kinds) {
                self.type_numbers.entry(types).or_insert(number);
            }
        }
        for makers in [&mut self.array_makers, &mut self.makers_of_arrays] {
            for (types, places) in std::mem::take(makers) {
                let types = renamed(&types, &kinds).unwrap_or(types);
                makers.entry(types).or_default().extend(places);
            }
        }
    }
}

/// The set with the kinds of lists renamed, where there are any.
fn renamed(types: &TypeSet, kinds: &[u32]) -> Option<TypeSet> {
    let is_named = |ty: &Type| match ty {
        Type::List(kind) => kinds[kind.0 as usize] != kind.0,
        other => operand::parts(other)
            .is_some_and(|parts| parts.iter().any(|types| renamed(types, kinds).is_some())),
    };
    if !types.iter().any(is_named) {
        return None;
    }
    let within = |types: &TypeSet| renamed(types, kinds).unwrap_or_else(|| types.clone());
    let each = types.iter().map(|ty| match ty {
        Type::List(kind) => Type::List(ListKind(kinds[kind.0 as usize])),
        Type::Tuple(items) => Type::Tuple(items.iter().map(within).collect()),
        Type::Closure(number, items) => Type::Closure(*number, items.iter().map(within).collect()),
        Type::Enumerator(method, items) => {
            Type::Enumerator(method.clone(), items.iter().map(within).collect())
        }
        Type::Record(record) => {
            let mut record = (**record).clone();
            record.fields.iter_mut().for_each(|(_, types)| *types = within(types));
            Type::Record(record.into())
        }
        other => other.clone(),
    });
    Some(each.fold(TypeSet::empty(), |all, ty| operand::join(&all, &ty.into())))
}
