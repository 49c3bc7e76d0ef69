//! What every object has: identity, classes, truth; and Kernel's functions.

use super::{Invocation, Row, bare, carrying, forwarding, naming, number_identity, row, spreading};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{CallType, Frozen, Lowerer, Operand, RECEIVER, SUBJECT, module_of};
use crate::ir::{BinaryOp, BufferKind, Comparison, ErrorKind, MessagePart, Receiver, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ClassId, RangeEnd, Shape, Type, TypeSet};

pub(super) const ROWS: &[Row] = &[
    bare("nil?", is_nil),
    bare("#as_array", |s, c| super::several_arrays::array_argument(s, &c.receiver)),
    bare("#as_zipped", |s, c| super::several_arrays::as_zipped(s, &c.receiver)),
    // Where Ruby asks no method.
    bare("#nil?", is_nil),
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
    carrying("#new_hash", super::hash::literal),
    // What a user's class says, where the Ruby of built-ins means Ruby's own.
    carrying("#asked_order", |s, c| s.send(&c.receiver, "<=>", &c.args, 2)),
    bare("#refuse_other_keys", |s, _| s.fail(ErrorKind::Unsupported(super::hash::OTHER_KEYS.into()), &[])),
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
    bare("frozen?", frozen),
    bare("freeze", freeze),
    row("respond_to?", responds),
    naming("to_enum", enumerator),
    naming("enum_for", enumerator),
    row("method", super::procs::method),
    forwarding("send", |s, c| send(s, c, CallType::Own)),
    forwarding("__send__", |s, c| send(s, c, CallType::Own)),
    forwarding("public_send", |s, c| send(s, c, CallType::Outside)),
    row("instance_variable_get", |s, c| {
        if s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        variable(s, c, &mut |s, name| s.read_ivar(&c.receiver, name))
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
    row("#to_int", |s, c| match super::integer::integer_argument(s, c) {
        Some(value) => Operand::integer(value),
        None => Operand::bottom(),
    }),
    // nil as an index is told in another way.
    row("#to_long", |s, c| {
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
    bare("#inspect_again", super::recursion::again),
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
    bare("to_h", super::hash::literal),
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
            let value = s.is_frozen_array(kind, call.receiver.value());
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
        Some(ty) if ty.is_made_hash() => {
            s.freeze_hash(&call.receiver);
            call.receiver.clone()
        }
        Some(Type::Hash(..)) => s.refuse_here(
            "unsupported-method",
            "a Hash that exists, or that is put where others can look at it, cannot be frozen in a section",
            Some("freeze it before or after the section".into()),
        ),
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
        let arguments = call.with_args(call.args[1..].to_vec()).arguments(false);
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

fn identical(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let (receiver, arg) = (s.held(&call.receiver), s.held(&arg));
    let made = |o: &Operand| o.types.iter().any(|t| matches!(t, Type::Record(_)) && !t.is_made_hash());
    if made(&receiver) && made(&arg) && (s.keep_made(&receiver.types) | s.keep_made(&arg.types)) {
        return Operand::bottom();
    }
    s.switch(&arg, 0, &mut |s, arg| {
        if may_be_carried_apart(s, &receiver, &arg) || may_be_carried_apart(s, &arg, &receiver) {
            let (one, other) = (s.describe(&receiver.types), s.describe(&arg.types));
            let hint = "compare what they are made of, such as the ends of ranges, before the section";
            return s.refuse_here(
                "unsupported-identity",
                format!("whether {one} here and {other} there are the same object is not known in a section"),
                Some(hint.into()),
            );
        }
        let shape = arg.types.single_shape();
        if let [Some(one), Some(other)] = [receiver.types.single(), arg.types.single()]
            && one.is_string()
            && other.is_string()
        {
            return s.are_one_string(&receiver, &arg);
        }
        let same = match (receiver.types.single_shape(), shape) {
            (Some(a), Some(b)) if a != b => s.b.bool(false),
            (Some(Shape::Nil), _) => s.b.bool(true),
            _ if receiver.types.iter().all(Type::is_made_proc) => {
                match s.are_one_proc(&receiver, &arg, call.name == "equal?") {
                    Some(same) => same,
                    None => return Operand::bottom(),
                }
            }
            (Some(Shape::Module), _) => s.b.bool(receiver.types == arg.types),
            (Some(Shape::Local), _) if is_made_hash(&receiver) && is_made_hash(&arg) => {
                // Its lists are its own.
                let (keys, others) = (s.tuple_items(&receiver), s.tuple_items(&arg));
                s.b.compare(Comparison::Eq, keys[0].value(), others[0].value())
            }
            (Some(Shape::Local), _)
                if matches!(receiver.types.single(), Some(Type::Tuple(_))) && !s.in_builtin() =>
            {
                match s.are_one_array(&receiver, &arg) {
                    Some(same) => s.b.bool(same),
                    None => return Operand::bottom(),
                }
            }
            (Some(Shape::Local), _) => s.b.bool(receiver.types == arg.types && receiver.values == arg.values),
            (Some(Shape::Bool), _) if receiver.types.len() == 1 && arg.types.len() == 1 => {
                s.b.bool(receiver.types == arg.types)
            }
            _ => {
                let same = s.b.compare(Comparison::Eq, receiver.value(), arg.value());
                number_identity::check_immediate(s, &receiver, same);
                same
            }
        };
        Operand::bool(same)
    })
}

fn is_made_hash(operand: &Operand) -> bool {
    operand.types.single().is_some_and(Type::is_made_hash)
}

/// Can a value that is part of the code be the same as an object that was read, such as a class?
fn may_be_carried_apart(s: &Lowerer<'_>, value: &Operand, object: &Operand) -> bool {
    let (Some(ty), Some(read)) = (value.types.single(), object.types.single()) else { return false };
    match (ty, read) {
        (Type::Object(..), _) => false,
        (ty, read) => s.is_opaque(read) && s.exact_class(ty) == s.exact_class(read),
    }
}

/// As MRI's `rb_equal`: an object is equal to itself, and else what its `==` says. Ruby's own `==` say that themselves.
fn equals(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    let asked = |s: &mut Lowerer<'_>, arg: &Operand| {
        let equal = s.send_from(&receiver, "==", std::slice::from_ref(arg), 2, CallType::Own);
        if equal.is_bottom() { equal } else { Operand::bool(s.truth(&equal)) }
    };
    if call.name == "#equals" && receiver.types.single() == Some(&Type::Float) {
        return s.switch(&arg, 5, &mut |s, arg| {
            number_identity::check_decided_by_value(s, &receiver, &arg);
            asked(s, &arg)
        });
    }
    if !s.has_own_equality(&receiver) {
        return asked(s, &arg);
    }
    s.switch(&arg, 5, &mut |s, arg| {
        // Objects of other classes are others.
        let class = |operand: &Operand| operand.types.single().map(crate::infer::class_of);
        if class(&arg) != class(&receiver) {
            return asked(s, &arg);
        }
        let same = s.send(&receiver, "#same", std::slice::from_ref(&arg), 13);
        if same.is_bottom() {
            return same;
        }
        let value = s.truth(&same);
        let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
        s.branch(7, condition, |s| Operand::bool(s.b.bool(true)), |s| asked(s, &arg))
    })
}

/// How Ruby tells objects of a class apart as keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlikeBy {
    /// By which object it is. So it is where the class has an `eql?` and no `hash`, or the other way round.
    Identity,
    /// By the members of a Struct or value object.
    Members,
    /// By an `eql?` and a `hash` of its own.
    Methods,
    /// In a way that sections do not know.
    Unknown,
}

/// What set operations take for the same: the same object, or one that is eql? and has the same `hash`. That of Ruby's own
/// objects that are eql? is the same.
fn alike(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let by = call.receiver.types.single().map(|ty| s.alike_by(ty));
    let equal = if by == Some(AlikeBy::Identity) { "equal?" } else { "eql?" };
    let hashes = s.asks_for_hash(&call.receiver.types, &mut Vec::new());
    let receiver = call.receiver.clone();
    let differs = |s: &mut Lowerer<'_>, arg: &Operand| {
        // `rb_eql` compares numbers, Strings and Symbols itself.
        let is_own = receiver
            .types
            .iter()
            .all(|ty| ty.is_string() || matches!(ty, Type::Integer | Type::Float | Type::Symbol));
        let call_type = if is_own { CallType::Core } else { CallType::Own };
        let found = s.send_from(&receiver, equal, std::slice::from_ref(arg), 6, call_type);
        if found.is_bottom() {
            return found;
        }
        let value = s.truth(&found);
        if !hashes || s.b.constant(value) == Some(0) {
            return Operand::bool(value);
        }
        let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
        let same_hash = |s: &mut Lowerer<'_>| {
            let [one, other] = [(8, &receiver), (9, arg)].map(|(slot, of)| s.send(of, "#hash", &[], slot));
            match one.is_bottom() || other.is_bottom() {
                true => Operand::bottom(),
                false => Operand::bool(s.b.compare(Comparison::Eq, one.value(), other.value())),
            }
        };
        s.branch(10, condition, same_hash, |s| Operand::bool(s.b.bool(false)))
    };
    s.switch(&arg, 5, &mut |s, arg| {
        number_identity::check_decided_by_value(s, &receiver, &arg);
        let same_shape = receiver.types.single_shape() == arg.types.single_shape();
        let on_heap =
            matches!(receiver.types.single_shape(), Some(Shape::Object(_) | Shape::Array(_) | Shape::Made));
        let same = if same_shape && on_heap {
            s.b.compare(Comparison::Eq, receiver.value(), arg.value())
        } else if hashes && receiver.types.single().is_some_and(Type::is_instance) {
            // An `eql?` of the user's may say no of the object itself.
            let same = s.send(&receiver, "equal?", std::slice::from_ref(&arg), 13);
            if same.is_bottom() {
                return same;
            }
            s.truth(&same)
        } else {
            return differs(s, &arg);
        };
        let condition = crate::infer::Condition { value: same, yes: vec![], no: vec![] };
        s.branch(7, condition, |s| Operand::bool(s.b.bool(true)), |s| differs(s, &arg))
    })
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

/// What `hash` of a class of the user's gives, which Ruby's own objects have numbers for that are not those of Ruby.
fn own_hash(s: &mut Lowerer<'_>, receiver: &Operand) -> Operand {
    let number = raw_own_hash(s, receiver);
    if number.is_bottom() { number } else { Operand::integer(s.mixed(number.value())) }
}

fn raw_own_hash(s: &mut Lowerer<'_>, receiver: &Operand) -> Operand {
    let outer = std::mem::replace(&mut s.hashing, true);
    let number = s.send_from(receiver, "hash", &[], 11, crate::infer::CallType::Own);
    s.hashing = outer;
    if number.is_bottom() {
        return number;
    }
    super::integer::implicit_integer(s, &number, false).map_or_else(Operand::bottom, Operand::integer)
}

/// `hash`, of Ruby's own objects: another number in each process, so it is for the `hash` of a key alone. There it has few
/// bits, so that it can be added up and multiplied by small numbers, as it is where Integers have no end.
fn asked_hash(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let is_own = call.receiver.types.iter().any(|ty| s.is_alike_by_methods(ty));
    // A `super` of one's own `hash` would tell objects apart.
    if !s.hashing || is_own || !s.has_hash(&call.receiver.types, &mut Vec::new()) {
        let what = s.describe(&call.receiver.types);
        return s.refuse_here(
            "unsupported-method",
            format!("`{what}#hash` is another number in each process, and cannot be asked for in a section"),
            Some(
                "use the value itself as a key; in the `hash` of a class, which keys are asked for, it runs"
                    .into(),
            ),
        );
    }
    told_hash(s, &call.receiver)
}

fn told_hash(s: &mut Lowerer<'_>, of: &Operand) -> Operand {
    const BITS: i64 = 40;
    let number = s.send(of, "#hash", &[], 12);
    if number.is_bottom() {
        return number;
    }
    let mask = s.b.i64((1 << BITS) - 1);
    Operand::integer(s.b.binary(BinaryOp::And, number.value(), mask))
}

/// A number that is the same for what is alike (see [`Lowerer::has_hash`]).
fn hash(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let receiver = &call.receiver;
    let number = match receiver.types.single() {
        Some(Type::Integer) => receiver.value(),
        Some(Type::Float) => {
            // 0.0 and -0.0 are alike.
            let zero = s.b.f64(-0.0);
            let is_zero = s.b.compare(Comparison::Eq, receiver.value(), zero);
            let value = s.b.select(is_zero, zero, receiver.value());
            s.b.unary(UnaryOp::BitsToI64, value)
        }
        Some(ty) if s.is_alike_by_members(ty) => {
            let items = super::structs::items(s, call);
            return s.send(&items, "#hash", &[], 1);
        }
        Some(ty) if s.is_alike_by_methods(ty) => return own_hash(s, receiver),
        Some(Type::True) => s.b.i64(1),
        None if receiver.types == TypeSet::bool() => s.b.unary(UnaryOp::BoolToI64, receiver.value()),
        Some(Type::Module(class)) => s.b.i64(class.0.into()),
        Some(Type::Symbol | Type::Object(..) | Type::Made(_)) => return hash_of_identity(s, receiver),
        _ => s.b.i64(0),
    };
    Operand::integer(s.mixed(number))
}

/// That of a Symbol or object by which one it is.
pub(super) fn hash_of_identity(s: &mut Lowerer<'_>, value: &Operand) -> Operand {
    let number = s.b.unary(UnaryOp::ExtendI32, value.value());
    Operand::integer(s.mixed(number))
}

/// `dup` and `clone`: what is no value gets another one like it.
pub(super) fn copy(s: &mut Lowerer<'_>, call: &Invocation, frozen: Frozen) -> Operand {
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

fn convert(s: &mut Lowerer<'_>, call: &Invocation, to_integer: bool) -> Operand {
    let exception = match &call.keywords[..] {
        [(name, value)] if name == "exception" => value.types.single(),
        _ => Some(&Type::True),
    };
    let quiet = exception == Some(&Type::False);
    if !matches!(exception, Some(Type::True | Type::False)) {
        return s.refuse_here(
            "unsupported-method",
            format!("`{}` with an `exception` that is not written out cannot run in a section", call.name),
            Some("write exception: false".into()),
        );
    }
    let is_plain = call.keywords.iter().all(|(name, _)| name == "exception");
    let call = &match is_plain {
        true => Invocation { keywords: vec![], ..call.with_args(call.args.clone()) },
        false => call.with_args(call.args.clone()),
    };
    if !s.count_arguments(call, 1, if to_integer { 2 } else { 1 }) {
        return Operand::bottom();
    }
    let is_text = |operand: &Operand| operand.types.iter().any(Type::is_string);
    if let Some(base) = call.args.get(1)
        && !is_text(&call.args[0])
        && (base.types.single() != Some(&Type::Integer) || s.literal(base).is_none_or(|base| base == 0))
    {
        return s.refuse_here(
            "unsupported-method",
            "`Integer` with a base takes a String, and a number as the base, in a section".to_owned(),
            Some("leave the base away".into()),
        );
    }
    s.switch(&call.args[0], 0, &mut |s, arg| match arg.types.single() {
        Some(ty) if ty.is_string() => super::string::number(s, call, &arg, to_integer, quiet),
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) => {
            let (names, wanted) = match to_integer {
                true => (&["to_int", "to_i"][..], Type::Integer),
                false => (&["to_f"][..], Type::Float),
            };
            let known = names.iter().zip(1..).find(|(name, _)| s.responds(&arg, name));
            // Its text would be read, or what its method raises be nil.
            let is_text = to_integer && s.responds(&arg, "to_str");
            if is_text || call.args.len() == 2 || (quiet && known.is_some()) {
                return s.refuse_here(
                    "unsupported-method",
                    format!("`{}` of {} cannot run in a section", call.name, s.describe(&arg.types)),
                    Some("call the method that gives the number".into()),
                );
            }
            let Some((name, slot)) = known else {
                let into = if to_integer { " into Integer" } else { " into Float" };
                return if quiet { Operand::nil() } else { s.fail_conversion("can't convert ", &arg, into) };
            };
            let given = s.send_from(&arg, name, &[], slot, crate::infer::CallType::Own);
            if given.is_bottom() || given.types.single() == Some(&wanted) {
                return given;
            }
            refuse_conversion(s, call, &arg, name)
        }
        _ if quiet && call.args.len() == 2 => Operand::nil(),
        Some(Type::Float) if quiet && to_integer => s.send(&arg, "#to_i_if_finite", &[], 1),
        Some(Type::Integer | Type::Float) if call.args.len() == 1 => {
            s.send(&arg, if to_integer { "to_i" } else { "to_f" }, &[], 1)
        }
        _ if quiet => Operand::nil(),
        _ if call.args.len() == 2 => {
            s.fail(ErrorKind::ArgumentError("base specified for non string value".into()), &[])
        }
        _ => {
            let into = if to_integer { " into Integer" } else { " into Float" };
            s.fail_conversion("can't convert ", &arg, into)
        }
    })
}

/// `Array(x)`: what `to_ary` or `to_a` give, else an array of one item.
fn array(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => arg,
        Some(Type::Nil | Type::Column(..) | Type::Range { .. } | Type::Enumerator(..)) => {
            s.send(&arg, "to_a", &[], 1)
        }
        Some(ty) if ty.is_hash() || ty.is_text_range() => s.send(&arg, "to_a", &[], 1),
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) => {
            for (slot, name) in [(1, "to_ary"), (2, "to_a")] {
                if s.responds(&arg, name) {
                    return s.send_from(&arg, name, &[], slot, CallType::Own);
                }
            }
            s.tuple(&[arg])
        }
        _ => s.tuple(&[arg]),
    })
}

