//! `pack` of arrays, and `unpack` and `unpack1` of Strings, by a format that is written out: each directive becomes calls
//! of what writes or reads it (`packing.rb`).

use super::{Invocation, Row, carrying, naming};
use crate::infer::{Condition, Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::string_layout::Encoding;
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    naming("unpack", |s, c| unpack(s, c, false)),
    naming("unpack1", |s, c| unpack(s, c, true)),
    carrying("#as_float", |s, c| {
        super::math::float(s, &c.args[0], 0).map_or_else(Operand::bottom, Operand::float)
    }),
];

pub(super) const ARRAY_ROWS: &[Row] = &[carrying("pack", pack)];

const CHANGED: &str = "`unpack` by a format that was changed cannot run in a section [unsupported-string]\n  hint: write the format out";

/// So many values are told apart by their place; more are a list of as many as there are.
const MOST_VALUES: i64 = 64;

/// What a directive reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Integer {
        width: i64,
        big: bool,
        signed: bool,
    },
    Float {
        width: i64,
        big: bool,
    },
    Characters,
    /// Integers in digits to the base 128, which tell whether there are more: BER.
    Compressed,
    /// 0: as it is, 1: without spaces and zeros at its end, 2: up to the first zero.
    Text(i64),
    Bits {
        high: bool,
    },
    Digits {
        high: bool,
    },
    Base64,
    Skip,
    /// So many bytes back.
    Back,
    /// At so many bytes from the beginning on.
    Place,
}

