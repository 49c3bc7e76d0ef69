//! `catch` and `throw`: a jump to the end of a block that is being inlined. Tags are told apart as Ruby does, by identity,
//! which is mostly known at compile time.

use super::exceptions::{RECEIVER, SUBJECT};
use super::operand::Operand;
use super::{JoinIndex, Lowerer};
use crate::ir::{ErrorKind, Receiver, SiteId};
use crate::syntax::ast::{BlockArg, Call, Node};
use crate::types::{ClassId, Type};

impl Lowerer<'_> {
    /// `catch(tag) { … }`; another form of it, or a method of the user's, is `None`.
    pub(crate) fn catch(&mut self, node: &Node, call: &Call, unused: bool) -> Option<Operand> {
        let Some(BlockArg::Literal(literal)) = &call.block else { return None };
        let [tag] = &call.args[..] else {
            return Some(self.refuse_here(
                "unsupported-catch",
                "`catch` takes a tag in a section",
                Some("give it a symbol: catch(:done) { … throw :done … }".into()),
            ));
        };
        let tag = self.expr(tag);
        self.enter(node);
        if tag.is_bottom() {
            return Some(tag);
        }
        Some(self.labelled(35, !unused, |s, join| {
            let block = s.block_literal(literal, Some(join), false);
            s.catches.push((tag.clone(), join));
            s.unused = unused;
            let value = s.running_natives(&[(Type::Nil, "catch")], |s| s.call_block(&block, vec![tag]));
            s.catches.pop();
            value
        }))
    }

    /// `throw tag` and `throw tag, value`.
    pub(crate) fn throw(&mut self, node: &Node, call: &Call) -> Option<Operand> {
        let arguments = self.arguments(&call.args)?;
        if arguments.splat.is_some() {
            return Some(self.refuse_splat());
        }
        self.enter(node);
        let (tag, value) = match &arguments.positional[..] {
            [tag] => (tag.clone(), Operand::nil()),
            [tag, value] => (tag.clone(), value.clone()),
            _ => return None,
        };
        if self.detached {
            // What waits around a method that calls itself is not known in it.
            return Some(self.refuse_here(
                "unsupported-catch",
                "`throw` stands in a method that calls itself, or in an element whose call stands in a `catch`",
                Some("return the value instead, and throw it where it is known".into()),
            ));
        }
        let catches: Vec<(Operand, JoinIndex)> = self.catches.iter().rev().cloned().collect();
        Some(self.running_natives(&[(Type::Nil, "throw")], |s| s.throw_to(&tag, &value, &catches)))
    }

    /// Innermost first.
    fn throw_to(&mut self, tag: &Operand, value: &Operand, catches: &[(Operand, JoinIndex)]) -> Operand {
        let Some(((waiting, join), rest)) = catches.split_first() else {
            return self.switch(tag, 36, &mut |s, tag| {
                s.each_of_bool(&tag, &mut |s, tag| {
                    s.switch(value, 37, &mut |s, value| {
                        s.each_of_bool(&value, &mut |s, value| s.throw_out(tag, value))
                    })
                })
            });
        };
        let same = self.send(tag, "#same", std::slice::from_ref(waiting), rest.len() as u32);
        if same.is_bottom() {
            return same;
        }
        let condition = self.truth_condition(&same);
        self.within_slot(rest.len() as u32, |s| {
            s.branch(
                37,
                condition,
                |s| {
                    s.leave_to(*join, Some(value));
                    Operand::bottom()
                },
                |s| s.throw_to(tag, value, rest),
            )
        })
    }

    /// Out of the section, where a `catch` may wait or not. What the section has made leaves it in the exception that there
    /// is where none waits.
    fn throw_out(&mut self, tag: &Operand, value: &Operand) -> Operand {
        let class = ClassId::UNCAUGHT_THROW_ERROR;
        let told = match (self.receiver(tag), self.receiver(value)) {
            _ if self.may_have_cause() => None,
            ((Receiver::Text(_), _), _) | (_, (Receiver::Text(_), _)) => None,
            ((tag, operands), (value, more)) => {
                Some((ErrorKind::UncaughtThrow { tag, value }, [operands, more].concat()))
            }
        };
        let error = told.as_ref().map_or(ErrorKind::RaiseMade(class), |(error, _)| error.clone());
        let site = self.site(error);
        if self.is_rescued(site) {
            return self.refuse_to_rescue_thrown();
        }
        match told {
            Some((_, operands)) => self.fail_at(site, &operands),
            None => {
                let given = [(SUBJECT, tag.clone()), (RECEIVER, value.clone())];
                self.raise_keeping(class, Some(Operand::nil()), None, &given);
            }
        }
        Operand::bottom()
    }

    /// Has something been thrown there for which nothing in the section waits?
    pub(super) fn is_thrown(&self, site: SiteId) -> bool {
        matches!(
            self.program.sites[site.0 as usize].error,
            ErrorKind::UncaughtThrow { .. } | ErrorKind::RaiseMade(ClassId::UNCAUGHT_THROW_ERROR)
        )
    }

    /// A clause would take what has been thrown.
    pub(super) fn refuse_to_rescue_thrown(&mut self) -> Operand {
        let refused = "a `rescue` around `throw`, which no `catch` in the section ends, waits for UncaughtThrowError: \
                       whether a `catch` around the section does is not known in it [unsupported-catch]\n  hint: \
                       throw behind the `rescue`, or rescue a class that UncaughtThrowError is not below";
        self.fail(ErrorKind::Unsupported(refused.into()), &[])
    }
}
