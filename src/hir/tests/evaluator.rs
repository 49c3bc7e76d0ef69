//! Runs HIR, to compare what it means with what Ruby does. It knows as much of Ruby's classes as the programs of the
//! tests need; methods are those of the program.

use super::core;
use super::value::{Block as Given, Leaving, Proc, Value as V};
use crate::hir::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

pub type Answer = Result<V, Leaving>;

/// What a call passes.
#[derive(Clone, Default)]
pub struct Passed {
    pub positional: Vec<V>,
    pub keywords: Vec<(String, V)>,
    pub block: Option<V>,
}

impl From<Vec<V>> for Passed {
    fn from(positional: Vec<V>) -> Self {
        Self { positional, ..Self::default() }
    }
}

/// A program that runs.
#[derive(Default)]
pub struct Evaluator {
    pub methods: FxHashMap<String, Rc<Hir>>,
    pub variables: RefCell<FxHashMap<String, V>>,
    pub output: RefCell<String>,
    /// Of classes that the program has.
    pub parents: FxHashMap<String, String>,
    pub handled: RefCell<Vec<V>>,
    frames: RefCell<usize>,
}

/// A code that runs.
struct Frame<'a> {
    hir: &'a Rc<Hir>,
    code: &'a Code,
    values: Vec<V>,
    around: Around,
}

struct Around {
    /// The method or lambda that `Leave` ends.
    home: usize,
    /// The block that it runs, if it is one.
    token: usize,
    /// The block of the method.
    block: Option<V>,
}

impl Evaluator {
    pub fn next_id(&self) -> usize {
        *self.frames.borrow_mut() += 1;
        *self.frames.borrow()
    }

    pub fn call_method(&self, name: &str, this: &V, passed: Passed) -> Answer {
        let hir = &self.methods[name];
        let (home, code) = (self.next_id(), hir.code(CodeId(0)));
        let block = passed.block.clone();
        let entry = bind(hir, code, passed, false)?;
        let around = Around { home, token: 0, block };
        let answer = self.run(hir, CodeId(0), this.clone(), entry, &[], around);
        match answer {
            Err(Leaving::Return(of, value)) if of == home => Ok(value),
            other => other,
        }
    }

    pub fn call_proc(&self, proc: &Proc, passed: Passed) -> Answer {
        let Given::Code { hir, code, captures, this, home, block } = &proc.block else {
            let Given::Symbol(name) = &proc.block else { return Ok(V::Nil) };
            let mut passed = passed;
            let receiver = passed.positional.remove(0);
            return self.send(&receiver, name, passed);
        };
        let own = if proc.is_lambda { self.next_id() } else { *home };
        let data = hir.code(*code);
        let entry = bind(hir, data, passed, !proc.is_lambda)?;
        let around = Around { home: own, token: proc.token, block: block.clone() };
        let answer = self.run(hir, *code, this.clone(), entry, captures, around);
        match answer {
            Err(Leaving::Return(of, value)) if proc.is_lambda && of == own => Ok(value),
            Err(Leaving::Break(of, value)) if proc.is_lambda && of == proc.token => Ok(value),
            other => other,
        }
    }

    pub fn yield_to(&self, block: Option<&V>, passed: Passed) -> Answer {
        match block {
            Some(V::Proc(proc)) => self.call_proc(proc, passed),
            _ => Err(core::error("LocalJumpError", "no block given (yield)")),
        }
    }

    /// Calls a method; `break` of the block that it is given ends it.
    pub fn send(&self, receiver: &V, name: &str, passed: Passed) -> Answer {
        let token = match &passed.block {
            Some(V::Proc(proc)) => Some(proc.token),
            _ => None,
        };
        let is_own = matches!(receiver, V::Main) && self.methods.contains_key(name);
        let answer = if is_own {
            self.call_method(name, receiver, passed)
        } else {
            core::call(self, receiver, name, passed)
        };
        match answer {
            Err(Leaving::Break(of, value)) if Some(of) == token => Ok(value),
            other => other,
        }
    }

