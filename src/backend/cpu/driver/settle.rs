//! Rows for what elements make: after each tick of a kernel that settles, their objects come behind those of their
//! hierarchies and their arrays behind those of their kinds, in the order of the base, and what refers to them has their
//! numbers from then on. See [`crate::ir::settling`].

use super::super::internal;
use super::host::{DriverState, MOST_ROWS, Stop};
use super::settle_strings::words_of;
use crate::backend::{Launch, Outcome};
use crate::error::Error;
use crate::fallible;
use crate::heap::{Column, JobOrder, Round, Segment, marks};
use crate::ir::settling::{HeldForm, HeldValue, NewArrays, NewObjects, Settling, SettlingKernel};
use crate::ir::walk::for_each;
use crate::ir::{Arrays, Buffer, BufferKind, Items, KernelId, Op, Program, Stmt, Watched};
use crate::parallel;
use crate::types::{ClassId, HierarchyId, ListKind, Shape};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is made ready for a program once.
#[derive(Debug, Default)]
pub(super) struct Settler {
    pub plan: Settling,
    /// The columns with a row for each object, and words of a row.
    of_objects: BTreeMap<HierarchyId, Vec<(Buffer, usize)>>,
    /// Kernels without elements: what the driver itself has made is settled.
    of_driver: Vec<bool>,
    /// Marks of arrays, and words of a row, by the column of the offsets.
    marks: BTreeMap<Buffer, (Buffer, usize)>,
    /// For how many items arrays have room that grow, by the same.
    rooms: BTreeMap<Buffer, Buffer>,
    /// Whether arrays are frozen, by the same.
    frozen: BTreeMap<Buffer, Buffer>,
    /// What [`crate::ir::Op::Lengthen`] makes longer.
    pub longer: FxHashMap<Buffer, Longer>,
    /// Words of an object and where the number of its bytes is, if it has bytes, by the number of its class.
    objects: Vec<Option<(usize, Option<usize>)>>,
    /// Words of an item, by the number of the kind of lists.
    lists: Vec<Option<usize>>,
}

/// The columns that get longer together, those of marks among them with the words of a row.
#[derive(Debug, Default)]
pub(super) struct Longer {
    pub columns: Vec<Buffer>,
    pub marks: Vec<(Buffer, usize)>,
    /// They are items of arrays.
    pub items: bool,
}

impl Settler {
    pub fn new(program: &Program) -> Self {
        let words = if program.reports { marks::REPORT_WORDS } else { marks::WORDS };
        let (mut of_objects, mut marks) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        let (mut rooms, mut frozen) = (BTreeMap::new(), BTreeMap::new());
        let offsets_of = |kind| {
            let number = program.buffers.iter().position(|of| of.kind == BufferKind::ArrayOffset(kind));
            number.map(|number| Buffer(number as u32))
        };
        for (number, info) in (0..).zip(&program.buffers) {
            let (hierarchy, words) = match &info.kind {
                BufferKind::Column { hierarchy, .. }
                | BufferKind::Frozen(hierarchy)
                | BufferKind::Places(hierarchy) => (*hierarchy, 1),
                BufferKind::Marks(Watched::Column { hierarchy, .. }) => (*hierarchy, words),
                BufferKind::Marks(Watched::Arrays(kind)) => {
                    marks.extend(offsets_of(*kind).map(|offset| (offset, (Buffer(number), words))));
                    continue;
                }
                BufferKind::ArrayRoom(kind) => {
                    rooms.extend(offsets_of(*kind).map(|offset| (offset, Buffer(number))));
                    continue;
                }
                BufferKind::FrozenArray(kind) => {
                    frozen.extend(offsets_of(*kind).map(|offset| (offset, Buffer(number))));
                    continue;
                }
                _ => continue,
            };
            of_objects.entry(hierarchy).or_default().push((Buffer(number), words));
        }
        let of_driver = program.kernels.iter().map(|kernel| kernel.entries.is_empty()).collect();
        let plan = program.settling.clone();
        let classes = plan.classes.keys().next_back().map_or(0, |class| class.0 + 1);
        let objects = (0..classes).map(|class| {
            let of = plan.classes.get(&ClassId(class))?;
            Some((of.words, of.bytes.as_ref().map(|bytes| bytes.size)))
        });
        let logs = plan.logs.iter().map(|(items, log)| (*items).max(log.arrays));
        let kinds = plan.lists.keys().chain(plan.remembered.keys()).copied().chain(logs).max();
        let lists = (0..kinds.map_or(0, |kind| kind.0 + 1)).map(|kind| plan.width(ListKind(kind)));
        let (objects, lists) = (objects.collect(), lists.collect());
        let longer = longer(program, words);
        Self { plan, of_objects, of_driver, marks, rooms, frozen, longer, objects, lists }
    }

