//! A value during inference: what it can be, and the IR values that carry it. A type set of one shape is one bare
//! scalar (none for nil); a union is a tag and a payload of 64 bits; ranges and tuples are their parts side by side.

use super::Lowerer;
use super::births::Birth;
use crate::ir::{BufferKind, Comparison, Stmt, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ClassId, RangeEnd, RecordType, Shape, Type, TypeSet};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub types: TypeSet,
    pub values: Values,
    /// Which arrays its arrays of fixed length are.
    pub birth: Birth,
}

/// What carries a value: mostly one IR value, or a tag and a payload.
pub type Values = SmallVec<[Value; 2]>;

impl Operand {
    /// The value of something that never gives one.
    pub const fn bottom() -> Self {
        Self { types: TypeSet::empty(), values: SmallVec::new_const(), birth: Birth::UNKNOWN }
    }

    pub fn nil() -> Self {
        Self { types: Type::Nil.into(), values: SmallVec::new_const(), birth: Birth::UNKNOWN }
    }

    pub fn one(ty: Type, value: Value) -> Self {
        Self { types: ty.into(), values: smallvec![value], birth: Birth::UNKNOWN }
    }

    pub fn integer(value: Value) -> Self {
        Self::one(Type::Integer, value)
    }

    pub fn float(value: Value) -> Self {
        Self::one(Type::Float, value)
    }

    pub fn bool(value: Value) -> Self {
        Self { types: TypeSet::bool(), values: smallvec![value], birth: Birth::UNKNOWN }
    }

    pub fn is_bottom(&self) -> bool {
        self.types.is_empty()
    }

    /// The only value that carries it.
    pub fn value(&self) -> Value {
        self.values[0]
    }
}

/// The scalars that carry values of a set; `None` where a set mixes what has no common carrier (a range and a number).
pub fn scalars(types: &TypeSet) -> Option<Vec<Ty>> {
    if let Some(single) = types.single() {
        return match single {
            Type::Module(_) | Type::Proc(_) | Type::Building(..) => Some(vec![]),
            Type::Range { low, high, .. } => {
                Some([low, high].into_iter().filter_map(|e| end_ty(*e)).collect())
            }
            Type::Tuple(_) | Type::Record(_) | Type::Closure(..) | Type::Enumerator(..) => {
                let mut all = Vec::new();
                for item in parts(single)? {
                    all.extend(scalars(&item)?);
                }
                Some(all)
            }
            other => Some(other.shape().scalar().into_iter().collect()),
        };
    }
    if types.iter().filter(|t| matches!(t, Type::List(_))).count() > 1 {
        // Lists of several kinds become of one kind where they meet; see the memo.
        return None;
    }
    let shapes = types.shapes();
    match &shapes[..] {
        [] => Some(vec![]),
        all if all.contains(&Shape::Local) => {
            let mut all = vec![Ty::I32, Ty::I64];
            all.extend(scalars(&only_local(types)?)?);
            Some(all)
        }
        [one] => Some(one.scalar().into_iter().collect()),
        _ => Some(vec![Ty::I32, Ty::I64]),
    }
}

/// The types of the items of a tuple, the variables of a record or lambda, or what an Enumerator goes through, carried side by side.
pub fn parts(ty: &Type) -> Option<Vec<TypeSet>> {
    match ty {
        Type::Tuple(items) | Type::Enumerator(_, items) | Type::Closure(_, items) => Some(items.to_vec()),
        Type::Record(record) => Some(record.fields.iter().map(|(_, types)| types.clone()).collect()),
        _ => None,
    }
}

/// The same type with other parts.
pub fn with_parts(ty: &Type, parts: Vec<TypeSet>) -> Type {
    match ty {
        Type::Record(record) => {
            let mut record = (**record).clone();
            for ((_, types), part) in record.fields.iter_mut().zip(parts) {
                *types = part;
            }
            Type::Record(record.into())
        }
        Type::Enumerator(method, _) => Type::Enumerator(method.clone(), parts.into()),
        Type::Closure(number, _) => Type::Closure(*number, parts.into()),
        _ => Type::Tuple(parts.into()),
    }
}

/// Do two types differ in what their parts are at most? Arrays of fixed length are their parts.
pub fn is_same_but_for_parts(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Closure(a, items), Type::Closure(b, others)) => a == b && items.len() == others.len(),
        (Type::Enumerator(a, items), Type::Enumerator(b, others)) => a == b && items.len() == others.len(),
        (Type::Record(a), Type::Record(b)) => {
            let names = |of: &RecordType| of.fields.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            a.class == b.class && names(a) == names(b)
        }
        _ => false,
    }
}