impl What {
    /// Does it tell where the next one is, and stand for no value?
    const fn moves(self) -> bool {
        matches!(self, Self::Skip | Self::Back | Self::Place)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Directive {
    what: What,
    /// None: as many as there are.
    count: Option<i64>,
}

/// The directives of a format; none where it has others than sections have.
fn directives(format: &str) -> Option<Vec<Directive>> {
    let mut all = Vec::new();
    let mut rest = format.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_ascii_whitespace() || letter == '\0' {
            continue;
        }
        if letter == '#' {
            while rest.next_if(|c| *c != '\n').is_some() {}
            continue;
        }
        let (mut native, mut order) = (false, None);
        while let Some(modifier) = rest.next_if(|c| "_!<>".contains(*c)) {
            if !"sSiIlLqQjJ".contains(letter) {
                return None;
            }
            match modifier {
                '<' | '>' if order.is_some_and(|known| known != modifier) => return None,
                '<' | '>' => order = Some(modifier),
                _ => native = true,
            }
        }
        let count = if rest.next_if_eq(&'*').is_some() {
            // Either means another number in `pack` than in `unpack`.
            if "@X".contains(letter) {
                return None;
            }
            None
        } else {
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            if digits.is_empty() && letter == '@' {
                return None;
            }
            Some(if digits.is_empty() { 1 } else { digits.parse::<i32>().ok()?.into() })
        };
        let integer = |width, signed| What::Integer { width, big: order == Some('>'), signed };
        let what = match letter {
            'c' => integer(1, true),
            'C' => integer(1, false),
            's' => integer(2, true),
            'S' => integer(2, false),
            'i' => integer(4, true),
            'I' => integer(4, false),
            'l' => integer(if native { 8 } else { 4 }, true),
            'L' => integer(if native { 8 } else { 4 }, false),
            'q' | 'j' => integer(8, true),
            'Q' | 'J' => integer(8, false),
            'n' => What::Integer { width: 2, big: true, signed: false },
            'N' => What::Integer { width: 4, big: true, signed: false },
            'v' => integer(2, false),
            'V' => integer(4, false),
            'D' | 'd' | 'E' => What::Float { width: 8, big: false },
            'G' => What::Float { width: 8, big: true },
            'F' | 'f' | 'e' => What::Float { width: 4, big: false },
            'g' => What::Float { width: 4, big: true },
            'U' => What::Characters,
            'w' => What::Compressed,
            'a' => What::Text(0),
            'A' => What::Text(1),
            'Z' => What::Text(2),
            'B' => What::Bits { high: true },
            'b' => What::Bits { high: false },
            'H' => What::Digits { high: true },
            'h' => What::Digits { high: false },
            'm' => What::Base64,
            'x' => What::Skip,
            'X' => What::Back,
            '@' => What::Place,
            _ => return None,
        };
        all.push(Directive { what, count });
    }
    Some(all)
}

fn unpack(s: &mut Lowerer<'_>, call: &Invocation, first: bool) -> Operand {
    let ([format], [] | [_]) = (&call.args[..], &call.keywords[..]) else {
        s.one_argument(call);
        return Operand::bottom();
    };
    let offset = match call.keywords.first() {
        Some((name, offset)) if name == "offset" => Some(offset.clone()),
        Some((name, _)) => {
            let unknown = format!("unknown keyword: :{name}");
            return s.fail(ErrorKind::ArgumentError(unknown), &[]);
        }
        None => None,
    };
    if call.block.is_some() {
        return s.refuse_here(
            "unsupported-method",
            format!("`{}` with a block cannot run in a section", call.name),
            Some("go through the array that it gives without".into()),
        );
    }
    let receiver = call.receiver.clone();
    s.switch(format, 0, &mut |s, format| {
        if s.b.is_dead() || format.is_bottom() {
            return Operand::bottom();
        }
        if !format.types.single().is_some_and(Type::is_string) {
            return s.fail_conversion("no implicit conversion of ", &format, " into String");
        }
        let Some(text) = s.b.text(format.value()) else {
            return refuse(s, "by a format that is put together", "write the format out");
        };
        if s.unchanging_text(&format).is_none() {
            let same = s.is_text(&format, &text);
            s.check(same, ErrorKind::Unsupported(CHANGED.into()), &[]);
        }
        let at = match &offset {
            Some(offset) => s.send(&receiver, "#unpack_offset", std::slice::from_ref(offset), 2),
            None => Operand::integer(s.b.i64(0)),
        };
        match directives(&text) {
            Some(_) if s.b.is_dead() || at.is_bottom() => Operand::bottom(),
            Some(all) if first => first_of(s, &receiver, at, &all),
            Some(all) => all_of(s, &receiver, at, &all),
            None => refuse(
                s,
                &format!("by {text:?}"),
                "use acsilqjmwACSILQJnNvVdDfFeEgGUBbHhZ, x, X and @ with a number",
            ),
        }
    })
}

fn refuse(s: &mut Lowerer<'_>, what: &str, hint: &str) -> Operand {
    let name = s.builtin_name().unwrap_or_else(|| "unpack".into());
    s.refuse_here("unsupported-string", format!("`{name}` {what} cannot run in a section"), Some(hint.into()))
}

/// `unpack1`. Where a number is not there, Ruby goes on to the next directive.
fn first_of(s: &mut Lowerer<'_>, receiver: &Operand, mut at: Operand, all: &[Directive]) -> Operand {
    for (number, directive) in (0..).zip(all) {
        if directive.what.moves() {
            at = next(s, receiver, &at, *directive, number);
        } else if !directive.is_number() || directive.count != Some(0) {
            let found = value(s, receiver, &at, directive.what, directive.text_count(), number);
            let rest = &all[number as usize + 1..];
            if rest.is_empty() || !directive.is_number() {
                return found;
            }
            return s.within_slot(0x200 + number, |s| {
                s.switch(&found, 0, &mut |s, found| match found.types.single() {
                    Some(Type::Nil) if directive.what == What::Compressed => {
                        let end = Operand::integer(s.string_size(receiver));
                        first_of(s, receiver, end, rest)
                    }
                    Some(Type::Nil) => first_of(s, receiver, at.clone(), rest),
                    _ => found,
                })
            });
        }
        if s.b.is_dead() {
            return Operand::bottom();
        }
    }
    Operand::nil()
}

/// `unpack`: values side by side where it is known how many there are, else a list.
fn all_of(s: &mut Lowerer<'_>, receiver: &Operand, mut at: Operand, all: &[Directive]) -> Operand {
    if let [Directive { what, count: None }] = all
        && all[0].is_number()
        && *what != What::Compressed
    {
        return list(s, receiver, &at, *what);
    }
    let counts = all.iter().map(|one| if one.is_number() { one.known_count() } else { Some(1) });
    if counts.sum::<Option<i64>>().is_none_or(|count| count > MOST_VALUES) {
        return listed(s, receiver, at, all);
    }
    let mut values = Vec::new();
    for (number, directive) in (0..).zip(all) {
        let count = if directive.is_number() { directive.count.unwrap_or(0) } else { 1 };
        for _ in 0..count {
            if !directive.what.moves() {
                let slot = values.len() as u32;
                values.push(value(s, receiver, &at, directive.what, directive.text_count(), slot));
            }
            at =
                next(s, receiver, &at, *directive, 0x200 + number * MOST_VALUES as u32 + values.len() as u32);
            if s.b.is_dead() {
                return Operand::bottom();
            }
        }
    }
    s.tuple(&values)
}

/// The same as a list.
fn listed(s: &mut Lowerer<'_>, receiver: &Operand, mut at: Operand, all: &[Directive]) -> Operand {
    let room = Operand::integer(s.b.i64(all.len() as i64 + 8));
    let out = s.send(receiver, "#list", &[room], 1);
    for (number, directive) in (0..).zip(all) {
        if s.b.is_dead() || at.is_bottom() || out.is_bottom() {
            return Operand::bottom();
        }
        if !directive.is_number() {
            if !directive.what.moves() {
                let found = value(s, receiver, &at, directive.what, directive.text_count(), number);
                if s.b.is_dead() {
                    return Operand::bottom();
                }
                s.within_slot(0x100 + number, |s| s.send(&out, "#push", &[found], 1));
            }
            at = next(s, receiver, &at, *directive, 0x200 + number);
            continue;
        }
        let count = Operand::integer(s.b.i64(directive.count.unwrap_or(-1)));
        let (name, arguments) = match directive.what {
            What::Integer { width, big, signed } => {
                ("#unpack_integers_to", number_arguments(s, width, &[big, signed]))
            }
            What::Float { width, big } => ("#unpack_floats_to", number_arguments(s, width, &[big])),
            What::Compressed => ("#unpack_compressed_to", Vec::new()),
            _ => ("#unpack_characters_to", Vec::new()),
        };
        if let (What::Integer { width, .. } | What::Float { width, .. }, Some(_)) =
            (directive.what, directive.count)
        {
            let from = at.clone();
            let numbers = [vec![count.clone(), out.clone()], arguments].concat();
            at = send(s, receiver, name, &at, numbers, number);
            let missing = [vec![count, out.clone()], number_arguments(s, width, &[])].concat();
            send(s, receiver, "#unpack_missing_to", &from, missing, 0x100 + number);
        } else {
            let numbers = [vec![count, out.clone()], arguments].concat();
            at = send(s, receiver, name, &at, numbers, number);
        }
    }
    out
}

impl Directive {
    /// Is its count one of values?
    const fn is_number(self) -> bool {
        matches!(self.what, What::Integer { .. } | What::Float { .. } | What::Characters | What::Compressed)
    }

