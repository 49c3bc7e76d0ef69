//! Reads the text that [`super::printer`] writes: for file tests, and to write programs by hand.
//!
//! Types are said only where nothing else says them. Buffers, scalars, sites and functions are numbered in order from
//! 0 and may be used before their line; so are the parameters of a function, while its other values and its labels
//! may have any numbers. A site's place may be left out, and a variable's declaration if a value of known type is set
//! first. The parser takes programs that are wrong, so that the verifier can be tested with them.

mod function;
mod lexer;

use super::{
    BufferInfo, BufferKind, Entry, ErrorKind, FuncId, Function, Interval, Part, Program, Receiver,
    ScalarInfo, ScalarSource, Site, Ty, Value, ValueData,
};
use crate::types::{ArrayKind, ClassId, HierarchyId};
use lexer::Token;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: u32,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text)
    }
}

/// Reads a program.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser { tokens: lexer::tokens(text)?, at: 0 };
    let mut program = Program::default();
    let mut bodies = Vec::new();
    while parser.skip_newlines() {
        parser.item(&mut program, &mut bodies)?;
    }
    for (i, at) in bodies.into_iter().enumerate() {
        parser.at = at;
        program.functions[i] = function::body(&mut parser, &program, i)?;
    }
    Ok(program)
}

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
}

