//! What every object has: identity, classes, truth; and Kernel's functions.

use super::conversions::{array, convert, hash_of, string_of};
use super::equality::{alike, asked_hash, equals, hash, identical, raw_own_hash, told_hash};
use super::random::rand;
use super::{Invocation, Row, bare, carrying, forwarding, naming, numeric, row, spreading};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{CallType, Frozen, Lowerer, Operand, RECEIVER, SUBJECT, module_of};
use crate::ir::{BinaryOp, BufferKind, Comparison, ErrorKind, MessagePart, Receiver, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ClassId, Shape, Type};

pub(super) const ROWS: &[Row] = &[
    bare("nil?", is_nil),
    bare("#as_array", |s, c| super::several_arrays::array_argument(s, &c.receiver)),
    bare("#as_zipped", |s, c| super::several_arrays::as_zipped(s, &c.receiver)),
    // Where Ruby asks no method.
    bare("#nil?", is_nil),
    // Called as users call it, from a method that is written in C.
    carrying("#asked_plus", |s, c| s.running_asked(false, |s| s.send(&c.receiver, "+", &c.args, 1))),
    bare("!", |s, c| {
        let truth = s.truth(&c.receiver);
        Operand::bool(s.b.unary(UnaryOp::Not, truth))
    }),
    carrying("==", identical),
    carrying("equal?", identical),
    // Whatever the class has for an `equal?`.
    carrying("#same", identical),
    carrying("eql?", |s, c| {
        // As ==, but of one class: 1.eql?(1.0) is false.
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        // Objects are eql? where they are the same; Strings and such have a method of their own.
        if let Some(Type::Object(..) | Type::Record(_) | Type::Made(_) | Type::Module(_)) =
            receiver.types.single()
        {
            return identical(s, c);
        }
        if matches!(receiver.types.single(), Some(Type::Range { .. })) && super::holds_range(&arg) {
            return s.opened_arguments(c, 0..1, &mut |s, c| s.send(&c.receiver, "eql?", &c.args, 2));
        }
        let Some(arg) = (match receiver.types.single_shape() {
            Some(Shape::Local | Shape::Proc) => s.understood(c, 0..1).map(|c| c.args[0].clone()),
            _ => Some(arg),
        }) else {
            return Operand::bottom();
        };
        s.switch(&arg, 0, &mut |s, arg| {
            let bools = |o: &Operand| o.types.single_shape() == Some(Shape::Bool);
            if arg.types.single() == receiver.types.single() || bools(&arg) && bools(&receiver) {
                s.send_from(&receiver, "==", &[arg], 1, CallType::Core)
            } else {
                Operand::bool(s.b.bool(false))
            }
        })
    }),
    bare("#quotes_are_even", |s, _| {
        let even = s.host.dialect().quotes_are_even;
        Operand::bool(s.b.bool(even))
    }),
    carrying("#alike", alike),
    // What the running Ruby does, as `core/` asks for it.
    // Is there a function in Rust for what is done with bytes and digits? Elsewhere Ruby's text does it.
    bare("#intrinsics?", |s, _| {
        let has = s.has_intrinsics();
        Operand::bool(s.b.bool(has))
    }),
    row("#ruby?", |s, c| {
        let name = c.args.first().and_then(|arg| s.symbol_name(arg)).unwrap_or_default();
        let fact = s.host.dialect().fact(&name).unwrap_or_default();
        Operand::bool(s.b.bool(fact))
    }),
    // A number that takes MRI one word? Integers say so themselves.
    bare("#word?", |s, c| {
        let word = c.receiver.types.single() == Some(&Type::Float);
        Operand::bool(s.b.bool(word))
    }),
    bare("#hash", hash),
    // As a `hash` of the user's gives it, which may be that of another class's objects.
    bare("#raw_hash", |s, c| match c.receiver.types.single() {
        Some(ty) if s.is_alike_by_methods(ty) => raw_own_hash(s, &c.receiver),
        _ => told_hash(s, &c.receiver),
    }),
    bare("hash", asked_hash),
    // What `join` puts together.
    carrying("#joined", |s, c| match c.receiver.types.single() {
        Some(Type::Array(_) | Type::List(_) | Type::Tuple(_)) => s.send(&c.receiver, "join", &c.args, 1),
        Some(ty) if ty.is_instance() && !ty.is_string() => joined_object(s, c),
        _ => super::text_of(s, &c.receiver),
    }),
    // May what a block does change the items of this array while it is gone through?
    bare("#items_change?", |s, c| {
        let change = super::array::items_change(s, &c.receiver);
        Operand::bool(s.b.bool(change))
    }),
    bare("#through_to_ary", |s, c| s.through_to_ary(&c.receiver)),
    // What a Hash takes as its key: a copy of what would change.
    bare("#as_key", |_, c| c.receiver.clone()),
    carrying("#new_hash", super::made_hash::literal),
    carrying("#new_hash_of_distinct", super::made_hash::literal_of_distinct),
    // What a user's class says, where the Ruby of built-ins means Ruby's own.
    carrying("#asked_order", |s, c| s.send(&c.receiver, "<=>", &c.args, 2)),
    row("#literal_of_bytes", |s, c| {
        let digits = s.symbol_name(&c.args[0]).unwrap_or_default();
        s.literal_of_bytes(&digits, false)
    }),
    row("#frozen_literal_of_bytes", |s, c| {
        let digits = s.symbol_name(&c.args[0]).unwrap_or_default();
        s.literal_of_bytes(&digits, true)
    }),
    bare("#refuse_yielded", |s, _| {
        s.refuse_here(
            "unsupported-base",
            "an `each` that yields several values, or none, cannot run in the code around parallel calls",
            Some("make an array of it first: to_a".into()),
        )
    }),
    bare("#refuse_other_keys", |s, _| s.fail(ErrorKind::Unsupported(crate::infer::OTHER_KEYS.into()), &[])),
    // As equal?, where it can be known.
    carrying("#is", |s, c| {
        let made = |o: &Operand| o.types.iter().any(|t| matches!(t, Type::Record(_)));
        if made(&c.receiver) && c.args.iter().any(made) {
            Operand::bool(s.b.bool(false))
        } else {
            identical(s, c)
        }
    }),
    carrying("#equals", equals),
    carrying("===", equals),
    carrying("!=", |s, c| {
        let equal = s.send_written(&c.receiver, "==", &c.args, 3);
        if equal.is_bottom() {
            return equal;
        }
        let truth = s.truth(&equal);
        Operand::bool(s.b.unary(UnaryOp::Not, truth))
    }),
    row("is_a?", |s, c| kind(s, c, false)),
    row("kind_of?", |s, c| kind(s, c, false)),
    row("instance_of?", |s, c| kind(s, c, true)),
    bare("class", |s, c| s.class_operand(&c.receiver)),
    bare("itself", |_, c| c.receiver.clone()),
    bare("dup", |s, c| copy(s, c, Frozen::No)),
    naming("clone", clone),
    carrying("initialize_copy", |_, c| c.receiver.clone()),
    carrying("initialize_dup", initialize_copy),
    naming("initialize_clone", initialize_copy),
    carrying("<=>", |s, c| {
        // Objects have no order of their own. Comparable's `==` asks for the order in turn, which Ruby notices.
        let same = match s.has_comparable_equality(&c.receiver) {
            true => identical(s, c),
            false => equals(s, c),
        };
        if same.is_bottom() {
            return same;
        }
        let same = s.truth(&same);
        let zero = s.b.i64(0);
        s.or_nil(same, &Operand::integer(zero))
    }),
    bare("inspect", super::shown_objects::inspect),
    bare("to_s", super::shown_objects::to_s),
    bare("frozen?", frozen),
    bare("freeze", freeze),
    row("respond_to?", responds),
    naming("to_enum", enumerator),
    naming("enum_for", enumerator),
    row("method", super::procs::method),
    forwarding("send", |s, c| send(s, c, CallType::Own)),
    forwarding("__send__", |s, c| send(s, c, CallType::Own)),
    forwarding("public_send", |s, c| s.running_asked(false, |s| send(s, c, CallType::Outside))),
    row("instance_variable_get", |s, c| {
        if s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        variable(s, c, &mut |s, name| s.read_ivar(&c.receiver, name))
    }),
    row("instance_variable_defined?", |s, c| {
        if s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        variable(s, c, &mut |s, name| {
            let is_set = s.is_ivar_set(&c.receiver, name);
            if is_set.is_bottom() {
                return is_set;
            }
            Operand::bool(s.truth(&is_set))
        })
    }),
    carrying("instance_variable_set", |s, c| {
        if !s.count_arguments(c, 2, 2) {
            return Operand::bottom();
        }
        variable(s, c, &mut |s, name| {
            s.write_ivar(&c.receiver, name, &c.args[1]);
            c.args[1].clone()
        })
    }),
    numeric("#to_int", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 14, &mut |s, arg| match arg.types.single() {
            Some(ty) if crate::infer::is_big_integer(ty) => arg,
            _ => match super::integer::integer_argument(s, &c.with_args(vec![arg])) {
                Some(value) => Operand::integer(value),
                None => Operand::bottom(),
            },
        })
    }),
    // nil as an index is told in another way.
    numeric("#to_long", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        match super::integer::to_integer_argument(s, &arg) {
            Some(value) => Operand::integer(value),
            None => Operand::bottom(),
        }
    }),
    carrying("#compare_failed", |s, c| {
        s.each_of_bool(&c.receiver, &mut |s, receiver| {
            let class = receiver.types.iter().next().map(crate::infer::class_of);
            let before =
                format!("comparison of {} with ", class.map_or_else(String::new, |c| s.host.class_name(c)));
            s.switch(&c.args[0], 0, &mut |s, arg| s.fail_about(false, before.clone(), &arg, " failed".into()))
        })
    }),
    // The members of a Struct or Data, whatever its own methods give.
    bare("#items", super::structs::items),
    carrying("#inspect", super::structs::inspect),
    bare("#inspect_again", super::structs::again),
    carrying("#peer", |s, c| {
        // The other object where it is of exactly the receiver's class.
        let class = c.receiver.types.iter().next().map(crate::infer::class_of);
        s.switch(&c.args[0], 0, &mut |_, arg| match arg.types.single() {
            Some(ty @ (Type::Object(..) | Type::Record(_) | Type::Made(_)))
                if Some(crate::infer::class_of(ty)) == class =>
            {
                arg
            }
            _ => Operand::nil(),
        })
    }),
    row("#no_side", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, arg| {
            let class = arg.types.iter().next().map(crate::infer::class_of);
            let class = class.map_or_else(String::new, |c| s.host.class_name(c));
            let message = format!("wrong argument type {class} (must be numeric, true, false or nil)");
            s.fail(ErrorKind::TypeError(message), &[])
        })
    }),
    row("rand", rand),
    carrying("Array", array),
    carrying("Hash", hash_of),
    carrying("String", string_of),
    row("Integer", |s, c| convert(s, c, true)),
    spreading("format", super::string_format::format),
    spreading("sprintf", super::string_format::format),
    row("Float", |s, c| convert(s, c, false)),
];

