//! Runs programs one element after the other, for tests: what passes and back-ends have to agree with.

use super::{Failure, Launch, Outcome};
use crate::heap::column::Numbers;
use crate::heap::{Column, JobOrder, marks};
use crate::ir::{
    BinaryOp, Block, Comparison, FuncId, Function, KernelId, Label, MathFn, Op, Program, Reduction, SiteId,
    Stmt, UnaryOp, Value,
};
use crate::scalar::{Ty, wide_mod};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

/// Statements of one element after which it is taken to run forever.
const STEPS: u64 = 10_000_000;

/// As [`super::Executable::run`], of a program from before or after [`crate::ir::passes`]; without a driver, its only
/// kernel is launched. Panics where a program breaks a promise, as by a load beyond the end.
pub fn run(program: &Program, columns: &mut [Column], launch: &Launch<'_>) -> Outcome {
    let Some(driver) = program.driver_function() else {
        return self::launch(program, KernelId(0), columns, launch);
    };
    let mut machine = Machine::new(program, columns, launch);
    machine.element = Failure::DRIVER;
    match machine.call(driver, &[]) {
        Err(failure) => Outcome::Failed(failure),
        Ok(_) => machine.ended.unwrap_or(Outcome::Done),
    }
}

fn launch(program: &Program, kernel: KernelId, columns: &mut [Column], launch: &Launch<'_>) -> Outcome {
    let kernel = &program.kernels[kernel.0 as usize];
    assert_eq!(columns.len(), program.buffers.len(), "one column for each buffer");
    assert_eq!(launch.scalars.len(), program.scalars.len(), "one word for each scalar");
    for (i, (column, buffer)) in columns.iter().zip(&program.buffers).enumerate() {
        assert_eq!(column.ty(), buffer.ty, "b{i}");
    }
    let inside = kernel.fused && launch.jobs.rounds.len() == 1;
    let launches = if inside { 1 } else { launch.ticks };
    let mut first_failure: Option<Failure> = None;
    let defers = !program.deferred().is_empty();
    for tick in launch.first_tick..launch.first_tick + launches {
        let mut deferred: Vec<(u32, FuncId, Vec<u64>)> = Vec::new();
        let end = if inside { tick + launch.ticks } else { tick + 1 };
        for round in 0..launch.jobs.rounds.len() {
            let mut elements: Vec<(usize, usize)> = launch.jobs.rounds[round]
                .segments
                .iter()
                .flat_map(|s| s.jobs.clone().map(|job| (launch.jobs.element(job), s.entry)))
                .collect();
            elements.sort_unstable();
            for (element, entry) in elements {
                let function = &program.functions[kernel.entries[entry].function.0 as usize];
                let mut machine = Machine::new(program, columns, launch);
                (machine.element, machine.tick) = (element as u32, tick as i64);
                let ended = machine.call(function, &[element as u64, tick, end]);
                deferred.append(&mut machine.deferred);
                if let Err(failure) = ended
                    && first_failure
                        .as_ref()
                        .is_none_or(|f| (failure.tick, failure.element) < (f.tick, f.element))
                {
                    first_failure = Some(failure);
                }
            }
        }
        if let Some(failure) = first_failure {
            return if defers { Outcome::Conflict } else { Outcome::Failed(failure) };
        }
        deferred.sort_by_key(|(element, ..)| *element);
        for (element, function, args) in deferred {
            let mut machine = Machine::new(program, columns, launch);
            (machine.element, machine.tick) = (element, tick as i64);
            if machine.call(&program.functions[function.0 as usize], &args).is_err() {
                return Outcome::Conflict;
            }
        }
    }
    Outcome::Done
}

struct Machine<'a> {
    program: &'a Program,
    columns: &'a mut [Column],
    launch: &'a Launch<'a>,
    element: u32,
    tick: i64,
    draws: u32,
    path: i64,
    steps: u64,
    /// Element, function and arguments.
    deferred: Vec<(u32, FuncId, Vec<u64>)>,
    /// Of a driver: how a launch has ended that ends it too.
    ended: Option<Outcome>,
    /// The same: as it has set them, and the bases of kernels.
    scalars: Vec<u64>,
    bases: BTreeMap<KernelId, JobOrder>,
    first_tick: u64,
}

/// Values are words, as scalars are: an `I32` is sign-extended, a `Bool` is 0 or 1, an `F64` is its bits.
struct Frame<'a> {
    function: &'a Function,
    values: Vec<u64>,
    vars: Vec<u64>,
}