    fn run(
        &self,
        hir: &Rc<Hir>,
        id: CodeId,
        this: V,
        params: Vec<V>,
        captures: &[V],
        around: Around,
    ) -> Answer {
        let code = hir.code(id);
        let mut frame = Frame { hir, code, values: vec![V::Nil; code.values.len()], around };
        let entry: Vec<V> = std::iter::once(this).chain(params).chain(captures.iter().cloned()).collect();
        let depth = self.handled.borrow().len();
        let (mut at, mut given) = (Block(0), entry);
        let answer = loop {
            let block = code.block(at);
            for (param, value) in block.params.clone().zip(given) {
                frame.values[param as usize] = value;
            }
            self.handled.borrow_mut().truncate(depth);
            if let Some(handled) = block.handling {
                self.handled.borrow_mut().push(frame.values[handled.index()].clone());
            }
            match self.block(&mut frame, block) {
                Ok(Step::Jump(edge)) => {
                    given = frame.list(edge.args);
                    at = edge.block;
                }
                Ok(Step::Done(value)) => break Ok(value),
                Err(leaving) => match self.handler(&mut frame, block.unwind, &leaving) {
                    Some(edge) => {
                        let caught = match leaving {
                            Leaving::Error(error) => error,
                            other => V::Leaving(Rc::new(other)),
                        };
                        given = std::iter::once(caught).chain(frame.list(edge.args)).collect();
                        at = edge.block;
                    }
                    None => break Err(leaving),
                },
            }
        };
        self.handled.borrow_mut().truncate(depth);
        answer
    }

    /// The handler of what leaves a block. What is no exception goes on from each `rescue`.
    fn handler(&self, frame: &mut Frame<'_>, unwind: Option<Edge>, leaving: &Leaving) -> Option<Edge> {
        let edge = unwind?;
        let block = frame.code.block(edge.block);
        if matches!(leaving, Leaving::Error(_)) || block.kind == BlockKind::Ensure {
            return Some(edge);
        }
        for (param, value) in block.params.clone().skip(1).zip(frame.list(edge.args)) {
            frame.values[param as usize] = value;
        }
        self.handler(frame, block.unwind, leaving)
    }

    fn block(&self, frame: &mut Frame<'_>, block: &BlockData) -> Result<Step, Leaving> {
        for at in block.body.clone() {
            let value = self.operation(frame, *frame.code.op(Value(at)))?;
            frame.values[at as usize] = value;
        }
        Ok(match block.end {
            Terminator::Jump(edge) => Step::Jump(edge),
            Terminator::Branch { test, yes, no } => {
                Step::Jump(if frame.get(test).is_true() { yes } else { no })
            }
            Terminator::Return(value) => Step::Done(frame.get(value)),
            Terminator::Leave(value) => return Err(Leaving::Return(frame.around.home, frame.get(value))),
            Terminator::Break(value) => return Err(Leaving::Break(frame.around.token, frame.get(value))),
            Terminator::Resume(value) => match frame.get(value) {
                V::Leaving(leaving) => return Err((*leaving).clone()),
                error => return Err(Leaving::Error(error)),
            },
            Terminator::Never => return Err(core::error("NotImplementedError", "never")),
        })
    }