/// `Hash(x)`: of nil and of an empty array that without pairs, else what `to_hash` gives.
fn hash_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let empty = |s: &mut Lowerer<'_>| super::hash::literal(s, &call.with_args(vec![]));
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(ty) if ty.is_hash() => arg,
        Some(Type::Nil) => empty(s),
        Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => {
            let size = s.send(&arg, "size", &[], 1);
            if size.is_bottom() {
                return size;
            }
            let zero = s.b.i64(0);
            let is_empty = s.b.compare(Comparison::Eq, size.value(), zero);
            s.check(is_empty, ErrorKind::TypeError("can't convert Array into Hash".into()), &[]);
            empty(s)
        }
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) if s.responds(&arg, "to_hash") => {
            let given = s.send_from(&arg, "to_hash", &[], 2, CallType::Own);
            match given.is_bottom() || given.types.iter().all(Type::is_hash) {
                true => given,
                false => refuse_conversion(s, call, &arg, "to_hash"),
            }
        }
        // Here true and false are told by their classes.
        _ => s.each_of_bool(&arg, &mut |s, arg| {
            let name = arg.types.iter().next().map_or_else(String::new, |ty| s.coercion_name(ty));
            let name = match name.as_str() {
                "true" => "TrueClass",
                "false" => "FalseClass",
                name => name,
            };
            s.fail(ErrorKind::TypeError(format!("can't convert {name} into Hash")), &[])
        }),
    })
}

