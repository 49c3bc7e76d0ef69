//! Float operations that are more than one instruction.

use super::emit::Emitter;
use super::runtime::FMOD;
use crate::error::Error;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, InstructionData, MemFlagsData, Value, types};

impl Emitter<'_> {
    /// Half away from zero. Adding 0.5 first would round 0.49999999999999994 up and odd integers beyond 2^52 to even
    /// ones; the distance to the truncated value is exact.
    pub fn round_half_away(&mut self, x: Value) -> Value {
        let whole = self.builder.ins().trunc(x);
        let rest = self.builder.ins().fsub(x, whole);
        let distance = self.builder.ins().fabs(rest);
        let half = self.builder.ins().f64const(0.5);
        let away = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, distance, half);
        let one = self.builder.ins().f64const(1.0);
        let zero = self.builder.ins().f64const(0.0);
        let step = self.builder.ins().select(away, one, zero);
        // The sign of x also on a step of 0, so that -0.2 becomes -0.0.
        let step = self.builder.ins().fcopysign(step, x);
        self.builder.ins().fadd(whole, step)
    }

    /// 0 / 0 is the NaN without a sign, where processors give one with a sign; and NaN / -0.0 has the other sign, as
    /// MRI's `double_div` has both. That is looked at only where the quotient is NaN.
    pub fn divide_floats(&mut self, x: Value, y: Value) -> Result<Value, Error> {
        let quotient = self.builder.ins().fdiv(x, y);
        if self.is_no_zero(x) || self.is_no_zero(y) {
            return Ok(quotient);
        }
        let merge = self.builder.create_block();
        let odd = self.cold_block();
        let result = self.builder.append_block_param(merge, types::F64);
        let is_nan = self.builder.ins().fcmp(FloatCC::Unordered, quotient, quotient);
        self.builder.ins().brif(is_nan, odd, &[], merge, &[quotient.into()]);
        self.start(odd);
        let zero = self.builder.ins().f64const(0.0);
        let [no_x, no_y] = [x, y].map(|value| self.builder.ins().fcmp(FloatCC::Equal, value, zero));
        let both = self.builder.ins().band(no_x, no_y);
        let nan = self.builder.ins().f64const(f64::NAN);
        let bits = self.builder.ins().bitcast(types::I64, MemFlagsData::new(), y);
        let minus_zero = self.builder.ins().icmp_imm_s(IntCC::Equal, bits, i64::MIN);
        let turned = self.builder.ins().fneg(quotient);
        let odd = self.builder.ins().select(minus_zero, turned, quotient);
        let odd = self.builder.ins().select(both, nan, odd);
        self.jump(merge, odd);
        self.start(merge);
        Ok(result)
    }

    fn is_no_zero(&self, value: Value) -> bool {
        let dfg = &self.builder.func.dfg;
        let instruction = dfg.value_def(value).inst().map(|instruction| dfg.insts[instruction]);
        matches!(instruction, Some(InstructionData::UnaryIeee64 { imm, .. }) if imm.as_f64() != 0.0)
    }

    /// C's `fmod`, moved to the sign of the divisor, as Ruby's `flodivmod` does it.
    pub fn floor_mod_float(&mut self, x: Value, y: Value) -> Result<Value, Error> {
        let rest = self.call_c(FMOD, &[x, y], types::F64)?;
        let product = self.builder.ins().fmul(y, rest);
        let zero = self.builder.ins().f64const(0.0);
        let wrong_sign = self.builder.ins().fcmp(FloatCC::LessThan, product, zero);
        let moved = self.builder.ins().fadd(rest, y);
        Ok(self.builder.ins().select(wrong_sign, moved, rest))
    }
}
