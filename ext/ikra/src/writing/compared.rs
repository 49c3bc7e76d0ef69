//! What of a section's results the section may change, as somebody sees who looks into them: a group's key, what is
//! greatest.

use crate::code::methods;
use crate::vm::classes;
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use crate::vm::value;
use crate::writing::texts_now;
use ikra_core::infer::Inferred;
use ikra_core::types::{ClassId, Type, TypeSet};
use magnus::Ruby;

/// What tells what an object is equal to, and where it comes.
const COMPARISONS: [&str; 4] = ["==", "eql?", "hash", "<=>"];

/// Can what a result tells of itself be changed by the section?
pub fn changes(ruby: &Ruby, pool: &ObjectPool, inferred: &Inferred) -> Result<bool, Trouble> {
    let schema = &inferred.schema;
    let mut met: Vec<Type> = Vec::new();
    let mut all: Vec<&TypeSet> = vec![&schema.result];
    while let Some(types) = all.pop() {
        for ty in types {
            if met.contains(ty) {
                continue;
            }
            met.push(ty.clone());
            match ty {
                Type::Object(_, ClassId::STRING) if texts_now::is_needed(inferred) => return Ok(true),
                Type::Object(hierarchy, class) => {
                    let members = pool.members(*class);
                    let looks = members.is_empty() && compares(ruby, pool, *class)?;
                    let columns = schema.columns.iter().filter(|column| column.hierarchy == *hierarchy);
                    for column in columns.filter(|column| looks || members.contains(&column.name)) {
                        if column.written {
                            return Ok(true);
                        }
                        all.push(&column.stored.types);
                    }
                }
                Type::Array(kind) | Type::Hash(kind, _) => {
                    let parts = schema.hashes.get(kind).into_iter().flatten();
                    for kind in parts.chain([kind]) {
                        for array in schema.arrays.iter().filter(|array| array.kind == *kind) {
                            if array.written && !array.made {
                                return Ok(true);
                            }
                            all.push(&array.stored.types);
                        }
                    }
                }
                Type::List(kind) => all.extend(schema.lists.get(kind.0 as usize)),
                Type::Tuple(items) => all.extend(items.iter()),
                Type::Record(record) => all.extend(record.fields.iter().map(|(_, types)| types)),
                Type::Made(class) => {
                    all.extend(schema.made.get(class).into_iter().flatten().map(|(_, types)| types));
                }
                _ => {}
            }
        }
    }
    Ok(false)
}

/// Has a class a comparison that is written in Ruby?
fn compares(ruby: &Ruby, pool: &ObjectPool, class: ClassId) -> Result<bool, Trouble> {
    for name in COMPARISONS {
        let method = classes::instance_method(ruby, pool.class(class), value::intern(ruby, name))?;
        if let Some(method) = method
            && methods::iseq_of(ruby, method)?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}
