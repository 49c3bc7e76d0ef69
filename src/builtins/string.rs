//! String: the primitives of its methods, which are Ruby (`core/text/string*.rb`: `module String`, and `module
//! ChangedString` for those that change it). Bytes are the truth; what a character is, they find out. See
//! [`crate::infer`]'s `strings.rs` for where bytes are.

use super::string_format::{argument_at, formatted};
use super::{Invocation, Row, bare, carrying, naming, row};
use crate::infer::{CallType, Lowerer, Operand};
use crate::intrinsics::Intrinsic;
use crate::ir::{BufferKind, Comparison, ErrorKind, MessagePart, UnaryOp, Value};
use crate::scalar::Ty;
use crate::string_layout::Encoding;
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    bare("bytesize", size),
    carrying("==", equal),
    carrying("===", equal),
    carrying("eql?", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        equal_to(s, c, &other)
    }),
    bare("empty?", |s, c| {
        let (size, zero) = (s.string_size(&c.receiver), s.b.i64(0));
        Operand::bool(s.b.compare(Comparison::Eq, size, zero))
    }),
    bare("ascii_only?", |s, c| s.send(&c.receiver, "#ascii?", &[], 1)),
    bare("bytes", |s, c| parts(s, c, "each_byte")),
    bare("chars", |s, c| parts(s, c, "each_char")),
    bare("codepoints", |s, c| parts(s, c, "each_codepoint")),
    naming("lines", |s, c| parts(s, c, "#lines_to_block")),
    bare("to_s", |_, c| c.receiver.clone()),
    bare("to_str", |_, c| c.receiver.clone()),
    bare("+@", |s, c| {
        let frozen = s.is_frozen_string(&c.receiver);
        if s.b.constant(frozen) == Some(0) {
            return c.receiver.clone();
        }
        let condition = crate::infer::Condition { value: frozen, yes: vec![], no: vec![] };
        let receiver = c.receiver.clone();
        s.branch(3, condition, |s| s.send(&receiver, "#copy_string", &[], 1), |_| receiver.clone())
    }),
    bare("-@", interned),
    bare("dedup", interned),
    carrying("scrub", |s, c| scrub(s, c, ["#scrub", "#scrub_with", "#scrub_block"])),
    carrying("scrub!", |s, c| scrub(s, c, ["#scrub!", "#scrub_with!", "#scrub_block!"])),
    bare("freeze", freeze),
    carrying("split", |s, c| {
        if !s.count_arguments(c, 0, 2) {
            return Operand::bottom();
        }
        let zero = Operand::integer(s.b.i64(0));
        let separator = c.args.first().cloned().unwrap_or_else(Operand::nil);
        let limit = c.args.get(1).cloned().unwrap_or(zero);
        match &c.block {
            Some(block) => s.send_block(&c.receiver, "#split_each", &[separator, limit], Some(block.clone())),
            None => s.send(&c.receiver, "#split_all", &[separator, limit], 1),
        }
    }),
    carrying("sub", |s, c| substitute(s, c, ["#sub", "#sub_plain", "#sub_block", "#sub_hash"])),
    carrying("gsub", |s, c| substitute(s, c, ["#gsub", "#gsub_plain", "#gsub_block", "#gsub_hash"])),
    carrying("sub!", |s, c| substitute(s, c, ["#sub!", "#sub_plain!", "#sub_block!", "#sub_hash!"])),
    carrying("gsub!", |s, c| substitute(s, c, ["#gsub!", "#gsub_plain!", "#gsub_block!", "#gsub_hash!"])),
    carrying("scan", super::regexp::scan),
    carrying("match", super::regexp::find),
    naming("encode", encode),
    carrying("%", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let arg = s.through_to_ary(&arg);
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => formatted(s, &receiver, arg),
            _ => {
                let args = s.tuple(&[arg]);
                formatted(s, &receiver, args)
            }
        })
    }),
];

