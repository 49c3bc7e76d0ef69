//! Columns of the base that the block has no use for, such as the keys in `prices.pmap { |name, price| price * 2 }`: they
//! need not be read.

use crate::heap::schema::Form;
use crate::syntax::ast::{Code, CodeKind};
use crate::syntax::walk::each_local_in;
use rustc_hash::FxHashSet;

/// For each of so many columns, whether the block can do without it. `takes_apart`: also a lambda takes its only argument
/// apart.
pub fn unread_columns(code: &Code, arguments: &[Form], takes_apart: bool, columns: usize) -> Vec<bool> {
    let params = &code.params;
    if !params.is_plain() || !params.destructured.is_empty() {
        return vec![false; columns];
    }
    let is_block = code.kind != CodeKind::Lambda || takes_apart;
    let given = match arguments {
        [Form::Tuple(parts)] if is_block && (params.required.len() > 1 || params.trailing_comma) => parts,
        [Form::Column(_)] if params.required.len() > 1 || params.trailing_comma => {
            return vec![false; columns];
        }
        _ => arguments,
    };
    let mut used = FxHashSet::default();
    each_local_in(&code.body, &mut |local| {
        used.insert(local);
    });
    let mut unread = vec![true; columns];
    for (param, form) in params.required.iter().zip(given) {
        if used.contains(param) {
            form.each_column(&mut |column| unread[column as usize] = false);
        }
    }
    unread
}
