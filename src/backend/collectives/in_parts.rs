//! Sums of Floats in their order, bit for bit, found in parts at the same time. Each addition of Array#sum's
//! compensated sum rounds, so no other order has the same bits, and it is no associative operation. But while the sum
//! stays in one binade it moves by multiples of one unit, which do add up in any order; a number half way between two
//! multiples makes the sum an even one. So parts of 1,024 numbers tell, for a guessed unit, by how many units they move
//! the sum, between which places, and what is lost by rounding, which is exact and is summed up in the same way. The
//! host goes from part to part, and through the numbers of those in which the sum leaves its binade: 0.1 % of the parts
//! for numbers of one sign, a few per cent of a million where the sum or what is lost wanders around zero. Where it is
//! more than half, or a number is infinite, all are added one by one. Three passes over the numbers, so it is for a
//! GPU, or for eight cores. The unit is guessed from sums of the parts in any order; that it was right is seen from the
//! place where the sum really is.

use super::sums::{Compensated, added};
use crate::error::Error;
use crate::fallible;
use crate::parallel;

/// So many numbers are a part.
pub const PART: usize = 1024;
/// With more than this part of the parts to be gone through it is as fast to go through all numbers.
const MOST_SLOW: usize = 2;
/// Units are powers of two, told by their exponents: these, so that there is a reciprocal of each.
const EXPONENTS: std::ops::RangeInclusive<i64> = -1000..=900;
/// As granularity, of zeros alone.
pub const ZEROS: i64 = 1 << 20;
/// A multiple of a unit is a Float up to so many of them.
const TOP: i64 = 1 << 53;
/// Numbers of more units might leave 64 bits together.
const LARGE: f64 = (1u64 << 51) as f64;

/// What the sum of a part is rounded to: a power of two, by its exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    pub exponent: i32,
    /// The sum before the part is an odd multiple.
    pub odd: bool,
}

impl Unit {
    /// There is none.
    pub const NONE: Self = Self { exponent: i32::MIN, odd: false };
}

/// What a part is about: the sum of its numbers and that of their magnitudes, rounded somehow, and its granularity, the
/// exponent of the greatest power of two that all are multiples of.
#[derive(Clone, Copy, Debug)]
pub struct Rough {
    pub sum: f64,
    pub magnitude: f64,
    pub granularity: i64,
}

/// What a part does to a sum that is an even multiple of the unit, in units: where it moves it, and the least and the
/// greatest place on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moves {
    pub sum: i64,
    pub least: i64,
    pub most: i64,
    /// By how much more it moves one that is an odd multiple: 1 or -1, where a number is half way between two.
    pub odd: i64,
    /// What rounding loses.
    pub lost: Rough,
    /// No number loses anything.
    pub exact: bool,
    /// None is too large.
    pub clear: bool,
}

/// Numbers in parts.
pub trait InParts {
    fn rough(&mut self) -> Result<Vec<Rough>, Error>;
    /// With a unit for each part. `of_lost`: units for what these lose of the numbers, which is then what moves a sum.
    fn moves(&mut self, units: &[Unit], of_lost: Option<&[Unit]>) -> Result<Vec<Moves>, Error>;
    /// The numbers of a part.
    fn numbers(&mut self, part: usize) -> Result<Vec<f64>, Error>;
}