    /// How many values it gives, whatever there is to be read.
    const fn known_count(self) -> Option<i64> {
        if matches!(self.what, What::Characters | What::Compressed) { None } else { self.count }
    }

    /// How long a text is.
    fn text_count(self) -> Option<i64> {
        self.count.filter(|_| !self.is_number())
    }
}

/// What is read from a byte on; `count` is that of a text, a negative one all.
fn value(
    s: &mut Lowerer<'_>,
    receiver: &Operand,
    at: &Operand,
    what: What,
    count: Option<i64>,
    slot: u32,
) -> Operand {
    let count = Operand::integer(s.b.i64(count.unwrap_or(-1)));
    let (name, arguments) = match what {
        What::Integer { width, big, signed } => {
            ("#unpack_integer", number_arguments(s, width, &[big, signed]))
        }
        What::Float { width, big } => ("#unpack_float", number_arguments(s, width, &[big])),
        What::Characters => ("#unpack_character", Vec::new()),
        What::Compressed => ("#unpack_compressed", Vec::new()),
        What::Text(kind) => ("#unpack_text", vec![count, Operand::integer(s.b.i64(kind))]),
        What::Bits { high } => ("#unpack_bits", vec![count, Operand::bool(s.b.bool(high))]),
        What::Digits { high } => ("#unpack_digits", vec![count, Operand::bool(s.b.bool(high))]),
        What::Base64 => ("#unpack_base64", vec![count]),
        What::Skip | What::Back | What::Place => return Operand::nil(),
    };
    send(s, receiver, name, at, arguments, slot)
}

/// All numbers from a byte on.
fn list(s: &mut Lowerer<'_>, receiver: &Operand, at: &Operand, what: What) -> Operand {
    let (name, arguments) = match what {
        What::Integer { width, big, signed } => {
            ("#unpack_integers", number_arguments(s, width, &[big, signed]))
        }
        What::Float { width, big } => ("#unpack_floats", number_arguments(s, width, &[big])),
        _ => ("#unpack_characters", Vec::new()),
    };
    send(s, receiver, name, at, arguments, 0)
}

/// Where the next directive reads.
fn next(s: &mut Lowerer<'_>, receiver: &Operand, at: &Operand, directive: Directive, slot: u32) -> Operand {
    let count = Operand::integer(s.b.i64(directive.count.unwrap_or(-1)));
    let (name, arguments) = match directive.what {
        What::Integer { width, .. } | What::Float { width, .. } => {
            ("#behind_number", number_arguments(s, width, &[]))
        }
        // Such values are a list.
        What::Characters | What::Compressed => return Operand::bottom(),
        What::Text(kind) => ("#behind_text", vec![count, Operand::integer(s.b.i64(kind))]),
        What::Bits { .. } => ("#behind_digits", vec![count, Operand::integer(s.b.i64(8))]),
        What::Digits { .. } => ("#behind_digits", vec![count, Operand::integer(s.b.i64(2))]),
        What::Base64 => return Operand::integer(s.string_size(receiver)),
        What::Skip => ("#behind_skipped", vec![count]),
        What::Back => ("#before_skipped", vec![count]),
        What::Place => ("#unpack_place", vec![count]),
    };
    send(s, receiver, name, at, arguments, slot)
}

fn number_arguments(s: &mut Lowerer<'_>, width: i64, flags: &[bool]) -> Vec<Operand> {
    let width = Operand::integer(s.b.i64(width));
    std::iter::once(width)
        .chain(flags.iter().map(|flag| Operand::bool(s.b.bool(*flag))).collect::<Vec<_>>())
        .collect()
}

fn send(
    s: &mut Lowerer<'_>,
    receiver: &Operand,
    name: &str,
    at: &Operand,
    arguments: Vec<Operand>,
    slot: u32,
) -> Operand {
    let arguments: Vec<Operand> = std::iter::once(at.clone()).chain(arguments).collect();
    s.within_slot(slot, |s| s.send(receiver, name, &arguments, 1))
}

/// `pack`.
fn pack(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(format) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&format, 0, &mut |s, format| {
        if s.b.is_dead() || format.is_bottom() {
            return Operand::bottom();
        }
        if !format.types.single().is_some_and(Type::is_string) {
            return s.fail_conversion("no implicit conversion of ", &format, " into String");
        }
        let written = s.b.text(format.value());
        let Some((text, all)) = written.and_then(|text| directives(&text).map(|all| (text, all))) else {
            return s.send(&receiver, "#pack_by", &[format], 1);
        };
        if s.unchanging_text(&format).is_some() {
            return packed(s, &receiver, &all);
        }
        // A variable holds it, by which it may have been changed.
        let condition = Condition { value: s.is_text(&format, &text), yes: vec![], no: vec![] };
        s.branch(
            0x660,
            condition,
            |s| packed(s, &receiver, &all),
            |s| s.send(&receiver, "#pack_by", std::slice::from_ref(&format), 1),
        )
    })
}

