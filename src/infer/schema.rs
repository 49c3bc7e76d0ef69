//! The schema: what the heap is to build, from the memo of a finished walk.

use super::Lowerer;
use crate::heap::schema::{ArraySchema, Base, ColumnSchema, Schema};
use crate::types::TypeSet;

impl Lowerer<'_> {
    /// What the heap is to build, from the memo of a finished walk.
    pub(crate) fn schema(&mut self, base: Base, entries: Vec<TypeSet>) -> Schema {
        self.plan_settling();
        let mut columns = Vec::new();
        for (hierarchy, name) in self.memo.columns.keys().cloned().collect::<Vec<_>>() {
            let stored = self.column_stored(hierarchy, &name);
            let memo = &self.memo.columns[&(hierarchy, name.clone())];
            let (classes, read, written) = (memo.classes.clone(), memo.read, memo.is_written);
            columns.push(ColumnSchema { hierarchy, name, stored, classes, read, written });
        }
        // Variables that objects have not had yet are set in this order.
        columns.sort_by_key(|column| self.memo.columns[&(column.hierarchy, column.name.clone())].place);
        let mut arrays = Vec::new();
        for kind in self.memo.arrays.keys().copied().collect::<Vec<_>>() {
            let stored = self.array_stored(kind);
            let memo = &self.memo.arrays[&kind];
            let (written, made, grows) = (memo.is_written, memo.made, memo.grows);
            let is_given = self.memo.given_defaults.values().any(|given| *given == kind);
            let is_hash = is_given
                || self.memo.hashes.iter().any(|(hash, parts)| *hash == kind || parts.contains(&kind));
            let local = made && !is_hash && self.is_only_shown(kind);
            arrays.push(ArraySchema { kind, stored, written, made, local, grows });
        }
        Schema {
            columns,
            arrays,
            hashes: self.memo.hashes.clone(),
            hash_defaults: self.memo.hash_defaults.clone(),
            given_defaults: self.memo.given_defaults.clone(),
            hash_blocks: self.memo.hash_blocks.clone(),
            accumulators: self.accumulator_schema(),
            variables: self.driver_variables(),
            syncs: self.syncs.clone(),
            procs: self.given_procs.values().cloned().collect(),
            guarded: self.guarded_sites(),
            base,
            entries,
            output: self.output,
            result: self.memo.result.clone(),
            lists: self.memo.list_items(),
            made: self.memo.made.iter().map(|(class, made)| (*class, made.fields.clone())).collect(),
            stores_made: !self.memo.stores_made.is_empty() && !self.settles(),
            settles: self.program.kernels.iter().any(|kernel| kernel.settles),
            pushes: !self.memo.logs.is_empty() || !self.memo.remembered.is_empty(),
            leaving: self.memo.leaving.clone(),
            orders: self.memo.orders.clone(),
        }
    }
}
