//! `format` of a text that is written out and that nobody can change: it is taken apart while compiling. What stands
//! between directives are constants of the code, and each directive is one call (`core/text/string_format.rb`,
//! `changed_string_format.rb`). What is not plain here is left to `#format`, which goes through the text as it runs.

use crate::infer::{Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::types::Type;

/// The flags of a directive, as those files have them.
const FLAGS: [(char, i64); 5] = [('-', 1), ('+', 2), (' ', 4), ('0', 8), ('#', 16)];

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Directive(Directive),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Directive {
    letter: char,
    flags: i64,
    /// -1: none.
    width: i64,
    precision: i64,
}

impl Directive {
    const fn is_bare(self) -> bool {
        self.flags == 0 && self.width < 0 && self.precision < 0
    }
}

/// The pieces of a format; none where it is not plain: with names, places, widths that are arguments, or wrong.
fn pieces(format: &str) -> Option<Vec<Piece>> {
    let mut all = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        if !text.is_empty() {
            all.push(Piece::Text(std::mem::take(&mut text)));
        }
        let (directive, after) = directive(after)?;
        all.push(Piece::Directive(directive));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        all.push(Piece::Text(text));
    }
    Some(all)
}

/// What stands behind a `%`, and the rest.
fn directive(text: &str) -> Option<(Directive, &str)> {
    let mut flags = 0;
    let mut rest = text;
    while let Some((_, flag)) = FLAGS.iter().find(|(letter, _)| rest.starts_with(*letter)) {
        flags |= flag;
        rest = &rest[1..];
    }
    let (width, mut rest) = number(rest)?;
    let mut precision = None;
    if let Some(after) = rest.strip_prefix('.') {
        let (digits, after) = number(after)?;
        (precision, rest) = (Some(digits.unwrap_or(0)), after);
    }
    let letter = rest.chars().next().filter(|letter| "spcdiuxXobBfeEgGaA".contains(*letter))?;
    let [width, precision] = [width, precision].map(|number| number.unwrap_or(-1));
    Some((Directive { letter, flags, width, precision }, &rest[1..]))
}

fn number(text: &str) -> Option<(Option<i64>, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = match digits {
        0 => None,
        _ => Some(text[..digits].parse::<i32>().ok()?.into()),
    };
    Some((number, &text[digits..]))
}

/// What `format` gives of these values, if the text is plain.
pub(super) fn taken_apart(s: &mut Lowerer<'_>, format: &str, values: &[Operand]) -> Option<Operand> {
    let pieces = pieces(format)?;
    let room = s.b.i64(format.len() as i64 + 8 * values.len() as i64);
    let out = match pieces.first() {
        Some(Piece::Text(text)) => s.begun_text(text, room),
        _ => s.begun_text("", room),
    };
    let mut values = values.iter();
    for (number, piece) in (0..).zip(&pieces) {
        let put = s.within_slot(0x680 + number, |s| match piece {
            Piece::Text(_) if number == 0 => Operand::nil(),
            Piece::Text(text) => s.put_written(&out, text, "#any_word"),
            Piece::Directive(directive) => match values.next() {
                Some(value) => put(s, &out, *directive, value),
                None => s.fail(ErrorKind::ArgumentError("too few arguments".into()), &[]),
            },
        });
        if put.is_bottom() {
            return Some(put);
        }
    }
    Some(out)
}

fn put(s: &mut Lowerer<'_>, out: &Operand, directive: Directive, value: &Operand) -> Operand {
    let Directive { letter, flags, width, precision } = directive;
    let plain = match letter {
        's' => "#put_plain_s",
        'p' => "#put_plain_p",
        'd' | 'i' | 'u' => "#put_plain_d",
        _ => "",
    };
    if directive.is_bare() && !plain.is_empty() {
        let is_number = letter == 's'
            && value.types.single() == Some(&Type::Integer)
            && !s.is_redefined(crate::types::ClassId::INTEGER, "to_s");
        let name = if is_number { "#any_decimal" } else { plain };
        return s.send(out, name, std::slice::from_ref(value), 1);
    }
    let name = match letter {
        's' => "#put_s",
        'p' => "#put_p",
        'c' => "#put_c",
        'd' | 'i' | 'u' => "#put_d",
        'f' => "#put_f",
        'e' | 'E' | 'g' | 'G' => "#put_e",
        'a' | 'A' => "#put_a",
        _ => "#put_based",
    };
    let byte = matches!(name, "#put_e" | "#put_a" | "#put_based").then_some(letter as i64);
    let numbers = byte.into_iter().chain([flags, width, precision]);
    let numbers: Vec<Operand> = numbers.map(|number| Operand::integer(s.b.i64(number))).collect();
    let arguments: Vec<Operand> = std::iter::once(value.clone()).chain(numbers).collect();
    s.send(out, name, &arguments, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(letter: char, flags: i64, width: i64, precision: i64) -> Piece {
        Piece::Directive(Directive { letter, flags, width, precision })
    }

    #[test]
    fn formats_are_taken_apart() {
        let text = |text: &str| Piece::Text(text.into());
        assert_eq!(pieces(""), Some(vec![]));
        assert_eq!(pieces("100%%!"), Some(vec![text("100%!")]));
        assert_eq!(pieces("%d%s"), Some(vec![plain('d', 0, -1, -1), plain('s', 0, -1, -1)]));
        assert_eq!(pieces("ä%-08.3f|"), Some(vec![text("ä"), plain('f', 9, 8, 3), text("|")]));
        assert_eq!(pieces("%+ #0x%.e"), Some(vec![plain('x', 30, -1, -1), plain('e', 0, -1, 0)]));
    }

    #[test]
    fn what_is_not_plain_is_left() {
        for format in
            ["%", "a%", "%y", "%*d", "%1$s", "%<a>d", "%{a}", "%5-d", "%.3.3f", "% %", "%\n", "%99999999999d"]
        {
            assert_eq!(pieces(format), None, "{format:?}");
        }
    }
}
