//! Operations and memory accesses of the IR as Cranelift values.

use super::IMPORT;
use super::emit::{Convention, Emitter, Ticks, clif_type};
use super::internal;
use super::runtime::{FMOD, GROUP, POW, PRINT, RANDOM, SEARCH, ThreadState};
use crate::error::Error;
use crate::ir::{BinaryOp, Buffer, Comparison, MathFn, Op, SiteId, UnaryOp, Value};
use crate::scalar::{Interval, Ty};
use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{
    self as clif, AbiParam, AliasRegionData, AtomicRmwOp, BlockArg, InstBuilder, MemFlagsData, types,
};
use cranelift_module::Module;
use std::borrow::Cow;

/// No access traps: indexes are in range, and state and arguments outlive the call.
impl Emitter<'_> {
    /// What never changes during a call and is always readable: arguments, the order of jobs.
    pub fn constant_memory(&self) -> MemFlagsData {
        MemFlagsData::trusted().with_readonly().with_can_move()
    }

    /// Arguments are kept in registers over many ticks. For one tick that would be too many registers: most were
    /// written to the stack and read back once, in place of being read where they are.
    fn argument_memory(&mut self) -> MemFlagsData {
        match self.ticks {
            Ticks::Many => self.constant_memory(),
            Ticks::One | Ticks::Over => {
                let region = self.region(1, Cow::Borrowed("never written"));
                MemFlagsData::trusted().with_readonly().with_alias_region(region)
            }
        }
    }

    fn region(&mut self, user_id: u32, description: Cow<'static, str>) -> Option<clif::AliasRegion> {
        Some(self.builder.func.dfg.alias_regions.insert(AliasRegionData { user_id, description }))
    }

    pub fn state_memory(&mut self) -> MemFlagsData {
        let region = self.region(0, Cow::Borrowed("state"));
        MemFlagsData::trusted().with_alias_region(region)
    }

    /// Buffers do not overlap, so each written one is a region. A load must not move above the check of its index,
    /// so it never `can_move`.
    pub fn buffer_memory(&mut self, buffer: Buffer) -> MemFlagsData {
        if self.program.buffers[buffer.0 as usize].written {
            let region = self.region(buffer.0 + 2, Cow::Owned(buffer.to_string()));
            MemFlagsData::trusted().with_alias_region(region)
        } else {
            let region = self.region(1, Cow::Borrowed("never written"));
            MemFlagsData::trusted().with_readonly().with_alias_region(region)
        }
    }

    pub fn scaled(&mut self, base: clif::Value, index: clif::Value, shift: i64) -> clif::Value {
        let offset = self.builder.ins().ishl_imm_u(index, shift);
        self.builder.ins().iadd(base, offset)
    }

    pub fn buffer_address(&mut self, buffer: Buffer) -> clif::Value {
        let flags = self.argument_memory();
        self.builder.ins().load(types::I64, flags, self.args, 8 * buffer.0 as i32)
    }

    pub fn element_address(&mut self, buffer: Buffer, index: Value) -> Result<clif::Value, Error> {
        let base = self.buffer_address(buffer);
        let index = self.index(index)?;
        let shift = match self.program.buffers[buffer.0 as usize].ty {
            Ty::Bool => 0,
            Ty::I32 => 2,
            Ty::I64 | Ty::F64 => 3,
        };
        Ok(self.scaled(base, index, shift))
    }

    /// An index, which is in range and so not negative, in 64 bits.
    pub fn index(&mut self, index: Value) -> Result<clif::Value, Error> {
        if let Some(Op::Unary(UnaryOp::WrapI64, wide)) = self.ops[index.0 as usize] {
            return self.value(*wide);
        }
        let index = self.value(index)?;
        Ok(self.builder.ins().uextend(types::I64, index))
    }
}

impl<'a> Emitter<'a> {
    pub fn define(&mut self, value: Value, op: Option<&'a Op>, result: clif::Value) {
        self.values[value.0 as usize] = Some(result);
        self.ops[value.0 as usize] = op;
    }