enum Flow {
    Next,
    Break(Label),
    Continue(Label),
    Return(Vec<u64>),
}

impl Frame<'_> {
    fn get(&self, value: Value) -> u64 {
        self.values[value.0 as usize]
    }

    fn all(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|v| self.get(*v)).collect()
    }
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, columns: &'a mut [Column], launch: &'a Launch<'a>) -> Self {
        let (element, tick, draws, path, steps) = (0, 0, 0, 0, 0);
        let deferred = Vec::new();
        let (scalars, bases) = (launch.scalars.to_vec(), BTreeMap::new());
        Self {
            program,
            columns,
            launch,
            element,
            tick,
            draws,
            path,
            steps,
            deferred,
            ended: None,
            scalars,
            bases,
            first_tick: launch.first_tick,
        }
    }

    fn call(&mut self, function: &Function, args: &[u64]) -> Result<Vec<u64>, Failure> {
        let mut frame =
            Frame { function, values: vec![0; function.values.len()], vars: vec![0; function.vars.len()] };
        frame.values[..args.len()].copy_from_slice(args);
        match self.block(&mut frame, &function.body)? {
            Flow::Return(results) => Ok(results),
            _ => Ok(Vec::new()),
        }
    }

    fn failure(&self, site: SiteId, operands: &[u64]) -> Failure {
        let operand = |i: usize| operands.get(i).map_or(0, |word| *word as i64);
        Failure {
            site,
            element: self.element,
            kernel: None,
            tick: self.tick as u64,
            operands: [operand(0), operand(1)],
            path: self.path,
            texts: Default::default(),
            memory: Vec::new(),
        }
    }

    fn block(&mut self, frame: &mut Frame<'_>, block: &Block) -> Result<Flow, Failure> {
        for stmt in block {
            match self.stmt(frame, stmt)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, frame: &mut Frame<'_>, stmt: &Stmt) -> Result<Flow, Failure> {
        self.steps += 1;
        assert!(self.steps < STEPS, "an element seems to run forever");
        match stmt {
            Stmt::Let { value, op, site } => {
                let result = self.op(frame, op);
                let Some(result) = result else {
                    let operands: Vec<u64> = op.operands().iter().map(|v| frame.get(*v)).collect();
                    return Err(self.failure(site.expect("an operation that fails has a site"), &operands));
                };
                frame.values[value.0 as usize] = result;
            }
            Stmt::Set(var, value) => frame.vars[var.0 as usize] = frame.get(*value),
            Stmt::Store { buffer, index, value } => {
                let (index, word) = (frame.get(*index) as usize, frame.get(*value));
                match &mut self.columns[buffer.0 as usize] {
                    Column::Bool(v) => v[index] = word as u8,
                    Column::I32(v) => v[index] = word as i32,
                    Column::I64(v) => v[index] = word as i64,
                    Column::F64(v) => v[index] = f64::from_bits(word),
                    Column::Shared(_) | Column::Lent(_) => panic!("what is shared is written"),
                }
            }
            Stmt::If { condition, then, otherwise } => {
                return self.block(frame, if frame.get(*condition) != 0 { then } else { otherwise });
            }
            Stmt::Loop { label, body } => loop {
                self.steps += 1;
                assert!(self.steps < STEPS, "an element seems to run forever");
                match self.block(frame, body)? {
                    Flow::Next => {}
                    Flow::Continue(to) if to == *label => {}
                    Flow::Break(from) if from == *label => break,
                    flow => return Ok(flow),
                }
            },
            Stmt::Block { label, body } => match self.block(frame, body)? {
                Flow::Break(from) if from == *label => {}
                flow => return Ok(flow),
            },
            Stmt::Break(label) => return Ok(Flow::Break(*label)),
            Stmt::Continue(label) => return Ok(Flow::Continue(*label)),
            Stmt::Check { condition, site, operands } => {
                if frame.get(*condition) == 0 {
                    return Err(self.failure(*site, &frame.all(operands)));
                }
            }
            Stmt::Fail { site, operands } => return Err(self.failure(*site, &frame.all(operands))),
            Stmt::Call { function, args, results } => {
                let callee = &self.program.functions[function.0 as usize];
                let values = self.call(callee, &frame.all(args))?;
                for (result, value) in results.iter().zip(values) {
                    frame.values[result.0 as usize] = value;
                }
            }
            Stmt::Defer { function, args } => {
                self.deferred.push((self.element, *function, frame.all(args)));
            }
            Stmt::Return(values) => return Ok(Flow::Return(frame.all(values))),
            Stmt::Tick(value) => {
                self.tick = frame.get(*value) as i64;
                self.draws = 0;
            }
            Stmt::Path(value) => self.path = frame.get(*value) as i64,
            Stmt::Sync(_) | Stmt::Progress { .. } => {}
            Stmt::Launch { kernel, ticks } => {
                let ticks = ticks.map_or(self.launch.ticks, |ticks| frame.get(ticks));
                let first_tick = self.first_tick;
                self.first_tick += ticks;
                let set = Launch {
                    scalars: &self.scalars,
                    first_tick,
                    jobs: self.bases.get(kernel).unwrap_or(self.launch.jobs),
                    ticks,
                    ..*self.launch
                };
                let mut ended = launch(self.program, *kernel, self.columns, &set);
                if let Outcome::Failed(failure) = &mut ended {
                    failure.tick -= first_tick;
                    failure.kernel = Some(*kernel);
                }
                if ended != Outcome::Done {
                    self.ended = Some(ended);
                    return Ok(Flow::Return(Vec::new()));
                }
            }
            // Programs of tests have no objects that repeat.
            Stmt::Over { kernel, count, own: _, first_same, sized } => {
                let count = frame.get(*count) as usize;
                self.bases.insert(*kernel, JobOrder::of_one(0, count));
                for buffer in sized {
                    let column = &mut self.columns[buffer.0 as usize];
                    if column.len() != count {
                        *column = Column::zeros(column.ty(), count);
                    }
                }
                if let Some(first_same) = first_same {
                    self.columns[first_same.0 as usize] = Column::I32((0..count as i32).collect());
                }
            }
            Stmt::Copy { from, first, count, into } => {
                let (first, count) = (frame.get(*first) as usize, frame.get(*count) as usize);
                let rows = self.columns[from.0 as usize].rows(first..first + count);
                self.columns[into.0 as usize] = rows.expect("there is memory");
            }
            Stmt::Assign(scalar, value) => self.scalars[scalar.0 as usize] = frame.get(*value),
            Stmt::Reduce { reduction, column, given, from, results } => {
                let (column, given) =
                    (&self.columns[column.0 as usize], given.map(|b| &self.columns[b.0 as usize]));
                let rows = (0..column.len()).filter(|row| given.is_none_or(|given| given.bits(*row) != 0));
                let number = match column {
                    Column::I64(numbers) => {
                        reduced(*reduction, frame.get(*from) as i64, rows.map(|row| numbers[row]))
                            .map(|n| n as u64)
                    }
                    Column::F64(numbers) => {
                        let from = f64::from_bits(frame.get(*from));
                        reduced_floats(*reduction, from, rows.map(|row| numbers[row])).map(f64::to_bits)
                    }
                    _ => panic!("numbers are reduced"),
                };
                frame.values[results[0].0 as usize] = number.unwrap_or(0);
                frame.values[results[1].0 as usize] = u64::from(number.is_some());
            }
        }
        Ok(Flow::Next)
    }

    /// `None` where the operation fails.
    fn op(&mut self, frame: &Frame<'_>, op: &Op) -> Option<u64> {
        let float = |v: Value| f64::from_bits(frame.get(v));
        let ty = |v: Value| frame.function.values[v.0 as usize].ty;
        Some(match op {
            Op::Bool(b) => u64::from(*b),
            Op::I32(n) => i64::from(*n) as u64,
            Op::I64(n) => *n as u64,
            Op::F64(x) => x.to_bits(),
            Op::Get(var) => frame.vars[var.0 as usize],
            Op::Scalar(scalar) => self.scalars[scalar.0 as usize],
            Op::Element => u64::from(self.element),
            Op::Tick => self.tick as u64,
            Op::Path => self.path as u64,
            Op::Unary(op, a) => unary(*op, frame.get(*a)),
            Op::Binary(op, a, b) => return binary(*op, ty(*a), frame.get(*a), frame.get(*b)),
            Op::Compare(op, a, b) if ty(*a) == Ty::F64 => u64::from(match op {
                Comparison::Eq => float(*a) == float(*b),
                Comparison::Ne => float(*a) != float(*b),
                Comparison::Lt => float(*a) < float(*b),
                Comparison::Le => float(*a) <= float(*b),
                Comparison::Gt => float(*a) > float(*b),
                Comparison::Ge => float(*a) >= float(*b),
                Comparison::LtU => panic!("floats are not unsigned"),
            }),
            Op::Compare(op, a, b) => {
                let (a, b) = (frame.get(*a), frame.get(*b));
                u64::from(match op {
                    Comparison::Eq => a == b,
                    Comparison::Ne => a != b,
                    Comparison::Lt => (a as i64) < b as i64,
                    Comparison::Le => a as i64 <= b as i64,
                    Comparison::Gt => a as i64 > b as i64,
                    Comparison::Ge => a as i64 >= b as i64,
                    // Sign extension keeps the unsigned order of 32 bits.
                    Comparison::LtU => a < b,
                })
            }
            Op::WideMod(args) => {
                let [a, b, c, m] = args.map(|arg| frame.get(arg) as i64);
                wide_mod(a, b, c, m) as u64
            }
            Op::Select(condition, a, b) => frame.get(if frame.get(*condition) != 0 { *a } else { *b }),
            Op::Load(buffer, index) => {
                let index = frame.get(*index) as usize;
                match self.columns[buffer.0 as usize].numbers() {
                    Numbers::Bool(v) => u64::from(v[index] & 1),
                    Numbers::I32(v) => i64::from(v[index]) as u64,
                    Numbers::I64(v) => v[index] as u64,
                    Numbers::F64(v) => v[index].to_bits(),
                }
            }
            Op::Math(function, args) => {
                math(*function, float(args[0]), args.get(1).map_or(0.0, |v| float(*v))).to_bits()
            }
            Op::Append { from, tag, given, count, into, .. } => {
                let flags = given.map(|given| &self.columns[given.0 as usize]);
                let kept = |row: &usize| flags.is_none_or(|flags| flags.bits(*row) != 0);
                let rows: Vec<usize> = (0..frame.get(*count) as usize).filter(kept).collect();
                let (count, mut offset) = (rows.len(), 0);
                let all = i64::from(tag.unwrap_or(0));
                for (from, to) in [(from.payload, into.items.payload), (from.tag, into.items.tag)] {
                    let Some(to) = to else { continue };
                    let bits: Vec<i64> = match from {
                        Some(from) => {
                            rows.iter().map(|row| self.columns[from.0 as usize].bits(*row)).collect()
                        }
                        None => vec![all; count],
                    };
                    let column = &mut self.columns[to.0 as usize];
                    // A filler stands behind all arrays.
                    offset = column.len() - 1;
                    column.extend_zeros(count);
                    bits.into_iter().enumerate().for_each(|(row, bits)| column.set_bits(offset + row, bits));
                }
                for (list, number) in [(into.offset, offset), (into.length, count)] {
                    let Column::I32(list) = &mut self.columns[list.0 as usize] else { panic!("a list") };
                    list.push(number as i32);
                }
                (self.columns[into.length.0 as usize].len() - 1) as u64
            }
            Op::Lengthen { buffer, count } => {
                let count = frame.get(*count) as usize;
                let all = self.program.lengthened_with(*buffer);
                // A filler stands behind all items of arrays.
                let kind = &self.program.buffers[buffer.0 as usize].kind;
                let filler = usize::from(matches!(kind, crate::ir::BufferKind::ArrayValues(..)));
                let first = self.columns[buffer.0 as usize].len().saturating_sub(filler);
                for buffer in all {
                    let column = &mut self.columns[buffer.0 as usize];
                    column.extend_zeros((first + count + filler).saturating_sub(column.len()));
                }
                first as u64
            }
            Op::Compact { flags, indices } => {
                let flags = &self.columns[flags.0 as usize];
                let rows: Vec<i32> =
                    (0..flags.len()).filter(|row| flags.bits(*row) != 0).map(|row| row as i32).collect();
                let count = rows.len() as u64;
                self.columns[indices.0 as usize] = Column::I32(rows);
                count
            }
            Op::Claim { ends, count } => {
                let count = frame.get(*count) as i64;
                let Column::I64(ends) = &mut self.columns[ends.0 as usize] else { panic!("ends") };
                let first = ends[0];
                ends[0] += count;
                first as u64
            }
            Op::Watch { marks: buffer, row, me, write } => {
                let (row, me) = (frame.get(*row) as usize * marks::WORDS, frame.get(*me));
                let Column::I64(words) = &self.columns[buffer.0 as usize] else { panic!("marks") };
                let both = [words[row], words[row + 1]].map(|word| AtomicU64::new(word as u64));
                let conflict = marks::touch([&both[0], &both[1]], me, *write);
                let Column::I64(words) = &mut self.columns[buffer.0 as usize] else { panic!("marks") };
                for (to, word) in words[row..].iter_mut().zip(both) {
                    *to = word.into_inner() as i64;
                }
                (i64::from(conflict) - 1) as u64
            }
            Op::Match { .. } | Op::Group(_) => panic!("patterns are matched by the CPU back-end alone"),
            Op::Intrinsic { .. } => panic!("the CPU back-end alone has intrinsics"),
            Op::Print { .. } => panic!("the CPU back-end alone prints"),
            Op::Random => {
                let draw = self.draws;
                self.draws += 1;
                crate::rng::draw(self.launch.seed, self.launch.call, self.element, self.tick as u64, draw)
            }
        })
    }
}

