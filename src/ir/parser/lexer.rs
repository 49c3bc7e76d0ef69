//! Tokens of a program's text. Lines matter: a statement ends with its line (or at `;`). Comments run from `//` or `#`
//! to the end of the line.

use super::ParseError;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A keyword, an operation, or an entity such as `v12`.
    Word(String),
    /// Digits, with a sign, a fraction and an exponent where it has them; also `inf` and `-inf`.
    Number(String),
    Text(String),
    /// `= , : ( ) [ ] { } -> .. ..=`
    Mark(&'static str),
    Newline,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Number(text) => write!(f, "`{text}`"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Mark(mark) => write!(f, "`{mark}`"),
            Self::Newline => f.write_str("the end of the line"),
            Self::End => f.write_str("the end of the text"),
        }
    }
}

/// Longer marks first.
const MARKS: [&str; 11] = ["..=", "..", "->", "=", ",", ":", "(", ")", "[", "]", "{"];

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, ParseError> {
    let mut tokens = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i as u32 + 1;
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next().filter(|c| *c != '#') {
            if rest.starts_with("//") {
                break;
            }
            let (token, len) = token(rest, first).map_err(|message| ParseError { line: number, message })?;
            // A block may end on the line of its last statement.
            if token == Token::Mark("}") {
                tokens.push((Token::Newline, number));
            }
            tokens.push((token, number));
            rest = rest[len..].trim_start();
        }
        tokens.push((Token::Newline, number));
    }
    tokens.push((Token::End, text.lines().count().max(1) as u32));
    Ok(tokens)
}

/// The token at the start of `rest` and its length in bytes.
fn token(rest: &str, first: char) -> Result<(Token, usize), String> {
    let word = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    match first {
        '"' => text(rest),
        ';' => Ok((Token::Newline, 1)),
        '}' => Ok((Token::Mark("}"), 1)),
        '0'..='9' => Ok(number(rest)),
        '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => Ok(number(rest)),
        '-' if rest[1..].starts_with("inf") => Ok((Token::Number("-inf".into()), 4)),
        'a'..='z' | 'A'..='Z' | '_' => {
            let len = word(rest);
            let text = rest[..len].to_string();
            Ok((if text == "inf" { Token::Number(text) } else { Token::Word(text) }, len))
        }
        _ => match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => Ok((Token::Mark(mark), mark.len())),
            None => Err(format!("unexpected character `{first}`")),
        },
    }
}

fn number(rest: &str) -> (Token, usize) {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            // The sign of an exponent.
            let exponent = matches!(bytes[at], b'e' | b'E') && !rest.starts_with("0x");
            at += if exponent && matches!(bytes.get(at + 1), Some(b'+' | b'-')) { 2 } else { 1 };
        }
        at
    };
    let mut end = digits(usize::from(bytes[0] == b'-'));
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    (Token::Number(rest[..end].to_string()), end)
}

fn text(rest: &str) -> Result<(Token, usize), String> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Text(text), at + 1)),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let hex: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                    let code = u32::from_str_radix(hex.trim_start_matches('{'), 16).ok();
                    text.push(code.and_then(char::from_u32).ok_or("no character has this escape's number")?);
                }
                Some(c @ ('"' | '\\')) => text.push(c),
                _ => return Err("unknown escape in a text".into()),
            },
            c => text.push(c),
        }
    }
    Err("a text has no closing quote".into())
}
