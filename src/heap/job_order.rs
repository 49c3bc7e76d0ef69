//! Which elements run where: sorted by class, so that no warp mixes classes (the paper's section 4.2). An object that
//! stands in the base several times must be handled once after the other. [`JobOrder`] puts its second occurrence into
//! a second *round*, and so on; the rounds of a tick run in order. Without repeats, or when nothing is written, there
//! is one round. A program with several rounds is not run fused.

use crate::error::NoMemory;
use crate::fallible;
use std::ops::Range;

/// The elements of one class (one [`crate::ir::Entry`]) in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Index into `Program::entries`.
    pub entry: usize,
    /// Where its jobs are in `order` (or, without one, its element indices themselves).
    pub jobs: Range<usize>,
}

/// Segments that may run at the same time. Rounds run in order, all of them in each tick.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Round {
    pub segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JobOrder {
    /// Element index of each job; `None` when job `i` is element `i`.
    pub order: Option<Vec<i32>>,
    pub rounds: Vec<Round>,
    /// Jobs run one after the other, in their order: sequentially, as in Ruby. Only the CPU does that.
    pub in_order: bool,
    /// What the first element is to its code, where others have run before. Only the CPU does that.
    pub first: usize,
}

impl JobOrder {
    /// A stable counting sort by entry. `entry_of` gives each element's entry; `repeat_of`, where there are repeated
    /// objects, says how often the element's object came earlier in the base.
    pub fn new(entry_of: &[u16], entries: usize, repeat_of: Option<&[u32]>) -> Result<Self, NoMemory> {
        let rounds = repeat_of.and_then(|r| r.iter().max()).map_or(1, |max| *max as usize + 1);
        let bucket = |i: usize| repeat_of.map_or(0, |r| r[i] as usize) * entries + entry_of[i] as usize;
        let mut starts = fallible::filled(0usize, rounds * entries + 1)?;
        let mut sorted = true;
        let mut last = 0;
        for i in 0..entry_of.len() {
            let b = bucket(i);
            starts[b + 1] += 1;
            sorted &= b >= last;
            last = b;
        }
        for b in 0..rounds * entries {
            starts[b + 1] += starts[b];
        }
        let segment = |b: usize| Segment { entry: b % entries, jobs: starts[b]..starts[b + 1] };
        let rounds = fallible::collect((0..rounds).map(|r| {
            let segments = (r * entries..(r + 1) * entries).map(segment);
            Round { segments: segments.filter(|s| !s.jobs.is_empty()).collect() }
        }))?;
        let mut order = None;
        if !sorted {
            let mut next = starts;
            let order = order.insert(fallible::filled(0i32, entry_of.len())?);
            for i in 0..entry_of.len() {
                let at = &mut next[bucket(i)];
                order[*at] = i as i32;
                *at += 1;
            }
        }
        Ok(Self { order, rounds, in_order: false, first: 0 })
    }

    /// The elements in the order of the base, one after the other.
    pub fn sequential(entry_of: &[u16]) -> Result<Self, NoMemory> {
        let mut segments: Vec<Segment> = Vec::new();
        for (job, entry) in entry_of.iter().map(|entry| *entry as usize).enumerate() {
            match segments.last_mut() {
                Some(last) if last.entry == entry => last.jobs.end = job + 1,
                _ => fallible::push(&mut segments, Segment { entry, jobs: job..job + 1 })?,
            }
        }
        Ok(Self { order: None, rounds: vec![Round { segments }], in_order: true, first: 0 })
    }

    /// The same elements, with the entries that they have here, in the order of the base.
    pub fn in_order(&self, elements: usize) -> Result<Self, NoMemory> {
        if let [Round { segments }] = &self.rounds[..]
            && let ([_], None) = (&segments[..], &self.order)
        {
            return Ok(Self { in_order: true, ..self.clone() });
        }
        let mut entry_of = fallible::filled(0u16, elements)?;
        for segment in self.rounds.iter().flat_map(|round| &round.segments) {
            for job in segment.jobs.clone() {
                entry_of[self.element(job)] = segment.entry as u16;
            }
        }
        Ok(Self { first: self.first, ..Self::sequential(&entry_of)? })
    }