/// `String(x)`: what `to_str` or `to_s` give.
fn string_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| {
        let is_object = arg.types.single().is_some_and(|ty| ty.is_instance() && !ty.is_string());
        let name = if is_object && s.responds(&arg, "to_str") { "to_str" } else { "to_s" };
        let given = match arg.types.single() {
            Some(ty) if ty.is_string() => return arg,
            _ => s.send_from(&arg, name, &[], 1, CallType::Own),
        };
        match given.is_bottom() || given.types.iter().all(Type::is_string) {
            true => given,
            false => refuse_conversion(s, call, &arg, name),
        }
    })
}

fn refuse_conversion(s: &mut Lowerer<'_>, call: &Invocation, arg: &Operand, name: &str) -> Operand {
    let what = s.describe(&arg.types);
    s.refuse_here(
        "unsupported-method",
        format!("`{}` of {what} cannot run in a section", call.name),
        Some(format!("let its `{name}` give what it is named after, and nothing else")),
    )
}

/// `rand`, `rand(n)`, `rand(range)`, and the same of Random.
pub(super) fn rand(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let strict = module_of(&call.receiver) == Some(ClassId::RANDOM);
    let Some(arg) = call.args.first() else { return random_float(s) };
    s.switch(arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Nil) if !strict => random_float(s),
        Some(Type::Float) if strict => {
            let unit = random_float(s);
            Operand::float(s.b.binary(BinaryOp::MulF, unit.value(), arg.value()))
        }
        Some(Type::Integer | Type::Float) => {
            // Kernel#rand takes the size of the number, and 0 as no limit.
            let limit = s.send(&arg, "to_i", &[], 1);
            if limit.is_bottom() {
                return limit;
            }
            let zero = s.b.i64(0);
            if strict {
                let ok = s.b.compare(Comparison::Gt, limit.value(), zero);
                s.check(ok, ErrorKind::ArgumentError("invalid argument".into()), &[]);
                return below(s, limit.value());
            }
            let limit = s.send(&limit, "abs", &[], 2);
            let unlimited = s.b.compare(Comparison::Eq, limit.value(), zero);
            let condition = crate::infer::Condition { value: unlimited, yes: vec![], no: vec![] };
            s.branch(3, condition, random_float, |s| below(s, limit.value()))
        }
        Some(Type::Range { .. }) => random_in(s, &arg),
        _ => match s.converted(&arg, "to_int", &Type::Integer) {
            Some(limit) if limit.is_bottom() => limit,
            Some(limit) => s.send_from(&call.receiver, "rand", &[limit], 5, crate::infer::CallType::Own),
            None => s.fail_conversion("no implicit conversion of ", &arg, " into Integer"),
        },
    })
}