pub fn end_ty(end: RangeEnd) -> Option<Ty> {
    match end {
        RangeEnd::None => None,
        RangeEnd::Integer => Some(Ty::I64),
        RangeEnd::Float => Some(Ty::F64),
    }
}

/// The only member of a set that has no shape of its own: beside others it stands behind their tag and payload.
fn only_local(types: &TypeSet) -> Option<TypeSet> {
    let local = local_part(types);
    (local.len() == 1).then_some(local)
}

fn local_part(types: &TypeSet) -> TypeSet {
    types.filter(|t| t.shape() == Shape::Local)
}

/// A union with a tag?
pub fn is_tagged(types: &TypeSet) -> bool {
    types.len() > 1 && types.single_shape().is_none()
}

/// The union of two sets, tuples of one length joined item by item.
pub fn join(a: &TypeSet, b: &TypeSet) -> TypeSet {
    let mut all = a.union(b);
    let tuples: Vec<_> =
        all.iter().filter_map(|t| if let Type::Tuple(i) = t { Some(i.clone()) } else { None }).collect();
    if tuples.len() > 1 && tuples.iter().all(|t| t.len() == tuples[0].len()) {
        let items: Vec<TypeSet> = (0..tuples[0].len())
            .map(|i| tuples.iter().fold(TypeSet::empty(), |set, t| join(&set, &t[i])))
            .collect();
        all = all.filter(|t| !matches!(t, Type::Tuple(_)));
        all.insert(Type::Tuple(items.into()));
    }
    join_records(join_closures(all))
}

/// Lambdas made at one place become one, joined variable by variable.
fn join_closures(mut all: TypeSet) -> TypeSet {
    let closures: Vec<(u32, Rc<[TypeSet]>)> = all
        .iter()
        .filter_map(|t| if let Type::Closure(n, i) = t { Some((*n, i.clone())) } else { None })
        .collect();
    // Types are in order: those of one number stand side by side.
    for pair in closures.chunk_by(|a, b| a.0 == b.0 && a.1.len() == b.1.len()).filter(|same| same.len() > 1) {
        let number = pair[0].0;
        let items: Vec<TypeSet> = (0..pair[0].1.len())
            .map(|i| pair.iter().fold(TypeSet::empty(), |set, (_, items)| join(&set, &items[i])))
            .collect();
        all = all.filter(|t| !matches!(t, Type::Closure(n, _) if *n == number));
        all.insert(Type::Closure(number, items.into()));
    }
    all
}

/// Records of one class become one, joined variable by variable.
fn join_records(mut all: TypeSet) -> TypeSet {
    let records: Vec<Rc<RecordType>> =
        all.iter().filter_map(|t| if let Type::Record(r) = t { Some(Rc::clone(r)) } else { None }).collect();
    if records.len() < 2 {
        return all;
    }
    let names = |r: &RecordType| r.fields.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for (i, record) in records.iter().enumerate() {
        let alike = |other: &&Rc<RecordType>| other.class == record.class && names(other) == names(record);
        if records[..i].iter().any(|other| alike(&other)) {
            continue;
        }
        let mut joined = RecordType::clone(record);
        for other in records.iter().filter(alike) {
            for ((_, types), (_, more)) in joined.fields.iter_mut().zip(&other.fields) {
                *types = join(types, more);
            }
        }
        all = all.filter(|t| !matches!(t, Type::Record(r) if alike(&r)));
        all.insert(Type::Record(Rc::new(joined)));
    }
    all
}

/// Is every value of `a` carried as one of `b` after conversion?
pub fn covers(b: &TypeSet, a: &TypeSet) -> bool {
    join(a, b) == *b
}