pub(super) const MODULE_ROWS: &[Row] = &[naming("new", |s, c| {
    if let Some((name, _)) = c.keywords.iter().find(|(name, _)| name != "capacity") {
        return s.refuse_here(
            "unsupported-new",
            format!("`String.new` with `{name}` cannot run in a section"),
            Some("use force_encoding, or encode".into()),
        );
    }
    match &c.args[..] {
        // Which is binary, until something is put behind it.
        [] => s.text_in("", Encoding::Binary),
        [text] => s.switch(text, 0, &mut |s, text| match text.types.single() {
            Some(ty) if ty.is_string() => s.send(&text, "#copy_string", &[], 1),
            _ => s.fail_conversion("no implicit conversion of ", &text, " into String"),
        }),
        args => super::wrong_count(s, args.len(), "0..1"),
    }
})];

pub(super) const COMMON: &[Row] = &[
    bare("frozen?", |s, c| Operand::bool(s.is_frozen_string(&c.receiver))),
    bare("dup", |s, c| s.send(&c.receiver, "#copy_string", &[], 1)),
    bare("clone", |s, c| {
        let copy = s.send(&c.receiver, "#copy_string", &[], 1);
        if copy.is_bottom() {
            return copy;
        }
        let frozen = s.is_frozen_string(&c.receiver);
        if s.b.constant(frozen) != Some(0) {
            let condition = crate::infer::Condition { value: frozen, yes: vec![], no: vec![] };
            s.branch(
                3,
                condition,
                |s| {
                    s.freeze_string(&copy, false);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
        }
        copy
    }),
];

pub(super) const PRIMITIVES: &[Row] = &[
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    bare("#bytesize", size),
    bare("#encoding", |s, c| Operand::integer(s.string_encoding(&c.receiver))),
    bare("#marked_ascii?", |s, c| Operand::bool(s.string_marked_ascii(&c.receiver))),
    bare("#scan_ascii?", |s, c| Operand::bool(s.scan_ascii(&c.receiver))),
    carrying("#last_index_bytes", |s, c| {
        let from = c.args[1].value();
        s.switch(&c.args[0], 0, &mut |s, other| {
            let sizes = [s.string_size(&c.receiver), s.string_size(&other)];
            asked(s, Intrinsic::LastIndexBytes, &[&c.receiver, &other], &[sizes[0], sizes[1], from])
        })
    }),
    carrying("#order_bytes", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, other| {
            let sizes = [s.string_size(&c.receiver), s.string_size(&other)];
            asked(s, Intrinsic::CompareBytes, &[&c.receiver, &other], &sizes)
        })
    }),
    bare("#valid_bytes", |s, c| {
        let size = s.string_size(&c.receiver);
        asked(s, Intrinsic::IsValid, &[&c.receiver], &[size])
    }),
    row("#count_characters", |s, c| {
        let size = s.string_size(&c.receiver);
        asked(s, Intrinsic::Characters, &[&c.receiver], &[size, c.args[0].value(), c.args[1].value()])
    }),
    row("#skip_characters", |s, c| {
        let size = s.string_size(&c.receiver);
        asked(s, Intrinsic::SkipCharacters, &[&c.receiver], &[size, c.args[0].value(), c.args[1].value()])
    }),
    row("#character_width", |s, c| {
        let size = s.string_size(&c.receiver);
        asked(s, Intrinsic::CharacterWidth, &[&c.receiver], &[size, c.args[0].value()])
    }),
    row("#character_code", |s, c| {
        asked(s, Intrinsic::CharacterCode, &[&c.receiver], &[c.args[0].value(), c.args[1].value()])
    }),
    // Of a set and an encoding.
    carrying("#count_set", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, set| {
            let sizes = [s.string_size(&c.receiver), s.string_size(&set)];
            asked(s, Intrinsic::CountSet, &[&c.receiver, &set], &[sizes[0], sizes[1], c.args[1].value()])
        })
    }),
    // What is put behind the receiver, for which there is room, of a text and sets, and numbers behind these.
    carrying("#put_reversed", |s, c| put(s, c, Intrinsic::Reverse)),
    carrying("#put_recased", |s, c| put(s, c, Intrinsic::Recase)),
    carrying("#put_without", |s, c| put(s, c, Intrinsic::DeleteSet)),
    carrying("#put_squeezed", |s, c| put(s, c, Intrinsic::SqueezeSet)),
    carrying("#put_translated", |s, c| put(s, c, Intrinsic::Translate)),
    // Words of Integers beyond 64 bits: see `core/big_integer.rb`.
    row("#put_big", |s, c| put(s, c, Intrinsic::PushBig)),
    row("#put_big_by", |s, c| put(s, c, Intrinsic::PushBigBy)),
    row("#put_power_modulo", |s, c| put(s, c, Intrinsic::PushPowerModulo)),
    carrying("#ask_big", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, other| {
            let sizes = [s.string_size(&c.receiver), s.string_size(&other)];
            let args = [sizes[0], sizes[1], c.args[1].value()];
            let answer = s.read_bytes(Intrinsic::AskBig, &[&c.receiver, &other], &args);
            answer.map_or_else(Operand::bottom, Operand::integer)
        })
    }),
    row("#put_decimal", |s, c| {
        s.push_within(
            Intrinsic::PushInteger,
            &c.receiver,
            super::rounding::DECIMAL_ROOM,
            &[c.args[0].value()],
        );
        Operand::nil()
    }),
    row("#put_code", |s, c| {
        s.push_within(Intrinsic::PushCode, &c.receiver, 4, &[c.args[0].value()]);
        c.receiver.clone()
    }),
    row("#scan_float", |s, c| {
        let args: Vec<_> = c.args.iter().map(Operand::value).collect();
        let bits = asked(s, Intrinsic::ScanFloat, &[&c.receiver], &args);
        if bits.is_bottom() { bits } else { Operand::float(s.b.unary(UnaryOp::BitsToF64, bits.value())) }
    }),
    bare("#hash", |s, c| Operand::integer(s.string_hash(&c.receiver))),
    row("#byte", |s, c| Operand::integer(s.string_byte(&c.receiver, c.args[0].value()))),
    row("#word", |s, c| Operand::integer(s.string_word(&c.receiver, c.args[0].value()))),
    row("#character_table", |s, c| {
        let table = s.symbol_name(&c.args[0]).unwrap_or_default();
        s.characters(&table)
    }),
    carrying("#same_bytes?", |s, c| {
        let (receiver, [start, other_start, count]) = (&c.receiver, [1, 2, 3].map(|i| c.args[i].value()));
        s.switch(&c.args[0], 0, &mut |s, other| {
            Operand::bool(s.same_bytes((receiver, start), (&other, other_start), count))
        })
    }),
    carrying("#index_bytes", |s, c| {
        let (receiver, from) = (&c.receiver, c.args[1].value());
        s.switch(&c.args[0], 0, &mut |s, other| Operand::integer(s.index_of_bytes(receiver, &other, from)))
    }),
    row("#build", |s, c| {
        let encoding = s.string_encoding(&c.receiver);
        s.new_string(c.args[0].value(), encoding)
    }),
    // What `rb_check_string_type` gives.
    carrying("#text_or_nil", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, other| {
            if other.types.iter().any(Type::is_string) || !s.responds(&other, "to_str") {
                return other;
            }
            let what = s.describe(&other.types);
            s.refuse_here(
                "unsupported-argument",
                format!("a String cannot be compared with {what}, which has `to_str`, in a section"),
                Some("call to_str".into()),
            )
        })
    }),
    carrying("#no_string", |s, c| {
        if refuse_pattern(s, c) {
            return Operand::bottom();
        }
        s.fail_conversion("no implicit conversion of ", &c.args[0], " into String")
    }),
    carrying("#no_pattern", |s, c| {
        if refuse_pattern(s, c) {
            return Operand::bottom();
        }
        s.fail_conversion("wrong argument type ", &c.args[0], " (expected Regexp)")
    }),
    // How many slots there are for Symbols by their names, what is in one (the number and one more, or 0), and the Symbol.
    row("#symbols_at", |s, c| {
        let symbols = s.buffer(BufferKind::SymbolIndex, Ty::I32);
        let place = s.b.unary(UnaryOp::WrapI64, c.args[0].value());
        let number = s.b.load(symbols, place, Ty::I32, false);
        Operand::integer(s.b.unary(UnaryOp::ExtendI32, number))
    }),
    row("#symbol", |s, c| {
        let number = s.b.unary(UnaryOp::WrapI64, c.args[0].value());
        Operand::one(Type::Symbol, number)
    }),
    bare("#new_symbol", |s, c| s.fail(ErrorKind::NewSymbol, &[c.receiver.value()])),
    // An argument of `format`, which there is.
    carrying("#argument_at", |s, c| {
        let index = c.args[1].value();
        match c.args[0].types.single() {
            Some(Type::Tuple(_)) => {
                let items = s.tuple_items(&c.args[0]);
                argument_at(s, &items, index, 0)
            }
            _ => s.item_at(&c.args[0], index),
        }
    }),
    // The ArgumentError of `Integer` and `Float`.
    row("#invalid_value", |s, c| {
        let name = s.symbol_name(&c.args[0]).unwrap_or_default();
        let (what, operands) = s.told(&c.receiver);
        let text = format!("invalid value for {name}(): ");
        let message = Some(vec![MessagePart::Text(text), MessagePart::Inspect(what, 0)]);
        s.fail(ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message }, &operands)
    }),
    // A Hash has a frozen copy of a String that is not frozen.
    bare("#as_key", |s, c| s.send(&c.receiver, "#frozen_copy", &[], 1)),
    bare("#may_change?", |s, c| {
        let may_change = s.string_may_change(&c.receiver);
        Operand::bool(s.b.bool(may_change))
    }),
    bare("#freeze", |s, c| {
        s.freeze_string(&c.receiver, false);
        c.receiver.clone()
    }),
    bare("#intern", |s, c| {
        s.freeze_string(&c.receiver, true);
        c.receiver.clone()
    }),
    bare("#made?", |s, c| {
        let made = c.receiver.types.iter().any(Type::is_made_string);
        Operand::bool(s.b.bool(made))
    }),
    bare("#check_frozen", |s, c| {
        if !c.receiver.types.iter().any(Type::is_made_string) {
            s.check_unfrozen_string(&c.receiver);
            return Operand::nil();
        }
        let frozen = s.is_frozen_string(&c.receiver);
        s.refuse_frozen_made(&c.receiver, ClassId::STRING, frozen);
        s.check_rowless(&c.receiver);
        Operand::nil()
    }),
    // ---- what changes it
    row("#push", |s, c| {
        if c.args[0].types.single() != Some(&Type::Integer) {
            // By type a list of arrays may hold Strings, too. What is put into one of its items is put into an array.
            return s.fail(ErrorKind::Unsupported("a String is taken for an array".into()), &[]);
        }
        s.push_byte(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    row("#push_word", |s, c| {
        s.push_word(&c.receiver, c.args[0].value(), c.args[1].value());
        c.receiver.clone()
    }),
    row("#enlarge", |s, c| {
        s.enlarge_string(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    carrying("#append_bytes", |s, c| {
        let (receiver, start, count) = (&c.receiver, c.args[1].value(), c.args[2].value());
        s.switch(&c.args[0], 0, &mut |s, other| {
            s.append_bytes(receiver, &other, start, count);
            Operand::nil()
        });
        receiver.clone()
    }),
    row("#set_byte", |s, c| {
        s.set_byte(&c.receiver, c.args[0].value(), c.args[1].value());
        c.receiver.clone()
    }),
    row("#truncate", |s, c| {
        s.truncate_string(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    row("#force", |s, c| {
        s.force_encoding(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    carrying("#take", |s, c| {
        s.take_string(&c.receiver, &c.args[0]);
        c.receiver.clone()
    }),
];

/// What an intrinsic gives that writes behind the receiver: the texts come first, then numbers. It is told the sizes of the
/// texts, too.
fn put(s: &mut Lowerer<'_>, call: &Invocation, function: Intrinsic) -> Operand {
    let (texts, numbers) = call.args.split_at(function.texts() - 1);
    put_texts(s, call, function, (&mut Vec::new(), texts), numbers)
}

/// The same with what is known of the first texts; the others may be of several kinds.
fn put_texts(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    function: Intrinsic,
    (known, rest): (&mut Vec<Operand>, &[Operand]),
    numbers: &[Operand],
) -> Operand {
    let Some((next, rest)) = rest.split_first() else {
        let mut args: Vec<_> = known.iter().map(|text| s.string_size(text)).collect();
        args.extend(numbers.iter().map(Operand::value));
        let texts: Vec<_> = known.iter().collect();
        let given = s.push_with(function, &call.receiver, &texts, &args);
        return given.map_or_else(Operand::bottom, Operand::integer);
    };
    s.switch(next, known.len() as u32, &mut |s, text| {
        known.push(text);
        let given = put_texts(s, call, function, (known, rest), numbers);
        known.pop();
        given
    })
}

/// What an intrinsic gives that only reads, where there are intrinsics.
fn asked(s: &mut Lowerer<'_>, function: Intrinsic, strings: &[&Operand], args: &[Value]) -> Operand {
    s.ask_bytes(function, strings, args).map_or_else(Operand::bottom, Operand::integer)
}

/// What is found out as the section runs: that it does not run.
pub(super) const REFUSALS: &[Row] = &[
    bare("#refuse_encoding", |s, _| {
        refuse(
            s,
            "with another encoding",
            "give the String back as it is, and encode it after the section; in it texts are UTF-8, US-ASCII or BINARY",
        )
    }),
    bare("#refuse_conversion", |s, _| {
        refuse(
            s,
            "of what is not ASCII or not valid in another encoding",
            "encode it before the section, or force_encoding",
        )
    }),
    bare("#refuse_inspect", |s, _| refuse(s, "of such characters", "do it before the section")),
    bare("#refuse_succ", |s, _| refuse(s, "of characters beyond ASCII", "do it before the section")),
    bare("#refuse_option", |s, _| refuse(s, "with this option", "use :ascii, or none")),
    bare("#refuse_mixture", |s, _| {
        refuse(s, "of such a mixture of encodings and characters beyond ASCII", "do it in several steps")
    }),
    bare("#refuse_separator", |s, _| {
        refuse(s, "with an empty or invalid separator", "split at the separator itself")
    }),
    bare("#refuse_pattern", |s, _| refuse(s, "of invalid bytes with such a pattern", "use a valid String")),
    bare("#refuse_group", |s, _| refuse(s, "with a named group", "use `\\\\0` for what was found")),
    bare("#refuse_code", |s, _| refuse(s, "of a number that is no character", "check the number before")),
    bare("#refuse_hexadecimal", |s, _| {
        let message = "hexadecimal Floats cannot be read or written in a section [unsupported-string]";
        s.fail(ErrorKind::Unsupported(format!("{message}\n  hint: use decimal digits")), &[])
    }),
    bare("#refuse_names", |s, _| {
        refuse(s, "with names, or with so large a width", "give the values in their order")
    }),
    bare("#refuse_directive", |s, _| refuse(s, "of such a format", "use what `format` of Ruby knows")),
];

/// Fails: the public method that runs cannot do that.
fn refuse(s: &mut Lowerer<'_>, what: &str, hint: &str) -> Operand {
    let name = s.public_name().map_or_else(|| crate::ir::THIS_METHOD.into(), |name| format!("`{name}`"));
    let message = format!("{name} {what} cannot run in a section [unsupported-string]\n  hint: {hint}");
    s.fail(ErrorKind::Unsupported(message), &[])
}

/// Refuses a Regexp, and what would have to be asked for a String.
fn refuse_pattern(s: &mut Lowerer<'_>, call: &Invocation) -> bool {
    let arg = &call.args[0];
    let opaque = arg.types.iter().any(|ty| s.is_opaque(ty));
    if !opaque && !s.responds(arg, "to_str") {
        return false;
    }
    // Rows of our own have no name for users.
    let own = (!call.name.starts_with('#')).then(|| format!("`{}`", call.name));
    let name = s.builtin_name().map(|name| format!("`{name}`")).or(own);
    let name = name.unwrap_or_else(|| "a method of String".into());
    let what = s.describe(&arg.types);
    s.refuse_here(
        "unsupported-argument",
        format!("{name} with {what} cannot run in a section"),
        Some("give it a String".into()),
    );
    true
}

/// `chars` and its like: with a block they are `each_char` and its like.
fn parts(s: &mut Lowerer<'_>, call: &Invocation, each: &str) -> Operand {
    if call.block.is_some() && call.args.is_empty() && call.keywords.is_empty() {
        return s.send_with_block(call, each);
    }
    let list = format!("#{}", call.name);
    let name = if call.block.is_some() { each } else { &list };
    s.dispatch(&call.receiver, name, &call.arguments(false), call.block.clone(), CallType::Own)
}

/// `sub` and `gsub`, with a String, a block or a Hash: the methods for each.
fn substitute(s: &mut Lowerer<'_>, call: &Invocation, [text, plain, block, hash]: [&str; 4]) -> Operand {
    let mut args = call.args.clone();
    if let Some(pattern) = args.first_mut() {
        *pattern = super::regexp::looked_for(s, pattern);
    }
    match (&args[..], &call.block) {
        ([_], Some(given)) => s.send_block(&call.receiver, block, &args, Some(given.clone())),
        ([_, by], _) if by.types.iter().any(Type::is_hash) => s.send(&call.receiver, hash, &args, 1),
        ([_, by], _) if s.responds(by, "to_hash") => {
            s.fail_conversion("no implicit conversion of ", by, " into Hash")
        }
        ([pattern, by], _) => {
            // It has to be a String also where nothing is found.
            let by = s.send(&call.receiver, "#string_argument", std::slice::from_ref(by), 2);
            // Where nothing in it stands for something else, that is known while compiling.
            let is_plain = s.unchanging_text(&by).is_some_and(|text| !text.contains('\\'));
            s.send(&call.receiver, if is_plain { plain } else { text }, &[pattern.clone(), by], 1)
        }
        ([_], None) if call.name.starts_with("gsub") => s.refuse_here(
            "unsupported-enumerator",
            format!("`{}` without a block cannot run in a section", call.name),
            Some("give it a block".into()),
        ),
        (args, None) if call.name.starts_with("sub") => super::wrong_count(s, args.len(), "2"),
        (args, _) => super::wrong_count(s, args.len(), "1..2"),
    }
}

/// `encode`. Characters that are invalid or not in the other encoding may have a replacement, as long as there are none.
fn encode(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    for (name, value) in &call.keywords {
        let is_known = match name.as_str() {
            "invalid" | "undef" => s.symbol_name(value).is_some_and(|value| value == "replace"),
            "replace" => value.types.iter().all(Type::is_string),
            _ => false,
        };
        if !is_known {
            return s.refuse_here(
                "unsupported-string",
                format!("`encode` with `{name}` cannot run in a section"),
                Some("encode it before the section".into()),
            );
        }
    }
    let name = if call.keywords.is_empty() { "#encode" } else { "#encode_valid" };
    s.send(&call.receiver, name, &call.args, 1)
}

fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    Operand::integer(s.string_size(&call.receiver))
}

fn equal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(other) = s.one_argument(call) else { return Operand::bottom() };
    equal_to(s, call, &other)
}

fn equal_to(s: &mut Lowerer<'_>, call: &Invocation, other: &Operand) -> Operand {
    let receiver = call.receiver.clone();
    s.switch(other, 0, &mut |s, other| match other.types.single() {
        Some(ty) if ty.is_string() => s.same_strings(&receiver, &other),
        Some(ty) if call.name != "eql?" && ty.is_instance() && s.responds(&other, "to_str") => {
            let what = s.describe(&other.types);
            s.refuse_here(
                "unsupported-argument",
                format!(
                    "`{}` of a String with {what}, which has a `to_str`, cannot run in a section",
                    call.name
                ),
                Some("call to_str on it".into()),
            )
        }
        _ => Operand::bool(s.b.bool(false)),
    })
}

/// The one of its text that is frozen. Which one that is of Strings that are frozen already, Ruby knows.
fn interned(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let receiver = &call.receiver;
    let frozen = s.is_frozen_string(receiver);
    if s.b.constant(frozen) != Some(0) {
        let free = s.b.unary(crate::ir::UnaryOp::Not, frozen);
        let interned = s.is_interned_string(receiver);
        let ok = s.b.binary(crate::ir::BinaryOp::OrB, free, interned);
        let told = "`-` of a String that is frozen gives the one that Ruby has of its text, which a section does not know \
                    [unsupported-string]\n  hint: use it as it is";
        s.check(ok, ErrorKind::Unsupported(told.into()), &[]);
    }
    s.send(receiver, "#frozen_copy", &[], 1)
}

/// With Ruby's replacement, one that is given, or what a block gives.
fn scrub(s: &mut Lowerer<'_>, call: &Invocation, names: [&str; 3]) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let given = call.args.first().filter(|text| text.types.single() != Some(&Type::Nil));
    match (given, &call.block) {
        (Some(_), Some(_)) => {
            s.fail(ErrorKind::ArgumentError("both of block and replacement given".into()), &[])
        }
        (Some(text), None) => s.send(&call.receiver, names[1], std::slice::from_ref(text), 1),
        (None, Some(block)) => s.send_block(&call.receiver, names[2], &[], Some(block.clone())),
        (None, None) => s.send(&call.receiver, names[0], &[], 1),
    }
}

/// Of a String that the section makes, or that is frozen.
fn freeze(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let receiver = &call.receiver;
    if receiver.types.iter().any(Type::is_made_string) {
        s.freeze_string(receiver, false);
        return receiver.clone();
    }
    let frozen = s.is_frozen_string(receiver);
    let (message, hint) =
        ("a String that exists cannot be frozen in a section", "freeze it before or after the section");
    if s.b.constant(frozen) == Some(0) {
        return s.refuse_here("unsupported-string", message, Some(hint.into()));
    }
    let told = format!("{message} [unsupported-string]\n  hint: {hint}");
    s.check(frozen, ErrorKind::Unsupported(told), &[]);
    receiver.clone()
}

/// `Integer` and `Float` of a String.
/// `quiet`: nil instead of an error.
pub(super) fn number(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    text: &Operand,
    integer: bool,
    quiet: bool,
) -> Operand {
    if !integer {
        return s.send(text, if quiet { "#float_or_nil" } else { "#float_of" }, &[], 1);
    }
    let base = call.args.get(1).cloned().unwrap_or_else(|| Operand::integer(s.b.i64(0)));
    s.send(text, if quiet { "#integer_or_nil" } else { "#integer_of" }, &[base], 1)
}
