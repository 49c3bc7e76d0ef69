//! `**hash` in a call, where the Hash is one at run time: which keywords it has is asked key by key. (What `**`
//! collects is known by name, and is passed on as the keywords that it is.)
//!
//! It stands among the keywords as one of the name [`HASH_SPLAT`], which none has: those behind it come instead of what
//! it has, and what it has instead of those before it.

use super::calls::Arguments;
use super::operand::Operand;
use super::splats::{Absent, LeftOut};
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Value};
use crate::syntax::ast::Params;
use crate::types::{ClassId, Type};

/// No name of a keyword is like that.
pub(crate) const HASH_SPLAT: &str = "#splat";

const NO_HASH: &str = "`**` of anything but a Hash cannot run in a section [unsupported-keyword-splat]";
const NAME_EACH: &str = "name each keyword, as in `move(speed: 1)`";

/// Is there one among these?
pub(crate) fn has_hash_splat(keywords: &[(String, Operand)]) -> bool {
    keywords.iter().any(|(name, _)| name == HASH_SPLAT)
}

/// Keywords with a Hash among them.
struct Spread {
    before: Vec<(String, Operand)>,
    hash: Operand,
    after: Vec<(String, Operand)>,
}

fn named<'a>(keywords: &'a [(String, Operand)], name: &str) -> Option<&'a Operand> {
    keywords.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

impl Spread {
    fn of(mut keywords: Vec<(String, Operand)>) -> Option<Self> {
        let at = keywords.iter().position(|(name, _)| name == HASH_SPLAT)?;
        let after = keywords.split_off(at + 1);
        let hash = keywords.pop()?.1;
        Some(Self { before: keywords, hash, after })
    }
}

/// What stands beside a `**` in a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    Keywords,
    /// And others.
    Splats,
}

/// What becomes of keywords that have no parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Collect,
    /// An ArgumentError, which tells of one.
    Tell,
    Refuse,
}