impl Lowerer<'_> {
    /// The 64-bit payload of a bare scalar, in a union or a word of scratch memory.
    pub(crate) fn encode_payload(&mut self, value: Value) -> Value {
        match self.b.ty(value) {
            Ty::Bool => self.b.unary(UnaryOp::BoolToI64, value),
            Ty::I32 => self.b.unary(UnaryOp::ExtendI32, value),
            Ty::I64 => value,
            Ty::F64 => self.b.unary(UnaryOp::BitsToI64, value),
        }
    }

    /// The bare scalar in a payload of 64 bits, or in a word of scratch memory.
    pub(crate) fn decode_payload(&mut self, payload: Value, ty: Ty) -> Value {
        match ty {
            Ty::Bool => {
                let zero = self.b.i64(0);
                self.b.compare(Comparison::Ne, payload, zero)
            }
            Ty::I32 => self.b.unary(UnaryOp::WrapI64, payload),
            Ty::I64 => payload,
            Ty::F64 => self.b.unary(UnaryOp::BitsToF64, payload),
        }
    }

    /// The values that carry `operand` as a member of the wider set `to`.
    pub(crate) fn convert(&mut self, operand: &Operand, to: &TypeSet) -> Values {
        if operand.types == *to {
            return operand.values.clone();
        }
        if scalars(to).is_none() {
            // Refused where it is used.
            return Values::new();
        }
        if is_tagged(to) && !operand.types.is_empty() && !local_part(to).is_empty() {
            return self.convert_beside_local(operand, to);
        }
        let items = |types: &TypeSet| types.single().and_then(parts);
        if let (Some(from), Some(into)) = (items(&operand.types), items(to))
            && from.len() == into.len()
        {
            let mut at = 0;
            let mut all = Values::new();
            for (f, t) in from.iter().zip(into.iter()) {
                let width = scalars(f).map_or(0, |s| s.len());
                let values = operand.values[at..at + width].into();
                let item = Operand { types: f.clone(), values, birth: Birth::UNKNOWN };
                at += width;
                all.extend(self.convert(&item, t));
            }
            return all;
        }
        match (is_tagged(&operand.types), is_tagged(to)) {
            (false, true) => {
                let Some(shape) = operand.types.single_shape() else {
                    // Nothing arrives here; any values of the right types will do.
                    return smallvec![self.b.i32(0), self.b.i64(0)];
                };
                let tag = self.b.i32(shape.tag());
                let payload = match (operand.values.first(), operand.types.single()) {
                    (Some(value), _) => self.encode_payload(*value),
                    (None, Some(Type::Module(ClassId(number)) | Type::Proc(number))) => {
                        self.b.i64((*number).into())
                    }
                    (None, _) => self.b.i64(0),
                };
                smallvec![tag, payload]
            }
            _ if operand.types.is_empty() => {
                scalars(to).unwrap_or_default().into_iter().map(|ty| self.b.zero(ty)).collect()
            }
            _ => match operand.types.single() {
                Some(Type::Module(ClassId(number)) | Type::Proc(number)) => {
                    smallvec![self.b.i32(*number as i32)]
                }
                _ => operand.values.clone(),
            },
        }
    }

    /// As `convert`, to a union in which one member has no shape: tag and payload of the others, then its own scalars.
    fn convert_beside_local(&mut self, operand: &Operand, to: &TypeSet) -> Values {
        let local = local_part(to);
        let (own, others) = (local_part(&operand.types), operand.types.filter(|t| t.shape() != Shape::Local));
        let mut values: Values = match (own.is_empty(), others.is_empty()) {
            // A union already has both, whatever else it has.
            (false, false) => operand.values[..2].into(),
            (false, true) => smallvec![self.b.i32(Shape::Local.tag()), self.b.i64(0)],
            (true, _) => {
                let mut wide = to.filter(|t| t.shape() != Shape::Local);
                wide.extend(&TypeSet::from_iter([Type::Nil, Type::Integer]));
                self.convert(operand, &wide)
            }
        };
        if own.is_empty() {
            values.extend(scalars(&local).unwrap_or_default().into_iter().map(|ty| self.b.zero(ty)));
        } else {
            let start = if others.is_empty() { 0 } else { 2 };
            let own = Operand { types: own, values: operand.values[start..].into(), birth: Birth::UNKNOWN };
            values.extend(self.convert(&own, &local));
        }
        values
    }

    /// `operand`, known to be in `types`.
    pub(crate) fn narrow(&mut self, operand: &Operand, types: &TypeSet) -> Operand {
        let types = operand.types.filter(|t| types.contains(t));
        if types == operand.types {
            return operand.clone();
        }
        if let Some(Type::Module(_) | Type::Proc(_)) = types.single() {
            return Operand { types, values: Values::new(), birth: Birth::UNKNOWN };
        }
        if is_tagged(&operand.types) && operand.values.len() < 2 {
            // Records of a class that has got a variable more in this walk: the next one knows of it.
            self.memo.changed |= true;
            return Operand::bottom();
        }
        let values: Values = match (is_tagged(&operand.types), types.single_shape()) {
            (true, Some(Shape::Local)) => operand.values[2..].into(),
            (true, Some(shape)) => {
                shape.scalar().map(|ty| self.decode_payload(operand.values[1], ty)).into_iter().collect()
            }
            (true, None) if operand.values.len() > 2 && local_part(&types).is_empty() => {
                operand.values[..2].into()
            }
            (true, None) if types.is_empty() => Values::new(),
            (false, _) if types.is_empty() => Values::new(),
            _ => operand.values.clone(),
        };
        // There is one type at most that has parts.
        let has_parts = types.iter().any(|ty| parts(ty).is_some());
        let birth = if has_parts { operand.birth.clone() } else { Birth::UNKNOWN };
        Operand { types, values, birth }
    }

    /// Applies what is known of the operand's values on this path (an `is_a?` or nil test that holds).
    pub(crate) fn refine(&mut self, operand: Operand) -> Operand {
        let Some(key) = operand.values.first() else { return operand };
        if operand.types.len() < 2 {
            return operand;
        }
        let mut types = operand.types.clone();
        for (value, known) in &self.facts {
            if value == key {
                let both = types.filter(|t| known.contains(t));
                // A tag that is a constant is shared by values that have nothing to do with each other.
                types = if both.is_empty() { types } else { both };
            }
        }
        if types.len() == operand.types.len() { operand } else { self.narrow(&operand, &types) }
    }

    /// Is `operand` of exactly the class `ty`? A constant where the set says so.
    pub(crate) fn is_type(&mut self, operand: &Operand, ty: &Type) -> Value {
        if !operand.types.contains(ty) {
            return self.b.bool(false);
        }
        if operand.types.len() == 1 {
            return self.b.bool(true);
        }
        let shape = ty.shape();
        let has_shape = if operand.values.is_empty() {
            // Of no kind that can be carried: refused already.
            return self.b.bool(false);
        } else if is_tagged(&operand.types) {
            let tag = self.b.i32(shape.tag());
            self.b.compare(Comparison::Eq, operand.values[0], tag)
        } else {
            self.b.bool(true)
        };
        // Within one shape: the value of a bool, the id range of a class.
        let peers = operand.types.filter(|t| t.shape() == shape);
        if peers.len() == 1 {
            return has_shape;
        }
        let inner = self.narrow(operand, &peers);
        // What is not of the shape names no row and no word, so none is read.
        let is_read = match ty {
            Type::Object(hierarchy, _) => self.is_settled_hierarchy(*hierarchy),
            Type::Made(_) => !operand.types.filter(|t| t.shape() != shape && *t != Type::Nil).is_empty(),
            _ => false,
        };
        if !is_read || self.b.constant(has_shape).is_some() {
            let test = self.is_peer(&inner, ty);
            return self.b.binary(crate::ir::BinaryOp::AndB, has_shape, test);
        }
        let (answer, no) = (self.b.var(Ty::Bool), self.b.bool(false));
        self.b.set(answer, no);
        self.b.open();
        let test = self.is_peer(&inner, ty);
        self.b.set(answer, test);
        let (then, _) = self.b.close();
        self.b.emit(Stmt::If { condition: has_shape, then, otherwise: vec![] });
        self.b.get(answer)
    }

    /// Is an operand of one shape of exactly the class `ty`?
    fn is_peer(&mut self, inner: &Operand, ty: &Type) -> Value {
        match ty {
            Type::Module(ClassId(number)) | Type::Proc(number) => {
                let number = self.b.i32(*number as i32);
                self.b.compare(Comparison::Eq, inner.value(), number)
            }
            Type::Made(class) => self.is_made(inner.value(), *class),
            Type::True => inner.value(),
            Type::False => self.b.unary(UnaryOp::Not, inner.value()),
            Type::Object(hierarchy, class) => {
                let index = self.host.class_index(*hierarchy, *class);
                if self.is_settled_hierarchy(*hierarchy) {
                    let places = self.buffer(BufferKind::Places(*hierarchy), Ty::I32);
                    let (place, index) =
                        (self.b.load(places, inner.value(), Ty::I32, false), self.b.i32(index as i32));
                    return self.b.compare(Comparison::Eq, place, index);
                }
                let mut indices: Vec<u32> = inner
                    .types
                    .iter()
                    .filter_map(|t| {
                        if let Type::Object(h, c) = t { Some(self.host.class_index(*h, *c)) } else { None }
                    })
                    .collect();
                indices.sort_unstable();
                let id = inner.value();
                let mut test = self.b.bool(true);
                if indices[0] != index {
                    let low = self.class_base(*hierarchy, index);
                    test = self.b.compare(Comparison::Ge, id, low);
                }
                if let Some(next) = indices.iter().find(|i| **i > index) {
                    let high = self.class_base(*hierarchy, *next);
                    let below = self.b.compare(Comparison::Lt, id, high);
                    test = self.b.binary(crate::ir::BinaryOp::AndB, test, below);
                }
                test
            }
            _ => self.b.bool(true),
        }
    }

    /// Ruby's truth of `operand`: a `Bool`.
    pub(crate) fn truth(&mut self, operand: &Operand) -> Value {
        let falsy = operand.types.filter(|t| matches!(t, Type::Nil | Type::False));
        if falsy.is_empty() {
            return self.b.bool(true);
        }
        if falsy == operand.types {
            return self.b.bool(false);
        }
        match operand.types.single_shape() {
            Some(_) => operand.value(),
            None => {
                let nil = self.is_type(operand, &Type::Nil);
                let not_nil = self.b.unary(UnaryOp::Not, nil);
                if !operand.types.contains(&Type::False) {
                    return not_nil;
                }
                let is_false = if operand.types.contains(&Type::True) {
                    let tag = self.b.i32(Shape::Bool.tag());
                    let is_bool = self.b.compare(Comparison::Eq, operand.values[0], tag);
                    let zero = self.b.i64(0);
                    let is_zero = self.b.compare(Comparison::Eq, operand.values[1], zero);
                    self.b.binary(crate::ir::BinaryOp::AndB, is_bool, is_zero)
                } else {
                    self.is_type(operand, &Type::False)
                };
                let not_false = self.b.unary(UnaryOp::Not, is_false);
                self.b.binary(crate::ir::BinaryOp::AndB, not_nil, not_false)
            }
        }
    }

    /// The items of a tuple, or the variables of a record; nothing is known of them where values cannot carry them, which
    /// another walk changes.
    pub(crate) fn tuple_items(&self, operand: &Operand) -> Vec<Operand> {
        let Some(items) = operand.types.single().and_then(parts) else { return vec![] };
        let mut at = 0;
        items
            .iter()
            .enumerate()
            .map(|(number, types)| {
                let width = scalars(types).map_or(0, |s| s.len());
                at += width;
                match operand.values.get(at - width..at) {
                    Some(values) => {
                        let birth = operand.birth.part(number);
                        Operand { types: types.clone(), values: values.into(), birth }
                    }
                    None => Operand::bottom(),
                }
            })
            .collect()
    }

    pub(crate) fn tuple(&mut self, items: &[Operand]) -> Operand {
        if items.iter().any(Operand::is_bottom) || items.iter().any(|item| self.keep_building(&item.types)) {
            return Operand::bottom();
        }
        let tuple = side_by_side(items);
        if !self.is_bounded(&tuple.types) {
            return Operand::bottom();
        }
        Operand { birth: self.new_birth(&tuple.types, items), ..tuple }
    }
}

/// Items as an array of fixed length, however deep they are: what a list is made of.
pub(super) fn side_by_side(items: &[Operand]) -> Operand {
    let types = Type::Tuple(items.iter().map(|i| i.types.clone()).collect()).into();
    Operand { types, values: items.iter().flat_map(|i| i.values.clone()).collect(), birth: Birth::UNKNOWN }
}

/// The ends of a range: their values, whether the high one is left out, and what they are.
pub(crate) type RangeEnds = (Option<Value>, Option<Value>, bool, RangeEnd, RangeEnd);

/// The ends of a range operand: (low, high), each with its value.
pub(crate) fn range_ends(operand: &Operand) -> Option<RangeEnds> {
    let Some(Type::Range { exclusive, low, high }) = operand.types.single() else { return None };
    let mut values = operand.values.iter().copied();
    let first = (*low != RangeEnd::None).then(|| values.next()).flatten();
    let second = (*high != RangeEnd::None).then(|| values.next()).flatten();
    Some((first, second, *exclusive, *low, *high))
}
