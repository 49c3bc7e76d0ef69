//! Inference over a world of tables: classes and methods from Ruby text, contents of columns as stated by the test.

mod dialect;
mod mutated;
mod watching;

use super::infer;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::heap::schema::Output;
use crate::heap::schema::{Base, BaseColumn, Form, Stored};
use crate::infer::dialect::Dialect;
use crate::infer::host::{Contents, FoundMethod, Holder, Method, Refusal, Root, RootKey, Visibility};
use crate::infer::{Host, Inferred};
use crate::ir::passes::run_all;
use crate::source::{SourceFile, SourceMap, Span};
use crate::syntax::ast::{Code, CodeKind};
use crate::types::{ArrayKind, ClassId, HierarchyId, Type, TypeSet};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Classes are `class A < B` lines of the text; every class without a parent begins a hierarchy of its own.
pub(crate) struct World {
    sources: SourceMap,
    classes: Vec<(String, Option<ClassId>)>,
    methods: FxHashMap<(ClassId, String), FoundMethod>,
    roots: Vec<(String, Type)>,
    base: TypeSet,
    columns: FxHashMap<(ClassId, String), TypeSet>,
    elements: FxHashMap<ArrayKind, TypeSet>,
    symbols: Vec<String>,
    block: Rc<Code>,
    /// The Ruby that it is.
    pub dialect: Dialect,
}

impl World {
    /// `text` holds the classes and, as its last block, the section's.
    pub fn new(text: &str) -> Self {
        Self::try_new(text)
            .unwrap_or_else(|| panic!("the text does not end with a block that lowers: {text}"))
    }

