//! Ruby's values, as far as the programs of the tests have them.

use crate::hir::{CodeId, Hir};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone)]
pub enum Value {
    /// What an optional parameter has without an argument.
    Absent,
    Nil,
    Bool(bool),
    Int(i64),
    Symbol(String),
    Text(Rc<RefCell<String>>),
    Array(Rc<RefCell<Vec<Value>>>),
    Hash(Rc<RefCell<Vec<(Value, Value)>>>),
    Range(Option<i64>, Option<i64>, bool),
    Class(String),
    /// Class and message.
    Error(Rc<(String, String)>),
    Proc(Rc<Proc>),
    Cell(Rc<RefCell<Value>>),
    Leaving(Rc<Leaving>),
    Main,
}

/// What leaves a code.
#[derive(Clone)]
pub enum Leaving {
    Error(Value),
    /// `break` of the block with that token, and `return` from the method with that number.
    Break(usize, Value),
    Return(usize, Value),
    Throw(Value, Value),
}

pub struct Proc {
    pub block: Block,
    pub is_lambda: bool,
    pub token: usize,
}

pub enum Block {
    Symbol(String),
    Code { hir: Rc<Hir>, code: CodeId, captures: Vec<Value>, this: Value, home: usize, block: Option<Value> },
}

impl Value {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Rc::new(RefCell::new(text.into())))
    }

    pub fn array(items: Vec<Self>) -> Self {
        Self::Array(Rc::new(RefCell::new(items)))
    }

    pub fn hash(pairs: Vec<(Self, Self)>) -> Self {
        Self::Hash(Rc::new(RefCell::new(pairs)))
    }

    pub const fn is_true(&self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    pub fn to_int(&self) -> i64 {
        if let Self::Int(value) = self { *value } else { panic!("no Integer: {}", self.inspect()) }
    }

    pub fn cell(&self) -> Rc<RefCell<Self>> {
        if let Self::Cell(cell) = self { Rc::clone(cell) } else { panic!("no cell: {}", self.inspect()) }
    }

    pub fn items(&self) -> Vec<Self> {
        match self {
            Self::Array(items) => items.borrow().clone(),
            Self::Hash(_) => {
                self.pairs().into_iter().map(|(key, value)| Self::array(vec![key, value])).collect()
            }
            Self::Range(Some(low), Some(high), exclusive) => {
                (*low..high + i64::from(!exclusive)).map(Self::Int).collect()
            }
            _ => panic!("no items: {}", self.inspect()),
        }
    }

    pub fn pairs(&self) -> Vec<(Self, Self)> {
        if let Self::Hash(pairs) = self {
            pairs.borrow().clone()
        } else {
            panic!("no Hash: {}", self.inspect())
        }
    }

    pub fn at_key(&self, key: &Self) -> Option<Self> {
        self.pairs().into_iter().find(|(of, _)| of == key).map(|(_, value)| value)
    }

    pub fn class(&self) -> &str {
        match self {
            Self::Absent | Self::Nil => "NilClass",
            Self::Bool(true) => "TrueClass",
            Self::Bool(false) => "FalseClass",
            Self::Int(_) => "Integer",
            Self::Symbol(_) => "Symbol",
            Self::Text(_) => "String",
            Self::Array(_) => "Array",
            Self::Hash(_) => "Hash",
            Self::Range(..) => "Range",
            Self::Class(_) => "Class",
            Self::Error(error) => &error.0,
            Self::Proc(_) => "Proc",
            Self::Cell(_) | Self::Leaving(_) => "?",
            Self::Main => "Object",
        }
    }

    pub fn to_text(&self) -> String {
        match self {
            Self::Nil => String::new(),
            Self::Text(text) => text.borrow().clone(),
            Self::Symbol(name) => name.clone(),
            Self::Error(error) => error.1.clone(),
            _ => self.inspect(),
        }
    }

    pub fn inspect(&self) -> String {
        match self {
            Self::Absent => "absent".into(),
            Self::Nil => "nil".into(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Symbol(name) => format!(":{name}"),
            Self::Text(text) => format!("{:?}", text.borrow()),
            Self::Array(items) => {
                let items: Vec<String> = items.borrow().iter().map(Self::inspect).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Hash(pairs) => {
                let pair = |(key, value): &(Self, Self)| format!("{}=>{}", key.inspect(), value.inspect());
                format!("{{{}}}", pairs.borrow().iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Range(low, high, exclusive) => {
                let [low, high] = [low, high].map(|end| end.map_or(String::new(), |end| end.to_string()));
                format!("{low}{}{high}", if *exclusive { "..." } else { ".." })
            }
            Self::Class(name) => name.clone(),
            Self::Error(error) => format!("#<{}: {}>", error.0, error.1),
            Self::Proc(_) | Self::Cell(_) | Self::Leaving(_) => "#<?>".into(),
            Self::Main => "main".into(),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Proc(one), Self::Proc(other)) => Rc::ptr_eq(one, other),
            _ => self.class() == other.class() && self.inspect() == other.inspect(),
        }
    }
}
