//! Launches of a driver as graphs. A driver's loop launches the same kernels again and again, and each launch takes the
//! host longer than a small kernel takes the GPU. After 128 in a row with nothing else in between, those that are as
//! foreseen are held back until there are 64, which are then one replay; ticks count from the clock on the device.
//! Whatever else is asked for comes behind what is held back, so nobody can tell but by the time it takes.

use super::device::{Constant, DeviceSession};
use super::layout::{Arena, Step};
use crate::error::Error;
use crate::heap::OnDevice;
use std::sync::Arc;

/// So many launches in a row are looked at for what repeats.
const SEEN: usize = 128;
/// The most launches that repeat together, and about as many are in a graph.
const MOST: usize = 32;
const BATCH: usize = 64;

pub(super) struct Batches<'a> {
    device: Box<dyn DeviceSession + 'a>,
    /// Launches in a row that were not held back.
    seen: Vec<Step>,
    repeated: Option<Repeated>,
    held: Vec<Step>,
    /// What constants are, and the clock, as far as is known.
    constants: [Vec<u64>; 2],
    clock: Option<u64>,
}

/// Launches that follow each other ever again: with ticks from 0 on, and how many ticks that is.
struct Repeated {
    steps: Vec<Step>,
    ticks: u64,
    /// The tick of the next batch.
    next: u64,
    batch: usize,
}

impl Repeated {
    /// What the last launches are, if they are twice the same at least.
    fn find(seen: &[Step]) -> Option<Self> {
        let is_period = |period: &usize| {
            let ticks = seen[*period].tick().wrapping_sub(seen[0].tick());
            (0..seen.len() - period).all(|at| seen[at].after(ticks) == seen[at + period])
        };
        let period = (1..=MOST).find(is_period)?;
        let first = seen.len() - period;
        let ticks = seen[period].tick().wrapping_sub(seen[0].tick());
        let begin = seen[first].tick();
        let steps = seen[first..].iter().map(|step| step.after(begin.wrapping_neg())).collect();
        let batch = BATCH / period * period;
        Some(Self { steps, ticks, next: begin.wrapping_add(ticks), batch })
    }

    /// What a launch of the next batch should be.
    fn step(&self, number: usize) -> Step {
        let rounds = (number / self.steps.len()) as u64;
        self.steps[number % self.steps.len()].after(self.next.wrapping_add(rounds.wrapping_mul(self.ticks)))
    }
}

impl<'a> Batches<'a> {
    pub fn new(device: Box<dyn DeviceSession + 'a>) -> Self {
        let constants = [Vec::new(), Vec::new()];
        Self { device, seen: Vec::new(), repeated: None, held: Vec::new(), constants, clock: None }
    }

    /// Something else is asked of the device: it first has what was held back, one by one.
    fn flush(&mut self) -> Result<(), Error> {
        self.repeated = None;
        self.seen.clear();
        self.held.drain(..).try_for_each(|step| self.device.launch(&step))
    }

    fn replay_held(&mut self, repeated: &Repeated) -> Result<(), Error> {
        let begin = repeated.next;
        let ticks = (repeated.batch / repeated.steps.len()) as u64 * repeated.ticks;
        if self.clock != Some(begin) {
            self.device.put(Arena::CLOCK, begin.to_ne_bytes().to_vec())?;
        }
        let steps = self.held.drain(..).map(|step| step.after(begin.wrapping_neg()).clocked());
        self.device.record(steps.collect(), ticks)?;
        self.device.replay()?;
        self.clock = Some(begin + ticks);
        Ok(())
    }
}