    /// As `new`; `None` where the text does not end with a block that is complete and supported.
    pub fn try_new(text: &str) -> Option<Self> {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("test.rb", text, 1));
        let mut classes: Vec<(String, Option<ClassId>)> =
            ClassId::BUILTIN.iter().map(|n| (n.to_string(), builtin_parent(n))).collect();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next() == Some("class") {
                let name = words.next().unwrap().to_string();
                let parent = (words.next() == Some("<")).then(|| words.next().unwrap().to_string());
                let parent = parent.and_then(|p| find(&classes, &p));
                classes.push((name, parent));
            }
        }
        let mut methods = FxHashMap::default();
        for code in crate::syntax::methods_in(&sources, file).unwrap() {
            let owner = match code.nesting.last() {
                Some(Some(name)) => find(&classes, name)?,
                _ => ClassId::OBJECT,
            };
            let name = code.name.clone();
            let found =
                FoundMethod { owner, visibility: Visibility::Public, method: Method::Ruby(Rc::new(code)) };
            methods.insert((owner, name), found);
        }
        let span = crate::syntax::codes_in(&sources, file)
            .unwrap()
            .into_iter()
            .filter(|s| s.end as usize >= text.trim_end().len())
            .min_by_key(|s| s.start)?;
        let mut block = crate::syntax::code_at(&sources, file, span.start, span.end).ok()?;
        // A world has variables that its text does not show.
        block.in_binding = true;
        if block.kind == CodeKind::Method {
            return None;
        }
        Some(Self {
            sources,
            classes,
            methods,
            roots: vec![],
            base: TypeSet::empty(),
            columns: FxHashMap::default(),
            elements: FxHashMap::default(),
            symbols: vec![],
            block: Rc::new(block),
            dialect: Dialect::default(),
        })
    }

    pub fn object(&self, class: &str) -> Type {
        let id = find(&self.classes, class).expect("the class is in the text");
        Type::Object(self.hierarchy(id), id)
    }

    fn hierarchy(&self, mut class: ClassId) -> HierarchyId {
        while let Some(parent) = self.classes[class.0 as usize].1 {
            class = parent;
        }
        HierarchyId(class.0)
    }

    #[must_use]
    pub fn base(mut self, types: &[Type]) -> Self {
        self.base = types.iter().cloned().collect();
        self
    }

    /// States what `class`'s instance variable holds, and gives it an accessor.
    #[must_use]
    pub fn column(mut self, class: &str, name: &str, types: &[Type]) -> Self {
        let id = find(&self.classes, class).unwrap();
        self.columns.insert((id, format!("@{name}")), types.iter().cloned().collect());
        let accessor = |method| FoundMethod { owner: id, visibility: Visibility::Public, method };
        self.methods.entry((id, name.into())).or_insert(accessor(Method::Reader(format!("@{name}"))));
        self.methods.entry((id, format!("{name}="))).or_insert(accessor(Method::Writer(format!("@{name}"))));
        self
    }

    #[must_use]
    pub fn captured(mut self, name: &str, ty: Type) -> Self {
        self.roots.push((name.into(), ty));
        self
    }

    #[must_use]
    pub fn elements(mut self, kind: u32, types: &[Type]) -> Self {
        self.elements.insert(ArrayKind(kind), types.iter().cloned().collect());
        self
    }

    pub fn infer(&mut self, output: Output) -> Result<Inferred, Error> {
        let block = Rc::clone(&self.block);
        let mut inferred = infer(self, &block, output, false)?;
        run_all(
            &mut inferred.program,
            true,
            &CancellationToken::default(),
            &mut crate::profile::Profile::default(),
        )?;
        Ok(inferred)
    }

    /// The inferred section, or a panic with the rendered diagnostics.
    pub fn must_infer(&mut self, output: Output) -> Inferred {
        match self.infer(output) {
            Ok(inferred) => inferred,
            Err(Error::Unsupported(list)) => {
                panic!("{}", crate::diagnostic::render_all(&list, &self.sources))
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn ancestors(&self, class: ClassId) -> Vec<ClassId> {
        let mut all = vec![class];
        let mut at = class;
        while let Some(parent) = self.classes[at.0 as usize].1 {
            all.push(parent);
            at = parent;
        }
        if class != ClassId::OBJECT {
            all.push(ClassId::OBJECT);
        }
        all
    }
}

/// Of Ruby's own classes only errors have a parent here: StandardError, but for those that are none.
fn builtin_parent(name: &str) -> Option<ClassId> {
    let is_error = name.ends_with("Error") && !["StandardError", "SystemStackError"].contains(&name);
    is_error.then_some(ClassId::STANDARD_ERROR)
}

fn find(classes: &[(String, Option<ClassId>)], name: &str) -> Option<ClassId> {
    classes.iter().position(|(n, _)| n == name).map(|i| ClassId(i as u32))
}

impl Host for World {
    fn method(&mut self, class: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        for ancestor in self.ancestors(class) {
            if let Some(found) = self.methods.get(&(ancestor, name.to_string())) {
                return Ok(Some(found.clone()));
            }
        }
        // Every built-in name is taken to exist; user objects have Kernel's.
        let is_user = class.0 as usize >= ClassId::BUILTIN.len();
        let native = FoundMethod {
            owner: if is_user { ClassId::KERNEL } else { class },
            visibility: Visibility::Public,
            method: Method::Native { name: name.into(), arity: -1 },
        };
        let of_kernel = ["==", "!=", "!", "nil?", "is_a?", "equal?", "rand", "class", "to_a"].contains(&name);
        Ok((!is_user && class != ClassId::NIL || of_kernel).then_some(native))
    }

    fn super_method(
        &mut self,
        holder: Holder,
        owner: ClassId,
        name: &str,
    ) -> Result<Option<FoundMethod>, Refusal> {
        let Holder::Instance(class) = holder else { return Ok(None) };
        let after = self.ancestors(class).into_iter().skip_while(|c| *c != owner).skip(1);
        for ancestor in after {
            if let Some(found) = self.methods.get(&(ancestor, name.to_string())) {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }

    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        let method = Method::Native { name: name.into(), arity: -1 };
        Ok(Some(FoundMethod { owner: module, visibility: Visibility::Public, method }))
    }

    fn root(&mut self, key: &RootKey) -> Result<Option<Root>, Refusal> {
        let name = match key {
            RootKey::Captured(name) => name.clone(),
            RootKey::Constant { path, .. } => path.join("::"),
            _ => return Ok(None),
        };
        if let Some(i) = self.roots.iter().position(|(n, _)| *n == name) {
            return Ok(Some(Root {
                number: i as u32,
                ty: self.roots[i].1.clone(),
                interval: crate::scalar::Interval::I32,
                wide: None,
            }));
        }
        Ok(find(&self.classes, &name).map(|c| Root {
            number: 1000 + c.0,
            ty: Type::Module(c),
            interval: crate::scalar::Interval::I32,
            wide: None,
        }))
    }

    fn base(&mut self) -> Result<Base, Refusal> {
        let items = BaseColumn::Items(Stored::read_only(self.base.clone(), || true));
        Ok(Base { columns: vec![items], arguments: vec![Form::Column(0)], takes_apart: false })
    }

    fn column(&mut self, _: HierarchyId, class: ClassId, name: &str) -> Result<Contents, Refusal> {
        for ancestor in self.ancestors(class) {
            if let Some(types) = self.columns.get(&(ancestor, name.to_string())) {
                return Ok(Contents { types: types.clone(), integers_fit_i32: true });
            }
        }
        Ok(Contents { types: Type::Nil.into(), integers_fit_i32: true })
    }

    fn elements(&mut self, kind: ArrayKind) -> Result<Contents, Refusal> {
        Ok(Contents { types: self.elements[&kind].clone(), integers_fit_i32: true })
    }

    fn any_frozen(&mut self, _: HierarchyId) -> bool {
        false
    }

    fn any_frozen_array(&mut self, _: ArrayKind) -> bool {
        false
    }

    fn kinds_changed(&mut self) -> bool {
        false
    }

    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn class_name(&self, class: ClassId) -> String {
        self.classes[class.0 as usize].0.clone()
    }

    fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        self.ancestors(class).contains(&ancestor)
    }

    fn is_module(&self, _: ClassId) -> bool {
        false
    }

    fn hierarchy(&mut self, class: ClassId) -> HierarchyId {
        Self::hierarchy(self, class)
    }

    fn class_index(&self, hierarchy: HierarchyId, class: ClassId) -> u32 {
        (0..class.0).filter(|c| self.hierarchy(ClassId(*c)) == hierarchy).count() as u32
    }

    fn symbol(&mut self, name: &str) -> i32 {
        let known = self.symbols.iter().position(|s| s == name);
        known.unwrap_or_else(|| {
            self.symbols.push(name.into());
            self.symbols.len() - 1
        }) as i32
    }

    fn place(&self, span: Span) -> (String, u32) {
        self.sources.place(span)
    }

    fn path_of_set(&self) -> Option<String> {
        None
    }
}

const TRAFFIC: &str = r"
class Street
end
class Actor
  def advance(speed, table)
    @progress += speed / 60.0
    return if @progress < @street.length
    @street = @street.neighbors[table[@street.index] % @street.neighbors.size]
    @progress = 0.0
  end
end
class Car < Actor
  def move(weather, table)
    speed = [@max_velocity, @street.limit].min
    speed *= 0.75 if weather == :bad
    advance(speed, table)
  end
end
class Pedestrian < Actor
  def move(_weather, table)
    advance(table[(@progress * @progress).to_i % table.size] % 7 - 2, table)
  end
end
actors.peach { |actor| actor.move(weather, table) }
";

fn traffic() -> World {
    let world = World::new(TRAFFIC);
    let (car, pedestrian, street) = (world.object("Car"), world.object("Pedestrian"), world.object("Street"));
    world
        .base(&[car, pedestrian])
        .column("Actor", "progress", &[Type::Float])
        .column("Actor", "street", std::slice::from_ref(&street))
        .column("Actor", "max_velocity", &[Type::Float])
        .column("Street", "length", &[Type::Float])
        .column("Street", "limit", &[Type::Float])
        .column("Street", "index", &[Type::Integer])
        .column("Street", "neighbors", &[Type::Array(ArrayKind(1))])
        .elements(1, &[street])
        .captured("weather", Type::Symbol)
        .captured("table", Type::Array(ArrayKind(0)))
        .elements(0, &[Type::Integer])
}

#[test]
fn traffic_is_fused_and_has_an_entry_for_each_class() {
    let inferred = traffic().must_infer(Output::Nothing);
    assert!(inferred.program.kernels[0].fused);
    assert_eq!(inferred.program.kernels[0].entries.len(), 2);
    assert_eq!(inferred.program.functions.len(), 3, "everything is inlined, and there is the driver");
    let written: Vec<_> =
        inferred.schema.columns.iter().filter(|c| c.written).map(|c| c.name.as_str()).collect();
    assert_eq!(written, ["@progress", "@street"]);
}

/// The result types of a block over Integers.
fn result_of(block: &str) -> TypeSet {
    let mut world = World::new(&format!("base.pmap {{ |n| {block} }}")).base(&[Type::Integer]);
    let inferred = world.must_infer(Output::Values);
    inferred.schema.result
}

#[test]
fn types_of_expressions() {
    let integer = TypeSet::from(Type::Integer);
    let float = TypeSet::from(Type::Float);
    let nil = TypeSet::from(Type::Nil);
    for (block, expected) in [
        ("n + 1", &integer),
        ("n + 1.5", &float),
        ("x = n; x += 0.5; x", &float),
        ("i = 0; while i < n; i += 1; end; i", &integer),
        ("n.times { }; n", &integer),
        ("s = 0; n.times { |i| s += i }; s", &integer),
        ("s = 0; 1.upto(n) { |i| next if i.odd?; s += i }; s", &integer),
        ("(1..n).sum { |i| i * 0.5 }", &integer.union(&float)),
        ("n > 3 ? 1 : 2.0", &integer.union(&float)),
        ("n > 3 ? n : nil", &integer.union(&nil)),
        ("case n when 1..3 then 1 when 4 then 2.0 end", &integer.union(&float).union(&nil)),
        ("(1..n).each { |i| break i if i > 5 } ; n", &integer),
        ("[n, 3].min", &integer),
        ("a, b = n, 2.0; a, b = b, a; a", &float),
        ("Math.sqrt(n)", &float),
        ("for i in 0...n do end; i", &integer.union(&nil)),
        ("n.zero? && n", &integer.union(&Type::False.into())),
        ("x = n.zero? ? nil : n; x.nil? ? 0 : x + 1", &integer),
        ("(0...n).inject(0) { |a, b| a + b }", &integer),
        ("rand", &float),
        ("rand(6)", &integer),
        ("n.clamp(1, 5)", &integer),
        ("n ** 3", &integer),
        ("while true do n += 1; break n if n > 10 end", &integer),
    ] {
        assert_eq!(result_of(block), *expected, "{block}");
    }
}

#[test]
fn recursion_becomes_a_function() {
    let mut world = World::new(
        "def fib(n)\n  n < 2 ? n : fib(n - 1) + fib(n - 2)\nend\nbase.pmap { |n| self; fib(n) }\n",
    )
    .base(&[Type::Integer]);
    world.roots.push(("self".into(), Type::Nil));
    let result = world.infer(Output::Values);
    // `self` of the test's block is nil, which has no fib: NoMethodError at run time, so nothing comes back.
    assert!(result.is_ok());
}

/// Methods each of which calls the next one twice; `block` is what they are called with, and the last one gives `last`.
fn levels(levels: usize, block: &str, last: &str) -> Result<Inferred, Error> {
    let mut text = String::from("class Node\n");
    for level in 0..levels {
        let next = level + 1;
        text += &format!("  def at{level}(x)\n    x < 1 ? at{next}(x){block} : at{next}(x){block}\n  end\n");
    }
    text +=
        &format!("  def at{levels}(x)\n    {last}\n  end\nend\nbase.pmap {{ |x| x.at0(rand(6)){block} }}\n");
    let world = World::new(&text);
    let node = world.object("Node");
    world.base(&[node]).infer(Output::Values)
}

#[test]
fn a_section_that_is_too_large_is_refused_soon() {
    let Err(Error::Unsupported(list)) = levels(18, " { 1 }", "x * 3") else { panic!("not refused") };
    assert_eq!(list.iter().map(|d| d.slug).collect::<Vec<_>>(), ["section-too-large"]);
}

#[test]
fn programs_grow_with_the_methods_and_not_with_the_ways_to_them() {
    let [ten, twenty, forty] = [10, 20, 40].map(|n| levels(n, "", "x * 3").unwrap().program.size());
    assert!(twenty < 3 * ten.max(1_000) && forty < 3 * twenty, "{ten}, {twenty}, {forty} statements");
    assert!(levels(40, "", "x * 3").unwrap().program.functions.len() <= 41);
}

#[test]
fn paths_tell_the_calls_that_led_to_a_function() {
    let program = levels(20, "", "x / (x - 3)").unwrap().program;
    let path = program.callers.last().unwrap().last;
    let places = program.callers(path);
    let labels: Vec<&str> = places.iter().map(|place| &place.label[..]).collect();
    // From some level up to the first one, with none left out, and then the block.
    let (block, methods) = labels.split_last().unwrap();
    let expected: Vec<String> = (0..methods.len()).rev().map(|level| format!("at{level}")).collect();
    assert!(
        methods.len() > 3 && methods.iter().zip(&expected).all(|(label, name)| label.ends_with(name)),
        "{labels:?}"
    );
    assert!(block.starts_with("block"), "{labels:?}");
    assert!(program.callers(0).is_empty());
    // Every number stands for one way only.
    let all: Vec<_> = program.callers.windows(2).map(|pair| (pair[0].last, pair[1].first)).collect();
    assert!(all.iter().all(|(last, first)| last < first));
}

#[test]
fn a_method_that_calls_itself_is_one_function() {
    let mut world = World::new(
        "class Node\n  def depth(n)\n    n < 2 ? n : depth(n - 1) + depth(n - 2)\n  end\nend\nbase.pmap { |x| x.depth(10) }\n",
    );
    let node = world.object("Node");
    world = world.base(&[node]);
    let inferred = world.must_infer(Output::Values);
    assert_eq!(inferred.schema.result, Type::Integer.into());
    assert_eq!(inferred.program.functions.len(), 3, "with the driver");
}

#[test]
fn joins_of_arms_take_no_further_walk() {
    let walks = |block: &str| {
        let mut world = World::new(&format!("base.pmap {{ |n| {block} }}")).base(&[Type::Integer]);
        world.must_infer(Output::Values).walks
    };
    // The section's result is a fact that the first walk learns and the second confirms.
    let least = walks("n");
    assert_eq!(walks("x = n > 1 ? n : 2.5; y = x.is_a?(Float) ? nil : 1; y.nil? ? x : y"), least);
    assert_eq!(walks("x = 1; if n > 2 then x = nil else y = n.odd? ? 2.5 : 1 end; x ? x : y"), least);
    assert_eq!(walks("x = 1; x = nil if n > 2; x"), least);
}
