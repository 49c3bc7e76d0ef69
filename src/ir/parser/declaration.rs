//! What stands outside functions: buffers, scalars, sites, entries, and the heads of functions.

use super::lexer::Token;
use super::{Parser, Result};
use crate::ir::{
    BufferInfo, BufferKind, Entry, ErrorKind, FuncId, Function, Kernel, KernelId, MessagePart, Missing, Part,
    Place, Program, Raised, Receiver, ScalarInfo, ScalarSource, Site, ValueData, Watched,
};
use crate::types::{ArrayKind, ClassId, HierarchyId};

impl Parser {
    /// One of the lines outside functions, or a function's head: its body is read when all of these are known.
    pub(super) fn item(&mut self, program: &mut Program, bodies: &mut Vec<usize>) -> Result<()> {
        let word = self.word("a declaration (program, b0, s0, e0, kernel, entry, driver, fn)")?;
        match &word[..] {
            "program" => program.uses_random |= self.take_word("random"),
            "kernel" => {
                self.in_order("k", "a kernel", program.kernels.len())?;
                let (fused, settles) = (self.take_word("fused"), self.take_word("settles"));
                program.kernels.push(Kernel { entries: Vec::new(), fused, settles });
            }
            "driver" => program.driver = Some(FuncId(self.entity("f", "a function")?)),
            "entry" => {
                let function = FuncId(self.entity("f", "a function")?);
                let name =
                    if matches!(self.peek(), Token::Text(_)) { self.text("a name")? } else { String::new() };
                // Those of the only kernel stand alone.
                if program.kernels.is_empty() {
                    program.kernels.push(Kernel::default());
                }
                program.kernels.iter_mut().last().into_iter().for_each(|kernel| {
                    kernel.entries.push(Entry { name: name.clone(), function });
                });
            }
            "fn" => {
                self.in_order("f", "a function", program.functions.len())?;
                let head = self.head()?;
                program.functions.push(head);
                self.mark("{")?;
                bodies.push(self.at);
                self.skip_body()?;
            }
            _ => {
                self.back();
                if self.peek_entity("b").is_some() {
                    self.in_order("b", "a buffer", program.buffers.len())?;
                    self.mark("=")?;
                    program.buffers.push(self.buffer()?);
                } else if self.peek_entity("s").is_some() {
                    self.in_order("s", "a scalar", program.scalars.len())?;
                    self.mark("=")?;
                    program.scalars.push(self.scalar()?);
                } else if self.peek_entity("e").is_some() {
                    self.in_order("e", "a site", program.sites.len())?;
                    self.mark("=")?;
                    program.sites.push(self.site()?);
                } else {
                    return self.expected("a declaration (program, b0, s0, e0, kernel, entry, driver, fn)");
                }
            }
        }
        self.end_of_line()
    }

    fn in_order(&mut self, prefix: &str, what: &str, next: usize) -> Result<()> {
        if self.entity(prefix, what)? as usize == next {
            return Ok(());
        }
        self.back();
        self.error(format!(
            "declarations are numbered in order: expected {prefix}{next}, found {}",
            self.peek()
        ))
    }

    /// `"Car" (v0: i32 in 0.., v1: i64) -> (i64, f64)`
    fn head(&mut self) -> Result<Function> {
        let mut function = Function::default();
        if matches!(self.peek(), Token::Text(_)) {
            function.name = self.text("a name")?;
        }
        self.mark("(")?;
        while !self.take_mark(")") {
            self.in_order("v", "a parameter", function.params.len())?;
            self.mark(":")?;
            let ty = self.ty()?;
            let interval = self.interval(ty)?.unwrap_or(ty.full_interval());
            function.params.push(ty);
            function.values.push(ValueData::new(ty, interval));
            if !self.take_mark(",") {
                self.mark(")")?;
                break;
            }
        }
        if self.take_mark("->") {
            if self.take_mark("(") {
                while !self.take_mark(")") {
                    function.results.push(self.ty()?);
                    if !self.take_mark(",") {
                        self.mark(")")?;
                        break;
                    }
                }
            } else {
                function.results.push(self.ty()?);
            }
        }
        Ok(function)
    }