impl DeviceSession for Batches<'_> {
    fn base(&self) -> u64 {
        self.device.base()
    }

    fn memory(&mut self, bytes: usize) -> Result<Arc<dyn OnDevice>, Error> {
        self.device.memory(bytes)
    }

    fn adopt(&mut self, memory: &Arc<dyn OnDevice>) -> bool {
        self.device.adopt(memory)
    }

    fn copy(&mut self, to: usize, from: usize, bytes: usize) -> Result<(), Error> {
        self.flush()?;
        self.device.copy(to, from, bytes)
    }

    fn stack(&self) -> u64 {
        self.device.stack()
    }

    fn stop(&self) -> u64 {
        self.device.stop()
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        self.flush()?;
        self.device.write(offset, bytes)
    }

    fn put(&mut self, offset: usize, bytes: Vec<u8>) -> Result<(), Error> {
        self.flush()?;
        // The clock may be there.
        self.clock = None;
        self.device.put(offset, bytes)
    }

    fn clear(&mut self, offset: usize, bytes: usize) -> Result<(), Error> {
        self.flush()?;
        self.device.clear(offset, bytes)
    }

    fn read(&mut self, pieces: &mut [(usize, &mut [u8])]) -> Result<(), Error> {
        self.flush()?;
        self.device.read(pieces)
    }

    fn set(&mut self, constant: Constant, words: &[u64]) -> Result<(), Error> {
        let known = usize::from(constant == Constant::Arguments);
        if self.constants[known] == words {
            return Ok(());
        }
        self.flush()?;
        self.device.set(constant, words)?;
        self.constants[known] = words.to_vec();
        Ok(())
    }

    fn launch(&mut self, step: &Step) -> Result<(), Error> {
        if !step.is_of_ticks() {
            self.flush()?;
            return self.device.launch(step);
        }
        if let Some(mut repeated) = self.repeated.take() {
            if repeated.step(self.held.len()) == *step {
                self.held.push(step.clone());
                if self.held.len() == repeated.batch {
                    self.replay_held(&repeated)?;
                    repeated.next = self.clock.unwrap_or(repeated.next);
                }
                self.repeated = Some(repeated);
                return Ok(());
            }
            self.flush()?;
        }
        self.device.launch(step)?;
        self.seen.push(step.clone());
        if self.seen.len() == SEEN {
            self.repeated = Repeated::find(&self.seen);
            self.seen.clear();
        }
        Ok(())
    }

    fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error> {
        self.flush()?;
        self.device.record(steps, ticks)
    }

    fn replay(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.clock = None;
        self.device.replay()
    }

    fn wait(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.device.wait()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Writes down what is asked of it.
    #[derive(Clone, Default)]
    struct Recorder {
        all: Rc<RefCell<Vec<String>>>,
        graph: Rc<RefCell<(Vec<Step>, u64)>>,
        clock: Rc<RefCell<u64>>,
    }

    impl Recorder {
        fn launched(&self, step: &Step) {
            let text = format!("{} at {}..{}", step.blocks, step.words[0], step.words[1]);
            self.all.borrow_mut().push(text);
        }
    }

    impl DeviceSession for Recorder {
        fn base(&self) -> u64 {
            0
        }
        fn memory(&mut self, _: usize) -> Result<Arc<dyn OnDevice>, Error> {
            unreachable!("nothing stays")
        }
        fn adopt(&mut self, _: &Arc<dyn OnDevice>) -> bool {
            false
        }
        fn copy(&mut self, _: usize, _: usize, _: usize) -> Result<(), Error> {
            Ok(())
        }
        fn stack(&self) -> u64 {
            0
        }
        fn stop(&self) -> u64 {
            0
        }
        fn write(&mut self, _: usize, _: &[u8]) -> Result<(), Error> {
            Ok(())
        }
        fn put(&mut self, offset: usize, bytes: Vec<u8>) -> Result<(), Error> {
            assert_eq!(offset, Arena::CLOCK);
            *self.clock.borrow_mut() = u64::from_ne_bytes(bytes.try_into().unwrap());
            Ok(())
        }
        fn clear(&mut self, _: usize, _: usize) -> Result<(), Error> {
            Ok(())
        }
        fn read(&mut self, _: &mut [(usize, &mut [u8])]) -> Result<(), Error> {
            self.all.borrow_mut().push("read".into());
            Ok(())
        }
        fn set(&mut self, _: Constant, _: &[u64]) -> Result<(), Error> {
            Ok(())
        }
        fn launch(&mut self, step: &Step) -> Result<(), Error> {
            self.launched(step);
            Ok(())
        }
        fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error> {
            *self.graph.borrow_mut() = (steps, ticks);
            Ok(())
        }
        fn replay(&mut self) -> Result<(), Error> {
            let (steps, ticks) = &*self.graph.borrow();
            let now = *self.clock.borrow();
            assert!(steps.iter().all(|step| step.words[2] & 1 == 1));
            steps.iter().for_each(|step| self.launched(&step.after(now)));
            *self.clock.borrow_mut() += ticks;
            Ok(())
        }
        fn wait(&mut self) -> Result<(), Error> {
            Ok(())
        }
    }

    fn step(blocks: u32, tick: u64) -> Step {
        Step { blocks, shared: false, words: vec![tick, tick + 1, 1 << 32, 0, 0] }
    }

    #[test]
    fn what_runs_is_what_was_asked_for_whatever_repeats() {
        for (period, read_at) in [(1, 700), (2, 701), (3, 1_000), (7, 500), (32, 990), (33, 400)] {
            let recorder = Recorder::default();
            let mut batches = Batches::new(Box::new(recorder.clone()));
            let mut expected = Vec::new();
            let mut replayed = false;
            for launch in 0..1_000u64 {
                // At one time something else comes.
                let blocks = if launch == 350 { 99 } else { (launch % period) as u32 + 1 };
                batches.launch(&step(blocks, launch)).unwrap();
                expected.push(format!("{blocks} at {launch}..{}", launch + 1));
                if launch == read_at {
                    batches.read(&mut []).unwrap();
                    expected.push("read".into());
                    assert_eq!(*recorder.all.borrow(), expected);
                }
                replayed |= !recorder.graph.borrow().0.is_empty();
            }
            batches.wait().unwrap();
            assert_eq!(*recorder.all.borrow(), expected, "{period}");
            assert_eq!(replayed, period <= 32);
        }
    }
}
