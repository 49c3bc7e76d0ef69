//! Integer division, the slowest operation of Ruby programs and so the one with the most ways.
//!
//! A 32-bit division takes a fraction of a 64-bit one's time, and a multiplication a fraction of that, so this looks
//! for the narrowest way that the intervals allow: a shift or a multiplication by the reciprocal for a constant
//! divisor, else 32 bits where both sides fit, else a look at run time whether they do.
//!
//! Floor division by a positive divisor needs no correction afterwards: with `s` the sign of `a` (0 or -1),
//! `a.div(b) == ((a ^ s) / b) ^ s`, where `a ^ s` is not negative, because `(-1 - a) / b == -1 - a.div(b)`.

use super::emit::Emitter;
use super::runtime::WIDE_MOD;
use crate::error::Error;
use crate::ir::{SiteId, Value};
use crate::scalar::Interval;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

const U32_MAX: u64 = u32::MAX as u64;

/// What of a division is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
}

impl Emitter<'_> {
    pub fn floor_div(&mut self, a: Value, b: Value, site: Option<SiteId>) -> Result<clif::Value, Error> {
        if self.constant(b) == Some(-1) {
            let x = self.value(a)?;
            if self.interval(a).low == i64::MIN {
                let lowest = self.builder.ins().icmp_imm_s(IntCC::Equal, x, i64::MIN);
                self.fail_if(lowest, site, [a, b])?;
            }
            return Ok(self.builder.ins().ineg(x));
        }
        self.floor(a, b, Part::Quotient, site)
    }

    pub fn floor_mod(&mut self, a: Value, b: Value) -> Result<clif::Value, Error> {
        if self.constant(b) == Some(-1) {
            return Ok(self.builder.ins().iconst(types::I64, 0));
        }
        self.floor(a, b, Part::Remainder, None)
    }

    /// `(a * b + c) mod m`: where that fits in 64 bits, as it mostly does, without a call.
    pub fn wide_mod(&mut self, [a, b, c, m]: [Value; 4]) -> Result<clif::Value, Error> {
        let [x, y, z, modulus] = [self.value(a)?, self.value(b)?, self.value(c)?, self.value(m)?];
        let (product, mut overflow) = self.builder.ins().smul_overflow(x, y);
        let mut sum = product;
        if self.constant(c) != Some(0) {
            let (added, more) = self.builder.ins().sadd_overflow(product, z);
            (sum, overflow) = (added, self.builder.ins().bor(overflow, more));
        }
        let [narrow, done] = [(); 2].map(|()| self.builder.create_block());
        let wide = self.cold_block();
        let result = self.builder.append_block_param(done, types::I64);
        self.builder.ins().brif(overflow, wide, &[], narrow, &[]);
        self.start(wide);
        let rest = self.call_c(WIDE_MOD, &[x, y, z, modulus], types::I64)?;
        self.jump(done, rest);
        self.start(narrow);
        let divisor = self.interval(m);
        let rest = if divisor.low >= 0 {
            self.by_sign(sum, modulus, Part::Remainder, |this, x| {
                this.unsigned(x, i64::MAX as u64, modulus, divisor, Part::Remainder)
            })
        } else {
            self.signed(sum, modulus, Part::Remainder)
        };
        self.jump(done, rest);
        self.start(done);
        Ok(result)
    }

    /// The sign of the dividend, so only the divisor's magnitude matters.
    pub fn trunc_rem(&mut self, a: Value, b: Value) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        let (dividend, divisor) = (self.interval(a), self.interval(b));
        if let Some(constant) = self.constant(b) {
            return Ok(match constant {
                -1..=1 => self.builder.ins().iconst(types::I64, 0),
                _ if dividend.low >= 0 && constant > 0 => {
                    self.unsigned(x, dividend.high as u64, y, divisor, Part::Remainder)
                }
                _ => self.builder.ins().srem(x, y),
            });
        }
        if dividend.low >= 0 && divisor.low >= 0 {
            return Ok(self.unsigned(x, dividend.high as u64, y, divisor, Part::Remainder));
        }
        let small = self.both_small(x, dividend, y, divisor);
        self.fast_or(small, x, y, Part::Remainder, |this| Ok(this.builder.ins().srem(x, y)))
    }

    fn floor(&mut self, a: Value, b: Value, part: Part, site: Option<SiteId>) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        let (dividend, divisor) = (self.interval(a), self.interval(b));
        match self.constant(b) {
            // Behind a check that always fails.
            Some(0) => return Ok(self.builder.ins().iconst(types::I64, 0)),
            Some(constant) if constant > 0 && constant.count_ones() == 1 => {
                return Ok(match part {
                    Part::Quotient => self.builder.ins().sshr_imm_u(x, i64::from(constant.trailing_zeros())),
                    Part::Remainder => self.builder.ins().band_imm_s(x, constant - 1),
                });
            }
            Some(constant) if constant < 0 => return Ok(self.signed(x, y, part)),
            _ => {}
        }
        if divisor.low >= 0 {
            if dividend.low >= 0 {
                return Ok(self.unsigned(x, dividend.high as u64, y, divisor, part));
            }
            let bound = dividend.high.max(!dividend.low) as u64;
            if divisor.low == divisor.high || (bound <= U32_MAX && divisor.high as u64 <= U32_MAX) {
                return Ok(self.by_sign(x, y, part, |this, x| this.unsigned(x, bound, y, divisor, part)));
            }
            // Negative ones take the other way: they are rarer than small ones.
            let small = self.both_small(x, dividend, y, divisor);
            return self.fast_or(small, x, y, part, |this| {
                Ok(this.by_sign(x, y, part, |this, x| this.divide(types::I64, x, y, part)))
            });
        }
        if dividend.fits_i32() && divisor.fits_i32() {
            let overflows = dividend.low == i64::from(i32::MIN) && divisor.contains(-1);
            if !overflows {
                let [narrow_x, narrow_y] = [self.narrow(a)?, self.narrow(b)?];
                let result = self.signed(narrow_x, narrow_y, part);
                return Ok(self.builder.ins().sextend(types::I64, result));
            }
        }
        let small = self.both_small(x, dividend, y, divisor);
        self.fast_or(small, x, y, part, |this| {
            if part == Part::Quotient && dividend.low == i64::MIN && divisor.contains(-1) {
                let lowest = this.builder.ins().icmp_imm_s(IntCC::Equal, x, i64::MIN);
                let minus_one = this.builder.ins().icmp_imm_s(IntCC::Equal, y, -1);
                let overflow = this.builder.ins().band(lowest, minus_one);
                this.fail_if(overflow, site, [a, b])?;
            }
            Ok(this.signed(x, y, part))
        })
    }

    /// Floor division by a positive `y` without correction: see above.
    fn by_sign(
        &mut self,
        x: clif::Value,
        y: clif::Value,
        part: Part,
        unsigned: impl FnOnce(&mut Self, clif::Value) -> clif::Value,
    ) -> clif::Value {
        let sign = self.builder.ins().sshr_imm_u(x, 63);
        let magnitude = self.builder.ins().bxor(x, sign);
        let result = unsigned(self, magnitude);
        let result = self.builder.ins().bxor(result, sign);
        match part {
            Part::Quotient => result,
            // (-1 - a) mod b counts down from the other end.
            Part::Remainder => {
                let moved = self.builder.ins().band(y, sign);
                self.builder.ins().iadd(result, moved)
            }
        }
    }

    /// Division of any signs, the quotient in range, by truncating and then correcting.
    fn signed(&mut self, x: clif::Value, y: clif::Value, part: Part) -> clif::Value {
        let ty = self.builder.func.dfg.value_type(x);
        let (quotient, rest) = match part {
            // `sdiv` would trap where `srem` gives 0: at the lowest number by -1.
            Part::Remainder => (None, self.builder.ins().srem(x, y)),
            Part::Quotient => {
                let quotient = self.builder.ins().sdiv(x, y);
                let product = self.builder.ins().imul(quotient, y);
                (Some(quotient), self.builder.ins().isub(x, product))
            }
        };
        let signs = self.builder.ins().bxor(rest, y);
        let differ = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let inexact = self.builder.ins().icmp_imm_s(IntCC::NotEqual, rest, 0);
        let correct = self.builder.ins().band(differ, inexact);
        if let Some(quotient) = quotient {
            let step = self.builder.ins().uextend(ty, correct);
            self.builder.ins().isub(quotient, step)
        } else {
            let moved = self.builder.ins().iadd(rest, y);
            self.builder.ins().select(correct, moved, rest)
        }
    }

    /// Division of `x` in `0..=bound` by a positive `y`.
    fn unsigned(
        &mut self,
        x: clif::Value,
        bound: u64,
        y: clif::Value,
        divisor: Interval,
        part: Part,
    ) -> clif::Value {
        if bound < divisor.low as u64 {
            return match part {
                Part::Quotient => self.builder.ins().iconst(types::I64, 0),
                Part::Remainder => x,
            };
        }
        if divisor.low == divisor.high && bound < 1 << 31 {
            return self.by_reciprocal(x, divisor.low, part);
        }
        // Cranelift turns division by a constant into multiplication itself, in both widths.
        if divisor.low == divisor.high && bound > U32_MAX {
            return self.divide(types::I64, x, y, part);
        }
        if bound <= U32_MAX && divisor.high as u64 <= U32_MAX {
            return self.divide(types::I32, x, y, part);
        }
        let small = self.both_small(x, Interval { low: 0, high: bound as i64 }, y, divisor);
        let wide = |this: &mut Self| Ok::<_, Error>(this.divide(types::I64, x, y, part));
        match self.fast_or(small, x, y, part, wide) {
            Ok(result) => result,
            Err(_) => unreachable!("an unsigned division cannot fail"),
        }
    }

    /// Unsigned division in the given width of two `I64`.
    fn divide(&mut self, ty: clif::Type, x: clif::Value, y: clif::Value, part: Part) -> clif::Value {
        let (mut x, mut y) = (x, y);
        if ty == types::I32 {
            x = self.builder.ins().ireduce(ty, x);
            y = self.builder.ins().ireduce(ty, y);
        }
        let result = match part {
            Part::Quotient => self.builder.ins().udiv(x, y),
            Part::Remainder => self.builder.ins().urem(x, y),
        };
        if ty == types::I32 { self.builder.ins().uextend(types::I64, result) } else { result }
    }

    /// `x` below 2^31 by a constant: with `m = ceil(2^(31+k) / d)` and `2^(k-1) < d <= 2^k`, `x * m >> (31+k)` is the
    /// quotient (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994, theorem
    /// 4.2 for N = 31), and `m` fits in 32 bits, so that the product fits in 63.
    fn by_reciprocal(&mut self, x: clif::Value, divisor: i64, part: Part) -> clif::Value {
        let k = i64::BITS - (divisor - 1).leading_zeros();
        let reciprocal = (1u128 << (31 + k)).div_ceil(divisor as u128) as i64;
        let product = self.builder.ins().imul_imm_s(x, reciprocal);
        let quotient = self.builder.ins().ushr_imm_u(product, i64::from(31 + k));
        if part == Part::Quotient {
            return quotient;
        }
        let whole = self.builder.ins().imul_imm_s(quotient, divisor);
        self.builder.ins().isub(x, whole)
    }

    /// Do both, read as unsigned, fit in 32 bits? Looks only at what the intervals leave open.
    fn both_small(
        &mut self,
        x: clif::Value,
        dividend: Interval,
        y: clif::Value,
        divisor: Interval,
    ) -> clif::Value {
        let known = |interval: Interval| interval.low >= 0 && interval.high as u64 <= U32_MAX;
        let seen = match (known(dividend), known(divisor)) {
            (_, true) => x,
            (true, false) => y,
            (false, false) => self.builder.ins().bor(x, y),
        };
        let high = self.builder.ins().ushr_imm_u(seen, 32);
        self.builder.ins().icmp_imm_s(IntCC::Equal, high, 0)
    }

    /// A 32-bit unsigned division if `small`, else what `slow` emits.
    fn fast_or(
        &mut self,
        small: clif::Value,
        x: clif::Value,
        y: clif::Value,
        part: Part,
        slow: impl FnOnce(&mut Self) -> Result<clif::Value, Error>,
    ) -> Result<clif::Value, Error> {
        let [fast, merge] = [(); 2].map(|()| self.builder.create_block());
        let wide = self.cold_block();
        let result = self.builder.append_block_param(merge, types::I64);
        self.builder.ins().brif(small, fast, &[], wide, &[]);
        self.start(fast);
        let quick = self.divide(types::I32, x, y, part);
        self.jump(merge, quick);
        self.start(wide);
        let slow = slow(self)?;
        self.jump(merge, slow);
        self.start(merge);
        Ok(result)
    }
}
