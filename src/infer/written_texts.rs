//! Texts that are written out, where a String is compared with one: its bytes are constants of the code, so nothing is
//! brought for it, and a long `case` of them is a search.

use super::operand::Operand;
use super::{Condition, Lowerer, host::RootKey};
use crate::hashing;
use crate::ir::{BinaryOp, Comparison, Stmt, UnaryOp, Value, Var};
use crate::scalar::Ty;
use crate::syntax::ast::{Call, Kind, Node, StringPart, When};
use crate::types::{ClassId, Type, TypeSet};
use rustc_hash::FxHashSet;

/// Bytes up to which a text is compared in line: four words.
const SHORT: usize = 32;
/// Texts of a `case` from which on it is a search, and from which on it is one in a table.
const MANY: usize = 8;
const ENOUGH_FOR_A_TABLE: usize = 32;
const SLOT_SEARCH: u32 = 46;

/// A text that is written out.
pub(super) fn written(node: &Node) -> Option<&str> {
    let Kind::String(parts) = &node.kind else { return None };
    match &parts[..] {
        [] => Some(""),
        [StringPart::Text(text) | StringPart::Frozen(text)] => Some(text),
        _ => None,
    }
}

fn short(node: &Node) -> Option<&str> {
    written(node).filter(|text| text.len() <= SHORT)
}

/// A text of a `case`, by the hash of its bytes, with the number of its `when`.
struct Sought<'a> {
    hash: i64,
    text: &'a str,
    when: usize,
}

/// The rows of a table for `String#__among`, in the order of the hashes.
fn table(sought: &[Sought<'_>]) -> Vec<i64> {
    let row = |one: &Sought<'_>| {
        let mut row =
            [one.hash, one.text.len() as i64, i64::from(!one.text.is_ascii()), one.when as i64, 0, 0, 0, 0];
        for (word, bytes) in row[4..].iter_mut().zip(one.text.as_bytes().chunks(8)) {
            *word = hashing::word(bytes);
        }
        row
    };
    sought.iter().flat_map(row).collect()
}

/// A String, with its size and its first word, which any String has.
struct LookedAt {
    string: Operand,
    size: Value,
    first: Value,
}

