//! Bases of kernels, and arrays that their calls give: which elements a kernel goes over, and how rows of columns
//! become items of arrays. They move where the columns are, if the session can do it; else on the host.
//!
//! Arrays that calls give go from kernel to kernel where the columns are (`Session::select`, `move_rows`): the flags of
//! a `pselect` are compacted there, rows are appended to the columns of the array's kind, and copied from there into
//! the next base. The host has the columns' lengths, and their contents when somebody asks; a session that does not
//! want to (the CPU's, or where there is too little room) has the host do it. Which elements are the same object is not
//! looked for where the kernel changes nothing, nor in what was selected of different objects.

use super::super::internal;
use super::Request;
use super::host::{DriverState, MOST_ROWS, Stop};
use crate::backend::collectives::{self, Rows};
use crate::backend::{Moved, Source};
use crate::error::Error;
use crate::fallible;
use crate::heap::{Column, JobOrder};
use crate::ir::Buffer;
use crate::profile::Phase;
use crate::types::{HierarchyId, Shape};
use rustc_hash::FxHashMap;

/// The elements of a kernel.
pub(super) struct Base {
    pub jobs: JobOrder,
    pub count: usize,
    /// The objects that they are, as [`DriverState::copies`] counts them.
    version: Vec<u64>,
}

/// Rows of a column: which, the first, and how many.
pub(super) type Copied = (Buffer, i64, i64);