    fn kernel(&self, kernel: KernelId) -> Option<&SettlingKernel> {
        self.plan.kernels.get(kernel.0 as usize).and_then(Option::as_ref)
    }

    /// For how many items arrays have room, where they grow, by the column of their offsets.
    pub fn room_of(&self, offsets: Buffer) -> Option<Buffer> {
        self.rooms.get(&offsets).copied()
    }

    /// Whether they are frozen, where some may be, by the same.
    pub fn frozen_of(&self, offsets: Buffer) -> Option<Buffer> {
        self.frozen.get(&offsets).copied()
    }

    /// Their marks, where they are watched, and words of a row.
    pub fn marks_of(&self, offsets: Buffer) -> Option<(Buffer, usize)> {
        self.marks.get(&offsets).copied()
    }

    pub fn settles(&self, kernel: KernelId) -> bool {
        self.kernel(kernel).is_some()
    }

    /// Lists what elements have made, and numbers it where it stands.
    fn find(
        &self,
        (all, count): (&mut [i64], usize),
        elements: impl Iterator<Item = usize>,
    ) -> Result<Made, Error> {
        let mut objects = vec![Vec::new(); self.objects.len()];
        let mut arrays = vec![Vec::new(); self.lists.len()];
        let beyond = || internal("what an element has made is beyond its words");
        for element in elements {
            let end = all.get(element).ok_or_else(beyond)?.unsigned_abs() as usize;
            let mut word = 1;
            while word < end {
                let at = word * count + element;
                let code = *all.get(at).ok_or_else(beyond)?;
                let (list, words) = match u32::try_from(code) {
                    Ok(class) => {
                        let known = self.objects.get(class as usize).copied().flatten();
                        let (words, size) = known.ok_or_else(|| internal("an object of no known class"))?;
                        let behind = match size {
                            Some(size) => words_of(*all.get(at + size * count).ok_or_else(beyond)?),
                            None => 0,
                        };
                        (&mut objects[class as usize], words + behind)
                    }
                    Err(_) => {
                        let kind = !code as u32 as usize;
                        let known = self.lists.get(kind).copied().flatten();
                        let width = known.ok_or_else(|| internal("an array of no known kind"))?;
                        let length = length_in(*all.get(at + count).ok_or_else(beyond)?);
                        (&mut arrays[kind], ARRAY_HEADER + length * width)
                    }
                };
                all[at] = (list.len() as i64) << FOUND | code & i64::from(u32::MAX);
                fallible::push(list, (element as u32, word as u32))?;
                word += words;
            }
        }
        let objects = (0..).map(ClassId).zip(objects).filter(|(_, made)| !made.is_empty());
        let arrays = (0..).map(ListKind).zip(arrays).filter(|(_, made)| !made.is_empty());
        Ok(Made { objects: objects.collect(), arrays: arrays.collect() })
    }
}

