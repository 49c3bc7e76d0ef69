//! Marks: what elements leave where they touch something that others may touch too ([`crate::ir::Op::Watch`]).
//!
//! An element that reads a row, or writes it, first leaves its mark and then looks for those of others. So of two that
//! touch the same row in the same tick, one of which writes, at least one sees the other's mark, whatever the order of
//! all four steps, as long as all threads see these in one order: the steps are sequentially consistent. Who sees a
//! mark fails before it touches the row. So nothing is ever read that another element has written in the same tick, and
//! what has been computed until then is what it would have been without the other element.
//!
//! A mark is the number of the tick in the upper 32 bits, and in the lower the first element that is the same object.
//! Ticks are counted from 1, and on from run to run, as long as the same memory is used: marks of other ticks count for
//! nothing, so they need not be cleared. (After 2³² ticks of one run one could be taken for a new one: then a conflict
//! is seen where there is none.) A row has [`WORDS`] of them: a reader's and a writer's. Where several have read the
//! reader's says [`MANY`], which is any other element's. An element that is known not to write the row may say so at
//! once, which saves the mark of a second reader.
//!
//! Whose a mark is says nothing of where in the program it was left. So who wants to tell the user of two elements has
//! them run in order, with longer [rows](Report) that say it all.
//!
//! The first tick of a run is `ScalarSource::Epoch`. The memory of marks stays with the version, since fresh memory
//! takes longer than what is done with it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Of a row: the reader, then the writer.
pub const WORDS: usize = 2;
/// Instead of an element: several have read.
pub const MANY: u64 = u32::MAX as u64;

/// Has somebody else left this mark in this tick?
pub const fn is_others(mark: u64, me: u64) -> bool {
    mark >> 32 == me >> 32 && mark != me
}

/// Leaves a reader's mark.
fn mark_read(reader: &AtomicU64, me: u64) {
    let many = me | MANY;
    let seen = reader.load(Ordering::SeqCst);
    if seen == me || seen == many {
        return;
    }
    let mark = if is_others(seen, me) { many } else { me };
    // Another may have read meanwhile. Until that is said, any writer but this element, which is here, sees this mark.
    if is_others(reader.swap(mark, Ordering::SeqCst), me) && mark != many {
        reader.store(many, Ordering::SeqCst);
    }
}

/// Leaves a mark and looks: does anyone else touch the row?
pub fn touch([reader, writer]: [&AtomicU64; WORDS], me: u64, write: bool) -> bool {
    if write {
        is_others(writer.swap(me, Ordering::SeqCst), me) || is_others(reader.load(Ordering::SeqCst), me)
    } else {
        mark_read(reader, me);
        is_others(writer.load(Ordering::SeqCst), me)
    }
}

/// A row when elements run in order: of those that touched it in a tick, enough to tell whether a further one conflicts
/// with any of them, and which one of them. Of two writers the second finds the first; a writer has to find any reader
/// but itself; a reader has to find the writer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    writer: Touch,
    reader: Touch,
    /// One that read after the first and is another object.
    other_reader: Touch,
}

/// Words of a [`Report`].
pub const REPORT_WORDS: usize = size_of::<Report>() / 8;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Touch {
    mark: u64,
    /// The element in the upper, the site in the lower 32 bits.
    who: i64,
}

impl Report {
    /// Notes a touch and gives who conflicts with it, or -1.
    pub fn touch(&mut self, mark: u64, who: i64, write: bool) -> i64 {
        let touch = Touch { mark, who };
        let others: &[Touch] =
            if write { &[self.writer, self.reader, self.other_reader] } else { &[self.writer] };
        if let Some(other) = others.iter().find(|other| is_others(other.mark, mark)) {
            return other.who;
        }
        if write {
            self.writer = touch;
        } else if self.reader.mark >> 32 != mark >> 32 {
            self.reader = touch;
        } else if self.reader.mark != mark {
            self.other_reader = touch;
        }
        -1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    const TICK: u64 = 7 << 32;

    fn row() -> [AtomicU64; WORDS] {
        [const { AtomicU64::new(0) }; WORDS]
    }

    fn touches(list: &[(u64, bool)]) -> Vec<bool> {
        let [reader, writer] = row();
        list.iter().map(|(me, write)| touch([&reader, &writer], *me, *write)).collect()
    }

    #[test]
    fn who_comes_later_sees_it() {
        let (a, b, c) = (TICK, TICK | 1, TICK | 2);
        assert_eq!(touches(&[(a, false), (b, false), (a, false), (c, false)]), [false; 4]);
        assert_eq!(touches(&[(a, false), (a, true), (a, false), (a, true)]), [false; 4]);
        assert_eq!(touches(&[(a, true), (b, false)]), [false, true]);
        assert_eq!(touches(&[(a, true), (b, true)]), [false, true]);
        assert_eq!(touches(&[(a, false), (b, true)]), [false, true]);
        // It was not the last to read.
        assert_eq!(touches(&[(a, false), (b, false), (a, true)]), [false, false, true]);
        assert_eq!(touches(&[(a, false), (b, false), (b, true)]), [false, false, true]);
        // Another tick.
        assert_eq!(touches(&[(a, true), (b + (1 << 32), false), (a + (2 << 32), true)]), [false; 3]);
    }

    #[test]
    fn readers_that_write_elsewhere_need_no_name() {
        let (a, anyone) = (TICK, TICK | MANY);
        assert_eq!(touches(&[(anyone, false), (anyone, false), (a, true)]), [false, false, true]);
        assert_eq!(touches(&[(a, false), (a, true), (anyone, false)]), [false, false, true]);
        assert_eq!(touches(&[(a, false), (anyone, false), (a, false)]), [false; 3]);
        assert_eq!(touches(&[(a + (1 << 32), true), (anyone, false)]), [false; 2]);
    }

    #[test]
    fn reports_say_who() {
        let report = |list: &[(u64, bool)]| {
            let mut row = Report::default();
            list.iter().map(|(me, write)| row.touch(*me, *me as u32 as i64, *write)).collect::<Vec<_>>()
        };
        let (a, b, c) = (TICK, TICK | 1, TICK | 2);
        assert_eq!(report(&[(a, false), (b, false), (a, true)]), [-1, -1, 1]);
        assert_eq!(report(&[(a, false), (a, false), (b, true)]), [-1, -1, 0]);
        assert_eq!(report(&[(c, true), (b, false)]), [-1, 2]);
        assert_eq!(report(&[(c, true), (c, false), (c, true)]), [-1; 3]);
        assert_eq!(report(&[(c, true), (b + (1 << 32), true)]), [-1; 2]);
    }

    #[test]
    fn of_two_at_the_same_time_one_sees_the_other() {
        for round in 0..3_000u64 {
            let (row, barrier) = (row(), Barrier::new(3));
            let run = |me: u64, write: bool| {
                barrier.wait();
                touch([&row[0], &row[1]], TICK | me, write)
            };
            let seen = std::thread::scope(|scope| {
                let run = &run;
                let threads = [(0, round % 3 == 0), (1, round % 2 == 0), (2, true)]
                    .map(|(me, write)| scope.spawn(move || run(me, write)));
                threads.map(|thread| thread.join().unwrap())
            });
            assert!(seen.contains(&true), "{seen:?} in round {round}");
        }
    }
}