impl DriverState<'_> {
    pub(super) fn over(&mut self, request: usize, count: i64) -> Result<(), Stop> {
        let Some(Request::Over { kernel, own, first_same, sized }) = self.driver.code.requests.get(request)
        else {
            return Err(internal("a driver goes over nothing").into());
        };
        let count = usize::try_from(count).unwrap_or(0);
        if count > MOST_ROWS {
            return Err(Error::Device(format!("{count} elements are more than a section can number")).into());
        }
        for own in sized {
            let buffer = self.buffer_of(*own)?;
            let column = self.column(buffer);
            if column.len() != count {
                let fresh = Column::unset(column.ty(), count)?;
                *self.change(buffer, 0, false)? = fresh;
            }
        }
        let own = own.map(|own| self.items(own)).transpose()?;
        let parts = own.map_or([None; 2], |own| [own.payload, own.tag]);
        let version = |buffer: Buffer| self.copies.get(&buffer).map_or(0, |(_, version)| *version);
        let version: Vec<u64> = parts.into_iter().flatten().map(version).collect();
        let place = kernel.0 as usize;
        if self.bases[place].as_ref().is_some_and(|base| (base.count, &base.version) == (count, &version)) {
            return Ok(());
        }
        let repeats =
            if self.driver.has_rounds[place] || first_same.is_some() { self.repeats(parts)? } else { None };
        let mut jobs = JobOrder::of_one(0, count);
        if let Some(repeats) = &repeats {
            jobs = JobOrder::new(&fallible::filled(0, count)?, 1, Some(&repeats.times))?;
        }
        if self.launch.jobs.in_order {
            jobs = jobs.in_order(count)?;
        }
        if let Some(own) = first_same {
            let buffer = self.buffer_of(*own)?;
            let firsts = match repeats {
                Some(repeats) => repeats.firsts,
                None => fallible::collect(0..count as i32)?,
            };
            *self.change(buffer, 0, false)? = Column::I32(firsts);
        }
        self.bases[place] = Some(Base { jobs, count, version });
        Ok(())
    }

    /// Those among the elements of a base.
    fn repeats(&mut self, [payload, tag]: [Option<Buffer>; 2]) -> Result<Option<Repeats>, Stop> {
        let Some(payload) = payload else { return Ok(None) };
        // Objects of several hierarchies may have the same number.
        let source = if tag.is_none() { self.source_of(payload) } else { None };
        if source.is_some_and(|source| self.distinct.contains(&source)) {
            return Ok(None);
        }
        for buffer in std::iter::once(payload).chain(tag) {
            self.fetch(Some(buffer))?;
        }
        let repeats = Repeats::find(self.column(payload), tag.map(|tag| self.column(tag)))?;
        if let (Some(source), None) = (source, &repeats) {
            self.distinct.insert(source);
        }
        Ok(repeats)
    }

    /// Which rows a column is a copy of, if these are what they were.
    fn source_of(&self, copy: Buffer) -> Option<Copied> {
        let (source, _) = self.copies.get(&copy)?;
        let stays = source.1 >= 0 && !self.driver.changes[source.0.0 as usize];
        stays.then_some(*source)
    }

    pub(super) fn copy(&mut self, from: Buffer, rows: (i64, i64), into: Buffer) -> Result<(), Stop> {
        let copied = (from, rows.0, rows.1);
        // What nobody writes stays what it was; arrays that are made come behind.
        let stays = !self.driver.changes[from.0 as usize];
        let known = self.copies.get(&into);
        if stays && known.is_some_and(|(known, _)| *known == copied) {
            return Ok(());
        }
        let version = known.map_or(0, |(_, version)| *version) + 1;
        let (first, count) = (rows.0 as usize, rows.1 as usize);
        if first.checked_add(count).is_none_or(|end| end > self.column(from).len()) {
            return Err(internal("a driver copies beyond a column").into());
        }
        let moved = (Source::Column(from), Moved::Rows(first, count));
        if self.session.moves(Some(from), into)
            && self.session.move_rows(moved, (into, 0), count, self.profile)?
        {
            self.copies.insert(into, (copied, version));
            return Ok(());
        }
        self.fetch(Some(from))?;
        let copy =
            self.profile.time(Phase::Kernel, || column_rows(self.session.columns(), from, first, count))?;
        *self.change(into, 0, false)? = copy;
        self.copies.insert(into, (copied, version));
        Ok(())
    }

    /// The numbers of rows that are true.
    fn rows_of(&mut self, flags: Buffer) -> Result<Vec<i32>, Stop> {
        self.fetch(Some(flags))?;
        match collectives::compact(self.column(flags))? {
            Column::I32(rows) => Ok(rows),
            _ => Err(internal("rows are no indices").into()),
        }
    }

    pub(super) fn append(&mut self, request: usize, count: i64) -> Result<i64, Stop> {
        let requests = &self.driver.code.requests;
        let Some(Request::Append { from, tag, given, into, reuses }) = requests.get(request) else {
            return Err(internal("a driver appends nothing").into());
        };
        let (from, items) = (self.items(*from)?, self.items(into.items)?);
        let given = given.map(|given| self.buffer_of(given)).transpose()?;
        let parts = [(from.payload, items.payload), (from.tag, items.tag)];
        // Of elements that are different objects, those that are selected are, too.
        let source = from.payload.filter(|_| items.tag.is_none()).and_then(|base| self.source_of(base));
        let is_distinct = given.is_some() && source.is_some_and(|source| self.distinct.contains(&source));
        // Where it can be, all is done where the columns are, so that the host needs no rows.
        let moves = |(from, into): &(Option<Buffer>, Option<Buffer>)| {
            into.is_none_or(|into| self.session.moves(*from, into))
        };
        // An array of nothing yet.
        let is_empty = from.payload.is_none() && items.payload.is_some();
        let can_move = !is_empty && parts.iter().all(moves);
        let mut moved = can_move.then_some(Moved::Rows(0, count.max(0) as usize));
        if let (Some(given), Some(_)) = (given, moved) {
            let (outcome, selected) = self.session.select(given, self.profile)?;
            self.done(outcome)?;
            moved = selected.map(Moved::Selected);
        }
        let mut rows = None;
        let count = match (moved, given) {
            (Some(Moved::Rows(_, count) | Moved::Selected(count)), _) => count,
            (None, Some(given)) => rows.insert(self.rows_of(given)?).len(),
            (None, None) => count.max(0) as usize,
        };
        let kept = std::mem::take(&mut self.kept);
        let (offsets, lengths) = (self.buffer_of(into.offset)?, self.buffer_of(into.length)?);
        let mut room = Room::behind(self.column(offsets).len(), 0);
        if *reuses {
            self.fetch(Some(offsets))?;
            self.fetch(Some(lengths))?;
            room = Room::find(self.column(offsets), self.column(lengths), &kept, count)?;
            // What was copied of earlier arrays in this place is something else.
            let parts = [items.payload, items.tag];
            for ((from, first, _), _) in self.copies.values_mut() {
                if parts.contains(&Some(*from)) {
                    *first = -1;
                }
            }
            let (begin, end) = (room.offset as i64, (room.offset + count) as i64);
            self.distinct.retain(|(from, first, count)| {
                !parts.contains(&Some(*from)) || first + count <= begin || *first >= end
            });
        }
        let Room { number, mut offset } = room;
        for (from, into) in parts {
            let Some(into) = into else { continue };
            let now = self.column(into).len();
            if !reuses {
                // A filler stands behind all arrays.
                offset = now.saturating_sub(1);
            }
            if offset.saturating_add(count) >= MOST_ROWS {
                return Err(Error::Device(
                    "a section can number at most 2,147,483,647 items of arrays".into(),
                )
                .into());
            }
            if let Some(moved) = moved.filter(|_| rows.is_none()) {
                self.session.store().keep(std::iter::once(into.0 as usize))?;
                let source = from.map_or(Source::Number(tag.unwrap_or(0)), Source::Column);
                let place = ((into, offset), now.max(offset + count + 1));
                if self.session.move_rows((source, moved), place.0, place.1, self.profile)? {
                    continue;
                }
            }
            if let (Some(given), None) = (given, &rows) {
                rows = Some(self.rows_of(given)?);
            }
            for buffer in from.into_iter().chain([into]) {
                self.fetch(Some(buffer))?;
            }
            self.change(into, offset, true)?;
            let columns = self.session.store().columns_mut();
            let nothing = Column::Bool(Vec::new());
            let source = from.map(|from| std::mem::replace(&mut columns[from.0 as usize], nothing));
            let to = &mut columns[into.0 as usize];
            let done = match (&source, &rows) {
                (Some(source), Some(rows)) => collectives::append((to, offset), source, Rows::These(rows)),
                (Some(source), None) => collectives::append((to, offset), source, Rows::First(count)),
                (None, _) if is_empty => {
                    to.extend_zeros((offset + count + 1).saturating_sub(to.len()));
                    Ok(())
                }
                (None, _) => collectives::fill((to, offset), count, tag.unwrap_or(0)),
            };
            if let (Some(from), Some(source)) = (from, source) {
                columns[from.0 as usize] = source;
            }
            done?;
        }
        if let Some(into) = items.payload.filter(|_| is_distinct) {
            self.distinct.insert((into, offset as i64, count as i64));
        }
        let mut lists = vec![(offsets, offset), (lengths, count)];
        let settler = &self.driver.settler;
        lists.extend(settler.room_of(offsets).map(|room| (room, count)));
        if let Some((marks, words)) = settler.marks_of(offsets) {
            let items = parts.iter().filter_map(|(_, into)| *into).map(|into| self.column(into).len());
            let rows = items.max().unwrap_or(0).max(number + 1);
            self.lengthen(marks, (self.column(marks).len(), rows * words), false)?;
        }
        if let Some(frozen) = settler.frozen_of(offsets) {
            let list = self.change(frozen, number, true)?;
            list.extend_zeros((number + 1).saturating_sub(list.len()));
            list.set_bits(number, 0);
        }
        for (list, value) in lists {
            let Column::I32(list) = self.change(list, number, true)? else {
                return Err(internal("offsets and lengths are no numbers").into());
            };
            match list.get_mut(number) {
                Some(known) => *known = value as i32,
                None => fallible::push(list, value as i32)?,
            }
        }
        Ok(number as i64)
    }
}

