//! Reads the text that [`super::printer`] writes: for file tests, and to write programs by hand.
//!
//! Types are said only where nothing else says them. Buffers, scalars, sites and functions are numbered in order from
//! 0 and may be used before their line; so are the parameters of a function, while its other values and its labels
//! may have any numbers. A site's place may be left out, and a variable's declaration if a value of known type is set
//! first. The parser takes programs that are wrong, so that the verifier can be tested with them.

mod declaration;
mod function;
mod lexer;
#[cfg(test)]
mod tests;

use super::{Program, Value};
use crate::scalar::{Interval, Ty};
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

    fn value(&mut self) -> Result<Value> {
        self.entity("v", "a value").map(Value)
    }
}

fn entity_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
