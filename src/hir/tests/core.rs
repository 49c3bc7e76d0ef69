//! Ruby's own methods, as far as the programs of the tests call them.

use super::evaluator::{Answer, Evaluator, Passed};
use super::value::{Leaving, Proc, Value as V};
use std::rc::Rc;

pub fn error(class: &str, message: &str) -> Leaving {
    Leaving::Error(V::Error(Rc::new((class.into(), message.into()))))
}

pub fn call(run: &Evaluator, this: &V, name: &str, passed: Passed) -> Answer {
    let args = &passed.positional;
    let other = || args.first().cloned().unwrap_or(V::Nil);
    Ok(match (this, name) {
        (_, "!") => V::Bool(!this.is_true()),
        (_, "==") => V::Bool(*this == other()),
        (_, "!=") => V::Bool(*this != other()),
        (_, "nil?") => V::Bool(*this == V::Nil),
        (_, "inspect") => V::text(this.inspect()),
        (_, "to_s") => V::text(this.to_text()),
        (_, "class") => V::Class(this.class().into()),
        (V::Class(class), "===") => V::Bool(is_a(run, other().class(), class)),
        (_, "is_a?") => V::Bool(is_a(run, this.class(), &other().inspect())),
        (V::Range(..), "===") => match (this, other()) {
            (V::Range(low, high, exclusive), V::Int(at)) => {
                let below = |high: i64| at < high || !exclusive && at == high;
                V::Bool(low.is_none_or(|low| low <= at) && high.is_none_or(below))
            }
            _ => V::Bool(false),
        },
        (V::Proc(_), "===" | "call" | "()" | "yield") => run.yield_to(Some(this), passed)?,
        (_, "===") => V::Bool(*this == other()),
        (V::Error(error), "message") => V::text(error.1.clone()),
        (V::Int(_), _) => integer(run, this.to_int(), name, passed)?,
        (V::Text(text), _) => match name {
            "+" => V::text(format!("{}{}", text.borrow(), other().to_text())),
            "<<" => {
                let more = other().to_text();
                text.borrow_mut().push_str(&more);
                this.clone()
            }
            "size" => V::Int(text.borrow().len() as i64),
            _ => return unknown(this, name),
        },
        (V::Array(_) | V::Range(..), _) => array(run, this, name, passed)?,
        (V::Hash(pairs), "[]=") => {
            let (key, value) = (args[0].clone(), args[1].clone());
            let at = pairs.borrow().iter().position(|(of, _)| *of == key);
            match at {
                Some(at) => pairs.borrow_mut()[at].1 = value.clone(),
                None => pairs.borrow_mut().push((key, value.clone())),
            }
            value
        }
        (V::Hash(_), "[]") => this.at_key(&other()).unwrap_or(V::Nil),
        (V::Hash(_), "each" | "size") => array(run, this, name, passed)?,
        (V::Hash(_), "#with_all") => V::hash(this.pairs().into_iter().chain(other().pairs()).collect()),
        (V::Hash(_), "#with_pairs") => {
            let pairs = args.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
            V::hash(this.pairs().into_iter().chain(pairs).collect())
        }
        (_, "#new_hash" | "#new_hash_of_distinct") => {
            V::hash(args.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
        }
        (V::Main, _) => kernel(run, name, passed)?,
        _ => return unknown(this, name),
    })
}

fn unknown(this: &V, name: &str) -> Answer {
    Err(error("NoMethodError", &format!("undefined method '{name}' for {}", this.inspect())))
}

fn is_a(run: &Evaluator, class: &str, ancestor: &str) -> bool {
    let parent = match class {
        _ if class == ancestor => return true,
        "BasicObject" => return false,
        "Object" => "BasicObject",
        "NoMatchingPatternKeyError" => "NoMatchingPatternError",
        "StandardError" => "Exception",
        "StopIteration" => "IndexError",
        _ => match run.parents.get(class) {
            Some(parent) => parent,
            None if class.ends_with("Error") => "StandardError",
            None => "Object",
        },
    };
    is_a(run, parent, ancestor)
}

fn integer(run: &Evaluator, this: i64, name: &str, passed: Passed) -> Answer {
    let other = || passed.positional.first().cloned().unwrap_or(V::Nil);
    if !matches!((name, other()), ("times" | "odd?" | "even?" | "zero?" | "-@", _) | (_, V::Int(_))) {
        return Err(error("TypeError", &format!("{name}: {}", other().inspect())));
    }
    let number = || other().to_int();
    Ok(match name {
        "+" => V::Int(this + number()),
        "-" => V::Int(this - number()),
        "*" => V::Int(this * number()),
        "/" | "%" if number() == 0 => return Err(error("ZeroDivisionError", "divided by 0")),
        "/" => V::Int(this.div_euclid(number())),
        "%" => V::Int(this.rem_euclid(number())),
        "<" => V::Bool(this < number()),
        "<=" => V::Bool(this <= number()),
        ">" => V::Bool(this > number()),
        ">=" => V::Bool(this >= number()),
        "-@" => V::Int(-this),
        "odd?" => V::Bool(this % 2 != 0),
        "even?" => V::Bool(this % 2 == 0),
        "zero?" => V::Bool(this == 0),
        "times" => {
            for at in 0..this {
                run.yield_to(passed.block.as_ref(), vec![V::Int(at)].into())?;
            }
            V::Int(this)
        }
        _ => return unknown(&V::Int(this), name),
    })
}

fn array(run: &Evaluator, this: &V, name: &str, passed: Passed) -> Answer {
    let args = &passed.positional;
    let block = |item: V| run.yield_to(passed.block.as_ref(), vec![item].into());
    let items = this.items();
    let index = || {
        let at = args[0].to_int();
        if at < 0 { (at + items.len() as i64) as usize } else { at as usize }
    };
    Ok(match (name, this) {
        ("each", _) => {
            for item in items {
                block(item)?;
            }
            this.clone()
        }
        ("map", _) => V::array(items.into_iter().map(block).collect::<Result<_, _>>()?),
        ("sum", _) => {
            let mut sum = V::Int(0);
            for item in items {
                sum = run.send(&sum, "+", vec![item].into())?;
            }
            sum
        }
        ("to_a", _) => V::array(items),
        ("size", _) => V::Int(items.len() as i64),
        ("first", _) => items.first().cloned().unwrap_or(V::Nil),
        ("[]", _) => items.get(index()).cloned().unwrap_or(V::Nil),
        ("+", _) => V::array(items.into_iter().chain(args[0].items()).collect()),
        ("[]=", V::Array(list)) => {
            let (at, value) = (index(), args[1].clone());
            let mut list = list.borrow_mut();
            let length = list.len().max(at + 1);
            list.resize(length, V::Nil);
            list[at] = value.clone();
            value
        }
        ("<<" | "push", V::Array(list)) => {
            list.borrow_mut().extend(args.iter().cloned());
            this.clone()
        }
        _ => return unknown(this, name),
    })
}

fn kernel(run: &Evaluator, name: &str, passed: Passed) -> Answer {
    let args = &passed.positional;
    let block = passed.block.as_ref();
    Ok(match name {
        "p" => {
            let text: String = args.iter().map(|value| format!("{}\n", value.inspect())).collect();
            run.output.borrow_mut().push_str(&text);
            args.first().cloned().unwrap_or(V::Nil)
        }
        "raise" => return Err(raised(run, args)),
        "loop" => loop {
            run.yield_to(block, Passed::default())?;
        },
        "lambda" | "proc" => match block {
            Some(V::Proc(proc)) => lambda(proc, name == "lambda"),
            _ => V::Nil,
        },
        "catch" => match run.yield_to(block, vec![args[0].clone()].into()) {
            Err(Leaving::Throw(tag, value)) if tag == args[0] => value,
            other => other?,
        },
        "throw" => return Err(Leaving::Throw(args[0].clone(), args.get(1).cloned().unwrap_or(V::Nil))),
        _ => return unknown(&V::Main, name),
    })
}

fn lambda(proc: &Proc, is_lambda: bool) -> V {
    let super::value::Block::Code { hir, code, captures, this, home, block } = &proc.block else {
        return V::Nil;
    };
    let (hir, code, home) = (Rc::clone(hir), *code, *home);
    let (captures, this, block) = (captures.clone(), this.clone(), block.clone());
    let block = super::value::Block::Code { hir, code, captures, this, home, block };
    V::Proc(Rc::new(Proc { block, is_lambda, token: proc.token }))
}

fn raised(run: &Evaluator, args: &[V]) -> Leaving {
    match args {
        [] => match run.handled.borrow().last() {
            Some(error) => Leaving::Error(error.clone()),
            None => error("RuntimeError", "unhandled exception"),
        },
        [error @ V::Error(_)] => Leaving::Error(error.clone()),
        [V::Class(class)] => error(class, class),
        [V::Class(class), message, ..] => error(class, &message.to_text()),
        [message, ..] => error("RuntimeError", &message.to_text()),
    }
}
