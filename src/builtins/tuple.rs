//! What arrays of known length give arrays of known length for: their items are values side by side, so the methods
//! are unrolled. Each gives `None` where the receiver is another array.

use super::{Invocation, number_identity};
use crate::infer::{CallType, Condition, Lowerer, Operand};
use crate::ir::{BinaryOp, Comparison, UnaryOp};
use crate::types::Type;
use std::ops::Range;

/// Longer ones become lists rather than code.
pub(super) const MOST: usize = 16;

fn items(s: &Lowerer<'_>, operand: &Operand) -> Option<Vec<Operand>> {
    matches!(operand.types.single(), Some(Type::Tuple(_))).then(|| s.tuple_items(operand))
}

/// `first(n)` and its like with a literal number.
pub(super) fn part(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    n: &Operand,
    range: impl Fn(usize, usize) -> Range<usize>,
) -> Option<Operand> {
    let items = items(s, &call.receiver)?;
    let n = usize::try_from(s.literal(n)?).ok()?;
    let range = range(n, items.len());
    Some(s.tuple(&items[range]))
}

pub(super) fn permuted(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    from: impl Fn(usize, usize) -> usize,
) -> Option<Operand> {
    let items = items(s, &call.receiver)?;
    let moved: Vec<Operand> = (0..items.len()).map(|i| items[from(i, items.len())].clone()).collect();
    Some(s.tuple(&moved))
}

pub(super) fn map(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let items = items(s, &call.receiver)?;
    let block = call.block.clone()?;
    if items.len() > MOST {
        return None;
    }
    let mut mapped = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        let value = s.within_slot(i as u32, |s| s.call_block(&block, vec![item]));
        if value.is_bottom() {
            return Some(value);
        }
        mapped.push(value);
    }
    Some(s.tuple(&mapped))
}

pub(super) fn each_with_index(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let items = items(s, &call.receiver)?;
    let block = call.block.clone()?;
    for (i, item) in items.into_iter().enumerate() {
        s.within_slot(i as u32, |s| {
            let index = Operand::integer(s.b.i64(i as i64));
            s.unused = true;
            s.call_block(&block, vec![item, index]);
        });
    }
    Some(call.receiver.clone())
}

pub(super) fn zip(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let first = items(s, &call.receiver)?;
    let others: Option<Vec<Vec<Operand>>> = call.args.iter().map(|a| items(s, a)).collect();
    let others = others?;
    let mut rows = Vec::new();
    for (i, item) in first.into_iter().enumerate() {
        let rest = others.iter().map(|o| o.get(i).cloned().unwrap_or_else(Operand::nil));
        let row: Vec<Operand> = std::iter::once(item).chain(rest).collect();
        rows.push(s.tuple(&row));
    }
    Some(s.tuple(&rows))
}

pub(super) fn repeated(s: &mut Lowerer<'_>, call: &Invocation, times: &Operand) -> Option<Operand> {
    let items = items(s, &call.receiver)?;
    let times = usize::try_from(s.literal(times)?).ok()?;
    if items.len() * times > 4 * MOST {
        return None;
    }
    let all: Vec<Operand> = (0..times).flat_map(|_| items.clone()).collect();
    Some(s.tuple(&all))
}

pub(super) fn product(s: &mut Lowerer<'_>, call: &Invocation, other: &Operand) -> Option<Operand> {
    let (left, right) = (items(s, &call.receiver)?, items(s, other)?);
    if left.len() * right.len() > 4 * MOST {
        return None;
    }
    let mut pairs = Vec::new();
    for a in &left {
        for b in &right {
            pairs.push(s.tuple(&[a.clone(), b.clone()]));
        }
    }
    Some(s.tuple(&pairs))
}

/// Where all rows are of known length too.
pub(super) fn transpose(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let rows: Option<Vec<Vec<Operand>>> = items(s, &call.receiver)?.iter().map(|row| items(s, row)).collect();
    let rows = rows?;
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) || rows.len() * width > 4 * MOST {
        return None;
    }
    let columns: Vec<Operand> = (0..width)
        .map(|i| {
            let column: Vec<Operand> = rows.iter().map(|row| row[i].clone()).collect();
            s.tuple(&column)
        })
        .collect();
    Some(s.tuple(&columns))
}

pub(super) fn equal(s: &mut Lowerer<'_>, a: &Operand, b: &Operand) -> Operand {
    equal_by(s, a, b, "#equals", None)
}