    pub fn value(&self, value: Value) -> Result<clif::Value, Error> {
        let found = self.values.get(value.0 as usize).copied().flatten();
        found.ok_or_else(|| internal(format!("{value} is used before it is defined")))
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.function.values[value.0 as usize].ty
    }

    /// What defines a value, if it has been emitted.
    pub fn definition(&self, value: Value) -> Option<&'a Op> {
        self.ops[value.0 as usize]
    }

    pub fn interval(&self, value: Value) -> Interval {
        let known = self.function.values[value.0 as usize].interval;
        match self.definition(value) {
            Some(Op::I32(n)) => Interval::constant(i64::from(*n)),
            Some(Op::I64(n)) => Interval::constant(*n),
            Some(Op::Unary(UnaryOp::ExtendI32, narrow)) => {
                let narrow = self.interval(*narrow);
                Interval { low: known.low.max(narrow.low), high: known.high.min(narrow.high) }
            }
            _ if self.ty(value) == Ty::I32 => Interval {
                low: known.low.max(i64::from(i32::MIN)),
                high: known.high.min(i64::from(i32::MAX)),
            },
            _ => known,
        }
    }

    pub fn op(&mut self, op: &'a Op, ty: Ty, site: Option<SiteId>) -> Result<clif::Value, Error> {
        Ok(match op {
            Op::Bool(b) => self.builder.ins().iconst(types::I8, i64::from(*b)),
            Op::I32(n) => self.builder.ins().iconst(types::I32, i64::from(*n)),
            Op::I64(n) => self.builder.ins().iconst(types::I64, *n),
            Op::F64(x) => self.builder.ins().f64const(*x),
            Op::Get(var) => self.builder.use_var(self.vars[var.0 as usize]),
            Op::Scalar(scalar) => {
                let flags = self.argument_memory();
                let offset = 8 * (self.program.buffers.len() + scalar.0 as usize) as i32;
                let loaded = if ty == Ty::F64 { types::F64 } else { types::I64 };
                let value = self.builder.ins().load(loaded, flags, self.args, offset);
                self.narrowed(value, ty)
            }
            Op::Element => match self.convention {
                Convention::Entry { element, .. } => element,
                Convention::Callee { .. } => {
                    let flags = self.constant_memory();
                    self.builder.ins().load(types::I32, flags, self.state, ThreadState::ELEMENT)
                }
            },
            Op::Tick => match self.convention {
                Convention::Entry { tick, .. } => self.builder.use_var(tick),
                Convention::Callee { .. } => {
                    let flags = self.state_memory();
                    self.builder.ins().load(types::I64, flags, self.state, ThreadState::TICK)
                }
            },
            Op::Path => {
                let flags = self.state_memory();
                self.builder.ins().load(types::I64, flags, self.state, ThreadState::PATH)
            }
            Op::Unary(op, a) => self.unary(*op, *a)?,
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, site)?,
            Op::Compare(comparison, a, b) => self.compare(*comparison, *a, *b)?,
            Op::WideMod(args) => self.wide_mod(*args)?,
            Op::Select(condition, a, b) => {
                let [condition, a, b] = [self.value(*condition)?, self.value(*a)?, self.value(*b)?];
                self.builder.ins().select(condition, a, b)
            }
            Op::Compact { flags, indices } => self.compact(*flags, *indices)?,
            Op::Append { count, .. } => self.append(op, *count)?,
            Op::Lengthen { buffer, count } => self.lengthen(*buffer, *count)?,
            Op::Load(buffer, index) if self.is_driver => self.load_row(*buffer, *index, ty)?,
            Op::Load(buffer, _) if self.rows.contains_key(buffer) => {
                let row = self.rows[buffer];
                self.builder.use_var(row)
            }
            Op::Load(buffer, index) => {
                let address = self.element_address(*buffer, *index)?;
                let flags = self.buffer_memory(*buffer);
                let loaded = self.builder.ins().load(clif_type(ty), flags, address, 0);
                if ty == Ty::Bool { self.builder.ins().band_imm_s(loaded, 1) } else { loaded }
            }
            Op::Math(MathFn::Sqrt, args) => {
                let x = self.value(args[0])?;
                self.builder.ins().sqrt(x)
            }
            Op::Math(function, args) => {
                let args = args.iter().map(|arg| self.value(*arg)).collect::<Result<Vec<_>, _>>()?;
                self.call_c(function.c_name(), &args, types::F64)?
            }
            Op::Random => self.call_c(RANDOM, &[self.state], types::I64)?,
            Op::Claim { ends, count } => {
                let (ends, count) = (self.buffer_address(*ends), self.value(*count)?);
                let flags = MemFlagsData::trusted();
                self.builder.ins().atomic_rmw(types::I64, flags, AtomicRmwOp::Add, ends, count)
            }
            Op::Match { words, first, asks } if self.is_driver => self.search_row(*words, *first, asks)?,
            Op::Match { words, first, asks } => {
                let mut args = vec![self.element_address(*words, *first)?];
                for ask in asks {
                    args.push(self.value(*ask)?);
                }
                self.call_c(SEARCH, &args, types::I64)?
            }
            Op::Print { words, first, tells } if self.is_driver => self.print_row(*words, *first, tells)?,
            Op::Print { words, first, tells } => {
                let mut args = vec![self.state, self.element_address(*words, *first)?];
                for told in tells {
                    args.push(self.value(*told)?);
                }
                let printed = self.call_c(PRINT, &args, types::I64)?;
                self.narrowed(printed, Ty::Bool)
            }
            Op::Intrinsic { function, texts, args } => {
                let mut all = if self.is_driver {
                    self.rows_for_reading(texts)?
                } else {
                    let addresses = texts.iter().map(|(words, first)| self.element_address(*words, *first));
                    addresses.collect::<Result<Vec<_>, _>>()?
                };
                for arg in args {
                    all.push(self.value(*arg)?);
                }
                self.call_c(function.symbol(), &all, types::I64)?
            }
            Op::Group(number) => {
                let number = self.value(*number)?;
                self.call_c(GROUP, &[number], types::I64)?
            }
            Op::Watch { marks, row, me, write } => self.watch(*marks, (*row, *me), *write, site)?,
        })
    }

    /// Calls a function of [`super::runtime::symbols`].
    /// A word as a value of this type.
    pub fn narrowed(&mut self, word: clif::Value, ty: Ty) -> clif::Value {
        match ty {
            Ty::Bool | Ty::I32 => self.builder.ins().ireduce(clif_type(ty), word),
            Ty::I64 | Ty::F64 => word,
        }
    }

    pub fn call_c(
        &mut self,
        name: &'static str,
        args: &[clif::Value],
        result: clif::Type,
    ) -> Result<clif::Value, Error> {
        let callee = match self.imports.get(name) {
            Some(callee) => *callee,
            None => {
                let mut signature = self.module.make_signature();
                for &arg in args {
                    signature.params.push(AbiParam::new(self.builder.func.dfg.value_type(arg)));
                }
                signature.returns.push(AbiParam::new(result));
                let id = self.module.declare_function(name, IMPORT, &signature).map_err(internal)?;
                let callee = self.module.declare_func_in_func(id, self.builder.func);
                self.imports.insert(name, callee);
                callee
            }
        };
        let call = self.builder.ins().call(callee, args);
        Ok(self.builder.inst_results(call)[0])
    }

    fn unary(&mut self, op: UnaryOp, a: Value) -> Result<clif::Value, Error> {
        let x = self.value(a)?;
        Ok(match op {
            UnaryOp::Not => match self.definition(a) {
                Some(Op::Compare(comparison, a, b)) => self.compare_not(*comparison, *a, *b)?,
                _ => self.builder.ins().bxor_imm_u(x, 1),
            },
            UnaryOp::NegF => self.builder.ins().fneg(x),
            UnaryOp::AbsF => self.builder.ins().fabs(x),
            UnaryOp::FloorF => self.builder.ins().floor(x),
            UnaryOp::CeilF => self.builder.ins().ceil(x),
            UnaryOp::TruncF => self.builder.ins().trunc(x),
            UnaryOp::RoundF => self.round_half_away(x),
            UnaryOp::RoundEvenF => self.builder.ins().nearest(x),
            UnaryOp::RoundToSingle => {
                let single = self.builder.ins().fdemote(types::F32, x);
                self.builder.ins().fpromote(types::F64, single)
            }
            UnaryOp::BitNot => self.builder.ins().bnot(x),
            UnaryOp::ExtendI32 => match self.definition(a) {
                Some(Op::Unary(UnaryOp::WrapI64, wide)) => self.value(*wide)?,
                _ if self.interval(a).low >= 0 => self.builder.ins().uextend(types::I64, x),
                _ => self.builder.ins().sextend(types::I64, x),
            },
            UnaryOp::WrapI64 => self.narrow(a)?,
            UnaryOp::I64ToF64 => self.builder.ins().fcvt_from_sint(types::F64, x),
            UnaryOp::F64ToI64 => self.builder.ins().fcvt_to_sint_sat(types::I64, x),
            UnaryOp::BoolToI64 => self.builder.ins().uextend(types::I64, x),
            UnaryOp::BitsToF64 => self.builder.ins().bitcast(types::F64, MemFlagsData::new(), x),
            UnaryOp::BitsToI64 => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), x),
            UnaryOp::BitLength => {
                let sign = self.builder.ins().sshr_imm_u(x, 63);
                let magnitude = self.builder.ins().bxor(x, sign);
                let zeros = self.builder.ins().clz(magnitude);
                let bits = self.builder.ins().iconst(types::I64, 64);
                self.builder.ins().isub(bits, zeros)
            }
            UnaryOp::IsNan => self.builder.ins().fcmp(FloatCC::Unordered, x, x),
        })
    }

    /// The low half of an `I64`.
    pub fn narrow(&mut self, wide: Value) -> Result<clif::Value, Error> {
        if let Some(Op::Unary(UnaryOp::ExtendI32, narrow)) = self.definition(wide) {
            return self.value(*narrow);
        }
        let wide = self.value(wide)?;
        Ok(self.builder.ins().ireduce(types::I32, wide))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        site: Option<SiteId>,
    ) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(match op {
            BinaryOp::Add => self.builder.ins().iadd(x, y),
            BinaryOp::Sub => self.builder.ins().isub(x, y),
            BinaryOp::Mul => self.builder.ins().imul(x, y),
            BinaryOp::AddChecked => match (self.constant(a), self.constant(b)) {
                (_, Some(step)) => self.step(x, y, step, site, [a, b])?,
                (Some(step), None) => self.step(y, x, step, site, [a, b])?,
                _ => {
                    let (sum, overflow) = self.builder.ins().sadd_overflow(x, y);
                    self.fail_if(overflow, site, [a, b])?;
                    sum
                }
            },
            BinaryOp::SubChecked => match self.constant(b).and_then(i64::checked_neg) {
                Some(step) => {
                    let y = self.builder.ins().iconst(types::I64, step);
                    self.step(x, y, step, site, [a, b])?
                }
                None => {
                    let (difference, overflow) = self.builder.ins().ssub_overflow(x, y);
                    self.fail_if(overflow, site, [a, b])?;
                    difference
                }
            },
            BinaryOp::MulChecked => {
                let (product, overflow) = self.builder.ins().smul_overflow(x, y);
                self.fail_if(overflow, site, [a, b])?;
                product
            }
            BinaryOp::FloorDiv => self.floor_div(a, b, site)?,
            BinaryOp::FloorMod => self.floor_mod(a, b)?,
            BinaryOp::TruncRem => self.trunc_rem(a, b)?,
            BinaryOp::And => self.builder.ins().band(x, y),
            BinaryOp::Or => self.builder.ins().bor(x, y),
            BinaryOp::Xor | BinaryOp::XorB => self.builder.ins().bxor(x, y),
            BinaryOp::Shl => self.builder.ins().ishl(x, y),
            BinaryOp::Shr => self.builder.ins().sshr(x, y),
            BinaryOp::AddF => self.builder.ins().fadd(x, y),
            BinaryOp::SubF => self.builder.ins().fsub(x, y),
            BinaryOp::MulF => self.builder.ins().fmul(x, y),
            BinaryOp::DivF => self.divide_floats(x, y)?,
            BinaryOp::FloorModF => self.floor_mod_float(x, y)?,
            BinaryOp::RemF => self.call_c(FMOD, &[x, y], types::F64)?,
            BinaryOp::PowF => self.call_c(POW, &[x, y], types::F64)?,
            BinaryOp::AndB => self.builder.ins().band(x, y),
            BinaryOp::OrB => self.builder.ins().bor(x, y),
            BinaryOp::MulHighU => self.builder.ins().umulhi(x, y),
        })
    }

    /// `x` plus a constant: it overflowed exactly if the sum lies on the wrong side of `x`, one comparison.
    fn step(
        &mut self,
        x: clif::Value,
        y: clif::Value,
        step: i64,
        site: Option<SiteId>,
        operands: [Value; 2],
    ) -> Result<clif::Value, Error> {
        let sum = self.builder.ins().iadd(x, y);
        let wrong = if step >= 0 { IntCC::SignedLessThan } else { IntCC::SignedGreaterThan };
        let overflow = self.builder.ins().icmp(wrong, sum, x);
        self.fail_if(overflow, site, operands)?;
        Ok(sum)
    }

    pub fn constant(&self, value: Value) -> Option<i64> {
        let interval = self.interval(value);
        (interval.low == interval.high).then_some(interval.low)
    }

    fn compare(&mut self, comparison: Comparison, a: Value, b: Value) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(if self.ty(a) == Ty::F64 {
            self.builder.ins().fcmp(float_condition(comparison), x, y)
        } else {
            self.builder.ins().icmp(int_condition(comparison), x, y)
        })
    }

    fn compare_not(&mut self, comparison: Comparison, a: Value, b: Value) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(if self.ty(a) == Ty::F64 {
            self.builder.ins().fcmp(float_condition(comparison).complement(), x, y)
        } else {
            self.builder.ins().icmp(int_condition(comparison).complement(), x, y)
        })
    }

    /// Jumps to `block` with one argument.
    pub fn jump(&mut self, block: clif::Block, value: clif::Value) {
        self.builder.ins().jump(block, &[BlockArg::Value(value)]);
    }
}

const fn int_condition(comparison: Comparison) -> IntCC {
    match comparison {
        Comparison::Eq => IntCC::Equal,
        Comparison::Ne => IntCC::NotEqual,
        Comparison::Lt => IntCC::SignedLessThan,
        Comparison::Le => IntCC::SignedLessThanOrEqual,
        Comparison::Gt => IntCC::SignedGreaterThan,
        Comparison::Ge => IntCC::SignedGreaterThanOrEqual,
        Comparison::LtU => IntCC::UnsignedLessThan,
    }
}

const fn float_condition(comparison: Comparison) -> FloatCC {
    match comparison {
        Comparison::Eq => FloatCC::Equal,
        Comparison::Ne => FloatCC::NotEqual,
        // `LtU` is for integers; the verifier refuses it on floats.
        Comparison::Lt | Comparison::LtU => FloatCC::LessThan,
        Comparison::Le => FloatCC::LessThanOrEqual,
        Comparison::Gt => FloatCC::GreaterThan,
        Comparison::Ge => FloatCC::GreaterThanOrEqual,
    }
}