/// A sum with the numbers added. `None`: it is as fast to go through all of them.
pub fn sum(all: &mut dyn InParts, from: Compensated) -> Result<Option<Compensated>, Error> {
    let rough = all.rough()?;
    let Some(mut units) = guessed(from.sum, rough.into_iter())? else { return Ok(None) };
    let moves = all.moves(&units, None)?;
    let mut sum = from.sum;
    // What the numbers lose of parts that are gone through.
    let mut lost: Vec<Option<Vec<f64>>> = fallible::filled(None, moves.len())?;
    let (mut slow, most_slow) = (0, 64 + moves.len() / MOST_SLOW);
    for (part, moves) in moves.iter().enumerate() {
        if let Some((after, odd)) = moves.after(sum, units[part]) {
            (sum, units[part].odd) = (after, odd);
            continue;
        }
        slow += 1;
        if slow > most_slow {
            return Ok(None);
        }
        let mut numbers = all.numbers(part)?;
        for number in &mut numbers {
            (sum, *number) = added(sum, *number);
        }
        (lost[part], units[part]) = (Some(numbers), Unit::NONE);
    }
    let mut compensation = from.lost;
    if slow == 0 && moves.iter().all(|moves| moves.exact) {
        return Ok(Some(Compensated { sum, lost: compensation }));
    }
    let about = moves.iter().zip(&lost).map(|(moves, lost)| lost.as_deref().map_or(moves.lost, Rough::of));
    let Some(lost_units) = guessed(compensation, about)? else { return Ok(None) };
    let moves = all.moves(&units, Some(&lost_units))?;
    for (part, (moves, gone_through)) in moves.iter().zip(&lost).enumerate() {
        if let Some(lost) = gone_through {
            lost.iter().for_each(|lost| compensation += lost);
        } else if let Some((after, _)) = moves.after(compensation, lost_units[part]) {
            compensation = after;
        } else {
            slow += 1;
            if slow > most_slow {
                return Ok(None);
            }
            let mut rounding = Rounding::of(units[part]);
            all.numbers(part)?.into_iter().for_each(|number| compensation += rounding.round(number).1);
        }
    }
    Ok(Some(Compensated { sum, lost: compensation }))
}

/// Units for a sum that begins so. `None`: it may leave the Floats.
fn guessed(from: f64, parts: impl ExactSizeIterator<Item = Rough>) -> Result<Option<Vec<Unit>>, Error> {
    let mut units = Vec::new();
    fallible::reserve(&mut units, parts.len())?;
    let (mut about, mut granularity) = (from, granularity(from));
    for part in parts {
        // The sum stays a multiple of what all are multiples of.
        granularity = granularity.min(part.granularity);
        let most = about.abs() + part.magnitude;
        if most.is_nan() || most > power(900) {
            return Ok(None);
        }
        let middle = 0.5f64.mul_add(part.sum, about);
        let exponent = match granularity {
            ZEROS => 0,
            _ if EXPONENTS.contains(&granularity) && most < TOP as f64 * power(granularity as i32) => {
                granularity
            }
            _ => ((middle.to_bits() >> 52 & 2047) as i64) - 1075,
        };
        let unit = Unit { exponent: exponent as i32, odd: false };
        units.push(if EXPONENTS.contains(&exponent) { unit } else { Unit::NONE });
        about += part.sum;
    }
    Ok(Some(units))
}

/// 2**exponent, of an exponent of units or its negative.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((i64::from(exponent.clamp(-1022, 1023)) + 1023) as u64) << 52)
}

/// The exponent of the greatest power of two that a number is a multiple of.
fn granularity(number: f64) -> i64 {
    let (exponent, fraction) = ((number.to_bits() >> 52 & 2047) as i64, number.to_bits() & ((1 << 52) - 1));
    match (exponent, fraction) {
        (0, 0) => ZEROS,
        (0, _) => i64::from(fraction.trailing_zeros()) - 1074,
        _ => i64::from((fraction | 1 << 52).trailing_zeros()) + exponent - 1075,
    }
}

impl Rough {
    pub fn of(numbers: &[f64]) -> Self {
        let mut all = Self { sum: 0.0, magnitude: 0.0, granularity: ZEROS };
        numbers.iter().for_each(|number| all.add(*number));
        all
    }

    fn add(&mut self, number: f64) {
        self.sum += number;
        self.magnitude += number.abs();
        self.granularity = self.granularity.min(granularity(number));
    }
}

impl Default for Rough {
    fn default() -> Self {
        Self::of(&[])
    }
}

/// Rounds numbers as they are when they are added to a sum.
struct Rounding {
    size: f64,
    reciprocal: f64,
    /// Is the sum an odd multiple?
    odd: bool,
    /// Was a number half way between two multiples? Then by how much more the first of them moves a sum that is one unit
    /// further.
    turn: i64,
}