/// `None` where it is beyond 64 bits.
fn reduced(reduction: Reduction, from: i64, numbers: impl Iterator<Item = i64>) -> Option<i64> {
    match reduction {
        Reduction::Add => i64::try_from(i128::from(from) + numbers.map(i128::from).sum::<i128>()).ok(),
        Reduction::Sub => i64::try_from(i128::from(from) - numbers.map(i128::from).sum::<i128>()).ok(),
        Reduction::Mul => numbers.into_iter().try_fold(from, i64::checked_mul),
        Reduction::And => Some(numbers.fold(from, |a, b| a & b)),
        Reduction::Or => Some(numbers.fold(from, |a, b| a | b)),
        Reduction::Xor => Some(numbers.fold(from, |a, b| a ^ b)),
        Reduction::Min | Reduction::MinLast => Some(numbers.fold(from, i64::min)),
        Reduction::Max | Reduction::MaxLast => Some(numbers.fold(from, i64::max)),
    }
}

/// `None` where a NaN is compared.
fn reduced_floats(reduction: Reduction, from: f64, mut numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let compare = |a: f64, b: f64| a.partial_cmp(&b);
    numbers.try_fold(from, |a, b| {
        Some(match reduction {
            Reduction::Add => a + b,
            Reduction::Sub => a - b,
            Reduction::Mul => a * b,
            Reduction::Min => {
                if compare(b, a)?.is_lt() {
                    b
                } else {
                    a
                }
            }
            Reduction::MinLast => {
                if compare(b, a)?.is_le() {
                    b
                } else {
                    a
                }
            }
            Reduction::Max => {
                if compare(b, a)?.is_gt() {
                    b
                } else {
                    a
                }
            }
            Reduction::MaxLast => {
                if compare(b, a)?.is_ge() {
                    b
                } else {
                    a
                }
            }
            Reduction::And | Reduction::Or | Reduction::Xor => panic!("Floats have no bits"),
        })
    })
}