impl Lowerer<'_> {
    /// Is it known of such values whether they are like a text? Of Strings, and of what never is.
    fn is_text_or_simple(types: &TypeSet) -> bool {
        let is_simple = |ty: &Type| {
            matches!(ty, Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol)
        };
        types.iter().any(Type::is_string) && types.iter().all(|ty| ty.is_string() || is_simple(ty))
    }

    fn has_rubys(&mut self, class: ClassId, name: &str) -> bool {
        self.frame().builtin || !self.is_redefined(class, name)
    }

    /// `text === subject`, of a short text that is written out.
    pub(super) fn matches_written(&mut self, subject: &Operand, pattern: &Node) -> Option<Value> {
        let text = short(pattern)?;
        if !Self::is_text_or_simple(&subject.types) || !self.has_rubys(ClassId::STRING, "===") {
            return None;
        }
        self.enter(pattern);
        Some(self.is_written(subject, text))
    }

    /// `subject == text` or `subject != text`, of a short text that is written out.
    pub(super) fn equals_written(&mut self, node: &Node, call: &Call, subject: &Operand) -> Option<Value> {
        let [text] = &call.args[..] else { return None };
        let text = short(text)?;
        if !Self::is_text_or_simple(&subject.types) {
            return None;
        }
        let classes: Vec<ClassId> = subject.types.iter().map(super::class_of).collect();
        if !classes.into_iter().all(|class| ["==", "!="].iter().all(|name| self.has_rubys(class, name))) {
            return None;
        }
        self.enter(node);
        let same = self.is_written(subject, text);
        Some(match call.name == "!=" {
            true => self.b.unary(UnaryOp::Not, same),
            false => same,
        })
    }

    fn is_written(&mut self, subject: &Operand, text: &str) -> Value {
        let answer = self.switch(subject, 0x650, &mut |s, one| {
            let is_it = match one.types.iter().any(Type::is_string) {
                true => s.is_text(&one, text),
                false => s.b.bool(false),
            };
            Operand::bool(is_it)
        });
        if answer.is_bottom() { self.b.bool(false) } else { self.truth(&answer) }
    }

    fn looked_at(&mut self, string: &Operand) -> LookedAt {
        let (size, zero) = (self.string_size(string), self.b.i64(0));
        LookedAt { string: string.clone(), size, first: self.string_word(string, zero) }
    }

    /// Is a String this text?
    pub(crate) fn is_text(&mut self, string: &Operand, text: &str) -> Value {
        let string = self.looked_at(string);
        self.has_bytes(&string, text)
    }

    /// Has a String these bytes, in an encoding in which they are this text?
    fn has_bytes(&mut self, LookedAt { string, size, first }: &LookedAt, text: &str) -> Value {
        let length = self.b.i64(text.len() as i64);
        let mut same = self.b.compare(Comparison::Eq, *size, length);
        let words: Vec<i64> = text.as_bytes().chunks(8).map(hashing::word).collect();
        if let Some(word) = words.first() {
            same = self.and_same(same, *first, *word);
        }
        if words.len() < 2 && text.is_ascii() {
            return same;
        }
        let all = self.b.var(Ty::Bool);
        let no = self.b.bool(false);
        self.b.set(all, no);
        self.b.open();
        let mut rest = self.b.bool(true);
        for (i, word) in (1..).zip(&words[1..]) {
            let index = self.b.i64(i);
            let there = self.string_word(string, index);
            rest = self.and_same(rest, there, *word);
        }
        if !text.is_ascii() {
            let (encoding, utf8) = (self.string_encoding(string), self.b.i64(0));
            let is_utf8 = self.b.compare(Comparison::Eq, encoding, utf8);
            rest = self.b.binary(BinaryOp::AndB, rest, is_utf8);
        }
        self.b.set(all, rest);
        let (then, _) = self.b.close();
        self.b.emit(Stmt::If { condition: same, then, otherwise: vec![] });
        self.b.get(all)
    }

    fn and_same(&mut self, same: Value, there: Value, word: i64) -> Value {
        let word = self.b.i64(word);
        let alike = self.b.compare(Comparison::Eq, there, word);
        self.b.binary(BinaryOp::AndB, same, alike)
    }

    // ---- case ------------------------------------------------------------------------------------------------------

    /// How many clauses a `case` begins with that have nothing but short texts, where these are so many that it is a search.
    pub(super) fn texts_of_case(&mut self, subject: &Operand, whens: &[When]) -> Option<usize> {
        let of_texts = |when: &&When| when.patterns.iter().all(|pattern| short(pattern).is_some());
        let clauses = whens.iter().take_while(of_texts).count();
        let texts: usize = whens[..clauses].iter().map(|when| when.patterns.len()).sum();
        (texts >= MANY && Self::is_text_or_simple(&subject.types) && self.has_rubys(ClassId::STRING, "==="))
            .then_some(clauses)
    }

    /// A `case` of such clauses: first which one it is, by the hash of the String, then what that gives.
    pub(super) fn case_of_texts(
        &mut self,
        subject: &Operand,
        whens: &[When],
        unused: bool,
        rest: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        let mut known = FxHashSet::default();
        let mut sought = Vec::new();
        for (i, when) in whens.iter().enumerate() {
            for text in when.patterns.iter().filter_map(short) {
                if known.insert(text) {
                    sought.push(Sought { hash: hashing::of_bytes(text.as_bytes()), text, when: i });
                }
            }
        }
        sought.sort_by_key(|one| one.hash);
        let (found, none) = (self.b.var(Ty::I64), self.b.i64(-1));
        self.b.set(found, none);
        self.enter(&whens[0].body);
        self.switch(subject, 0x651, &mut |s, one| {
            if !one.types.iter().any(Type::is_string) {
                return Operand::nil();
            }
            if sought.len() >= ENOUGH_FOR_A_TABLE {
                let table = s.root(&RootKey::Words(table(&sought))).unwrap_or_else(Operand::bottom);
                let count = Operand::integer(s.b.i64(sought.len() as i64));
                let number = s.send(&one, "#among", &[table, count], 1);
                if !number.is_bottom() {
                    s.b.set(found, number.value());
                }
            } else {
                let hash = s.string_hash(&one);
                let one = s.looked_at(&one);
                s.search(&one, hash, &sought, found);
            }
            Operand::nil()
        });
        let found = self.b.get(found);
        let zero = self.b.i64(0);
        let is_one = self.b.compare(Comparison::Ge, found, zero);
        let mut condition = Condition { value: is_one, yes: vec![], no: vec![] };
        if let Some(key) = subject.values.first().filter(|_| subject.types.len() > 1) {
            condition.yes.push((*key, subject.types.filter(Type::is_string)));
        }
        self.branch(SLOT_SEARCH, condition, |s| s.chosen(found, whens, 0, unused), rest)
    }

    /// Sets the number of the clause, if one of these texts is the String.
    fn search(&mut self, string: &LookedAt, hash: Value, sought: &[Sought<'_>], found: Var) {
        if let [one] = sought {
            let same = self.has_bytes(string, one.text);
            self.b.open();
            let when = self.b.i64(one.when as i64);
            self.b.set(found, when);
            let (then, _) = self.b.close();
            return self.b.emit(Stmt::If { condition: same, then, otherwise: vec![] });
        }
        // Equal ones stay together, as far as it goes: of those with one hash each is looked at.
        let (lower, upper) = sought.split_at(sought.len() / 2);
        if lower.last().map(|one| one.hash) == upper.first().map(|one| one.hash) {
            self.search(string, hash, lower, found);
            return self.search(string, hash, upper, found);
        }
        let middle = self.b.i64(upper[0].hash);
        let is_lower = self.b.compare(Comparison::Lt, hash, middle);
        self.b.open();
        self.search(string, hash, lower, found);
        let (then, _) = self.b.close();
        self.b.open();
        self.search(string, hash, upper, found);
        let (otherwise, _) = self.b.close();
        self.b.emit(Stmt::If { condition: is_lower, then, otherwise });
    }

    /// What the clause of a number gives; the first of these has the number `from`.
    fn chosen(&mut self, number: Value, whens: &[When], from: usize, unused: bool) -> Operand {
        if let [when] = whens {
            return self.arm(&when.body, unused);
        }
        if let Some(given) = self.constant_clause(whens, number, from) {
            return given;
        }
        let (lower, upper) = whens.split_at(whens.len() / 2);
        let middle = from + lower.len();
        let first_of_upper = self.b.i64(middle as i64);
        let is_lower = self.b.compare(Comparison::Lt, number, first_of_upper);
        let condition = Condition { value: is_lower, yes: vec![], no: vec![] };
        self.enter(&upper[0].body);
        self.branch(
            SLOT_SEARCH,
            condition,
            |s| s.chosen(number, lower, from, unused),
            |s| s.chosen(number, upper, middle, unused),
        )
    }
}
