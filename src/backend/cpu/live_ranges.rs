//! Variables of the IR whose live ranges do not overlap share one of Cranelift's. Cranelift keeps a table of blocks for
//! each variable: with one for each of the IR's, a function of many branches would take memory as the square of its size.
//!
//! A live range is an interval of places in the text of the function. That is enough, since control goes down the text
//! but for loops: a variable that is read in a loop before it is set in the same round is live in the whole loop.

use crate::ir::{Block, Function, Label, Op, Stmt, Var};
use crate::scalar::Ty;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Which of Cranelift's variables each variable is, and the types of those.
#[derive(Debug, Default, PartialEq)]
pub struct Shared {
    pub of: Vec<usize>,
    pub types: Vec<Ty>,
    /// May be read before it was set, and is zero then.
    pub zeroed: Vec<bool>,
}

pub fn shared(function: &Function) -> Shared {
    let count = function.vars.len();
    let mut finder = Finder {
        place: 0,
        ranges: vec![None; count],
        unset: vec![false; count],
        assigned: vec![0; count],
        changes: Vec::new(),
        loops: Vec::new(),
        carried: Vec::new(),
        targets: HashMap::new(),
    };
    finder.block(&function.body);
    let Finder { mut ranges, unset, carried, place: end, .. } = finder;
    for (var, (start, loop_end)) in carried {
        if let Some((first, last)) = &mut ranges[var.0 as usize] {
            (*first, *last) = ((*first).min(start), (*last).max(loop_end));
        }
    }
    for range in ranges.iter_mut().zip(&unset).filter_map(|(range, unset)| range.as_mut().filter(|_| *unset))
    {
        range.0 = 0;
    }
    allot(function, &ranges, &unset, end)
}

/// Gives each range the variable of its type that has been free for longest, or a new one.
fn allot(function: &Function, ranges: &[Option<(u32, u32)>], unset: &[bool], end: u32) -> Shared {
    let mut shared = Shared { of: vec![0; ranges.len()], ..Shared::default() };
    // By type: when each is free again.
    let mut taken: BTreeMap<Ty, BinaryHeap<Reverse<(u32, usize)>>> = BTreeMap::new();
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    // What nobody touches ends at once.
    let range = |var: usize| ranges[var].unwrap_or((end, end));
    order.sort_by_key(|var| range(*var));
    for var in order {
        let ((first, last), ty) = (range(var), function.vars[var]);
        let taken = taken.entry(ty).or_default();
        let free =
            taken.peek().filter(|Reverse((until, _))| *until < first).map(|Reverse((_, which))| *which);
        let which = match free {
            Some(which) => {
                taken.pop();
                which
            }
            None => {
                shared.types.push(ty);
                shared.zeroed.push(false);
                shared.types.len() - 1
            }
        };
        taken.push(Reverse((last, which)));
        shared.zeroed[which] |= unset[var];
        shared.of[var] = which;
    }
    shared
}

/// So many variables are known to be set at the end of a block that is left in several ways.
const MOST_SET: usize = 256;

struct Finder {
    /// Statements so far.
    place: u32,
    /// First and last place of each variable.
    ranges: Vec<Option<(u32, u32)>>,
    /// May be read before anything sets it.
    unset: Vec<bool>,
    /// One more than the number of loops around the place where each variable was last set for certain; 0: nowhere.
    assigned: Vec<u32>,
    /// What `assigned` was before each change.
    changes: Vec<(Var, u32)>,
    /// Where the loops around this place begin, with what was found to be live in the whole of them.
    loops: Vec<(u32, Vec<Var>)>,
    carried: Vec<(Var, (u32, u32))>,
    /// The labels around this place.
    targets: HashMap<Label, Target>,
}

/// What `Break`s of a label leave.
struct Target {
    /// Loops around it, and the length of `changes` where it begins.
    depth: u32,
    mark: usize,
    /// What is set for certain at each way out so far; `None`: there is none.
    set: Option<Vec<Var>>,
}

impl Finder {
    fn depth(&self) -> u32 {
        self.loops.len() as u32
    }

    fn touch(&mut self, var: Var) {
        let range = &mut self.ranges[var.0 as usize];
        let (first, _) = range.unwrap_or((self.place, self.place));
        *range = Some((first, self.place));
    }

    fn assign(&mut self, var: Var) {
        let (depth, assigned) = (self.depth() + 1, &mut self.assigned[var.0 as usize]);
        if *assigned < depth {
            self.changes.push((var, *assigned));
            *assigned = depth;
        }
    }

    fn read(&mut self, var: Var) {
        self.touch(var);
        let assigned = self.assigned[var.0 as usize];
        self.unset[var.0 as usize] |= assigned == 0;
        // The outermost loop in which it was not set before this place of the text.
        if let Some((_, carried)) = self.loops.get_mut(assigned.saturating_sub(1) as usize) {
            carried.push(var);
        }
    }