fn longer(program: &Program, words: usize) -> FxHashMap<Buffer, Longer> {
    let mut all = FxHashMap::default();
    for driver in program.drivers() {
        for_each(&program.functions[driver.0 as usize].body, &mut |stmt| {
            let Stmt::Let { op: Op::Lengthen { buffer, .. }, .. } = stmt else { return };
            let kind = |buffer: Buffer| &program.buffers[buffer.0 as usize].kind;
            let watched = |of: &BufferKind| match (of, kind(*buffer)) {
                (BufferKind::Marks(Watched::Column { hierarchy, .. }), BufferKind::Places(of)) => {
                    hierarchy == of
                }
                (
                    BufferKind::Marks(Watched::Arrays(kind)),
                    BufferKind::ArrayOffset(of) | BufferKind::ArrayValues(of, _),
                ) => kind == of,
                _ => false,
            };
            let marks = (0..program.buffers.len() as u32).map(Buffer).filter(|other| watched(kind(*other)));
            all.entry(*buffer).or_insert_with(|| {
                let mut columns = program.lengthened_with(*buffer);
                // What is told is that of the one that is named.
                columns.sort_by_key(|column| column != buffer);
                let items = matches!(kind(*buffer), BufferKind::ArrayValues(..));
                Longer { columns, marks: marks.map(|marks| (marks, words)).collect(), items }
            });
        });
    }
    all
}

/// What elements have made: by class and by kind of lists, the elements and the words where each thing begins.
#[derive(Default)]
pub(super) struct Made {
    pub objects: BTreeMap<ClassId, Vec<(u32, u32)>>,
    pub arrays: BTreeMap<ListKind, Vec<(u32, u32)>>,
}

/// Where rows begin.
#[derive(Default)]
pub(super) struct Rows {
    pub objects: BTreeMap<ClassId, (Shape, usize)>,
    arrays: BTreeMap<ListKind, (Shape, usize)>,
    /// The words of Strings.
    pub bytes: usize,
}

/// The words of all elements.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    all: &'a [i64],
    count: usize,
}

/// Number among those of its class or kind, and which that is, of what has been found.
const FOUND: u32 = 32;

impl Words<'_> {
    pub fn get(self, element: usize, word: usize) -> Result<i64, Error> {
        let word = self.all.get(word * self.count + element);
        word.copied().ok_or_else(|| internal("what an element has made is beyond its words"))
    }

    /// What is referred to: its shape and row.
    pub fn referred(self, rows: &Rows, element: usize, word: i64) -> Result<(Shape, i64), Error> {
        let found = self.get(element, word as usize)?;
        let (number, code) = (found >> FOUND, found as i32);
        let first = match u32::try_from(code) {
            Ok(class) => rows.objects.get(&ClassId(class)),
            Err(_) => rows.arrays.get(&ListKind(!code as u32)),
        };
        let (shape, first) = first.ok_or_else(|| internal("a reference to what nobody has made"))?;
        Ok((*shape, *first as i64 + number))
    }

    /// A value by shape and payload, which may be a reference.
    fn value(self, rows: &Rows, element: usize, shape: Shape, payload: i64) -> Result<(Shape, i64), Error> {
        match shape {
            Shape::List | Shape::Made => self.referred(rows, element, payload),
            shape => Ok((shape, payload)),
        }
    }

    /// A value that is held, by what holds it.
    pub fn held(
        self,
        rows: &Rows,
        (element, word): (usize, usize),
        form: HeldForm,
    ) -> Result<(Shape, i64), Error> {
        let (shape, payload) = match form {
            HeldForm::One(shape, payload) => return Ok((shape, payload)),
            HeldForm::Payload(shape) => (shape, self.get(element, word)?),
            HeldForm::Tagged => (shape_of(self.get(element, word)?)?, self.get(element, word + 1)?),
        };
        self.value(rows, element, shape, payload)
    }
}

fn shape_of(tag: i64) -> Result<Shape, Error> {
    Shape::of_tag(tag as i32).ok_or_else(|| internal("a value of no known shape"))
}