    fn operation(&self, frame: &Frame<'_>, op: Op) -> Answer {
        let get = |value: Value| frame.get(value);
        let name = |name: Name| frame.hir.name(name).to_owned();
        Ok(match op {
            Op::Param(_) | Op::Nil => V::Nil,
            Op::True => V::Bool(true),
            Op::False => V::Bool(false),
            Op::Integer(value) => V::Int(value),
            Op::Symbol(of) => V::Symbol(name(of)),
            Op::Text { text, .. } => V::text(name(text)),
            Op::ToString(of) => self.send(&get(of), "to_s", Passed::default())?,
            Op::Concat(list) => V::text(frame.list(list).iter().map(V::to_text).collect::<String>()),
            Op::Array(args) => V::array(frame.passed(args).positional),
            Op::Range { low, high, exclusive } => {
                let end = |end: Option<Value>| end.map(|end| get(end).to_int());
                V::Range(end(low), end(high), exclusive)
            }
            Op::Get(variable) => {
                self.variables.borrow().get(&frame.variable(variable)).cloned().unwrap_or(V::Nil)
            }
            Op::Set(variable, value) => {
                self.variables.borrow_mut().insert(frame.variable(variable), get(value));
                V::Nil
            }
            Op::Constant { path, .. } => V::Class(name(path)),
            Op::Cell(_, first) => V::Cell(Rc::new(RefCell::new(get(first)))),
            Op::Load(cell) => get(cell).cell().borrow().clone(),
            Op::Store(cell, value) => {
                *get(cell).cell().borrow_mut() = get(value);
                V::Nil
            }
            Op::Closure { code, captures } => self.closure(frame, code, captures),
            Op::SymbolBlock(of) => V::Proc(Rc::new(Proc {
                block: Given::Symbol(name(of)),
                is_lambda: true,
                token: self.next_id(),
            })),
            Op::Call(call) => {
                let called = name(call.name);
                if called == "block_given?" {
                    return Ok(V::Bool(frame.around.block.is_some()));
                }
                self.send(&get(call.receiver), &called, frame.passed(call.args))?
            }
            Op::Yield(args) => self.yield_to(frame.around.block.as_ref(), frame.passed(args))?,
            Op::Given(of) => V::Bool(!matches!(get(of), V::Absent)),
            Op::IsNil(of) => V::Bool(matches!(get(of), V::Nil)),
            Op::Defined { what, .. } => V::text(what),
            Op::NoMatch { subject, reason } => {
                let subject = get(subject).inspect();
                return Err(match reason {
                    Reason::Key(key) => {
                        let message = format!("{subject}: key not found: :{}", name(key));
                        core::error("NoMatchingPatternKeyError", &message)
                    }
                    _ => core::error("NoMatchingPatternError", &subject),
                });
            }
            _ => self.of_list(frame, op)?,
        })
    }

    fn closure(&self, frame: &Frame<'_>, code: CodeId, captures: List) -> V {
        let block = Given::Code {
            hir: Rc::clone(frame.hir),
            code,
            captures: frame.list(captures),
            this: frame.values[0].clone(),
            home: frame.around.home,
            block: frame.around.block.clone(),
        };
        let is_lambda = frame.hir.code(code).kind == CodeKind::Lambda;
        V::Proc(Rc::new(Proc { block, is_lambda, token: self.next_id() }))
    }

    fn of_list(&self, frame: &Frame<'_>, op: Op) -> Answer {
        let get = |value: Value| frame.get(value);
        let items = |value: Value| get(value).items();
        let key = |name: Name| V::Symbol(frame.hir.name(name).to_owned());
        Ok(match op {
            Op::Splat(of) => match get(of) {
                V::Nil => V::array(vec![]),
                list @ V::Array(_) => V::array(list.items()),
                other => V::array(vec![other]),
            },
            Op::Spread(of) => match get(of) {
                list @ V::Array(_) => list,
                other => V::array(vec![other]),
            },
            Op::Item(list, position) => {
                let all = items(list);
                let end =
                    |after: u32, before: u32| all.len().saturating_sub(after as usize).max(before as usize);
                let item = |at: usize| all.get(at).cloned().unwrap_or(V::Nil);
                match position {
                    Position::Front(at) => item(at as usize),
                    Position::Back { before, after, index } => item(end(after, before) + index as usize),
                    Position::Middle { before, after } => {
                        let range = before as usize..end(after, before).min(all.len());
                        V::array(all.get(range).unwrap_or_default().to_vec())
                    }
                }
            }
            Op::ItemAt { list, index, offset } => {
                items(list)[get(index).to_int() as usize + offset as usize].clone()
            }
            Op::Before { list, index } => V::array(items(list)[..get(index).to_int() as usize].to_vec()),
            Op::After { list, index, offset } => {
                V::array(items(list)[get(index).to_int() as usize + offset as usize..].to_vec())
            }
            Op::Fits { list, index, count } => {
                V::Bool(get(index).to_int() as usize + count as usize <= items(list).len())
            }
            Op::Next(index) => V::Int(get(index).to_int() + 1),
            Op::Length { list, count, or_more } => {
                let (given, count) = (items(list).len(), count as usize);
                V::Bool(given == count || or_more && given > count)
            }
            Op::Deconstructs { value, keys } => {
                V::Bool(matches!((get(value), keys), (V::Array(_), false) | (V::Hash(_), true)))
            }
            Op::Deconstruct(value) | Op::DeconstructKeys { value, .. } => get(value),
            Op::HasKey { hash, key: of } => V::Bool(get(hash).at_key(&key(of)).is_some()),
            Op::Key { hash, key: of } => get(hash).at_key(&key(of)).unwrap_or(V::Nil),
            Op::WithoutKeys { hash, names } => {
                let names: Vec<V> = frame.code.keys(names).iter().map(|name| key(*name)).collect();
                let pairs = get(hash).pairs();
                V::hash(pairs.into_iter().filter(|(key, _)| !names.contains(key)).collect())
            }
            Op::OnlyKeys { hash, names } => V::Bool(get(hash).pairs().len() == frame.code.keys(names).len()),
            _ => return Err(core::error("NotImplementedError", &format!("{op:?}"))),
        })
    }
}