impl Rounding {
    fn of(unit: Unit) -> Self {
        Self { size: power(unit.exponent), reciprocal: power(-unit.exponent), odd: unit.odd, turn: 0 }
    }

    /// The number in units, and what is lost.
    fn round(&mut self, number: f64) -> (f64, f64) {
        let units = number * self.reciprocal;
        let mut whole = units.round_ties_even();
        let is_odd = |whole: f64| whole * 0.5 != (whole * 0.5).trunc();
        if (units - whole).abs() == 0.5 {
            // So far it is even if the sum is.
            if self.odd {
                whole += if units > whole { 1.0 } else { -1.0 };
            }
            if self.turn == 0 {
                self.turn = if units > whole { 1 } else { -1 };
            }
            self.odd = false;
        } else {
            self.odd ^= is_odd(whole);
        }
        (whole, number - whole * self.size)
    }
}

impl Moves {
    fn of(numbers: impl Iterator<Item = f64>, unit: Unit) -> Self {
        if unit == Unit::NONE {
            return Self::default();
        }
        let (lost, limits) = (Rough::of(&[]), (i64::MAX, i64::MIN));
        let mut moves =
            Self { sum: 0, least: limits.0, most: limits.1, odd: 0, lost, exact: true, clear: true };
        let mut rounding = Rounding::of(Unit { odd: false, ..unit });
        for number in numbers {
            let (whole, lost) = rounding.round(number);
            if whole.is_nan() || whole.abs() >= LARGE {
                return Self::default();
            }
            moves.exact &= lost == 0.0;
            moves.lost.add(lost);
            moves.sum += whole as i64;
            moves.least = moves.least.min(moves.sum);
            moves.most = moves.most.max(moves.sum);
        }
        Self { odd: rounding.turn, ..moves }
    }

    /// Where a sum is that was there before, and whether that was an odd multiple; `None` where it cannot be told.
    fn after(&self, before: f64, unit: Unit) -> Option<(f64, bool)> {
        // Of zeros alone the sign would count.
        if !self.clear || before == 0.0 && before.is_sign_negative() {
            return None;
        }
        if self.exact && self.least == 0 && self.most == 0 {
            return Some((before, false));
        }
        let units = before * power(-unit.exponent);
        if units.is_nan() || units.abs() > TOP as f64 || units.fract() != 0.0 {
            return None;
        }
        let (from, around) = (units as i64, self.odd.abs());
        let (least, most) = (from + self.least - around, from + self.most + around);
        // Below half of the top Floats are closer together, unless there is nothing to round.
        let fits = least >= -TOP && most <= TOP && (self.exact || least > TOP / 2 || most < -TOP / 2);
        let odd = from & 1 != 0;
        let sum = from + self.sum + if odd { self.odd } else { 0 };
        fits.then(|| (sum as f64 * power(unit.exponent), odd))
    }
}

/// Numbers on the host.
pub struct OnHost<'a>(pub &'a [f64]);