/// What `super` of an `initialize` comes to in the end: it takes nothing and does nothing.
pub(super) const INITIALIZE: Row = spreading("initialize", |s, c| {
    if !c.args.is_empty() {
        if c.splat.is_some() {
            return s.refuse_splat();
        }
        return super::wrong_count(s, c.args.len(), "0");
    }
    if let Some(splat) = &c.splat {
        let size = s.send(splat, "size", &[], 1);
        if size.is_bottom() {
            return size;
        }
        let zero = s.b.i64(0);
        let none = s.b.compare(Comparison::Eq, size.value(), zero);
        let message = vec![
            MessagePart::Text("wrong number of arguments (given ".into()),
            MessagePart::Value(Receiver::Integer),
            MessagePart::Text(", expected 0)".into()),
        ];
        let error = ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(message) };
        s.check(none, error, &[size.value()]);
    }
    Operand::nil()
});

pub(super) const SYMBOL_ROWS: &[Row] = &[
    bare("to_sym", |_, c| c.receiver.clone()),
    bare("intern", |_, c| c.receiver.clone()),
    carrying("match", super::regexp::find),
    // The String that is its name.
    bare("#name", |s, c| match s.host.symbol_names() {
        Err(refusal) => s.refuse(refusal),
        Ok(strings) => {
            let names = s.buffer(BufferKind::SymbolNames, Ty::I32);
            let name = s.b.load_index(names, c.receiver.value());
            Operand::one(Type::Object(strings, ClassId::STRING), name)
        }
    }),
    bare("to_proc", |s, c| {
        super::named(s, &c.name, Some(&c.receiver), &mut |s, name| {
            let block = s.symbol_block(name.to_string());
            s.kept_block(&block)
        })
    }),
    carrying("==", identical),
    carrying("<=>", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 0, &mut |s, arg| {
            if arg.types.single() != Some(&Type::Symbol) {
                return Operand::nil();
            }
            let (a, b) = (rank(s, c.receiver.value()), rank(s, arg.value()));
            let (less, more) = (s.b.compare(Comparison::Lt, a, b), s.b.compare(Comparison::Gt, a, b));
            let (minus, zero, one) = (s.b.i64(-1), s.b.i64(0), s.b.i64(1));
            let order = s.b.select(more, one, zero);
            Operand::integer(s.b.select(less, minus, order))
        })
    }),
];