fn unary(op: UnaryOp, word: u64) -> u64 {
    let (int, float) = (word as i64, f64::from_bits(word));
    match op {
        UnaryOp::Not => word ^ 1,
        UnaryOp::NegF => (-float).to_bits(),
        UnaryOp::AbsF => float.abs().to_bits(),
        UnaryOp::FloorF => float.floor().to_bits(),
        UnaryOp::CeilF => float.ceil().to_bits(),
        UnaryOp::TruncF => float.trunc().to_bits(),
        UnaryOp::RoundF => float.round().to_bits(),
        UnaryOp::RoundEvenF => float.round_ties_even().to_bits(),
        UnaryOp::RoundToSingle => f64::from(float as f32).to_bits(),
        UnaryOp::BitNot => !word,
        UnaryOp::ExtendI32 | UnaryOp::BoolToI64 | UnaryOp::BitsToF64 | UnaryOp::BitsToI64 => word,
        UnaryOp::WrapI64 => i64::from(word as i32) as u64,
        UnaryOp::I64ToF64 => (int as f64).to_bits(),
        UnaryOp::F64ToI64 => float as i64 as u64,
        UnaryOp::BitLength => u64::from(64 - (int ^ (int >> 63)).leading_zeros()),
        UnaryOp::IsNan => u64::from(float.is_nan()),
    }
}