    /// Does control reach the end of the block?
    fn block(&mut self, block: &Block) -> bool {
        block.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        self.place += 1;
        match stmt {
            Stmt::Let { op: Op::Get(var), .. } => self.read(*var),
            Stmt::Set(var, _) => {
                self.touch(*var);
                self.assign(*var);
            }
            Stmt::If { then, otherwise, .. } => {
                let mark = self.changes.len();
                let ways = [then, otherwise].map(|block| {
                    let completes = self.block(block);
                    let set: Vec<Var> = self.changes[mark..].iter().map(|(var, _)| *var).collect();
                    self.undo(mark);
                    completes.then_some(set)
                });
                let [Some(mut set), Some(others)] = ways else {
                    let Some(set) = ways.into_iter().flatten().next() else { return false };
                    set.into_iter().for_each(|var| self.assign(var));
                    return true;
                };
                let mut sorted = others;
                sorted.sort_unstable();
                set.retain(|var| sorted.binary_search(var).is_ok());
                set.into_iter().for_each(|var| self.assign(var));
            }
            Stmt::Loop { label, body } => {
                self.enter(*label);
                self.loops.push((self.place, Vec::new()));
                self.block(body);
                let (start, carried) = self.loops.pop().unwrap_or_default();
                self.carried.extend(carried.into_iter().map(|var| (var, (start, self.place))));
                return self.leave(*label);
            }
            Stmt::Block { label, body } => {
                self.enter(*label);
                if self.block(body) {
                    self.exit(*label);
                }
                return self.leave(*label);
            }
            Stmt::Break(label) => {
                self.exit(*label);
                return false;
            }
            stmt => return !stmt.is_terminator(),
        }
        true
    }

    fn undo(&mut self, mark: usize) {
        for (var, before) in self.changes.drain(mark..).rev() {
            self.assigned[var.0 as usize] = before;
        }
    }

    fn enter(&mut self, label: Label) {
        let target = Target { depth: self.depth(), mark: self.changes.len(), set: None };
        self.targets.insert(label, target);
    }

    fn exit(&mut self, label: Label) {
        let Some(target) = self.targets.get_mut(&label) else { return };
        let is_set = |var: &Var| self.assigned[var.0 as usize] > target.depth;
        match &mut target.set {
            Some(set) => set.retain(is_set),
            None => {
                let changed = self.changes[target.mark..].iter().rev().map(|(var, _)| *var);
                target.set = Some(changed.take(MOST_SET).collect());
            }
        }
    }

    /// Does control go on behind the label's block?
    fn leave(&mut self, label: Label) -> bool {
        let Some(Target { mark, set, .. }) = self.targets.remove(&label) else { return false };
        self.undo(mark);
        let goes_on = set.is_some();
        set.into_iter().flatten().for_each(|var| self.assign(var));
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parser::parse;

    /// Which variables share one, in a function with this body.
    #[track_caller]
    fn of(body: &str) -> Shared {
        let vars = "var x0: i64, x1: i64, x2: f64, x3: i64";
        let text = format!("fn f0 (v0: bool, v1: i64, v2: f64) {{\n{vars}\n{body}\n}}");
        shared(&parse(&text).unwrap().functions[0])
    }

    #[test]
    fn ranges_that_do_not_overlap_share_a_variable_of_their_type() {
        let found = of("x0 = v1; v3 = x0; x1 = v3; v4 = x1; x2 = v2; v5 = x2; x3 = v4; v6 = x3");
        assert_eq!(found.of, [0, 0, 1, 0]);
        assert_eq!(found.types, [Ty::I64, Ty::F64]);
        assert_eq!(found.zeroed, [false, false]);
        assert_eq!(of("x0 = v1; x1 = v1; v3 = x0; v4 = x1; x3 = v4; v5 = x3").of[..2], [0, 1]);
    }

    #[test]
    fn a_variable_set_in_both_arms_lives_from_there() {
        let found = of("x0 = v1; v3 = x0
             if v0 { x1 = v3 } else { x1 = v1 }
             v4 = x1
             x3 = v4; v5 = x3");
        assert_eq!((found.of[0], found.of[1], found.of[3]), (0, 0, 0));
        assert!(!found.zeroed[0]);
    }

    #[test]
    fn a_variable_that_may_not_be_set_is_zero_from_the_start() {
        let found = of("x0 = v1; v3 = x0
             if v0 { x1 = v3 }
             v4 = x1");
        assert_ne!(found.of[0], found.of[1]);
        assert!(found.zeroed[found.of[1]] && !found.zeroed[found.of[0]]);
    }

    #[test]
    fn what_a_loop_carries_lives_in_the_whole_loop() {
        let found = of("x0 = v1
             loop L0 {
               v3 = x0
               x1 = v3; v4 = x1
               if v0 { break L0 }
               x0 = v4
               x3 = v1; v5 = x3
             }");
        assert_eq!(found.of[1], found.of[3], "{found:?}");
        assert_ne!(found.of[0], found.of[1]);
        assert_ne!(found.of[0], found.of[3]);
    }

    #[test]
    fn a_variable_set_anew_in_each_round_does_not() {
        let found = of("loop L0 {
               block L1 {
                 if v0 { x0 = v1; break L1 }
                 x0 = v1
               }
               v3 = x0
               x1 = v3; v4 = x1
               if v0 { x3 = v4; break L0 }
             }
             v5 = x3");
        assert_eq!((found.of[0], found.of[1], found.of[3]), (0, 0, 0), "{found:?}");
    }

    #[test]
    fn a_variable_of_an_earlier_round_is_not_overwritten_by_what_comes_before_it() {
        let found = of("loop L0 {
               x1 = v1; v3 = x1
               if v0 { break L0 }
               x0 = v3
             }
             v4 = x0");
        assert_ne!(found.of[0], found.of[1]);
        assert!(found.zeroed[found.of[0]]);
    }
}
