//! The graph of calls, when all functions have been lowered: which of them call themselves, and numbers for the paths
//! that lead to them, of which backtraces are made.
//!
//! A path is a chain of calls from an entry on. There can be very many, but each has a number of its own: every
//! function has a range of numbers, one for each path to it, in which each call of it has a range, one for each path to
//! the caller. So a call adds a constant to the number of the path that led to it, which the functions have at hand,
//! and the number that a failure comes with tells all calls, which the table `Program::callers` has: Sumner et al.,
//! "Precise calling context encoding" (2010). Functions that call each other in circles have one range together: of
//! calls between them nothing is told but the first. Where there are more than 2⁶² paths to a function, the backtrace
//! ends in it.

use super::Lowerer;
use crate::ir::{Block, Callers, FuncId, Op, Place, Stmt, Value};
use rustc_hash::FxHashMap;

/// Numbers of all paths are below: those to functions of more paths are not told apart, and their callers not known.
const MAX_PATHS: i64 = 1 << 62;

/// A call of a function.
#[derive(Debug)]
pub(crate) struct FunctionCall {
    /// The function that it stands in.
    pub within: FuncId,
    pub callee: FuncId,
    /// What it adds to the number of the path, told when all calls are known, and the sum.
    pub number: Value,
    pub sum: Value,
    /// Where the call is, then its inlined callers.
    pub places: Vec<Place>,
    /// The built-in that is called, or that it stands in, by its public name.
    pub builtin: Option<String>,
}

/// What a call does with the number of the path.
#[derive(Clone, Copy)]
enum Step {
    Add(i64),
    Begin(i64),
}

/// Numbers of paths.
#[derive(Clone, Copy)]
struct Range {
    first: i64,
    count: i64,
}

impl Lowerer<'_> {
    /// Methods that were made functions for another reason can turn out to call themselves: inlining, which would have
    /// found that, ended at them. Paths are numbered in the last walk.
    pub(super) fn number_calls(&mut self) {
        let mut callees = vec![Vec::new(); self.program.functions.len()];
        for call in &self.function_calls {
            callees[call.within.0 as usize].push(call.callee.0 as usize);
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
        if !self.memo.changed.is_some() && !self.function_calls.is_empty() {
            self.number_paths(&components);
        }
    }

    fn number_paths(&mut self, components: &[usize]) {
        let mut calls: Vec<FunctionCall> = std::mem::take(&mut self.function_calls);
        let component = |function: FuncId| components[function.0 as usize];
        // Callers first: they have the higher numbers.
        calls.sort_by_key(|call| std::cmp::Reverse(component(call.callee)));
        let mut ranges = vec![Range { first: 0, count: 1 }; components.len()];
        let mut next = 1;
        let mut steps = vec![FxHashMap::default(); components.len()];
        for calls in calls.chunk_by_mut(|a, b| component(a.callee) == component(b.callee)) {
            let callee = component(calls[0].callee);
            let from_outside = |call: &&mut FunctionCall| component(call.within) != callee;
            let paths = |call: &FunctionCall| ranges[component(call.within)].count;
            let count = calls
                .iter_mut()
                .filter(from_outside)
                .try_fold(0_i64, |all, call| all.checked_add(paths(call)));
            let count = count.filter(|count| *count < MAX_PATHS - next);
            let range = Range { first: next, count: count.unwrap_or(1) };
            let mut first = next;
            for call in calls {
                let caller = ranges[component(call.within)];
                let step = match count {
                    _ if component(call.within) == callee => Step::Add(0),
                    None => Step::Begin(next),
                    Some(_) => Step::Add(first - caller.first),
                };
                let steps = &mut steps[call.within.0 as usize];
                steps.insert(call.number, step);
                steps.insert(call.sum, step);
                if let Step::Add(added @ 1..) = step {
                    let last = first + caller.count - 1;
                    let places = std::mem::take(&mut call.places);
                    let builtin = call.builtin.take();
                    self.program.callers.push(Callers { first, last, added, places, builtin });
                    first = last + 1;
                }
            }
            next += range.count;
            ranges[callee] = range;
        }
        for (function, steps) in self.program.functions.iter_mut().zip(&steps) {
            if !steps.is_empty() {
                tell(&mut function.body, steps);
            }
        }
    }
}

/// Writes the numbers that were to come into a block. Where nothing is added, the path is not set.
fn tell(block: &mut Block, steps: &FxHashMap<Value, Step>) {
    let mut is_set = true;
    block.retain_mut(|stmt| {
        match stmt {
            Stmt::Let { value, op, .. } => match (steps.get(value), &op) {
                (Some(Step::Add(added)), Op::I64(_)) => *op = Op::I64(*added),
                (Some(Step::Begin(number)), _) => *op = Op::I64(*number),
                _ => {}
            },
            Stmt::Path(sum) => match steps.get(sum) {
                Some(Step::Add(0)) => {
                    is_set = false;
                    return false;
                }
                Some(_) => {}
                // Behind the call.
                None => return std::mem::replace(&mut is_set, true),
            },
            Stmt::If { then, otherwise, .. } => {
                tell(then, steps);
                tell(otherwise, steps);
            }
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } => tell(body, steps),
            _ => {}
        }
        true
    });
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