/// `None` where the operation fails.
fn binary(op: BinaryOp, ty: Ty, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (a as i64, b as i64);
    let (f, g) = (f64::from_bits(a), f64::from_bits(b));
    let wrapped = |n: i64| (if ty == Ty::I32 { i64::from(n as i32) } else { n }) as u64;
    Some(match op {
        BinaryOp::Add => wrapped(x.wrapping_add(y)),
        BinaryOp::Sub => wrapped(x.wrapping_sub(y)),
        BinaryOp::Mul => wrapped(x.wrapping_mul(y)),
        BinaryOp::AddChecked => x.checked_add(y)? as u64,
        BinaryOp::SubChecked => x.checked_sub(y)? as u64,
        BinaryOp::MulChecked => x.checked_mul(y)? as u64,
        BinaryOp::FloorDiv => {
            let quotient =
                x.checked_div(y).or_else(|| if y == 0 { panic!("division by 0") } else { None })?;
            (quotient - i64::from(x % y != 0 && (x < 0) != (y < 0))) as u64
        }
        BinaryOp::FloorMod => {
            let rest = x.wrapping_rem(y);
            (if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }) as u64
        }
        BinaryOp::TruncRem => x.wrapping_rem(y) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << b,
        BinaryOp::Shr => (x >> y) as u64,
        BinaryOp::AddF => (f + g).to_bits(),
        BinaryOp::SubF => (f - g).to_bits(),
        BinaryOp::MulF => (f * g).to_bits(),
        BinaryOp::DivF if f == 0.0 && g == 0.0 => f64::NAN.to_bits(),
        BinaryOp::DivF if f.is_nan() && g.to_bits() == (-0.0_f64).to_bits() => (-(f / g)).to_bits(),
        BinaryOp::DivF => (f / g).to_bits(),
        BinaryOp::FloorModF => floor_mod(f, g).to_bits(),
        BinaryOp::RemF => (f % g).to_bits(),
        BinaryOp::PowF => c::pow(f, g).to_bits(),
        BinaryOp::AndB => a & b,
        BinaryOp::OrB => a | b,
        BinaryOp::XorB => a ^ b,
        BinaryOp::MulHighU => ((u128::from(a) * u128::from(b)) >> 64) as u64,
    })
}