/// A symbol's place in the order of names.
fn rank(s: &mut Lowerer<'_>, symbol: Value) -> Value {
    let ranks = s.buffer(BufferKind::SymbolRanks, Ty::I32);
    s.b.load(ranks, symbol, Ty::I32, false)
}

/// nil, true and false.
pub(super) const LOGIC_ROWS: &[Row] = &[
    carrying("&", |s, c| logic(s, c, BinaryOp::AndB)),
    carrying("|", |s, c| logic(s, c, BinaryOp::OrB)),
    carrying("^", |s, c| logic(s, c, BinaryOp::XorB)),
];

pub(super) const NIL_ROWS: &[Row] = &[
    bare("to_i", |s, _| Operand::integer(s.b.i64(0))),
    bare("to_f", |s, _| Operand::float(s.b.f64(0.0))),
    bare("to_a", |s, _| s.tuple(&[])),
    bare("to_h", super::made_hash::literal),
    carrying("=~", |s, c| {
        let _ = s.one_argument(c);
        Operand::nil()
    }),
];

/// Numbers, symbols, nil, true and false always are.
fn frozen(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match call.receiver.types.single_shape() {
        Some(Shape::Object(hierarchy)) => {
            let value = s.is_frozen(hierarchy, call.receiver.value());
            Operand::bool(value)
        }
        Some(Shape::Array(kind)) => {
            let value = s.is_frozen_row(kind, &call.receiver);
            Operand::bool(value)
        }
        Some(Shape::Module | Shape::Proc) => Operand::bool(s.b.bool(false)),
        Some(Shape::Local | Shape::Made) => {
            // Ranges are; arrays made here are not.
            let is_object = call.receiver.types.iter().any(Type::is_instance);
            let is_building = matches!(call.receiver.types.single(), Some(Type::Building(..)));
            let value = match call.receiver.types.single() {
                Some(Type::Range { .. }) => s.b.bool(true),
                Some(ty) if ty.is_made_hash() => s.is_frozen_hash(&call.receiver),
                _ if is_object || is_building => {
                    return s.switch(&call.receiver, 0, &mut |s, object| {
                        Operand::bool(s.is_frozen_made(&object))
                    });
                }
                _ => s.b.bool(false),
            };
            Operand::bool(value)
        }
        _ => Operand::bool(s.b.bool(true)),
    }
}