/// 53 random bits as a Float in 0.0...1.0.
fn random_float(s: &mut Lowerer<'_>) -> Operand {
    let bits = s.b.random();
    let (shift, mask) = (s.b.i64(11), s.b.i64((1 << 53) - 1));
    let bits = s.b.binary(BinaryOp::Shr, bits, shift);
    let bits = s.b.binary(BinaryOp::And, bits, mask);
    let float = s.b.unary(UnaryOp::I64ToF64, bits);
    let unit = s.b.f64(1.0 / (1_u64 << 53) as f64);
    Operand::float(s.b.binary(BinaryOp::MulF, float, unit))
}

/// A random Integer in `0...limit`: the upper half of bits × limit.
fn below(s: &mut Lowerer<'_>, limit: Value) -> Operand {
    let bits = s.b.random();
    let value = s.b.binary(BinaryOp::MulHighU, bits, limit);
    s.b.set_below(value, limit);
    Operand::integer(value)
}

fn random_in(s: &mut Lowerer<'_>, range: &Operand) -> Operand {
    let Some((Some(low), Some(high), exclusive, low_end, high_end)) = crate::infer::range_ends(range) else {
        return s.refuse_here("unsupported-method", "`rand` takes a range with both ends", None);
    };
    if low_end == RangeEnd::Integer && high_end == RangeEnd::Integer {
        let span = super::integer::checked(s, BinaryOp::SubChecked, "rand", high, low);
        let span = if exclusive {
            span.value()
        } else {
            let one = s.b.i64(1);
            super::integer::checked(s, BinaryOp::AddChecked, "rand", span.value(), one).value()
        };
        let zero = s.b.i64(0);
        let some = s.b.compare(Comparison::Gt, span, zero);
        let condition = crate::infer::Condition { value: some, yes: vec![], no: vec![] };
        // Kernel#rand gives nil for an empty range.
        return s.branch(
            4,
            condition,
            |s| {
                let offset = below(s, span);
                Operand::integer(s.b.binary(BinaryOp::Add, low, offset.value()))
            },
            |_| Operand::nil(),
        );
    }
    let float = |s: &mut Lowerer<'_>, value, end| match end {
        RangeEnd::Integer => s.b.unary(UnaryOp::I64ToF64, value),
        _ => value,
    };
    let (low, high) = (float(s, low, low_end), float(s, high, high_end));
    let span = s.b.binary(BinaryOp::SubF, high, low);
    let unit = random_float(s);
    let offset = s.b.binary(BinaryOp::MulF, unit.value(), span);
    Operand::float(s.b.binary(BinaryOp::AddF, low, offset))
}