/// As `flo_mod` of Ruby's numeric.c.
fn floor_mod(x: f64, y: f64) -> f64 {
    let rest = if y.is_infinite() && !x.is_infinite() { x } else { x % y };
    if y * rest < 0.0 { rest + y } else { rest }
}

fn math(function: MathFn, x: f64, y: f64) -> f64 {
    match function {
        MathFn::Sin => c::sin(x),
        MathFn::Cos => c::cos(x),
        MathFn::Tan => c::tan(x),
        MathFn::Asin => c::asin(x),
        MathFn::Acos => c::acos(x),
        MathFn::Atan => c::atan(x),
        MathFn::Sinh => c::sinh(x),
        MathFn::Cosh => c::cosh(x),
        MathFn::Tanh => c::tanh(x),
        MathFn::Asinh => c::asinh(x),
        MathFn::Acosh => c::acosh(x),
        MathFn::Atanh => c::atanh(x),
        MathFn::Exp => c::exp(x),
        MathFn::Expm1 => c::expm1(x),
        MathFn::Log => c::log(x),
        MathFn::Log1p => c::log1p(x),
        MathFn::Log2 => c::log2(x),
        MathFn::Log10 => c::log10(x),
        MathFn::Sqrt => x.sqrt(),
        // SAFETY: it takes any number.
        #[allow(unsafe_code)]
        MathFn::Cbrt => unsafe { super::cpu::runtime::cbrt(x) },
        MathFn::Erf => c::erf(x),
        MathFn::Erfc => c::erfc(x),
        MathFn::Gamma => c::tgamma(x),
        MathFn::Lgamma => c::lgamma(x),
        MathFn::Atan2 => c::atan2(x, y),
        MathFn::Hypot => c::hypot(x, y),
    }
}