enum Step {
    Jump(Edge),
    Done(V),
}

impl Frame<'_> {
    fn get(&self, value: Value) -> V {
        self.values[value.index()].clone()
    }

    fn list(&self, list: List) -> Vec<V> {
        self.code.list(list).iter().map(|value| self.get(*value)).collect()
    }

    fn passed(&self, args: Args) -> Passed {
        let mut passed = Passed::default();
        for arg in self.code.arguments(args) {
            let value = self.get(arg.value);
            match arg.kind {
                ArgKind::Plain => passed.positional.push(value),
                ArgKind::Splat => passed.positional.extend(value.items()),
                ArgKind::Keyword(name) => passed.keywords.push((self.hir.name(name).to_owned(), value)),
                ArgKind::KeywordSplat => {
                    passed
                        .keywords
                        .extend(value.pairs().iter().map(|(key, value)| (key.to_text(), value.clone())));
                }
                ArgKind::Block => passed.block = Some(value).filter(|block| !matches!(block, V::Nil)),
            }
        }
        passed
    }

    fn variable(&self, variable: Variable) -> String {
        let (Variable::Instance(name)
        | Variable::Global(name)
        | Variable::Class(name)
        | Variable::Outer(name)) = variable;
        self.hir.name(name).to_owned()
    }
}

/// The parameters of an entry, behind `self`.
fn bind(hir: &Hir, code: &Code, passed: Passed, is_block: bool) -> Result<Vec<V>, Leaving> {
    let Passed { mut positional, mut keywords, block } = passed;
    let params = &code.params;
    let (required, post) = (params.required as usize, params.post as usize);
    let (least, most) = (required + post, required + post + params.optional as usize);
    let several = most > 1 || params.rest && most > 0 || params.trailing_comma;
    if is_block {
        if let ([V::Array(_)], true) = (&positional[..], several) {
            positional = positional[0].items();
        }
        positional.resize(positional.len().max(least), V::Nil);
        if !params.rest {
            positional.truncate(most);
        }
    } else if positional.len() < least || positional.len() > most && !params.rest {
        let message = format!("wrong number of arguments (given {}, expected {least})", positional.len());
        return Err(core::error("ArgumentError", &message));
    }
    let behind = positional.split_off(positional.len() - post);
    let mut positional = positional.into_iter();
    let mut all: Vec<V> = positional.by_ref().take(required).collect();
    all.extend((0..params.optional).map(|_| positional.next().unwrap_or(V::Absent)));
    if params.rest {
        all.push(V::array(positional.collect()));
    }
    all.extend(behind);
    for (name, _) in &params.keywords {
        let at = keywords.iter().position(|(given, _)| given == hir.name(*name));
        all.push(at.map_or(V::Absent, |at| keywords.remove(at).1));
    }
    let rest =
        || V::hash(keywords.iter().map(|(name, value)| (V::Symbol(name.clone()), value.clone())).collect());
    all.extend(params.keyword_rest.then(rest));
    all.extend(params.keyword_hash.then(rest));
    all.extend(params.block.then(|| block.unwrap_or(V::Nil)));
    Ok(all)
}