fn packed(s: &mut Lowerer<'_>, receiver: &Operand, all: &[Directive]) -> Operand {
    let has = |kind: What| all.iter().any(|directive| directive.what == kind);
    let encoding = match all.iter().all(|one| matches!(one.what, What::Base64 | What::Characters)) {
        true if has(What::Characters) => Encoding::Utf8,
        true => Encoding::UsAscii,
        false => Encoding::Binary,
    };
    let out = s.text_in("", encoding);
    let items = match receiver.types.single() {
        Some(Type::Tuple(_)) => Some(s.tuple_items(receiver)),
        _ => None,
    };
    let (mut taken, mut slot) = (0, 0);
    for (number, directive) in all.iter().enumerate() {
        let count = match (directive.what, directive.count) {
            _ if !directive.is_number() => 1,
            (_, Some(count)) if slot as i64 + count <= MOST_VALUES => count,
            (_, None) if items.as_ref().is_some_and(|items| items.len() <= MOST_VALUES as usize) => {
                items.as_ref().map_or(0, Vec::len) as i64 - taken
            }
            (what, None) if number + 1 == all.len() => {
                let from = Operand::integer(s.b.i64(taken));
                let (name, arguments) = match what {
                    What::Integer { width, big, .. } => {
                        ("#pack_integers", number_arguments(s, width, &[big]))
                    }
                    What::Float { width, big } => ("#pack_floats", number_arguments(s, width, &[big])),
                    What::Compressed => ("#pack_compressed_all", Vec::new()),
                    _ => ("#pack_characters", Vec::new()),
                };
                let arguments: Vec<Operand> = [out.clone(), from].into_iter().chain(arguments).collect();
                return s.within_slot(slot, |s| s.send(receiver, name, &arguments, 1));
            }
            _ => {
                return refuse(
                    s,
                    "by so many numbers, or by these",
                    "write all there are of one kind (`C*`), or a few",
                );
            }
        };
        for _ in 0..count {
            slot += 1;
            let moves = match directive.what {
                What::Skip => Some("#pack_zeros"),
                What::Back => Some("#pack_back"),
                What::Place => Some("#pack_place"),
                _ => None,
            };
            if let Some(moves) = moves {
                let bytes = Operand::integer(s.b.i64(directive.count.unwrap_or(0)));
                s.within_slot(slot, |s| s.send(&out, moves, &[bytes], 1));
                if s.b.is_dead() {
                    return Operand::bottom();
                }
                continue;
            }
            let item = match &items {
                Some(items) => match items.get(taken as usize) {
                    Some(item) => item.clone(),
                    None => return s.fail(ErrorKind::ArgumentError("too few arguments".into()), &[]),
                },
                None => {
                    let index = Operand::integer(s.b.i64(taken));
                    s.within_slot(slot, |s| s.send(receiver, "#pack_item", &[index], 2))
                }
            };
            taken += 1;
            if s.b.is_dead() || item.is_bottom() {
                return Operand::bottom();
            }
            put(s, &out, &item, *directive, slot);
            if s.b.is_dead() {
                return Operand::bottom();
            }
        }
    }
    out
}