/// `freeze`, of what the section makes or what is frozen anyway.
fn freeze(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match call.receiver.types.single() {
        Some(ty) if ty.is_hash() => s.freeze_hash(&call.receiver),
        Some(Type::Record(_) | Type::Made(_) | Type::Building(..)) => s.freeze_made(&call.receiver),
        _ => call.receiver.clone(),
    }
}

/// The symbol that names a method or variable, which must be written out.
pub(super) fn literal_name(s: &mut Lowerer<'_>, call: &Invocation) -> Option<String> {
    let name = call.args.first().and_then(|arg| s.symbol_name(arg));
    if name.is_none() {
        s.refuse_here(
            "unsupported-method",
            format!("`{}` takes a literal symbol in a section", call.name),
            Some("name the method or variable in the source".into()),
        );
    }
    name
}

/// `to_enum(:name, …)`: an Enumerator of any method.
fn enumerator(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !call.keywords.is_empty() {
        return s.refuse_here(
            "unsupported-enumerator",
            format!("`{}` with keywords cannot run in a section", call.name),
            Some("have the method take positional arguments".into()),
        );
    }
    let (name, args) = match call.args.split_first() {
        None => (Some("each".into()), &[][..]),
        Some((_, args)) => (literal_name(s, call), args),
    };
    let Some(name) = name else { return Operand::bottom() };
    // The block tells its size only.
    let name = super::named_enumerator(&name, call.block.is_some());
    super::make_enumerator(s, &name, &call.receiver, args)
}