    fn skip_body(&mut self) -> Result<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Token::Mark("{") => depth += 1,
                Token::Mark("}") => depth -= 1,
                Token::End => return self.error("a function has no closing `}`"),
                _ => {}
            }
        }
        Ok(())
    }

    fn hierarchy(&mut self) -> Result<HierarchyId> {
        Ok(HierarchyId(self.entity("h", "a hierarchy")?))
    }

    fn array_kind(&mut self) -> Result<ArrayKind> {
        Ok(ArrayKind(self.entity("a", "an array kind")?))
    }

    /// `k1`, or the first where none is named.
    fn of_kernel(&mut self) -> KernelId {
        let number = self.peek_entity("k");
        if number.is_some() {
            self.next();
        }
        KernelId(number.unwrap_or(0))
    }

    fn part(&mut self) -> Part {
        if self.take_word("tag") { Part::Tag } else { Part::Payload }
    }

    fn buffer(&mut self) -> Result<BufferInfo> {
        const KINDS: &str = "what the buffer holds (column, array_offset, array_length, array_values, base, beside, result, \
                             result_words, scratch, \
                             frozen, frozen_array, first_same, marks)";
        let kind = match &self.word(KINDS)?[..] {
            "column" => {
                let hierarchy = self.hierarchy()?;
                let name = self.text("the name of an instance variable")?;
                BufferKind::Column { hierarchy, name, part: self.part() }
            }
            "array_offset" => BufferKind::ArrayOffset(self.array_kind()?),
            "array_length" => BufferKind::ArrayLength(self.array_kind()?),
            "array_room" => BufferKind::ArrayRoom(self.array_kind()?),
            "array_ends" => BufferKind::ArrayEnds(self.array_kind()?),
            "array_values" => {
                let kind = self.array_kind()?;
                BufferKind::ArrayValues(kind, self.part())
            }
            "base" => {
                let kernel = self.of_kernel();
                BufferKind::Base(kernel, self.part())
            }
            "beside" => {
                let kernel = self.of_kernel();
                let column = self.number("a column of the base")?;
                BufferKind::Beside(kernel, column, self.part())
            }
            "result" => {
                let kernel = self.of_kernel();
                BufferKind::Result(kernel, self.part())
            }
            "accumulator" => {
                let number = self.entity("v", "a variable")?;
                BufferKind::Accumulator(number, self.part())
            }
            "merged" => {
                let number = self.entity("v", "a variable")?;
                BufferKind::Merged(number, self.part())
            }
            "kept" => BufferKind::Kept,
            "selection" => BufferKind::Selection,
            "accumulator_tick" => BufferKind::AccumulatorTick(self.entity("v", "a variable")?),
            "variable" => {
                let number = self.entity("v", "a variable")?;
                BufferKind::Variable(number, self.part())
            }
            "assigned" => BufferKind::Assigned(self.entity("v", "a variable")?),
            "result_words" => BufferKind::ResultWords,
            "kernel_words" => BufferKind::KernelWords,
            "given" => {
                let kernel = self.of_kernel();
                BufferKind::Given(kernel, self.part())
            }
            "places" => BufferKind::Places(self.hierarchy()?),
            "scratch" => BufferKind::Scratch,
            "frozen" => BufferKind::Frozen(self.hierarchy()?),
            "frozen_array" => BufferKind::FrozenArray(self.array_kind()?),
            "first_same" => BufferKind::FirstSame(self.of_kernel()),
            "marks" => BufferKind::Marks(self.watched()?),
            "symbol_ranks" => BufferKind::SymbolRanks,
            "symbol_names" => BufferKind::SymbolNames,
            "symbol_index" => BufferKind::SymbolIndex,
            "key_index" => BufferKind::KeyIndex(self.array_kind()?),
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        };
        self.mark(":")?;
        Ok(BufferInfo { kind, ty: self.ty()?, written: self.take_word("written") })
    }

    fn watched(&mut self) -> Result<Watched> {
        if self.take_word("column") {
            let hierarchy = self.hierarchy()?;
            return Ok(Watched::Column { hierarchy, name: self.text("the name of an instance variable")? });
        }
        if self.take_word("variable") {
            return Ok(Watched::Variable(self.entity("v", "a variable")?));
        }
        if !self.take_word("arrays") {
            return self.expected("what is watched (column, variable, arrays)");
        }
        Ok(Watched::Arrays(self.array_kind()?))
    }

    fn scalar(&mut self) -> Result<ScalarInfo> {
        const SOURCES: &str = "where the scalar comes from (root, class_base, base_length, series_first, series_step, driver, scratch_words, \
                               result_words, root_range, epoch, fine)";
        let source = match &self.word(SOURCES)?[..] {
            "root" => {
                let root = self.number("a root's number")?;
                ScalarSource::Root(root, self.part())
            }
            "class_base" => {
                let hierarchy = self.hierarchy()?;
                ScalarSource::ClassBase(hierarchy, self.number("a class's number in the hierarchy")?)
            }
            "base_length" => ScalarSource::BaseLength,
            "series_first" => ScalarSource::SeriesFirst(self.number("a column of the base")?),
            "series_step" => ScalarSource::SeriesStep(self.number("a column of the base")?),
            "driver" => ScalarSource::Driver(self.number("a number")?),
            "scratch_words" => ScalarSource::ScratchWords,
            "result_words" => ScalarSource::ResultWords,
            "epoch" => ScalarSource::Epoch,
            "fine" => ScalarSource::Fine(self.array_kind()?),
            "root_range" => {
                let root = self.number("a root's number")?;
                let end = if self.take_word("low") {
                    0
                } else if self.take_word("high") {
                    1
                } else {
                    self.number("an end of the range (low or high)")?
                };
                ScalarSource::RootRange(root, end)
            }
            _ => {
                self.back();
                return self.expected(SOURCES);
            }
        };
        self.mark(":")?;
        Ok(ScalarInfo { source, ty: self.ty()? })
    }

    /// `overflow "+" at "t.rb":3 in "move" from "t.rb":9 by "each" from "t.rb":9 in "block in run"`; all after the error may
    /// be left out. A method of Ruby's own stands behind `by`.
    fn site(&mut self) -> Result<Site> {
        let error = self.error_kind()?;
        let mut site = Site {
            raised: Raised::default(),
            error,
            places: vec![],
            refused: None,
            has_cause: false,
            no_cause: false,
            within: None,
        };
        while self.take_word(if site.places.is_empty() { "at" } else { "from" }) {
            site.places.push(self.place()?);
        }
        Ok(site)
    }

    fn place(&mut self) -> Result<Place> {
        let path = self.text("a path")?;
        self.mark(":")?;
        let line = self.number("a line's number")?;
        let native = self.take_word("by");
        let is_told = native || self.take_word("in");
        let label = if is_told { self.text("a method's label")? } else { String::new() };
        Ok(Place { path, line, label, native })
    }

    fn error_kind(&mut self) -> Result<ErrorKind> {
        const KINDS: &str = "an error (overflow, zero_division, no_method, name_error, type_error, argument_error, \
                             float_domain, math_domain, frozen, frozen_array, index_too_small, array_growth, range, \
                             raise, stack_too_deep, race)";
        Ok(match &self.word(KINDS)?[..] {
            "overflow" => {
                let wide = self.take_word("wide");
                ErrorKind::Overflow { operator: self.text("an operator")?, wide }
            }
            "zero_division" => ErrorKind::ZeroDivision,
            "no_method" => {
                let named = Missing::NAMES.iter().find(|(_, word)| self.take_word(word));
                let missing = named.map_or(Missing::Undefined, |(missing, _)| *missing);
                let name = self.text("a method's name")?;
                let receiver = self.receiver()?;
                let arguments = self.take_word("with");
                if arguments {
                    self.word("arguments")?;
                }
                ErrorKind::NoMethod { name, receiver, missing, arguments }
            }
            "name_error" => {
                let name = self.text("a name")?;
                ErrorKind::NameError { name, receiver: self.receiver()? }
            }
            "unsupported" => ErrorKind::Unsupported(self.text("a message")?),
            "type_error" => ErrorKind::TypeError(self.text("a message")?),
            "argument_error" => ErrorKind::ArgumentError(self.text("a message")?),
            about @ ("type_error_about" | "argument_error_about") => ErrorKind::AboutOperand {
                type_error: about == "type_error_about",
                before: self.text("the message's beginning")?,
                operand: self.receiver()?,
                after: self.text("the message's end")?,
            },
            "float_domain" => ErrorKind::FloatDomain,
            "float_index" => ErrorKind::FloatIndex,
            "math_domain" => ErrorKind::MathDomain(self.text("a function's name")?),
            "frozen" => ErrorKind::Frozen(self.hierarchy()?),
            "frozen_array" => ErrorKind::FrozenArray(self.array_kind()?),
            "frozen_made" => ErrorKind::FrozenMade(ClassId(self.entity("c", "a class")?)),
            "index_too_small" => ErrorKind::IndexTooSmall,
            "array_growth" => ErrorKind::ArrayGrowth,
            "fetch_index" => ErrorKind::FetchIndex,
            "new_symbol" => ErrorKind::NewSymbol,
            "new_pattern" => ErrorKind::NewPattern,
            "new_name" => ErrorKind::NewName,
            "scratch_full" => ErrorKind::ScratchFull,
            "result_full" => ErrorKind::ResultFull,
            "arrays_full" => ErrorKind::ArraysFull(self.array_kind()?),
            "range" => ErrorKind::Range(self.text("a message")?),
            "raise" => {
                let class = ClassId(self.entity("c", "a class")?);
                let mut message = Vec::new();
                loop {
                    if matches!(self.peek(), Token::Text(_)) {
                        message.push(MessagePart::Text(self.text("a message")?));
                    } else if self.take_word("with") {
                        message.push(MessagePart::Value(self.receiver()?));
                    } else if self.take_word("inspect") {
                        let operand = self.entity("p", "an operand")? as u8;
                        message.push(MessagePart::Inspect(self.receiver()?, operand));
                    } else {
                        break;
                    }
                }
                ErrorKind::Raise { class, message: (!message.is_empty()).then_some(message) }
            }
            "raise_made" => ErrorKind::RaiseMade(ClassId(self.entity("c", "a class")?)),
            "uncaught_throw" => {
                let tag = self.receiver()?;
                ErrorKind::UncaughtThrow { tag, value: self.receiver()? }
            }
            "raise_existing" => {
                let class = ClassId(self.entity("c", "a class")?);
                ErrorKind::RaiseExisting(class, self.hierarchy()?)
            }
            "stack_too_deep" => ErrorKind::StackTooDeep,
            "race" => {
                let write = self.take_word("write");
                if !write && !self.take_word("read") {
                    return self.expected("`read` or `write`");
                }
                ErrorKind::Race { what: self.watched()?, write }
            }
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        })
    }

    fn receiver(&mut self) -> Result<Receiver> {
        const KINDS: &str = "a receiver (nil, true, false, integer, float, symbol, object h0, array a0, module c0, made_string, text \"…\")";
        if !self.take_word("of") {
            return self.expected("`of` and a receiver");
        }
        Ok(match &self.word(KINDS)?[..] {
            "nil" => Receiver::Nil,
            "true" => Receiver::True,
            "false" => Receiver::False,
            "integer" => Receiver::Integer,
            "float" => Receiver::Float,
            "symbol" => Receiver::Symbol,
            "object" => Receiver::Object(self.hierarchy()?),
            "array" => Receiver::Array(self.array_kind()?),
            "module" => Receiver::Module(ClassId(self.entity("c", "a class")?)),
            "made_string" => Receiver::MadeString,
            "text" => Receiver::Text(self.text("the receiver")?),
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        })
    }
}