impl DriverState<'_> {
    /// Launches a kernel that settles: tick by tick, round by round, and where elements run in order element by element.
    pub(super) fn launch_settling(&mut self, kernel: KernelId, ticks: u64) -> Result<(), Stop> {
        let taken = self.bases.get_mut(kernel.0 as usize).and_then(Option::take);
        let own = taken.as_ref().map_or(self.launch.jobs, |base| &base.jobs);
        let done = self.launch_jobs(kernel, ticks, own);
        if let Some(base) = taken {
            self.bases[kernel.0 as usize] = Some(base);
        }
        done
    }

    fn launch_jobs(&mut self, kernel: KernelId, ticks: u64, jobs: &JobOrder) -> Result<(), Stop> {
        let segments = jobs.rounds.iter().flat_map(|round| &round.segments);
        let count = segments.map(|segment| segment.jobs.len()).sum();
        self.make_words(kernel, count, jobs.in_order)?;
        let whole = !jobs.in_order && jobs.rounds.len() == 1;
        for _ in 0..ticks {
            if self.driver.settler.of_driver[kernel.0 as usize] {
                self.settle(kernel, 0..1)?;
            } else if whole {
                self.launch_part(kernel, jobs)?;
                self.settle(kernel, 0..count)?;
            } else {
                for (number, round) in (1..).zip(&jobs.rounds) {
                    let done = self.launch_round(kernel, jobs, round);
                    // Later rounds may hold elements that come earlier in the base: they run in order then.
                    let is_early = !jobs.in_order && number < jobs.rounds.len();
                    if is_early && matches!(done, Err(Stop::Ended(Outcome::Failed(_)))) {
                        return Err(Stop::Ended(Outcome::Conflict));
                    }
                    done?;
                }
            }
            self.push_all()?;
            self.ticks += 1;
        }
        Ok(())
    }

    fn launch_round(&mut self, kernel: KernelId, jobs: &JobOrder, round: &Round) -> Result<(), Stop> {
        if !jobs.in_order {
            let (order, rounds) = (jobs.order.clone(), vec![round.clone()]);
            self.launch_part(kernel, &JobOrder { order, rounds, in_order: false, first: jobs.first })?;
            let all = round.segments.iter().flat_map(|segment| segment.jobs.clone());
            let mut elements = Vec::new();
            for job in all {
                fallible::push(&mut elements, jobs.element(job))?;
            }
            elements.sort_unstable();
            return self.settle(kernel, elements.into_iter());
        }
        for Segment { entry, jobs: range } in &round.segments {
            let mut job = range.start;
            let mut most = AT_ONCE;
            while job < range.end {
                let element = jobs.element(job);
                let count = if jobs.order.is_some() { 1 } else { most.min(range.end - job) };
                let segment = Segment { entry: *entry, jobs: element..element + count };
                let rounds = vec![Round { segments: vec![segment] }];
                self.set_words_before(kernel, element)?;
                self.launch_part(
                    kernel,
                    &JobOrder { order: None, rounds, in_order: true, first: jobs.first },
                )?;
                let done = self.done_of(kernel, element..element + count)?;
                self.settle(kernel, done.clone())?;
                job += done.len();
                most = (2 * done.len()).max(AT_ONCE);
            }
        }
        Ok(())
    }

    /// Nothing that the element before made waits for a row.
    fn set_words_before(&mut self, kernel: KernelId, element: usize) -> Result<(), Stop> {
        let words = self.words_of(kernel)?;
        if let (Some(before), Column::I64(words)) =
            (element.checked_sub(1), &mut self.session.store().columns_mut()[words.0 as usize])
        {
            words[before] = -1;
        }
        Ok(())
    }

    /// Those of some elements that have run: the others wait for rows of what the last one has made.
    fn done_of(&mut self, kernel: KernelId, elements: Range<usize>) -> Result<Range<usize>, Stop> {
        let words = self.words_of(kernel)?;
        let Column::I64(words) = self.column(words) else {
            return Err(internal("words are no numbers").into());
        };
        let waiting = words[elements.clone()].iter().position(|count| *count == 0);
        match waiting {
            Some(0) => Err(internal("an element waits for nobody").into()),
            Some(done) => Ok(elements.start..elements.start + done),
            None => Ok(elements),
        }
    }

    fn words_of(&self, kernel: KernelId) -> Result<Buffer, Error> {
        let of = self.driver.settler.kernel(kernel);
        of.map(|of| of.words).ok_or_else(|| internal("a kernel that does not settle"))
    }

    /// One tick of some elements.
    fn launch_part(&mut self, kernel: KernelId, jobs: &JobOrder) -> Result<(), Stop> {
        let launch = Launch {
            scalars: &self.scalars,
            jobs,
            ticks: 1,
            first_tick: self.ticks,
            progress: self.launch.progress.filter(|_| kernel == KernelId(0)),
            ..*self.launch
        };
        let outcome = self.session.launch(kernel, &launch, self.profile)?;
        self.done(outcome)
    }

    /// Room for what so many elements make.
    fn make_words(&mut self, kernel: KernelId, count: usize, in_order: bool) -> Result<(), Stop> {
        let settler = &self.driver.settler;
        let Some(SettlingKernel { words, count: number, .. }) = settler.kernel(kernel) else {
            return Err(internal("a kernel that does not settle").into());
        };
        let room = settler.plan.room.map(|room| room.0 as usize);
        let asked = room.map_or(0, |room| self.launch.scalars[room]) as usize;
        // The host gives an element more than it has asked for.
        let words_of_each = asked.min((MOST_ROWS / count.max(1)).max(asked / 8));
        let (words, number, all) = (*words, *number, count.saturating_mul(words_of_each));
        if all > MOST_ROWS {
            let told =
                format!("{count} elements make more than {asked} words each: more than a section can number");
            return Err(Error::Device(told).into());
        }
        if let Some(room) = room {
            self.scalars[room] = words_of_each as u64;
        }
        self.scalars[number.0 as usize] = count as u64;
        if let Some(one_by_one) = settler.plan.one_by_one {
            self.scalars[one_by_one.0 as usize] = u64::from(in_order);
        }
        if self.column(words).len() < all {
            // Where there are more of them at each launch it is not made anew at each.
            let fresh = Column::unset(self.column(words).ty(), (all + all / 2).min(MOST_ROWS))?;
            *self.change(words, 0, false)? = fresh;
        }
        Ok(())
    }

    /// Gives rows to what some elements have made, which ascend.
    fn settle(
        &mut self,
        kernel: KernelId,
        elements: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<(), Stop> {
        self.fetch(None)?;
        let driver = self.driver;
        let settler = &driver.settler;
        let Some(of) = settler.kernel(kernel) else { return Ok(()) };
        let count = self.scalars[of.count.0 as usize] as usize;
        let at = of.words.0 as usize;
        let nothing = Column::Bool(Vec::new());
        let taken = std::mem::replace(&mut self.session.store().columns_mut()[at], nothing);
        let Column::I64(mut all) = taken else { return Err(internal("words are no numbers").into()) };
        let settled =
            settler.find((&mut all, count), elements.clone()).map_err(Stop::from).and_then(|made| {
                let words = Words { all: &all, count };
                let rows = self.make_rows(&made, words)?;
                if !rows.objects.is_empty() || !rows.arrays.is_empty() {
                    self.fill_objects(&made, &rows, words)?;
                    self.fill_arrays(&made, &rows, words)?;
                    self.settle_variables(of, &rows, words, elements.clone())?;
                    self.settle_remembered(&made, &rows, words)?;
                }
                self.note_pushed(&made, &rows, words)?;
                self.settle_result(of, &rows, words, elements)
            });
        self.session.store().columns_mut()[at] = Column::I64(all);
        settled
    }

    /// Makes the columns as long as it takes.
    fn make_rows(&mut self, made: &Made, words: Words<'_>) -> Result<Rows, Stop> {
        let driver = self.driver;
        let Settler { plan, of_objects, .. } = &driver.settler;
        let mut rows = Rows::default();
        let mut ends: BTreeMap<HierarchyId, (usize, usize)> = BTreeMap::new();
        for (class, objects) in &made.objects {
            let NewObjects { hierarchy, places, .. } = &plan.classes[class];
            let first = self.column(*places).len();
            let (_, end) = ends.entry(*hierarchy).or_insert((first, first));
            rows.objects.insert(*class, (Shape::Object(*hierarchy), *end));
            *end += objects.len();
        }
        for (hierarchy, (first, end)) in ends {
            if end >= MOST_ROWS {
                return Err(too_many("objects of a hierarchy"));
            }
            for (buffer, words) in &of_objects[&hierarchy] {
                self.lengthen(*buffer, (first * words, end * words), *words == 1)?;
            }
        }
        for (kind, arrays) in &made.arrays {
            // Of what is pushed there are lists that nobody refers to.
            let Some(NewArrays { kind: number, arrays: into, .. }) = plan.lists.get(kind) else { continue };
            let lengths =
                arrays.iter().map(|(element, word)| words.get(*element as usize, *word as usize + 1));
            let first = self.make_arrays(into, lengths)?;
            rows.arrays.insert(*kind, (Shape::Array(*number), first));
        }
        for (class, strings) in &made.objects {
            if let Some(bytes) = &plan.classes[class].bytes {
                rows.bytes = self.make_bytes(bytes, strings, words)?;
            }
        }
        Ok(rows)
    }

    /// More arrays of a kind, of these lengths; gives the number of the first.
    pub(super) fn make_arrays(
        &mut self,
        into: &Arrays,
        more: impl ExactSizeIterator<Item = Result<i64, Error>>,
    ) -> Result<usize, Stop> {
        let settler = &self.driver.settler;
        let first = self.column(into.offset).len();
        let count = more.len();
        let items = [into.items.payload, into.items.tag].into_iter().flatten();
        // A filler stands behind all items.
        let begin = items.clone().map(|items| self.column(items).len()).max().unwrap_or(1).max(1) - 1;
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        let mut end = begin;
        for length in more {
            let length = length_in(length?);
            fallible::push(&mut offsets, end as i32)?;
            fallible::push(&mut lengths, length as i32)?;
            end = end.saturating_add(length);
            if end >= MOST_ROWS {
                return Err(too_many("items of arrays"));
            }
        }
        if first + count >= MOST_ROWS {
            return Err(too_many("arrays"));
        }
        let mut lists = vec![(into.offset, offsets)];
        if let Some(room) = settler.room_of(into.offset) {
            lists.push((room, fallible::collect(lengths.iter().copied())?));
        }
        lists.push((into.length, lengths));
        for (buffer, more) in lists {
            self.lengthen(buffer, (first, first + count), true)?;
            let Column::I32(list) = &mut self.session.store().columns_mut()[buffer.0 as usize] else {
                return Err(internal("offsets and lengths are no numbers").into());
            };
            list[first..].copy_from_slice(&more);
        }
        for items in items {
            self.lengthen(items, (begin, end + 1), true)?;
        }
        if let Some(frozen) = settler.frozen_of(into.offset) {
            self.lengthen(frozen, (first, first + count), true)?;
        }
        if let Some((marks, words)) = settler.marks_of(into.offset) {
            let rows = (first + count).max(end + 1);
            self.lengthen(marks, (self.column(marks).len(), rows * words), false)?;
        }
        Ok(first)
    }

    /// Makes a column as long as that, with zeros; what is new, or changed, begins at a row.
    pub(super) fn lengthen(
        &mut self,
        buffer: Buffer,
        (from, to): (usize, usize),
        keep: bool,
    ) -> Result<(), Error> {
        let column = self.change(buffer, from, keep)?;
        let more = to.saturating_sub(column.len());
        column.try_reserve(more)?;
        column.extend_zeros(more);
        Ok(())
    }

    fn fill_objects(&mut self, made: &Made, rows: &Rows, words: Words<'_>) -> Result<(), Stop> {
        let driver = self.driver;
        for (class, objects) in &made.objects {
            let NewObjects { place, places, variables, frozen, all_frozen, bytes, .. } =
                &driver.settler.plan.classes[class];
            let (_, first) = rows.objects[class];
            self.fill(Items { payload: Some(*places), tag: None }, first, objects.len(), |_| {
                Ok((Shape::Nil, i64::from(*place)))
            })?;
            if let (Some(frozen), true) = (frozen, *all_frozen) {
                let frozen = Items { payload: Some(*frozen), tag: None };
                self.fill(frozen, first, objects.len(), |_| Ok((Shape::Bool, 1)))?;
            }
            for HeldValue { word, form, into } in variables {
                self.fill(*into, first, objects.len(), |number| {
                    let (element, start) = objects[number];
                    words.held(rows, (element as usize, start as usize + word), *form)
                })?;
            }
            if let Some(bytes) = bytes {
                self.fill_strings((bytes, *frozen), objects, rows, words)?;
            }
        }
        Ok(())
    }

    fn fill_arrays(&mut self, made: &Made, rows: &Rows, words: Words<'_>) -> Result<(), Stop> {
        let driver = self.driver;
        for (kind, arrays) in &made.arrays {
            let Some(NewArrays { arrays: into, items, width, frozen, .. }) =
                driver.settler.plan.lists.get(kind)
            else {
                continue;
            };
            let (_, first) = rows.arrays[kind];
            if let Some((frozen, flag)) = *frozen {
                self.fill(Items { payload: Some(frozen), tag: None }, first, arrays.len(), |number| {
                    let (element, start) = arrays[number];
                    let length = words.get(element as usize, start as usize + 1)?;
                    Ok((Shape::Bool, i64::from(length & flag != 0)))
                })?;
            }
            for (number, (element, start)) in arrays.iter().enumerate() {
                let offset = self.column(into.offset).bits(first + number) as usize;
                let length = self.column(into.length).bits(first + number) as usize;
                let begin = *start as usize + ARRAY_HEADER + items.word;
                self.fill(items.into, offset, length, |item| {
                    words.held(rows, (*element as usize, begin + item * width), items.form)
                })?;
            }
        }
        Ok(())
    }

    /// Writes values into some rows, of columns that were told to change.
    pub(super) fn fill(
        &mut self,
        into: Items,
        first: usize,
        count: usize,
        value: impl Fn(usize) -> Result<(Shape, i64), Error> + Sync,
    ) -> Result<(), Error> {
        let columns = self.session.store().columns_mut();
        if let Some(tag) = into.tag {
            let Column::I32(tags) = &mut columns[tag.0 as usize] else {
                return Err(internal("tags are no numbers"));
            };
            fill_with(&mut tags[first..first + count], |number| Ok(value(number)?.0.tag()))?;
        }
        let Some(payload) = into.payload else { return Ok(()) };
        let rows = first..first + count;
        match &mut columns[payload.0 as usize] {
            Column::Bool(list) => fill_with(&mut list[rows], |n| Ok(value(n)?.1 as u8 & 1)),
            Column::I32(list) => fill_with(&mut list[rows], |n| Ok(value(n)?.1 as i32)),
            Column::I64(list) => fill_with(&mut list[rows], |n| Ok(value(n)?.1)),
            Column::F64(list) => fill_with(&mut list[rows], |n| Ok(f64::from_bits(value(n)?.1 as u64))),
            Column::Shared(_) | Column::Lent(_) => Err(internal("what is shared gets new rows")),
        }
    }

    /// The elements' own variables.
    fn settle_variables(
        &mut self,
        of: &SettlingKernel,
        rows: &Rows,
        words: Words<'_>,
        elements: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), Stop> {
        let Some(base) = of.base.payload else { return Ok(()) };
        for (hierarchy, variable) in &of.variables {
            let Items { payload: Some(payload), tag: Some(tag) } = *variable else {
                return Err(internal("a variable without tags keeps what elements make").into());
            };
            let columns = self.session.store().columns_mut();
            let [mut tags, mut payloads] = [tag, payload]
                .map(|buffer| std::mem::replace(&mut columns[buffer.0 as usize], Column::Bool(Vec::new())));
            let shape = Shape::Object(*hierarchy);
            let changed = self.settle_rows(
                (&mut tags, &mut payloads),
                (Items { payload: Some(base), tag: of.base.tag }, shape),
                (rows, words),
                elements.clone(),
            );
            let columns = self.session.store().columns_mut();
            (columns[tag.0 as usize], columns[payload.0 as usize]) = (tags, payloads);
            let changed = changed?;
            if let Some(row) = changed {
                self.session.changed(tag, row);
                self.session.changed(payload, row);
            }
        }
        Ok(())
    }

    /// One of these variables, in the objects that elements are; gives the first row that has changed.
    fn settle_rows(
        &self,
        (tags, payloads): (&mut Column, &mut Column),
        (base, own): (Items, Shape),
        (rows, words): (&Rows, Words<'_>),
        elements: impl Iterator<Item = usize>,
    ) -> Result<Option<usize>, Error> {
        let (Column::I32(tags), Column::I64(payloads)) = (tags, payloads) else {
            return Err(internal("tags and payloads are no numbers"));
        };
        let [base, shapes] = [base.payload, base.tag].map(|buffer| buffer.map(|buffer| self.column(buffer)));
        let mut changed: Option<usize> = None;
        for element in elements {
            if shapes.is_some_and(|shapes| shapes.bits(element) != i64::from(own.tag())) {
                continue;
            }
            let row = base.map_or(0, |base| base.bits(element)) as usize;
            if tags[row] != Shape::List.tag() && tags[row] != Shape::Made.tag() {
                continue;
            }
            let held = payloads[row];
            if held >> 32 != element as i64 + 1 {
                return Err(internal("a variable holds what another element has made"));
            }
            let (shape, number) = words.referred(rows, element, held & i64::from(u32::MAX))?;
            (tags[row], payloads[row]) = (shape.tag(), number);
            changed = Some(changed.map_or(row, |changed| changed.min(row)));
        }
        Ok(changed)
    }

    /// What the block has given.
    fn settle_result(
        &mut self,
        of: &SettlingKernel,
        rows: &Rows,
        words: Words<'_>,
        mut elements: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), Stop> {
        let Some((from, into)) = of.result else { return Ok(()) };
        let Items { payload: Some(payload), tag: Some(tag) } = from else {
            return Err(internal("what elements give has no tags").into());
        };
        for buffer in [into.payload, into.tag].into_iter().flatten() {
            self.session.changed(buffer, 0);
        }
        let columns = self.session.store().columns_mut();
        let [tags, payloads] = [tag, payload]
            .map(|buffer| std::mem::replace(&mut columns[buffer.0 as usize], Column::Bool(Vec::new())));
        let value = |element: usize| {
            let (shape, held) = (shape_of(tags.bits(element))?, payloads.bits(element));
            let is_made = matches!(shape, Shape::List | Shape::Made);
            words.value(rows, element, shape, if is_made { held & i64::from(u32::MAX) } else { held })
        };
        let done = match elements.len() == tags.len() {
            true => self.fill(into, 0, tags.len(), value),
            false => elements.try_for_each(|element| self.fill(into, element, 1, |_| value(element))),
        };
        let columns = self.session.store().columns_mut();
        (columns[tag.0 as usize], columns[payload.0 as usize]) = (tags, payloads);
        Ok(done?)
    }
}

/// So many elements are launched at once, where they run in order and may make something.
const AT_ONCE: usize = 16;

/// Words before the items of an array: its kind and its length.
pub(super) const ARRAY_HEADER: usize = 2;

/// The length of an array, in the word that has it: its upper half says whether the array is frozen.
const fn length_in(word: i64) -> usize {
    word as u32 as usize
}

pub(super) fn too_many(what: &str) -> Stop {
    Error::Device(format!("a section can number at most 2,147,483,647 {what}")).into()
}

/// All threads fill long lists.
fn fill_with<T: Send>(list: &mut [T], value: impl Fn(usize) -> Result<T, Error> + Sync) -> Result<(), Error> {
    let (count, size) = (list.len(), parallel::chunk());
    let failed = Mutex::new(None);
    parallel::each(count, list.chunks_mut(size).enumerate(), |(number, chunk)| {
        let filled = chunk.iter_mut().enumerate().try_for_each(|(place, item)| {
            *item = value(number * size + place)?;
            Ok(())
        });
        if let Err(error) = filled {
            *failed.lock() = Some(error);
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}