impl InParts for OnHost<'_> {
    fn rough(&mut self) -> Result<Vec<Rough>, Error> {
        let mut all = fallible::filled(Rough::of(&[]), self.0.len().div_ceil(PART))?;
        let parts = all.iter_mut().zip(self.0.chunks(PART));
        parallel::each(self.0.len(), parts, |(rough, numbers)| *rough = Rough::of(numbers));
        Ok(all)
    }

    fn moves(&mut self, units: &[Unit], of_lost: Option<&[Unit]>) -> Result<Vec<Moves>, Error> {
        let mut all = fallible::filled(Moves::default(), units.len())?;
        let parts = all.iter_mut().zip(self.0.chunks(PART)).enumerate();
        parallel::each(self.0.len(), parts, |(part, (moves, numbers))| {
            let (numbers, unit) = (numbers.iter().copied(), units[part]);
            *moves = match of_lost {
                None => Moves::of(numbers, unit),
                Some(_) if unit == Unit::NONE => Moves::default(),
                Some(of_lost) => {
                    let mut rounding = Rounding::of(unit);
                    Moves::of(numbers.map(|number| rounding.round(number).1), of_lost[part])
                }
            };
        });
        Ok(all)
    }

    fn numbers(&mut self, part: usize) -> Result<Vec<f64>, Error> {
        let end = self.0.len().min((part + 1) * PART);
        Ok(parallel::copied(&self.0[part * PART..end])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;

    /// How many of the parts are gone through.
    struct Counted<'a>(OnHost<'a>, usize);

    impl InParts for Counted<'_> {
        fn rough(&mut self) -> Result<Vec<Rough>, Error> {
            self.0.rough()
        }
        fn moves(&mut self, units: &[Unit], of_lost: Option<&[Unit]>) -> Result<Vec<Moves>, Error> {
            self.0.moves(units, of_lost)
        }
        fn numbers(&mut self, part: usize) -> Result<Vec<f64>, Error> {
            self.1 += 1;
            self.0.numbers(part)
        }
    }

    /// Of so many numbers, as Floats between 0 and 1 make them. At most so many of 100 parts may be gone through.
    fn check(count: usize, slow: usize, from: Compensated, number: impl Fn(f64, f64, usize) -> f64) {
        let random =
            |row: usize, draw| (rng::draw(7, 0, row as u32, 0, draw) >> 11) as f64 / (1u64 << 53) as f64;
        let numbers: Vec<f64> = (0..count).map(|row| number(random(row, 0), random(row, 1), row)).collect();
        let mut expected = from;
        numbers.iter().for_each(|number| expected.add(*number));
        let mut counted = Counted(OnHost(&numbers), 0);
        let found = sum(&mut counted, from).unwrap();
        if let Some(found) = found {
            assert_eq!(found.sum.to_bits(), expected.sum.to_bits());
            assert_eq!(found.lost.to_bits(), expected.lost.to_bits());
        }
        assert!(found.is_some() || slow == 100);
        assert!(counted.1 * 100 <= slow * count.div_ceil(PART), "{} parts", counted.1);
    }

    #[test]
    fn sums_in_parts_are_those_in_order() {
        let zero = Compensated::new(0.0);
        let many = 400_000;
        check(many, 3, zero, |x, _, _| x);
        check(many, 0, zero, |x, _, _| (x * 1000.0).floor() * 0.25);
        check(many, 45, zero, |x, _, _| x * x * x);
        check(many, 30, zero, |x, y, _| (-2.0 * x.ln()).sqrt() * (y * std::f64::consts::TAU).cos());
        check(many, 3, Compensated { sum: -1e9, lost: 0.3 }, |x, y, _| x.sqrt() + y);
        check(many, 70, Compensated::new(1e200), |x, y, _| if x > 0.5 { y } else { -y });
        check(many, 100, zero, |x, y, _| (x - 0.5) * 10f64.powf(y * 40.0));
        check(many, 100, zero, |x, y, _| f64::from_bits(((x * 2e18) as u64) ^ ((y > 0.5) as u64) << 63));
        check(many, 100, Compensated::new(1.0), |x, _, _| (x * 8.0).floor() * f64::EPSILON / 4.0);
        check(
            many,
            0,
            Compensated { sum: 5.0, lost: -0.25 },
            |_, _, row| if row % 2 == 0 { 0.0 } else { -0.0 },
        );
        check(many, 100, Compensated::new(-0.0), |_, _, _| -0.0);
        check(many, 100, zero, |x, _, row| if row == 77_777 { f64::INFINITY } else { x });
        check(many, 100, zero, |x, _, _| x * 1e305);
        check(many, 100, zero, |x, _, _| x * 5e-320);
        check(many, 100, zero, |x, _, row| if row % 4096 < 2048 { x } else { -x });
    }

    #[test]
    fn granularity_is_that_of_the_lowest_bit() {
        let all = [1.0, 0.75, 6.0, -0.0, f64::from_bits(1), f64::MIN_POSITIVE, f64::MAX];
        assert_eq!(all.map(granularity), [0, -2, 1, ZEROS, -1074, -1022, 971]);
    }
}
