//! An exception that leaves the section: what it holds, out of the scratch memory of who raised it. The words are those
//! that [`super::evacuation`] writes of a result in which one thing may stand several times.

use super::evacuation::ARRAY_HEADER;
use super::operand;
use super::results::width;
use crate::heap::{Schema, dead_places};
use crate::types::{ClassId, ListKind, Shape, Type, TypeSet};
use rustc_hash::FxHashMap;

/// The words of an object that begins at `start`, the first of which says where it begins among them. `None`: that is no
/// memory with such an object.
pub fn raised_words(memory: &[i64], start: i64, class: ClassId, schema: &Schema) -> Option<Vec<i64>> {
    let mut copy =
        Copy { memory, schema, words: vec![start], known: FxHashMap::default(), unseen: Vec::new() };
    copy.replace(&Type::Made(class).into(), 0)?;
    while let Some((what, at)) = copy.unseen.pop() {
        match what {
            What::Object(class) => {
                let mut at = at + 1;
                for (_, types) in schema.made.get(&class)? {
                    copy.replace(types, at)?;
                    at += width(types);
                }
            }
            What::List(kind) => {
                let items = &schema.lists[kind.0 as usize];
                // The upper half of the word says whether it is frozen, or a key.
                for item in 0..copy.words[at + 1] as u32 as usize {
                    copy.replace(items, at + ARRAY_HEADER as usize + item * width(items))?;
                }
            }
        }
    }
    Some(copy.words)
}

enum What {
    Object(ClassId),
    List(ListKind),
}

struct Copy<'a> {
    memory: &'a [i64],
    schema: &'a Schema,
    words: Vec<i64>,
    /// Where in the words what begins at a word of the memory is.
    known: FxHashMap<i64, i64>,
    /// What was copied with its references as they were, and where.
    unseen: Vec<(What, usize)>,
}

impl Copy<'_> {
    /// Replaces the references in a value that stands at a word.
    fn replace(&mut self, types: &TypeSet, at: usize) -> Option<()> {
        if let Some(parts) = types.single().and_then(operand::parts) {
            if types.single().is_some_and(Type::is_made_hash) {
                return self.replace_hash(&parts, at);
            }
            let mut at = at;
            for part in &parts {
                self.replace(part, at)?;
                at += width(part);
            }
            return Some(());
        }
        let shape = types.single_shape();
        if let Some(Shape::List | Shape::Made) = shape {
            self.words[at] = self.copied(types, self.words[at], &[])?;
        } else if shape.is_none() && width(types) >= 2 {
            let tag = self.words[at] as i32;
            let of_shape = |shape: Shape| types.filter(|ty| ty.shape() == shape);
            if [Shape::List.tag(), Shape::Made.tag()].contains(&tag) {
                let part = of_shape(if tag == Shape::List.tag() { Shape::List } else { Shape::Made });
                self.words[at + 1] = self.copied(&part, self.words[at + 1], &[])?;
            } else if tag == Shape::Local.tag() {
                self.replace(&of_shape(Shape::Local), at + 2)?;
            }
        }
        Some(())
    }

    /// The same of a Hash, of which dead pairs stay behind, and slots, which are of no use outside.
    fn replace_hash(&mut self, parts: &[TypeSet], at: usize) -> Option<()> {
        let [keys, values, slots, default, given @ ..] = parts else { return None };
        let [at_values, at_slots] = [at + width(keys), at + width(keys) + width(values)];
        let dead = match slots.single() {
            Some(Type::List(_)) => {
                let [length, _, first] = *self.range(self.words[at_slots], 3)? else { return None };
                let slots = self.range(first, i64::from(length as u32))?;
                dead_places(slots.len(), |slot| slots[slot]).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        for (part, at) in [(keys, at), (values, at_values)] {
            self.words[at] = self.copied(part, self.words[at], &dead)?;
        }
        let at_default = at_slots + width(slots);
        self.replace(default, at_default)?;
        given.iter().try_for_each(|given| self.replace(given, at_default + width(default)))
    }

    /// Where what begins at a word of the memory is among the words; of a list, without the items at these places.
    fn copied(&mut self, types: &TypeSet, start: i64, without: &[usize]) -> Option<i64> {
        if let Some(known) = self.known.get(&start) {
            return Some(*known);
        }
        let to = self.words.len();
        self.known.insert(start, to as i64);
        if let Some(Type::List(kind)) = types.single() {
            let [length, _, first] = *self.range(start, 3)? else { return None };
            // The upper half of the word is no part of the length.
            self.words.extend([!i64::from(kind.0), length - without.len() as i64]);
            let width = width(&self.schema.lists[kind.0 as usize]);
            let items = self.range(first, i64::from(length as u32) * width as i64)?.to_vec();
            let mut without = without.iter().peekable();
            for (place, item) in items.chunks_exact(width.max(1)).enumerate() {
                if without.next_if_eq(&&place).is_none() {
                    self.words.extend(item);
                }
            }
            self.unseen.push((What::List(*kind), to));
            return Some(to as i64);
        }
        let class = ClassId(u32::try_from(*self.range(start, 1)?.first()?).ok()?);
        if class == ClassId::STRING {
            let words = crate::string_layout::words_of_made(self.memory, start)?;
            self.words.extend(words);
            return Some(to as i64);
        }
        let size = 1 + self.schema.made.get(&class)?.iter().map(|(_, types)| width(types)).sum::<usize>();
        let words = self.range(start, size as i64)?.to_vec();
        self.words.extend(words);
        self.unseen.push((What::Object(class), to));
        Some(to as i64)
    }

    fn range(&self, start: i64, count: i64) -> Option<&[i64]> {
        let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
        self.memory.get(start..start.checked_add(count)?)
    }
}