    /// The same with elements as their code numbers them.
    pub fn numbered(&self) -> Result<Self, NoMemory> {
        let Self { order, rounds, in_order, first } = self;
        let Some(order) = order else {
            let moved = |segment: &Segment| Segment {
                entry: segment.entry,
                jobs: segment.jobs.start + first..segment.jobs.end + first,
            };
            let moved = |round: &Round| Round { segments: round.segments.iter().map(moved).collect() };
            let rounds = rounds.iter().map(moved).collect();
            return Ok(Self { order: None, rounds, in_order: *in_order, first: *first });
        };
        let order = fallible::collect(order.iter().map(|element| element + *first as i32))?;
        Ok(Self { order: Some(order), rounds: rounds.clone(), in_order: *in_order, first: *first })
    }

    /// Elements of one class, none of them twice.
    pub fn of_one(entry: u16, elements: usize) -> Self {
        let segment = Segment { entry: entry as usize, jobs: 0..elements };
        let segments = if elements == 0 { Vec::new() } else { vec![segment] };
        Self { order: None, rounds: vec![Round { segments }], in_order: false, first: 0 }
    }

    /// The element index of a job.
    pub fn element(&self, job: usize) -> usize {
        self.order.as_ref().map_or(job, |order| order[job] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_one_class_are_in_order() {
        for elements in [0, 1, 9] {
            assert_eq!(Ok(JobOrder::of_one(0, elements)), JobOrder::new(&vec![0; elements], 1, None));
        }
        assert_eq!(Ok(JobOrder::of_one(2, 2)), JobOrder::new(&[2, 2], 3, None));
    }

    #[test]
    fn sorted_elements_need_no_order() {
        let order = JobOrder::new(&[0, 0, 1], 2, None).unwrap();
        assert_eq!(order.order, None);
        assert_eq!(order.rounds[0].segments.iter().map(|s| s.jobs.clone()).collect::<Vec<_>>(), [0..2, 2..3]);
    }

    #[test]
    fn shuffled_elements_are_grouped_by_class_in_their_order() {
        let order = JobOrder::new(&[1, 0, 1, 0], 2, None).unwrap();
        assert_eq!(order.order, Some(vec![1, 3, 0, 2]));
    }

    #[test]
    fn elements_have_other_numbers_where_some_have_run() {
        let alike = JobOrder { first: 3, ..JobOrder::of_one(0, 2) };
        assert_eq!(alike.numbered().unwrap().rounds[0].segments, [Segment { entry: 0, jobs: 3..5 }]);
        let mixed = JobOrder { first: 3, ..JobOrder::new(&[1, 0, 1, 0], 2, None).unwrap() };
        let numbered = mixed.numbered().unwrap();
        assert_eq!((numbered.order, numbered.rounds), (Some(vec![4, 6, 3, 5]), mixed.rounds));
    }

    #[test]
    fn a_repeated_object_runs_in_a_later_round() {
        let order = JobOrder::new(&[0, 0, 0], 1, Some(&[0, 1, 0])).unwrap();
        assert_eq!(order.order, Some(vec![0, 2, 1]));
        assert_eq!(order.rounds.len(), 2);
        assert_eq!(order.rounds[1].segments, [Segment { entry: 0, jobs: 2..3 }]);
    }

    #[test]
    fn any_order_can_be_that_of_the_base() {
        for entries in [&[0, 0, 1, 0][..], &[1, 1, 1], &[0, 1, 0]] {
            for repeats in [None, Some(&[0, 1, 0, 2][..entries.len()])] {
                let order = JobOrder::new(entries, 2, repeats).unwrap();
                assert_eq!(order.in_order(entries.len()), JobOrder::sequential(entries));
            }
        }
    }

    #[test]
    fn sequential_jobs_are_the_elements() {
        let order = JobOrder::sequential(&[0, 0, 1, 0]).unwrap();
        assert_eq!(order.order, None);
        let segments = [(0, 0..2), (1, 2..3), (0, 3..4)].map(|(entry, jobs)| Segment { entry, jobs });
        assert_eq!(order.rounds, [Round { segments: segments.into() }]);
    }
}
