//! The Symbols of a run by number: those that the code names, then the others as they are met. The numbers are a run's
//! own, so a Symbol that was made at run time can go when no one needs it any more.

use crate::reading::strings;
use crate::vm::pinned::Pinned;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::hashing;
use rb_sys::VALUE;
use rustc_hash::FxHashMap;

#[derive(Debug, Default, PartialEq)]
pub struct Symbols {
    numbers: FxHashMap<VALUE, i32>,
    values: Vec<VALUE>,
}

impl Symbols {
    /// With those that the code names.
    pub fn new(named: Vec<VALUE>) -> Self {
        let numbers = named.iter().enumerate().map(|(number, symbol)| (*symbol, number as i32)).collect();
        Self { numbers, values: named }
    }

    /// The number of a live Symbol, which is pinned.
    pub fn number(&mut self, pinned: &Pinned, symbol: VALUE) -> Result<i32, NoMemory> {
        if let Some(known) = self.numbers.get(&symbol) {
            return Ok(*known);
        }
        let number = self.values.len() as i32;
        pinned.make_room(1)?;
        fallible::push(&mut self.values, symbol)?;
        self.numbers.try_reserve(1).map_err(|_| NoMemory(self.values.len() * size_of::<(VALUE, i32)>()))?;
        self.numbers.insert(symbol, number);
        if !rb_sys::SPECIAL_CONST_P(symbol) {
            pinned.pin(symbol);
        }
        Ok(number)
    }

    /// The number of a Symbol that has one.
    #[inline]
    pub fn find(&self, symbol: VALUE) -> Option<i32> {
        self.numbers.get(&symbol).copied()
    }

    /// Have these the first numbers, in this order?
    pub fn begin_with(&self, named: &[VALUE]) -> bool {
        self.values.starts_with(named)
    }

    /// All of them.
    pub fn all(&self) -> &[VALUE] {
        &self.values
    }

    /// The Symbol with a number.
    pub fn get(&self, number: i32) -> Option<VALUE> {
        self.values.get(usize::try_from(number).ok()?).copied()
    }

    /// The table by which a Symbol is found by its name: see `BufferKind::SymbolIndex`.
    pub fn index(&self) -> Result<Vec<i32>, NoMemory> {
        let count = (2 * self.values.len()).next_power_of_two().max(2);
        let mut table = Vec::new();
        fallible::resize(&mut table, count + 1, 0)?;
        table[0] = count as i32;
        for (number, symbol) in (1..).zip(&self.values) {
            // SAFETY: the Symbols are pinned, and their names are Strings.
            let hash = hashing::of_bytes(unsafe { strings::bytes(rb_sys::rb_sym2str(*symbol)) });
            let mut slot = hash as usize & (count - 1);
            while table[slot + 1] != 0 {
                slot = (slot + 1) & (count - 1);
            }
            table[slot + 1] = number;
        }
        Ok(table)
    }

    /// The place of each Symbol in the order of `Symbol#<=>`; at least one.
    pub fn ranks(&self) -> Result<Vec<i32>, NoMemory> {
        let mut order = fallible::collect(0..self.values.len())?;
        // SAFETY: the Symbols are pinned, and their names are Strings; comparing Strings runs no Ruby code.
        let compare = |a: usize, b: usize| unsafe {
            rb_sys::rb_str_cmp(rb_sys::rb_sym2str(self.values[a]), rb_sys::rb_sym2str(self.values[b]))
        };
        order.sort_unstable_by(|a, b| compare(*a, *b).cmp(&0));
        let mut ranks = Vec::new();
        fallible::resize(&mut ranks, order.len().max(1), 0)?;
        for (rank, number) in order.into_iter().enumerate() {
            ranks[number] = rank as i32;
        }
        Ok(ranks)
    }
}