type Result<T, E = ParseError> = std::result::Result<T, E>;

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the token back: errors are reported where they are.
    fn back(&mut self) {
        self.at -= 1;
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError { line: self.tokens[self.at].1, message: message.into() })
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    fn take_mark(&mut self, mark: &'static str) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn mark(&mut self, mark: &'static str) -> Result<()> {
        if self.take_mark(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.next();
        }
        found
    }

    fn word(&mut self, what: &str) -> Result<String> {
        match self.next() {
            Token::Word(word) => Ok(word),
            _ => {
                self.back();
                self.expected(what)
            }
        }
    }

    fn text(&mut self, what: &str) -> Result<String> {
        match self.next() {
            Token::Text(text) => Ok(text),
            _ => {
                self.back();
                self.expected(&format!("{what} in double quotes"))
            }
        }
    }

    fn number<T: FromStr>(&mut self, what: &str) -> Result<T> {
        match self.peek() {
            Token::Number(text) => match text.replace('_', "").parse() {
                Ok(number) => {
                    self.next();
                    Ok(number)
                }
                Err(_) => self.error(format!("`{text}` is not {what}")),
            },
            _ => self.expected(what),
        }
    }

    /// `v12` and its like.
    fn entity(&mut self, prefix: &str, what: &str) -> Result<u32> {
        match self.peek_entity(prefix) {
            Some(number) => {
                self.next();
                Ok(number)
            }
            None => self.expected(&format!("{what} such as {prefix}0")),
        }
    }

    fn peek_entity(&self, prefix: &str) -> Option<u32> {
        match self.peek() {
            Token::Word(word) => entity_number(word, prefix),
            _ => None,
        }
    }

    /// False at the end of the text.
    fn skip_newlines(&mut self) -> bool {
        while *self.peek() == Token::Newline {
            self.next();
        }
        *self.peek() != Token::End
    }

    fn end_of_line(&mut self) -> Result<()> {
        match self.peek() {
            Token::End | Token::Mark("}") => Ok(()),
            Token::Newline => {
                self.next();
                Ok(())
            }
            _ => self.expected("the end of the line"),
        }
    }

    fn ty(&mut self) -> Result<Ty> {
        let found = match self.peek() {
            Token::Word(word) => Ty::ALL.into_iter().find(|ty| ty.name() == word),
            _ => None,
        };
        match found {
            Some(ty) => {
                self.next();
                Ok(ty)
            }
            None => self.expected("a type (bool, i32, i64 or f64)"),
        }
    }

    /// `in 0..=9`, `in 0..`, `in ..=9`, `in 7`, where it stands here; a missing end is the type's.
    fn interval(&mut self, ty: Ty) -> Result<Option<Interval>> {
        if !self.take_word("in") {
            return Ok(None);
        }
        let full = ty.full_interval();
        let mut interval = full;
        if matches!(self.peek(), Token::Number(_)) {
            interval = Interval::constant(self.number("a 64-bit integer")?);
            if !matches!(self.peek(), Token::Mark(".." | "..=")) {
                return Ok(Some(interval));
            }
            interval.high = full.high;
        }
        if self.take_mark("..=") {
            interval.high = self.number("a 64-bit integer")?;
        } else {
            self.mark("..")?;
        }
        Ok(Some(interval))
    }

    /// One of the lines outside functions, or a function's head: its body is read when all of these are known.
    fn item(&mut self, program: &mut Program, bodies: &mut Vec<usize>) -> Result<()> {
        let word = self.word("a declaration (program, b0, s0, e0, entry, fn)")?;
        match &word[..] {
            "program" => loop {
                if self.take_word("fused") {
                    program.fused = true;
                } else if self.take_word("random") {
                    program.uses_random = true;
                } else {
                    break;
                }
            },
            "entry" => {
                let function = FuncId(self.entity("f", "a function")?);
                let name =
                    if matches!(self.peek(), Token::Text(_)) { self.text("a name")? } else { String::new() };
                program.entries.push(Entry { name, function });
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
                    return self.expected("a declaration (program, b0, s0, e0, entry, fn)");
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
            function.values.push(ValueData { ty, interval });
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

    fn part(&mut self) -> Part {
        if self.take_word("tag") { Part::Tag } else { Part::Payload }
    }

    fn buffer(&mut self) -> Result<BufferInfo> {
        const KINDS: &str = "what the buffer holds (column, array_offset, array_length, array_values, base, result, \
                             frozen, frozen_array)";
        let kind = match &self.word(KINDS)?[..] {
            "column" => {
                let hierarchy = self.hierarchy()?;
                let name = self.text("the name of an instance variable")?;
                BufferKind::Column { hierarchy, name, part: self.part() }
            }
            "array_offset" => BufferKind::ArrayOffset(self.array_kind()?),
            "array_length" => BufferKind::ArrayLength(self.array_kind()?),
            "array_values" => {
                let kind = self.array_kind()?;
                BufferKind::ArrayValues(kind, self.part())
            }
            "base" => BufferKind::Base(self.part()),
            "result" => BufferKind::Result(self.part()),
            "frozen" => BufferKind::Frozen(self.hierarchy()?),
            "frozen_array" => BufferKind::FrozenArray(self.array_kind()?),
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        };
        self.mark(":")?;
        Ok(BufferInfo { kind, ty: self.ty()?, written: self.take_word("written") })
    }

    fn scalar(&mut self) -> Result<ScalarInfo> {
        const SOURCES: &str = "where the scalar comes from (root, class_base, base_length, root_range)";
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

    /// `overflow "+" at "t.rb":3 in "move" from "t.rb":9 in "block in run"`; all after the error may be left out.
    fn site(&mut self) -> Result<Site> {
        let mut site = Site {
            error: self.error_kind()?,
            path: String::new(),
            line: 0,
            method: String::new(),
            callers: vec![],
        };
        if self.take_word("at") {
            (site.path, site.line) = self.place()?;
        }
        if self.take_word("in") {
            site.method = self.text("a method's label")?;
        }
        while self.take_word("from") {
            let (path, line) = self.place()?;
            let method = if self.take_word("in") { self.text("a method's label")? } else { String::new() };
            site.callers.push((path, line, method));
        }
        Ok(site)
    }

    fn place(&mut self) -> Result<(String, u32)> {
        let path = self.text("a path")?;
        self.mark(":")?;
        Ok((path, self.number("a line's number")?))
    }

    fn error_kind(&mut self) -> Result<ErrorKind> {
        const KINDS: &str = "an error (overflow, zero_division, no_method, name_error, type_error, argument_error, \
                             float_domain, math_domain, frozen, frozen_array, index_too_small, array_growth, range, \
                             raise, stack_too_deep)";
        Ok(match &self.word(KINDS)?[..] {
            "overflow" => ErrorKind::Overflow { operator: self.text("an operator")? },
            "zero_division" => ErrorKind::ZeroDivision,
            "no_method" => {
                let private = self.take_word("private");
                let name = self.text("a method's name")?;
                ErrorKind::NoMethod { name, receiver: self.receiver()?, private }
            }
            "name_error" => {
                let name = self.text("a name")?;
                ErrorKind::NameError { name, receiver: self.receiver()? }
            }
            "type_error" => ErrorKind::TypeError(self.text("a message")?),
            "argument_error" => ErrorKind::ArgumentError(self.text("a message")?),
            "float_domain" => ErrorKind::FloatDomain,
            "math_domain" => ErrorKind::MathDomain(self.text("a function's name")?),
            "frozen" => ErrorKind::Frozen(self.hierarchy()?),
            "frozen_array" => ErrorKind::FrozenArray(self.array_kind()?),
            "index_too_small" => ErrorKind::IndexTooSmall,
            "array_growth" => ErrorKind::ArrayGrowth,
            "range" => ErrorKind::Range(self.text("a message")?),
            "raise" => {
                let class = ClassId(self.entity("c", "a class")?);
                let message =
                    matches!(self.peek(), Token::Text(_)).then(|| self.text("a message")).transpose()?;
                ErrorKind::Raise { class, message }
            }
            "stack_too_deep" => ErrorKind::StackTooDeep,
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        })
    }

    fn receiver(&mut self) -> Result<Receiver> {
        const KINDS: &str = "a receiver (nil, true, false, integer, float, symbol, object h0, array a0, module c0, text \"…\")";
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
            "text" => Receiver::Text(self.text("the receiver")?),
            _ => {
                self.back();
                return self.expected(KINDS);
            }
        })
    }

    fn value(&mut self) -> Result<Value> {
        self.entity("v", "a value").map(Value)
    }
}

fn entity_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> String {
        let printed = parse(text).unwrap().to_string();
        let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert_eq!(again.to_string(), printed);
        printed
    }

    /// In the printer's own form: every construct once.
    const ALL: &str = r#"program fused random
b0 = base: i32
b1 = base tag: i32
b2 = column h0 "@x": f64 written
b3 = column h1 "@tag" tag: i32
b4 = array_offset a0: i32
b5 = array_length a0: i32
b6 = array_values a0: i64
b7 = array_values a0 tag: i32
b8 = result: bool written
b9 = frozen h0: bool
b10 = frozen_array a0: bool
s0 = root 3: i64
s1 = root 3 tag: i32
s2 = class_base h0 1: i32
s3 = base_length: i32
s4 = root_range 1 low: i64
s5 = root_range 1 high: i64
e0 = overflow "+" at "t.rb":3 in "move" from "t.rb":9 in "block in run" from "u.rb":1 in "<main>"
e1 = zero_division at "t.rb":4
e2 = no_method "foo" of nil in "move"
e3 = no_method private "foo" of object h1
e4 = name_error "bar" of array a2
e5 = type_error "String can't be \"coerced\"\n\u{1b}é"
e6 = argument_error "wrong number"
e7 = float_domain
e8 = math_domain "sqrt"
e9 = frozen h0
e10 = frozen_array a0
e11 = index_too_small
e12 = array_growth
e13 = range "too big"
e14 = raise c21
e15 = raise c21 "no"
e16 = stack_too_deep
e17 = no_method "x" of module c4
e18 = no_method "x" of text "main:Object"
e19 = no_method "x" of integer
e20 = no_method "x" of float
e21 = no_method "x" of symbol
e22 = no_method "x" of true
e23 = no_method "x" of false
entry f0 "Car"
entry f0 ""

fn f0 "Car" (v0: i32 in 0.., v1: i64, v2: i64 in 1..=10) {
  var x0: i64, x1: f64
  v3 = load b0[v0] in 0..=99
  v4 = i64 -5
  v5 = i64 7 in ..
  v6 = i32 -2147483648
  v7 = f64 -0.0
  v8 = f64 1e300
  v9 = f64 -inf
  v10 = f64 inf
  v11 = f64 0x7ff8000000000000
  v12 = true
  v13 = false
  x0 = v4
  v14 = x0 in ..=-1
  v15 = s0
  v16 = element
  v17 = tick
  v18 = random
  v19 = neg_f v7
  v20 = add_checked v4, v14 at e0
  v21 = floor_div v4, v14 at e0 in 3
  v22 = lt_u v4, v14
  v23 = select v22, v4, v14
  v24 = math sin v8
  v25 = math atan2 v8, v24
  v26 = f64 5e-324
  loop L0 {
    block L1 {
      if v22 {
        break L0
      } else if v12 {
        continue L0
      } else {
        break L1
      }
      if v13 {
        tick v4
      }
    }
  }
  check v22 at e1
  check v22 at e1 with v4, v14
  v27, v28 in 0..=1 = call f1(v3, v4)
  call f2()
  store b2[v3] = v8
  if v12 {
    fail at e2
  } else {
    fail at e3 with v3
  }
  return
}

fn f1 "Car#pair" (v0: i32, v1: i64) -> (f64, i64) {
  v2 = f64 1.5
  return v2, v1
}

fn f2 "" () {
}

fn f3 "" () -> i32 {
  v0 = i32 1
  return v0
}
"#;

    #[test]
    fn every_construct_is_read_and_written() {
        assert_eq!(round_trip(ALL), ALL);
    }

    #[test]
    fn every_operation_is_read_and_written() {
        use crate::ir::{BinaryOp, Comparison, MathFn, UnaryOp};
        let mut text = "fn f0 \"\" (v0: bool, v1: i32, v2: i64, v3: f64) {\n".to_string();
        let of = |ty: Ty| ["v0", "v1", "v2", "v3"][ty as usize];
        let mut lines = Vec::new();
        lines.extend(UnaryOp::ALL.map(|op| format!("{} {}", op.name(), of(op.signature().0))));
        lines.extend(BinaryOp::ALL.map(|op| {
            let operand = of(op.ty().unwrap_or(Ty::I32));
            format!("{} {operand}, {operand}", op.name())
        }));
        lines.extend(Comparison::ALL.map(|op| format!("{} v2, v2", op.name())));
        lines.extend(
            MathFn::ALL
                .map(|f| format!("math {} v3{}", f.c_name(), if f.arity() == 2 { ", v3" } else { "" })),
        );
        for (i, line) in lines.iter().enumerate() {
            text += &format!("  v{} = {line}\n", i + 4);
        }
        text += "}\n";
        // The printer sets a blank line before each function.
        assert_eq!(round_trip(&text), format!("\n{text}"));
    }

    #[test]
    fn short_forms_by_hand() {
        let printed = round_trip(
            "e0 = overflow \"*\"; entry f0
            fn f0 (v0: i32, v1: i64, v2: i64) { # nothing is declared twice
              x1 = v1; v9 = x1          // so x0 is there, of no known type
              if v3 { return }
              v4, v5 = call f1(v9)
            }
            fn f1 (v0: i64) -> (i64, f64) { loop L3 { fail at e0 } }",
        );
        assert_eq!(
            printed,
            r#"e0 = overflow "*"
entry f0 ""

fn f0 "" (v0: i32, v1: i64, v2: i64) {
  var x0: i64, x1: i64
  x1 = v1
  v9 = x1
  if v3 {
    return
  }
  v4, v5 = call f1(v9)
}

fn f1 "" (v0: i64) -> (i64, f64) {
  loop L3 {
    fail at e0
  }
}
"#
        );
    }

    #[test]
    fn a_function_alone_says_what_only_its_program_knows() {
        let program = parse(ALL).unwrap();
        let text = program.functions[0].to_string();
        assert!(text.contains("  v3: i32 = load b0[v0] in 0..=99\n"), "{text}");
        assert!(text.contains("  v27: f64, v28: i64 in 0..=1 = call f1(v3, v4)\n"), "{text}");
    }

    #[test]
    fn nonsense_can_be_printed() {
        use crate::ir::{Op, Stmt, UnaryOp};
        let mut program = Program::default();
        program.functions.push(Function {
            body: vec![Stmt::Let { value: Value(7), op: Op::Unary(UnaryOp::Not, Value(9)), site: None }],
            params: vec![Ty::I32],
            ..Function::default()
        });
        assert_eq!(program.to_string(), "\nfn f0 \"\" (v0: i32) {\n  v7 = not v9\n}\n");
    }

    #[test]
    fn errors_name_the_line_and_what_was_found() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            error("b0 = base: i32\nb2 = base: i32"),
            "line 2: declarations are numbered in order: expected b1, found `b2`"
        );
        assert_eq!(error("b0 = base: int"), "line 1: expected a type (bool, i32, i64 or f64), found `int`");
        assert_eq!(error("fn f0 () {\n v0 = addd v1, v2\n}"), "line 2: unknown operation `addd`");
        assert_eq!(
            error("fn f0 () {\n v0 = add v1, v2\n}"),
            "line 2: the type of v0 is not known here; write it, as in `v0: i64 = …`"
        );
        assert_eq!(error("fn f0 () {\n v0 = i64 1 2\n}"), "line 2: expected the end of the line, found `2`");
        assert_eq!(
            error("fn f0 () {\n v0 = i32 3000000000\n}"),
            "line 2: `3000000000` is not a 32-bit integer"
        );
        assert_eq!(
            error("fn f0 () {\n break\n}"),
            "line 2: expected a label such as L0, found the end of the line"
        );
        assert_eq!(error("fn f0 () {\n"), "line 1: a function has no closing `}`");
        assert_eq!(error("e0 = overflow \"+"), "line 1: a text has no closing quote");
        assert_eq!(error("\n\n%"), "line 3: unexpected character `%`");
    }
}