/// `respond_to?(:name)`, and `respond_to?(:name, true)`, which asks for private and protected methods, too.
fn responds(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 1, 2) {
        return Operand::bottom();
    }
    let Some(all) = call.args.get(1) else { return responds_to(s, call, false) };
    let all = s.truth(all);
    if let Some(all) = s.b.constant(all) {
        return responds_to(s, call, all != 0);
    }
    let condition = crate::infer::Condition { value: all, yes: vec![], no: vec![] };
    s.branch(38, condition, |s| responds_to(s, call, true), |s| responds_to(s, call, false))
}

fn responds_to(s: &mut Lowerer<'_>, call: &Invocation, all: bool) -> Operand {
    super::named(s, &call.name, call.args.first(), &mut |s, name| {
        let Some(ty) = call.receiver.types.iter().next().cloned() else { return Operand::bottom() };
        let mut find = |name: &str| {
            let found = match &ty {
                Type::Module(module) => s.host.singleton_method(*module, name),
                other => s.host.method(crate::infer::class_of(other), name),
            };
            // What a `method_missing` answers is no method.
            found.or_else(|refusal| if refusal.slug == "method-missing" { Ok(None) } else { Err(refusal) })
        };
        let found = match find(name) {
            Err(refusal) => return s.refuse(refusal),
            Ok(found) => found,
        };
        let is_there = found.is_some_and(|f| all || f.visibility == crate::infer::host::Visibility::Public);
        // What a `respond_to_missing?` of the user's says counts where there is no such method.
        let asked = match find("respond_to_missing?") {
            Ok(Some(FoundMethod { method: Method::Ruby(_), .. })) if !is_there => true,
            Err(refusal) if !is_there => return s.refuse(refusal),
            _ => false,
        };
        if !asked {
            return Operand::bool(s.b.bool(is_there));
        }
        let (symbol, all) = (s.symbol(name), Operand::bool(s.b.bool(all)));
        let answer = s.send_from(&call.receiver, "respond_to_missing?", &[symbol, all], 39, CallType::Own);
        if answer.is_bottom() {
            return answer;
        }
        let answer = s.truth(&answer);
        Operand::bool(answer)
    })
}

/// `send(:name, arguments)`.
fn send(s: &mut Lowerer<'_>, call: &Invocation, call_type: CallType) -> Operand {
    if call.args.is_empty() {
        return s.fail(ErrorKind::ArgumentError("no method name given".into()), &[]);
    }
    super::named(s, &call.name, call.args.first(), &mut |s, name| {
        let mut arguments = call.with_args(call.args[1..].to_vec()).arguments(false);
        s.copy_lone_splat(&mut arguments);
        if arguments.has_bottom() || s.b.is_dead() {
            return Operand::bottom();
        }
        s.dispatch(&call.receiver, name, &arguments, call.block.clone(), call_type)
    })
}

/// Does `f` with the instance variable that the first argument names, as in `instance_variable_get(:@name)`.
fn variable(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    f: &mut dyn FnMut(&mut Lowerer<'_>, &str) -> Operand,
) -> Operand {
    super::named(s, &call.name, call.args.first(), &mut |s, name| match call.receiver.types.single() {
        // Ruby looks at the name first, whatever it is asked of.
        _ if !names_variable(name) => refuse_variable_name(s, call, name),
        Some(ty) if ty.is_instance() || matches!(ty, Type::Building(..)) => f(s, name),
        _ => s.refuse_here(
            "unsupported-method",
            format!("`{}` is for the instance variables of objects in a section", call.name),
            Some("ask an object of a class of your own".into()),
        ),
    })
}

/// Is it `@` and behind that the name of a local variable or constant?
fn names_variable(name: &str) -> bool {
    let is_letter = |c: char| c == '_' || c.is_ascii_alphabetic() || !c.is_ascii();
    name.strip_prefix('@').is_some_and(|rest| {
        rest.starts_with(is_letter) && rest.chars().all(|c| is_letter(c) || c.is_ascii_digit())
    })
}

fn refuse_variable_name(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    // Others are told escaped, by what is printable in an encoding.
    if !name.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        return s.refuse_here(
            "unsupported-method",
            "a name that is not allowed as that of an instance variable cannot be told in a section",
            Some("write it with its @".into()),
        );
    }
    let open = if s.host.dialect().quotes_are_even { '\'' } else { '`' };
    let message = format!("{open}{name}' is not allowed as an instance variable name");
    let given = [(RECEIVER, call.receiver.clone()), (SUBJECT, call.args[0].clone())];
    s.fail_keeping(ClassId::NAME_ERROR, vec![MessagePart::Text(message)], &[], &given)
}

