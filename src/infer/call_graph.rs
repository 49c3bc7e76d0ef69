//! Which functions call themselves, found in the graph of calls when all functions have been lowered.

use super::Lowerer;
use crate::ir::FuncId;

impl Lowerer<'_> {
    /// Methods that were made functions for another reason can turn out to call themselves: inlining, which would have
    /// found that, ended at them.
    pub(super) fn find_recursion(&mut self) {
        let mut callees = vec![Vec::new(); self.program.functions.len()];
        for (caller, callee) in &self.function_calls {
            if let Some(caller) = caller {
                callees[caller.0 as usize].push(callee.0 as usize);
            }
        }
        let components = components(&callees);
        let mut sizes = vec![0; callees.len()];
        components.iter().for_each(|component| sizes[*component] += 1);
        for (key, FuncId(function)) in &self.functions {
            let at = *function as usize;
            if sizes[components[at]] > 1 || callees[at].contains(&at) {
                self.memo.changed |= self.memo.recursive.insert(key.code);
            }
        }
    }
}

/// The strongly connected component of each node, numbered from those that reach no other on: Tarjan, "Depth-first
/// search and linear graph algorithms" (1972), with a stack of its own in place of recursion.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = successors.len();
    let (mut index, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut stack, mut path) = (Vec::new(), Vec::new());
    let (mut next, mut components) = (0, 0);
    for root in 0..count {
        if index[root] == NONE {
            path.push((root, 0));
        }
        while let Some((node, successor)) = path.pop() {
            if successor == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if let Some(&to) = successors[node].get(successor) {
                path.push((node, successor + 1));
                if index[to] == NONE {
                    path.push((to, 0));
                } else if component[to] == NONE {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_components() {
        let of = components(&[vec![1, 4], vec![2], vec![1, 3], vec![], vec![4, 3]]);
        assert_eq!(of[1], of[2]);
        let mut all = of.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        // What reaches no other comes first.
        assert!(of[3] < of[1] && of[1] < of[0] && of[4] < of[0]);
    }
}
