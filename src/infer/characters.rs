//! `text[i] == other`: whether a character of a String is another one is known without a String of that character.

use super::Lowerer;
use super::calls::{Arguments, CallType};
use super::host::Method;
use super::operand::Operand;
use crate::ir::UnaryOp;
use crate::syntax::ast::{Call, Kind, Node, StringPart};
use crate::types::{ClassId, Type, TypeSet};

/// A side of an equality.
pub(super) enum Side {
    Value(Operand),
    Character(Character),
}

/// The character of a String at an index, which nobody has looked for yet.
pub(super) struct Character {
    text: Operand,
    index: Operand,
}

/// Is it a plain `a == b` or `a != b`?
pub(super) fn is_equality(call: &Call) -> bool {
    let is_plain = |node: &Node| !matches!(node.kind, Kind::Splat(_) | Kind::KeywordArgs(_));
    matches!(call.name.as_str(), "==" | "!=")
        && call.args.len() == 1
        && call.args.iter().all(is_plain)
        && call.block.is_none()
        && !call.safe
}

/// `receiver[index]`, and these.
fn indexing(node: &Node) -> Option<(&Call, &Node, &Node)> {
    let Kind::Call(call) = &node.kind else { return None };
    let (Some(receiver), [index]) = (&call.receiver, &call.args[..]) else { return None };
    let is_plain = !matches!(index.kind, Kind::Splat(_) | Kind::KeywordArgs(_));
    let is_literal = matches!(receiver.kind, Kind::String(_) | Kind::Array(_));
    (call.name == "[]" && call.block.is_none() && !call.safe && is_plain && !is_literal)
        .then_some((call, receiver, index))
}

impl Lowerer<'_> {
    /// Evaluates a side of an equality, but for a character of a String.
    pub(super) fn side(&mut self, node: &Node) -> Side {
        let Some((call, receiver, index)) = indexing(node) else { return Side::Value(self.expr(node)) };
        let text = self.expr(receiver);
        if text.is_bottom() {
            return Side::Value(text);
        }
        let call_type = match receiver.kind {
            Kind::SelfRef => CallType::Own,
            _ => CallType::Outside,
        };
        if !self.gives_characters(&text.types) {
            return Side::Value(self.call_on(node, call, &text, call_type, false));
        }
        let index = self.expr(index);
        if index.is_bottom() {
            return Side::Value(index);
        }
        self.enter(node);
        self.span = call.name_span;
        if index.types.single() != Some(&Type::Integer) {
            return Side::Value(self.index_by(&text, &index));
        }
        // What is nil has no characters, and says so before the other side is evaluated.
        let text = self.switch(&text, 0x640, &mut |s, text| match text.types.single() {
            Some(Type::Nil) => s.index_by(&text, &index),
            _ => text,
        });
        if text.is_bottom() {
            return Side::Value(text);
        }
        Side::Character(Character { text, index })
    }

    fn index_by(&mut self, text: &Operand, index: &Operand) -> Operand {
        let arguments = Arguments { positional: vec![index.clone()], ..Arguments::default() };
        self.dispatch(text, "[]", &arguments, None, CallType::Outside)
    }

    /// Strings with Ruby's own `[]` and `==`, or nil.
    fn gives_characters(&mut self, types: &TypeSet) -> bool {
        let own = |s: &mut Self, class: ClassId, name: &str| {
            let found = s.host.method(class, name).ok().flatten();
            found.is_some_and(|found| matches!(found.method, Method::Native { .. }))
        };
        let has_none = |s: &mut Self| matches!(s.host.method(ClassId::NIL, "[]"), Ok(None));
        types.iter().any(Type::is_string)
            && types.iter().all(|ty| match ty {
                Type::Nil => has_none(self),
                ty if ty.is_string() => {
                    let class = super::class_of(ty);
                    ["[]", "==", "!="].iter().all(|name| own(self, class, name))
                }
                _ => false,
            })
    }

    /// The value of a side.
    fn value_of(&mut self, node: &Node, side: Side) -> Operand {
        match side {
            Side::Value(value) => value,
            Side::Character(Character { text, index }) => {
                self.enter(node);
                if let Kind::Call(call) = &node.kind {
                    self.span = call.name_span;
                }
                self.index_by(&text, &index)
            }
        }
    }

    /// Is a character, the left side of an equality, what the other side is?
    pub(super) fn equals_character(&mut self, node: &Node, call: &Call, left: Character) -> Operand {
        let (Some(left_node), [right_node]) = (&call.receiver, &call.args[..]) else {
            return Operand::bottom();
        };
        let answer = match byte_of(right_node) {
            Some(byte) => {
                self.enter(node);
                let byte = Operand::integer(self.b.i64(byte.into()));
                self.send(&left.text, "#byte_at?", &[left.index, byte], 0x641)
            }
            None => match self.side(right_node) {
                Side::Character(right) => {
                    self.enter(node);
                    let args = [left.index, right.text, right.index];
                    self.send(&left.text, "#characters_alike?", &args, 0x641)
                }
                Side::Value(right) if right.is_bottom() => return right,
                Side::Value(right) if right.types.iter().all(Type::is_string) => {
                    self.enter(node);
                    self.send(&left.text, "#character_is?", &[left.index, right], 0x641)
                }
                Side::Value(right) => {
                    let left = self.value_of(left_node, Side::Character(left));
                    if left.is_bottom() {
                        return left;
                    }
                    self.enter(node);
                    self.span = call.name_span;
                    return self.send_written(&left, &call.name, &[right], 0x642);
                }
            },
        };
        if answer.is_bottom() {
            return answer;
        }
        let answer = self.truth(&answer);
        Operand::bool(match call.name == "!=" {
            true => self.b.unary(UnaryOp::Not, answer),
            false => answer,
        })
    }
}

/// A text of one ASCII character.
fn byte_of(node: &Node) -> Option<u8> {
    match &node.kind {
        Kind::String(parts) => match &parts[..] {
            [StringPart::Text(text) | StringPart::Frozen(text)] if text.is_ascii() && text.len() == 1 => {
                text.bytes().next()
            }
            _ => None,
        },
        _ => None,
    }
}