impl Lowerer<'_> {
    /// Puts a Hash among the keywords of a call.
    pub(super) fn splat_hash(&mut self, arguments: &mut Arguments, hash: &Operand, beside: Beside) {
        let hash = &self.through_to_hash(hash, true);
        let may_be = |ty: &Type| ty.is_hash() || *ty == Type::Nil;
        let hash = match !hash.is_bottom() && hash.types.iter().any(may_be) {
            true => &self.one_hash(hash, beside),
            false => hash,
        };
        if hash.types.single().is_some_and(Type::is_hash) {
            let before = match has_hash_splat(&arguments.keywords) {
                // All that there is so far, as one.
                true => self.hash_of_spread(&std::mem::take(&mut arguments.keywords)),
                false => Operand::nil(),
            };
            let all = match before.types.single() {
                Some(Type::Nil) => hash.clone(),
                Some(_) => self.send(&before, "merge", std::slice::from_ref(hash), 0x653),
                None => before,
            };
            arguments.keywords.push((HASH_SPLAT.into(), all));
            return;
        }
        arguments.keywords.push((String::new(), Operand::bottom()));
    }

    /// Of several kinds of Hashes, or of one and nil, one Hash with what it has.
    fn one_hash(&mut self, hash: &Operand, beside: Beside) -> Operand {
        if hash.types.len() == 1 && hash.types.single() != Some(&Type::Nil) {
            return hash.clone();
        }
        let all = self.hash_of_keywords(&[]);
        if all.is_bottom() {
            return all;
        }
        self.within_slot(0x654, |s| {
            s.switch(hash, 0, &mut |s, hash| match hash.types.single() {
                Some(Type::Nil) => s.nil_splat(beside),
                Some(ty) if ty.is_hash() => s.send(&all, "merge!", std::slice::from_ref(&hash), 1),
                _ => s.fail(ErrorKind::Unsupported(format!("{NO_HASH}\n  hint: {NAME_EACH}")), &[]),
            })
        });
        all
    }

    /// `**nil`, which is nothing in some versions, alone or beside keywords with names.
    fn nil_splat(&mut self, beside: Beside) -> Operand {
        let dialect = self.host.dialect();
        match beside {
            Beside::Nothing if dialect.nil_is_no_keywords => Operand::nil(),
            Beside::Keywords if dialect.nil_adds_no_keywords => Operand::nil(),
            // Whether the others count hangs on where it stands.
            Beside::Splats if dialect.nil_adds_no_keywords => {
                self.fail(ErrorKind::Unsupported(format!("{NO_HASH}\n  hint: {NAME_EACH}")), &[])
            }
            _ => self.fail(ErrorKind::TypeError("no implicit conversion of nil into Hash".into()), &[]),
        }
    }

    /// `run(**hash)` of what takes no keywords: the Hash, or a copy, is one more argument, and none where it
    /// is empty.
    pub(super) fn with_hash_or_nothing(
        &mut self,
        hash: &Operand,
        is_itself: bool,
        arguments: &Arguments,
        call: impl Fn(&mut Self, &Arguments) -> Operand,
    ) -> Operand {
        let size = self.send(hash, "size", &[], 0x654);
        if size.is_bottom() {
            return size;
        }
        let zero = self.b.i64(0);
        let value = self.b.compare(Comparison::Eq, size.value(), zero);
        let with = |more: Option<Operand>| {
            let mut with = Arguments { keywords: vec![], ..arguments.clone() };
            with.positional.extend(more);
            with
        };
        self.branch(
            0x655,
            Condition { value, yes: vec![], no: vec![] },
            |s| call(s, &with(None)),
            |s| {
                let copy = if is_itself { hash.clone() } else { s.send(hash, "dup", &[], 0x656) };
                if copy.is_bottom() { copy } else { call(s, &with(Some(copy))) }
            },
        )
    }

    /// `send(:run, **hash)` is written in C: what it hands on is a copy of the Hash, in all versions.
    pub(crate) fn copy_lone_splat(&mut self, arguments: &mut Arguments) {
        if self.host.dialect().lone_splats_are_the_hash
            && let [(only, hash)] = &mut arguments.keywords[..]
            && only == HASH_SPLAT
        {
            *hash = self.send(hash, "dup", &[], 0x657);
        }
    }

    /// Refuses a Hash alone where keywords are an argument like others: an empty one is none.
    pub(super) fn may_pass_nothing(&mut self, keywords: &[(String, Operand)]) -> bool {
        let may = has_hash_splat(keywords) && keywords.len() == 1;
        if may {
            self.refuse_hash_splat("of a Hash for what takes no keywords");
        }
        may
    }

    pub(crate) fn refuse_hash_splat(&mut self, what: &str) -> Operand {
        self.refuse_here(
            "unsupported-keyword-splat",
            format!("`**` {what} cannot run in a section"),
            Some(NAME_EACH.into()),
        )
    }

    fn has_key(&mut self, hash: &Operand, name: &str) -> Value {
        let key = self.symbol(name);
        let has = self.send(hash, "key?", &[key], 1);
        if has.is_bottom() { self.b.bool(false) } else { has.value() }
    }

    pub(super) fn value_of_key(&mut self, hash: &Operand, name: &str) -> Operand {
        let key = self.symbol(name);
        self.send(hash, "fetch", &[key], 2)
    }

    /// Binds keywords, of which a Hash has some; those that are left to their defaults come last.
    pub(super) fn bind_spread_keywords<'p>(
        &mut self,
        params: &'p Params,
        keywords: Vec<(String, Operand)>,
        left_out: &mut Vec<LeftOut<'p>>,
    ) {
        let Some(spread) = Spread::of(keywords) else { return };
        let names: Vec<&str> = params.keywords.iter().map(|(name, ..)| name.as_str()).collect();
        let needed: Vec<&str> = params
            .keywords
            .iter()
            .filter(|(name, _, default)| default.is_none() && named(&spread.before, name).is_none())
            .map(|(name, ..)| name.as_str())
            .collect();
        let others = if params.keyword_rest.is_some() { Others::Collect } else { Others::Tell };
        let has = self.within_slot(0x650, |s| s.check_spread(&spread, (&names, &needed), others));
        if self.b.is_dead() {
            return;
        }
        for (number, (name, id, default)) in params.keywords.iter().enumerate() {
            if let Some(value) = named(&spread.after, name) {
                self.write_local(*id, value.clone());
                continue;
            }
            let condition = Condition { value: has[number], yes: vec![], no: vec![] };
            let before = named(&spread.before, name);
            if let (None, Some(default)) = (before, default) {
                let absent = Absent::Unless { has: has[number], hash: spread.hash.clone(), name };
                left_out.push((*id, default, Some(absent)));
                continue;
            }
            let value = self.within_slot(0x660 + number as u32, |s| match before {
                None => s.value_of_key(&spread.hash, name),
                Some(before) => {
                    s.branch(11, condition, |s| s.value_of_key(&spread.hash, name), |_| before.clone())
                }
            });
            self.write_local(*id, value);
        }
        if let Some(id) = params.keyword_rest {
            let rest = self.within_slot(0x651, |s| s.rest_of_spread(&spread, &names));
            if let Some(hash) = params.keyword_hash {
                self.write_local(hash, rest.clone());
            }
            self.write_local(id, rest);
        }
    }

    /// All as a Hash.
    pub(super) fn hash_of_spread(&mut self, keywords: &[(String, Operand)]) -> Operand {
        match Spread::of(keywords.to_vec()) {
            Some(spread) => self.rest_of_spread(&spread, &[]),
            None => Operand::bottom(),
        }
    }

    /// A Hash of what has none of these names.
    fn rest_of_spread(&mut self, spread: &Spread, names: &[&str]) -> Operand {
        let others = |keywords: &[(String, Operand)]| -> Vec<(String, Operand)> {
            keywords.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect()
        };
        let dialect = self.host.dialect();
        let keeps_default = if names.is_empty() {
            dialect.collected_keywords_keep_defaults
        } else {
            dialect.rest_of_keywords_keeps_defaults
        };
        let mut rest = if keeps_default && spread.before.is_empty() && spread.after.is_empty() {
            self.send(&spread.hash, "dup", &[], 3)
        } else {
            let before = self.hash_of_keywords(&others(&spread.before));
            if before.is_bottom() {
                return before;
            }
            self.send(&before, "merge", std::slice::from_ref(&spread.hash), 3)
        };
        for (number, name) in (0..).zip(names) {
            if rest.is_bottom() {
                return rest;
            }
            let key = self.symbol(name);
            self.send(&rest, "delete", &[key], 0x40 + number);
        }
        let after = others(&spread.after);
        if !after.is_empty() && !rest.is_bottom() {
            let after = self.hash_of_keywords(&after);
            rest = if after.is_bottom() { after } else { self.send(&rest, "merge", &[after], 4) };
        }
        rest
    }

    /// Which of these names the Hash has. Fails where one that is needed is missing, and where there are others that are not
    /// to be.
    fn check_spread(
        &mut self,
        spread: &Spread,
        (names, needed): (&[&str], &[&str]),
        others: Others,
    ) -> Vec<Value> {
        let hash = &spread.hash;
        let has: Vec<Value> = (0..)
            .zip(names)
            .map(|(number, name)| self.within_slot(0x80 + number, |s| s.has_key(hash, name)))
            .collect();
        let zero = self.b.i64(0);
        let count = |s: &mut Self, value: Value, is: bool| {
            let (one, zero) = (s.b.i64(1), s.b.i64(0));
            if is { s.b.select(value, one, zero) } else { s.b.select(value, zero, one) }
        };
        let needed: Vec<(&str, Value)> = names
            .iter()
            .zip(&has)
            .filter(|(name, _)| needed.contains(*name) && named(&spread.after, name).is_none())
            .map(|(name, has)| (*name, *has))
            .collect();
        let mut missing = zero;
        for (_, has) in &needed {
            let more = count(self, *has, false);
            missing = self.b.binary(BinaryOp::Add, missing, more);
        }
        let one = self.b.i64(1);
        let few = self.b.compare(Comparison::Le, missing, one);
        self.check(few, several("missing"), &[]);
        for (name, has) in needed {
            let site = self.binding_site(ErrorKind::ArgumentError(format!("missing keyword: :{name}")));
            self.check_at(has, site, &[]);
        }
        if others != Others::Collect {
            let mut known = zero;
            for has in &has {
                let more = count(self, *has, true);
                known = self.b.binary(BinaryOp::Add, known, more);
            }
            let size = self.send(hash, "size", &[], 5);
            if size.is_bottom() {
                return has;
            }
            let all = self.b.compare(Comparison::Eq, size.value(), known);
            let other = self.b.binary(BinaryOp::Sub, size.value(), known);
            // The message of a Struct has the names themselves.
            let most = if others == Others::Tell { one } else { zero };
            let alone = self.b.compare(Comparison::Le, other, most);
            self.check(alone, several("unknown"), &[]);
            self.unless(all, 12, |s| s.fail_unknown(hash, names));
        }
        has
    }

    fn fail_unknown(&mut self, hash: &Operand, names: &[&str]) {
        let keys = self.send(hash, "keys", &[], 6);
        for (number, name) in (0..).zip(names) {
            if keys.is_bottom() {
                return;
            }
            let key = self.symbol(name);
            self.send(&keys, "delete", &[key], 0x40 + number);
        }
        let key = self.send(&keys, "first", &[], 7);
        if key.is_bottom() || self.b.is_dead() {
            return;
        }
        let rest = key.types.filter(|ty| *ty != Type::Nil);
        if rest.single() != Some(&Type::Symbol) {
            self.fail(several("unknown"), &[]);
            return;
        }
        let key = self.narrow(&key, &rest);
        let (what, operands) = self.told(&key);
        let message = vec![MessagePart::Text("unknown keyword: ".into()), MessagePart::Inspect(what, 0)];
        let error = ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(message) };
        let site = self.binding_site(error);
        self.fail_at(site, &operands);
    }

    /// Keywords for members: each is named then. `None`: nothing is, or it is refused.
    pub(super) fn members_of_spread(
        &mut self,
        arguments: &Arguments,
        members: &[String],
        is_data: bool,
    ) -> Option<Arguments> {
        let spread = Spread::of(arguments.keywords.clone())?;
        let names: Vec<&str> = members.iter().map(String::as_str).collect();
        let others: Vec<String> = spread
            .before
            .iter()
            .chain(&spread.after)
            .filter(|(name, _)| !members.contains(name))
            .map(|(name, _)| if is_data { format!(":{name}") } else { name.clone() })
            .collect();
        if !others.is_empty() {
            let plural = if others.len() > 1 || !is_data { "s" } else { "" };
            let message = format!("unknown keyword{plural}: {}", others.join(", "));
            self.fail(ErrorKind::ArgumentError(message), &[]);
            return None;
        }
        // Those of a Struct that are not there are nil.
        let given = |name: &&str| named(&spread.before, name).is_some();
        let needed: Vec<&str> = names.iter().copied().filter(|name| is_data && !given(name)).collect();
        let others = if is_data { Others::Tell } else { Others::Refuse };
        let has = self.within_slot(0x652, |s| s.check_spread(&spread, (&names, &needed), others));
        if self.b.is_dead() {
            return None;
        }
        let keywords = self.values_of_spread(&spread, &names, &has);
        Some(Arguments { keywords, ..arguments.clone() })
    }

    /// The keywords of these names, nil where the Hash has none of the name.
    fn values_of_spread(&mut self, spread: &Spread, names: &[&str], has: &[Value]) -> Vec<(String, Operand)> {
        let nil = Operand::nil();
        let mut keywords = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let value = match named(&spread.after, name) {
                Some(value) => value.clone(),
                None => {
                    let condition = Condition { value: has[number], yes: vec![], no: vec![] };
                    let before = named(&spread.before, name).unwrap_or(&nil);
                    self.within_slot(0x660 + number as u32, |s| {
                        s.branch(11, condition, |s| s.value_of_key(&spread.hash, name), |_| before.clone())
                    })
                }
            };
            keywords.push(((*name).into(), value));
        }
        keywords
    }

    /// The same for a method of Ruby's own that knows keywords of these names, for which nil is as good as none.
    pub(crate) fn keywords_of_spread(
        &mut self,
        keywords: &[(String, Operand)],
        names: &[&str],
    ) -> Option<Vec<(String, Operand)>> {
        let spread = Spread::of(keywords.to_vec())?;
        let others = if names.is_empty() { Others::Refuse } else { Others::Tell };
        let has = self.within_slot(0x652, |s| s.check_spread(&spread, (names, &[]), others));
        if self.b.is_dead() {
            return None;
        }
        let beside = spread.before.iter().chain(&spread.after);
        let unknown = beside.filter(|(name, _)| !names.contains(&name.as_str())).cloned();
        let mut all: Vec<(String, Operand)> = unknown.collect();
        all.extend(self.values_of_spread(&spread, names, &has));
        Some(all)
    }
}

fn several(what: &str) -> ErrorKind {
    ErrorKind::Unsupported(format!(
        "several keywords are {what}, or are no Symbols, of what `**` passes [unsupported-keyword-splat]\n  hint: {NAME_EACH}"
    ))
}