/// The functions that Ruby calls; Rust's own are others for some.
#[allow(unsafe_code)]
mod c {
    // SAFETY: these are the C standard's signatures, and the functions take any number.
    unsafe extern "C" {
        pub safe fn sin(x: f64) -> f64;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn tan(x: f64) -> f64;
        pub safe fn asin(x: f64) -> f64;
        pub safe fn acos(x: f64) -> f64;
        pub safe fn atan(x: f64) -> f64;
        pub safe fn sinh(x: f64) -> f64;
        pub safe fn cosh(x: f64) -> f64;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log10(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn atan2(y: f64, x: f64) -> f64;
        pub safe fn hypot(x: f64, y: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
    }
}

/// Integers that are added up (in place on a GPU), Floats of two changes, and one row that all elements change; in two
/// entries and rounds.
pub(crate) const DEFERRING: &str = r#"
    b0 = base: i64
    b1 = array_values a0: i64 written
    b2 = array_values a1: f64 written
    b3 = variable v0: i64 written
    e0 = overflow "+"
    entry f0
    entry f1
    fn f0 (v0: i32, v1: i64, v2: i64) {
      v3 = load b0[v0]; v4 = i64 7; v5 = floor_mod v3, v4; v6 = wrap_i64 v5; v7 = i64_to_f64 v3; v8 = bits_to_i64 v7
      v9 = i32 0; v10 = i64 0; v11 = i64 1
      defer f2(v6, v3); defer f3(v6, v10, v8); defer f3(v9, v11, v8); defer f4(v9, v3)
    }
    fn f1 (v0: i32, v1: i64, v2: i64) {
      v3 = load b0[v0]; v4 = i64 5; v5 = floor_mod v3, v4; v6 = wrap_i64 v5; v7 = i64_to_f64 v3; v8 = bits_to_i64 v7
      v9 = i32 0; v10 = i64 0
      defer f2(v9, v3); defer f3(v6, v10, v8); defer f4(v9, v3)
    }
    fn f2 (v0: i32, v1: i64) { v2 = load b1[v0]; v3 = add_checked v2, v1 at e0; store b1[v0] = v3 }
    fn f3 (v0: i32, v1: i64, v2: i64) {
      v3 = i64 0; v4 = eq v1, v3; v5 = bits_to_f64 v2; v6 = load b2[v0]
      if v4 { v7 = f64 0.1; v8 = mul_f v5, v7; v9 = add_f v6, v8; store b2[v0] = v9 } else { v10 = f64 0.5; v11 = mul_f v6, v10; v12 = add_f v11, v5; store b2[v0] = v12 }
    }
    fn f4 (v0: i32, v1: i64) {
      v2 = load b3[v0]; v3 = i64 31; v4 = mul v2, v3; v5 = add v4, v1; v6 = i64 10007; v7 = floor_mod v5, v6
      store b3[v0] = v7
    }
"#;

/// Columns of [`DEFERRING`] and its jobs: of two classes by turns, some of which are the same objects.
pub(crate) fn deferring(elements: usize) -> (Vec<Column>, JobOrder) {
    let columns = vec![
        Column::I64((0..elements as i64).map(|n| n * n % 1009).collect()),
        Column::zeros(Ty::I64, 7),
        Column::zeros(Ty::F64, 7),
        Column::zeros(Ty::I64, 1),
    ];
    let entries: Vec<u16> = (0..elements).map(|i| (i % 2) as u16).collect();
    let repeats: Vec<u32> = (0..elements).map(|i| (i % 3 / 2) as u32).collect();
    (columns, JobOrder::new(&entries, 2, Some(&repeats)).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::JobOrder;
    use crate::ir::parser::parse;
    use crate::ir::verifier::verify;

    fn run_text(text: &str, buffers: &mut [Column], ticks: u64) -> Outcome {
        let program = parse(text).unwrap();
        verify(&program).unwrap();
        let jobs = JobOrder::new(&[0, 0, 0], 1, None).unwrap();
        run(
            &program,
            buffers,
            &Launch { scalars: &[40], jobs: &jobs, ticks, first_tick: 0, seed: 7, call: 1, progress: None },
        )
    }

    const HEAD: &str = r#"program random
        b0 = base: i32
        b1 = column h0 "@x": i64 written
        s0 = root 0: i64
        e0 = overflow "+"
        entry f0
        fn f1 (v0: i64) -> i64 { v1 = i64 1; v2 = le v0, v1; if v2 { return v1 }
          v3 = sub v0, v1; v4 = call f1(v3); v5 = mul_checked v0, v4 at e0; return v5 }
    "#;

    fn run_body(body: &str, ticks: u64) -> (Outcome, Vec<i64>) {
        let [declarations, factorial] = HEAD.split("fn f1").collect::<Vec<_>>()[..] else { unreachable!() };
        let text =
            format!("{declarations}\nfn f0 (v0: i32, v1: i64, v2: i64) {{ {body} }}\nfn f1{factorial}");
        let mut buffers = [Column::I32(vec![2, 1, 0]), Column::I64(vec![10, 20, 30])];
        let outcome = run_text(&text, &mut buffers, ticks);
        let [_, Column::I64(x)] = buffers else { unreachable!() };
        (outcome, x)
    }

    #[test]
    fn ticks_see_the_writes_of_those_before() {
        let body = "v3 = load b0[v0]; v4 = load b1[v3]; v5 = tick; v6 = add v4, v5; store b1[v3] = v6";
        assert_eq!(run_body(body, 4), (Outcome::Done, vec![16, 26, 36]));
    }

    #[test]
    fn loops_calls_and_scalars() {
        let body = "v3 = i64 0; x0 = v3; x1 = v3
            loop L0 {
              v4 = x0; v5 = i64 1; v6 = add v4, v5; x0 = v6
              block L1 {
                v7 = and v6, v5; v8 = bool_to_i64 v12; v9 = eq v7, v8
                if v9 { break L1 }
                v10 = x1; v11 = call f1(v6); v13 = add v10, v11; x1 = v13
              }
              v14 = i64 5; v15 = lt v6, v14
              if v15 { continue L0 }
              break L0
            }
            v16 = x1; v17 = s0; v18 = add v16, v17; store b1[v0] = v18";
        // 1! + 3! + 5! + 40
        let body = format!("v12 = false; {body}");
        assert_eq!(run_body(&body, 1), (Outcome::Done, vec![167; 3]));
    }

    #[test]
    fn the_lowest_tick_and_element_fails() {
        let body = "v3 = extend_i32 v0; v4 = tick; v5 = add v3, v4; v6 = i64 2; v7 = lt v5, v6
            check v7 at e0 with v5, v6";
        let failure = |element, tick| Failure {
            site: SiteId(0),
            element,
            tick,
            operands: [2, 2],
            path: 0,
            kernel: None,
            texts: Default::default(),
            memory: Vec::new(),
        };
        assert_eq!(run_body(body, 3).0, Outcome::Failed(failure(2, 0)));
    }

    #[test]
    fn overflow_fails_with_its_operands() {
        let body = "v3 = i64 9223372036854775807; v4 = i64 1; v5 = add_checked v3, v4 at e0";
        let operands = [i64::MAX, 1];
        let failure = Failure {
            site: SiteId(0),
            element: 0,
            tick: 0,
            operands,
            path: 0,
            kernel: None,
            texts: Default::default(),
            memory: Vec::new(),
        };
        assert_eq!(run_body(body, 1).0, Outcome::Failed(failure));
    }

    #[test]
    fn random_numbers_are_numbered_in_each_tick() {
        let body = "v3 = random; v4 = random; store b1[v0] = v4";
        let draws = (0..3).map(|e| crate::rng::draw(7, 1, e, 1, 1) as i64).collect();
        assert_eq!(run_body(body, 2), (Outcome::Done, draws));
    }

    #[test]
    fn arithmetic_is_rubys() {
        let int = |op, a: i64, b: i64| binary(op, Ty::I64, a as u64, b as u64).map(|w| w as i64);
        assert_eq!(int(BinaryOp::FloorDiv, -7, 2), Some(-4));
        assert_eq!(int(BinaryOp::FloorDiv, 7, -2), Some(-4));
        assert_eq!(int(BinaryOp::FloorDiv, -8, 2), Some(-4));
        assert_eq!(int(BinaryOp::FloorDiv, i64::MIN, -1), None);
        assert_eq!(int(BinaryOp::FloorMod, -7, 2), Some(1));
        assert_eq!(int(BinaryOp::FloorMod, 7, -2), Some(-1));
        assert_eq!(int(BinaryOp::FloorMod, i64::MIN, -1), Some(0));
        assert_eq!(int(BinaryOp::TruncRem, -7, 2), Some(-1));
        assert_eq!(binary(BinaryOp::Add, Ty::I32, i32::MAX as u64, 1), Some(i32::MIN as i64 as u64));
        assert_eq!(floor_mod(-7.5, 2.0), 0.5);
        assert_eq!(floor_mod(5.0, f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(floor_mod(5.0, f64::INFINITY), 5.0);
        assert_eq!(
            [0, 1, -1, 255, -256, -257, i64::MIN].map(|n| unary(UnaryOp::BitLength, n as u64)),
            [0, 1, 0, 8, 8, 9, 63]
        );
    }
}