fn column_rows(columns: &[Column], from: Buffer, first: usize, count: usize) -> Result<Column, Error> {
    Ok(columns[from.0 as usize].rows(first..first + count)?)
}

/// Where a new array is put: its number, and where its items begin.
#[derive(Clone, Copy)]
struct Room {
    number: usize,
    offset: usize,
}

impl Room {
    const fn behind(number: usize, offset: usize) -> Self {
        Self { number, offset }
    }

    /// The first room for so many items, among arrays that are all the driver's own, of which those stay that are named:
    /// by their number, or by a place in them. What is neither names some that need not stay, which is no harm.
    fn find(offsets: &Column, lengths: &Column, kept: &[i64], count: usize) -> Result<Self, Error> {
        let (Column::I32(offsets), Column::I32(lengths)) = (offsets, lengths) else {
            return Err(internal("offsets and lengths are no numbers"));
        };
        let arrays =
            || (0i64..).zip(offsets.iter().zip(lengths)).map(|(n, (a, b))| (n, i64::from(*a), i64::from(*b)));
        let stays = |(number, first, length): &(i64, i64, i64)| {
            kept.iter().any(|kept| kept == number || (*first..=first + length).contains(kept))
        };
        let mut staying: Vec<(i64, i64, i64)> = arrays().filter(stays).collect();
        staying.sort_unstable_by_key(|(_, first, _)| *first);
        let mut offset = 0;
        for (_, first, length) in &staying {
            if *first >= offset + count as i64 {
                break;
            }
            offset = offset.max(first + length);
        }
        let number =
            arrays().find(|array| !stays(array)).map_or(offsets.len(), |(number, ..)| number as usize);
        Ok(Self { number, offset: offset as usize })
    }
}

/// Objects that elements are several times: how often each element's object came before, and the first element that is it.
struct Repeats {
    times: Vec<u32>,
    firsts: Vec<i32>,
}

impl Repeats {
    fn find(payload: &Column, tag: Option<&Column>) -> Result<Option<Self>, Error> {
        let rows = payload.len();
        let is_object = |row: usize| {
            tag.is_none_or(|tag| tag.bits(row) >= i64::from(Shape::Object(HierarchyId(0)).tag()))
        };
        let key = |row: usize| (tag.map_or(0, |tag| tag.bits(row)), payload.bits(row));
        // Most often there are none, which bits tell: ids are dense.
        let most = (0..rows).filter(|row| is_object(*row)).map(|row| payload.bits(row)).max().unwrap_or(0);
        let mut seen = fallible::filled(0u64, most.max(0) as usize / 64 + 1)?;
        let is_new = |row: usize| {
            let id = payload.bits(row) as usize;
            let (word, bit) = (id / 64, 1 << (id % 64));
            let new = !is_object(row) || seen[word] & bit == 0;
            if is_object(row) {
                seen[word] |= bit;
            }
            new
        };
        if (0..rows).all(is_new) {
            return Ok(None);
        }
        let mut known: FxHashMap<(i64, i64), (u32, i32)> = FxHashMap::default();
        let (mut times, mut firsts) = (fallible::filled(0u32, rows)?, fallible::filled(0i32, rows)?);
        let mut any = false;
        for row in 0..rows {
            firsts[row] = row as i32;
            if !is_object(row) {
                continue;
            }
            let (count, first) = known.entry(key(row)).or_insert((0, row as i32));
            (times[row], firsts[row]) = (*count, *first);
            any |= *count > 0;
            *count += 1;
        }
        Ok(any.then_some(Self { times, firsts }))
    }
}