/// Appends an item.
fn put(s: &mut Lowerer<'_>, out: &Operand, item: &Operand, directive: Directive, slot: u32) {
    let count = Operand::integer(s.b.i64(directive.text_count().unwrap_or(-1)));
    let (name, arguments) = match directive.what {
        What::Integer { width, big, .. } => ("#pack_integer", number_arguments(s, width, &[big])),
        What::Float { width, big } => ("#pack_float", number_arguments(s, width, &[big])),
        What::Characters => ("#pack_character", Vec::new()),
        What::Compressed => ("#pack_compressed", Vec::new()),
        What::Text(kind) => ("#pack_text", vec![count, Operand::integer(s.b.i64(kind))]),
        What::Bits { high } => ("#pack_bits", vec![count, Operand::bool(s.b.bool(high))]),
        What::Digits { high } => ("#pack_digits", vec![count, Operand::bool(s.b.bool(high))]),
        What::Base64 => ("#pack_base64", vec![count]),
        What::Skip | What::Back | What::Place => return,
    };
    let arguments: Vec<Operand> = std::iter::once(item.clone()).chain(arguments).collect();
    s.within_slot(slot, |s| s.send(out, name, &arguments, 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_as_ruby_reads_them() {
        let one = |format: &str| directives(format).and_then(|all| all.first().copied());
        let number =
            |width, big, signed, count| Directive { what: What::Integer { width, big, signed }, count };
        assert_eq!(one("N"), Some(number(4, true, false, Some(1))));
        assert_eq!(one(" s>_3"), Some(number(2, true, true, Some(3))));
        assert_eq!(one("l!*"), Some(number(8, false, true, None)));
        assert_eq!(directives("a2 x # all\nC*").map(|all| all.len()), Some(3));
        assert_eq!(directives(""), Some(Vec::new()));
        for format in ["n>", "s<>", "y", "@", "X*", "w_", "a99999999999"] {
            assert_eq!(directives(format), None, "{format}");
        }
    }
}