/// By a method that may take something along.
pub(super) fn equal_by(
    s: &mut Lowerer<'_>,
    a: &Operand,
    b: &Operand,
    method: &str,
    with: Option<&Operand>,
) -> Operand {
    let (a, b) = (s.tuple_items(a), s.tuple_items(b));
    // What takes no calls is all compared, without branches.
    if a.iter().chain(&b).all(|item| item.types.iter().all(is_plain)) {
        let mut all = s.b.bool(true);
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let slot = 0x40 + i as u32;
            let equal = match number_identity::is_decided_by_value(s, a, b) {
                Some(decided) => {
                    // Those behind the first that differ are not compared.
                    let differs = s.b.unary(UnaryOp::Not, all);
                    let known = s.b.binary(BinaryOp::OrB, decided, differs);
                    number_identity::check(s, known);
                    s.send_from(a, "==", std::slice::from_ref(b), slot, CallType::Own)
                }
                None => s.send(a, method, &given(b, with), slot),
            };
            let equal = s.truth(&equal);
            all = s.b.binary(BinaryOp::AndB, all, equal);
        }
        return Operand::bool(all);
    }
    equal_from(s, &a, &b, (method, with), 0)
}

fn given(b: &Operand, with: Option<&Operand>) -> Vec<Operand> {
    std::iter::once(b).chain(with).cloned().collect()
}

/// Are they equal from here on? The first that are not decide.
fn equal_from(
    s: &mut Lowerer<'_>,
    a: &[Operand],
    b: &[Operand],
    how: (&str, Option<&Operand>),
    slot: u32,
) -> Operand {
    let (Some((x, a)), Some((y, b))) = (a.split_first(), b.split_first()) else {
        return Operand::bool(s.b.bool(true));
    };
    let equal = s.send(x, how.0, &given(y, how.1), 0x40 + slot);
    if equal.is_bottom() || a.is_empty() {
        return equal;
    }
    let value = s.truth(&equal);
    let condition = Condition { value, yes: vec![], no: vec![] };
    let rest = |s: &mut Lowerer<'_>| equal_from(s, a, b, how, slot + 1);
    s.within_slot(slot, |s| s.branch(31, condition, rest, |s| Operand::bool(s.b.bool(false))))
}

/// Numbers, symbols, nil, true and false.
fn is_plain(ty: &Type) -> bool {
    matches!(ty, Type::Integer | Type::Float | Type::Symbol | Type::Nil | Type::True | Type::False)
}

/// The first order that is not 0, which may be nil; then that of the lengths.
pub(super) fn spaceship(s: &mut Lowerer<'_>, a: &Operand, b: &Operand) -> Operand {
    let (a, b) = (s.tuple_items(a), s.tuple_items(b));
    ordered(s, &a, &b, 0)
}

fn ordered(s: &mut Lowerer<'_>, a: &[Operand], b: &[Operand], slot: u32) -> Operand {
    let (Some((x, a)), Some((y, b))) = (a.split_first(), b.split_first()) else {
        return Operand::integer(s.b.i64(a.len().cmp(&b.len()) as i64));
    };
    let order = s.send(x, "<=>", std::slice::from_ref(y), 0x40 + slot);
    if order.is_bottom() {
        return order;
    }
    let zero = Operand::integer(s.b.i64(0));
    let same = s.send(&order, "#is", &[zero], 0x60 + slot);
    let value = s.truth(&same);
    let condition = Condition { value, yes: vec![], no: vec![] };
    s.within_slot(slot, |s| s.branch(27, condition, |s| ordered(s, a, b, slot + 1), |_| order.clone()))
}

/// Numbers, symbols, and arrays of known length of those.
fn is_ordered(ty: &Type) -> bool {
    match ty {
        Type::Integer | Type::Float | Type::Symbol => true,
        Type::Tuple(items) => items.iter().all(|types| types.iter().all(is_ordered)),
        _ => false,
    }
}

/// Sorts by exchanging neighbours, which keeps the order of what is equal.
pub(super) fn sort(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let mut items = items(s, &call.receiver)?;
    // Where comparing can fail or runs a method of the user's, it matters what is compared when.
    if items.len() > MOST / 2
        || items.len() > 2 && !items.iter().all(|item| item.types.iter().all(is_ordered))
    {
        return None;
    }
    for end in (1..items.len()).rev() {
        for i in 0..end {
            let (a, b) = (items[i].clone(), items[i + 1].clone());
            let pair = s.within_slot((end * MOST + i) as u32, |s| {
                let order = s.compared(&a, &b);
                if order.is_bottom() {
                    return order;
                }
                let zero = s.b.i64(0);
                let value = s.b.compare(Comparison::Gt, order.value(), zero);
                let condition = Condition { value, yes: vec![], no: vec![] };
                let (straight, swapped) = (s.tuple(&[a.clone(), b.clone()]), s.tuple(&[b, a]));
                s.branch(28, condition, |_| swapped, |_| straight)
            });
            let exchanged = s.tuple_items(&pair);
            let [a, b] = &exchanged[..] else { return Some(Operand::bottom()) };
            (items[i], items[i + 1]) = (a.clone(), b.clone());
        }
    }
    Some(s.tuple(&items))
}