impl Lowerer<'_> {
    /// Can `__hash` tell such values apart? Not arrays that can hold themselves.
    pub(crate) fn has_hash(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().all(|ty| match ty {
            Type::Array(_) | Type::List(_) | Type::Tuple(_) => {
                let deeper = !inside.contains(ty);
                inside.push(ty.clone());
                let items = self.types_of_items(ty);
                let all = deeper && self.is_plainly_eql(ty) && self.has_hash(&items, inside);
                inside.pop();
                all
            }
            Type::Object(..) | Type::Record(_) | Type::Made(_) if ty.is_instance() && !ty.is_string() => {
                match self.alike_by(ty) {
                    AlikeBy::Identity => !matches!(ty, Type::Record(_)),
                    AlikeBy::Methods => true,
                    AlikeBy::Unknown => false,
                    AlikeBy::Members => {
                        let deeper = !inside.contains(ty);
                        inside.push(ty.clone());
                        let all = deeper && {
                            let members = self.types_of_members(ty);
                            self.has_hash(&members, inside)
                        };
                        inside.pop();
                        all
                    }
                }
            }
            Type::Nil
            | Type::True
            | Type::False
            | Type::Integer
            | Type::Float
            | Type::Symbol
            | Type::Object(..)
            | Type::Made(_)
            | Type::Module(_) => self.is_plainly_eql(ty),
            _ => false,
        })
    }

    /// Are such values, or some in them, told apart by a `hash` of the user's?
    pub(crate) fn asks_for_hash(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().any(|ty| {
            let parts = match ty {
                Type::Array(_) | Type::List(_) | Type::Tuple(_) => self.types_of_items(ty),
                Type::Object(..) | Type::Record(_) | Type::Made(_) if ty.is_instance() => {
                    match self.alike_by(ty) {
                        AlikeBy::Methods => return true,
                        AlikeBy::Members => self.types_of_members(ty),
                        _ => return false,
                    }
                }
                _ => return false,
            };
            if inside.contains(ty) {
                return false;
            }
            inside.push(ty.clone());
            let asks = self.asks_for_hash(&parts, inside);
            inside.pop();
            asks
        })
    }

    /// Can one of such values be an object that has an `eql?` of its own, whether or not Hashes ask that?
    pub(crate) fn has_own_eql(&mut self, types: &TypeSet) -> bool {
        types.iter().any(|ty| {
            ty.is_instance()
                && match self.host.method(crate::infer::class_of(ty), "eql?") {
                    Ok(Some(found)) => !matches!(found.method, Method::Native { .. }),
                    _ => false,
                }
        })
    }

    fn alike_by(&mut self, ty: &Type) -> AlikeBy {
        if !ty.is_instance() || ty.is_string() {
            return AlikeBy::Unknown;
        }
        let class = crate::infer::class_of(ty);
        let is_plain = |owner| super::is_common(owner);
        let found = ["eql?", "hash"].map(|name| self.host.method(class, name));
        match found {
            [Ok(Some(eql)), Ok(Some(hash))] => {
                let native = |found: &FoundMethod| matches!(found.method, Method::Native { .. });
                match (native(&eql), native(&hash)) {
                    (false, false) => AlikeBy::Methods,
                    (true, false) if is_plain(eql.owner) => AlikeBy::Identity,
                    (false, true) if is_plain(hash.owner) => AlikeBy::Identity,
                    (true, true) if is_plain(eql.owner) && is_plain(hash.owner) => AlikeBy::Identity,
                    (true, true)
                        if matches!(eql.owner, ClassId::STRUCT | ClassId::DATA)
                            && hash.owner == eql.owner
                            && !self.host.members(class).is_empty() =>
                    {
                        AlikeBy::Members
                    }
                    _ => AlikeBy::Unknown,
                }
            }
            _ => AlikeBy::Unknown,
        }
    }

    /// Has its class an `eql?` and a `hash` of the user's, which keys are asked for?
    pub(crate) fn is_alike_by_methods(&mut self, ty: &Type) -> bool {
        self.alike_by(ty) == AlikeBy::Methods
    }

    /// Is it a Struct or value object that Ruby compares by its members, also as a key?
    fn is_alike_by_members(&mut self, ty: &Type) -> bool {
        self.alike_by(ty) == AlikeBy::Members
    }

    /// Is `eql?` Ruby's own, and that of all objects if it is an object's?
    fn is_plainly_eql(&mut self, ty: &Type) -> bool {
        let class = crate::infer::class_of(ty);
        ["eql?", "hash"].iter().all(|name| match self.host.method(class, name) {
            Ok(Some(FoundMethod { owner, method: Method::Native { .. }, .. })) => {
                !ty.is_instance() || super::is_common(owner) || ty.is_string() && owner == ClassId::STRING
            }
            _ => false,
        })
    }
}