/// The same object, or the same immediate value.
fn is_nil(s: &mut Lowerer, c: &Invocation) -> Operand {
    let value = s.b.bool(c.receiver.types.single() == Some(&Type::Nil));
    Operand::bool(value)
}

/// An object among what `join` puts together: MRI asks for its `to_str`, its `to_ary` and its `to_s`.
fn joined_object(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if s.responds(&call.receiver, "to_str") {
        let text = s.send_from(&call.receiver, "to_str", &[], 14, CallType::Own);
        return match text.types.iter().all(Type::is_string) {
            true => text,
            false => s.refuse_here(
                "unsupported-argument",
                "`join` with an object whose `to_str` may give no String cannot run in a section",
                Some("give it Strings".into()),
            ),
        };
    }
    let list = s.through_to_ary(&call.receiver);
    s.switch(&list, 15, &mut |s, part| match part.types.single() {
        Some(Type::Array(_) | Type::List(_) | Type::Tuple(_)) => s.send(&part, "join", &call.args, 1),
        _ => super::text_of(s, &part),
    })
}

/// `dup` and `clone`: what is no value gets another one like it.
fn copy(s: &mut Lowerer<'_>, call: &Invocation, frozen: Frozen) -> Operand {
    let Some(ty) = call.receiver.types.single() else { return call.receiver.clone() };
    if s.keep_building(&call.receiver.types) {
        return Operand::bottom();
    }
    let class = crate::infer::class_of(ty);
    match ty {
        Type::Object(..) if s.host.is_opaque(class) && !s.is_random(ty) => {
            let name = s.host.class_name(class);
            s.refuse_here(
                "unsupported-method",
                format!("`{name}#{}` cannot run in a section", call.name),
                Some("copy it before the section".into()),
            )
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_) => {
            s.copy_instance(&call.receiver, &call.name, frozen)
        }
        _ => call.receiver.clone(),
    }
}

fn clone(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let frozen = match &call.keywords[..] {
        [] => Some(Frozen::AsIs),
        [(name, value)] if name == "freeze" => match value.types.single() {
            Some(Type::True) => Some(Frozen::Yes),
            Some(Type::False) => Some(Frozen::No),
            Some(Type::Nil) => Some(Frozen::AsIs),
            _ => None,
        },
        _ => None,
    };
    let Some(frozen) = frozen else {
        return s.refuse_here(
            "unsupported-method",
            "`clone` with such keywords cannot run in a section",
            Some("write freeze: true or freeze: false, or nothing".into()),
        );
    };
    if !s.count_arguments(&Invocation { keywords: vec![], ..call.with_args(call.args.clone()) }, 0, 0) {
        return Operand::bottom();
    }
    copy(s, call, frozen)
}

/// What `initialize_dup` and `initialize_clone` of all objects do.
fn initialize_copy(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.send_from(&call.receiver, "initialize_copy", &call.args, 9, CallType::Own)
}

fn kind(s: &mut Lowerer<'_>, call: &Invocation, exact: bool) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| match module_of(&arg) {
        Some(class) => s.is_instance(&call.receiver, class, exact),
        None => s.fail(ErrorKind::TypeError("class or module required".into()), &[]),
    })
}

/// `true & x`, `nil | x`: not short-circuit.
fn logic(s: &mut Lowerer<'_>, call: &Invocation, op: BinaryOp) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let (a, b) = (s.truth(&call.receiver), s.truth(&arg));
    Operand::bool(s.b.binary(op, a, b))
}
