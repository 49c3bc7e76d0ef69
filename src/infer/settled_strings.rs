//! Made Strings that are kept ([`super::settling`]): a row of the columns of Strings, and an array of words for the
//! bytes. From then on they are as those that were there before the section: such a String is copied once more, into
//! the columns of those that were there before, where nobody can tell it from these; copy-back finds its bytes there.
//!
//! One of a driver's gets a row when it is put somewhere, as it may be built until then: it keeps the row's number in
//! its flags, variables that hold it hold the row from there on; what else holds it has a copy, which is made anew of
//! the row before it is looked at where Strings may change (`refresh_string`), and to change it by that fails.

use super::Lowerer;
use crate::heap::schema::Stored;
use crate::ir::settling::{Bytes, HeldForm, HeldValue, NewObjects};
use crate::ir::{Arrays, BufferKind, Items};
use crate::scalar::Ty;
use crate::string_layout::{BYTESIZE, ENCODING, FLAGS, HEADER, SIZE, STRING_FROZEN, WORDS};
use crate::types::{ClassId, HierarchyId, Shape, Type, TypeSet};

impl Lowerer<'_> {
    /// What the columns of Strings hold of those that the section makes.
    pub(super) fn part_of_settled_string(&mut self, name: &str) -> TypeSet {
        match name {
            WORDS => Type::Array(self.host.string_words()).into(),
            _ => Type::Integer.into(),
        }
    }

    /// All columns are read, as copy-back looks at them.
    pub(super) fn settle_strings(&mut self) {
        let hierarchy = self.host.hierarchy(ClassId::STRING);
        let words = self.host.string_words();
        for name in [BYTESIZE, ENCODING, WORDS] {
            let types = self.part_of_settled_string(name);
            match self.host.column(hierarchy, ClassId::STRING, name) {
                Ok(contents) => {
                    self.settle_variable(hierarchy, ClassId::STRING, name, &types.union(&contents.types));
                }
                Err(refusal) => {
                    self.refuse(refusal);
                }
            }
        }
        let memo = self.memo.arrays.entry(words).or_default();
        let word = Type::Integer.into();
        self.memo.changed |= memo.stored.extend(&word) | memo.written.extend(&word) | !memo.made;
        memo.made = true;
    }

    pub(super) fn plan_strings(&mut self) -> NewObjects {
        let hierarchy = self.host.hierarchy(ClassId::STRING);
        let kind = self.host.string_words();
        let frozen = self.any_frozen(hierarchy).then(|| self.buffer(BufferKind::Frozen(hierarchy), Ty::Bool));
        let [size, flags, words] = [BYTESIZE, ENCODING, WORDS].map(|name| self.column_of(hierarchy, name));
        let values = |part| BufferKind::ArrayValues(kind, part);
        let arrays = Arrays {
            offset: self.buffer(BufferKind::ArrayOffset(kind), Ty::I32),
            length: self.buffer(BufferKind::ArrayLength(kind), Ty::I32),
            items: self.parts(&values, &Stored::written(Type::Integer.into())),
        };
        let held = |word: i64, into| HeldValue {
            word: word as usize,
            form: HeldForm::Payload(Shape::Integer),
            into,
        };
        NewObjects {
            hierarchy,
            place: self.host.class_index(hierarchy, ClassId::STRING),
            places: self.buffer(BufferKind::Places(hierarchy), Ty::I32),
            variables: vec![held(SIZE, size), held(FLAGS, flags)],
            words: HEADER as usize,
            frozen,
            all_frozen: false,
            bytes: Some(Bytes {
                kind,
                arrays,
                into: words,
                size: SIZE as usize,
                flags: FLAGS as usize,
                frozen: STRING_FROZEN,
                words: HEADER as usize,
            }),
        }
    }

    fn column_of(&mut self, hierarchy: HierarchyId, name: &str) -> Items {
        let stored = self.memo.columns.get(&(hierarchy, name.to_string())).map(|memo| memo.stored.clone());
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        self.parts(&part, &Stored::written(stored.unwrap_or_else(TypeSet::empty)))
    }
}
