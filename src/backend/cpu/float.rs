//! Float operations that are more than one instruction.

use super::emit::Emitter;
use super::runtime::FMOD;
use crate::error::Error;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

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
