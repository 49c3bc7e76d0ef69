//! Files, and what is told of them.

use super::*;
use crate::infer::host::Visibility;
use crate::source::SourceFile;

/// The classes behind Ruby's own, by number.
const CLASSES: [&str; 3] = ["File", "JSON", "Time"];

/// A Ruby with few classes.
struct Table;

impl Table {
    fn native(owner: ClassId, name: &str) -> Option<FoundMethod> {
        let method = Method::Native { name: name.into(), arity: -1 };
        Some(FoundMethod { owner, visibility: Visibility::Public, method })
    }
}

impl Known for Table {
    fn module(&mut self, path: &str) -> Option<ClassId> {
        let mut all = ClassId::BUILTIN.iter().chain(&CLASSES);
        all.position(|name| *name == path).map(|number| ClassId(number as u32))
    }

    fn name(&self, module: ClassId) -> String {
        ClassId::BUILTIN.iter().chain(&CLASSES).nth(module.0 as usize).unwrap().to_string()
    }

    fn method(&mut self, _: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        let is_known = ["gets", "sleep", "puts", "eval", "binding", "initialize"].contains(&name);
        Ok(if is_known { Self::native(ClassId::KERNEL, name) } else { None })
    }

    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        Ok(match name {
            "new" => Self::native(ClassId::CLASS, name),
            _ => Self::native(module, name),
        })
    }

    fn is_name_of_c(&self, name: &str) -> bool {
        ["read", "each", "map"].contains(&name)
    }
}

/// Lines, codes, and whether they may be not reached.
fn told(text: &str) -> Vec<(u32, &'static str, bool)> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("a.rb", text, 1));
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let names = ParallelNames {
        methods: set(&["pmap", "peach"]),
        without_block: set(&["with_index"]),
        stages: set(&["map", "select"]),
        of_chains: set(&["map", "select", "sum"]),
        keeping_self: set(&["map", "each", "tap"]),
    };
    let checked = Checked { sources: &sources, file, others: &[], misses_some: false, names: &names };
    let found = check(&checked, &mut Table).unwrap().unwrap();
    let told = |finding: &Finding| {
        let line = sources.file(file).position(finding.diagnostic.span.start).0;
        (line, finding.diagnostic.slug, finding.if_reached)
    };
    found.iter().map(told).collect()
}

#[test]
fn what_each_element_comes_to_and_what_some_do() {
    let found = told("xs.pmap { |x|\n  File.read(x)\n  gets if x\n  `ls` while x\n  break if x\n}");
    let expected = [
        (2, "unsupported-method", false),
        (3, "unsupported-method", true),
        (4, "unsupported-command", true),
        (5, "unsupported-break", true),
    ];
    assert_eq!(found, expected);
}

#[test]
fn methods_of_the_file_are_looked_into() {
    let text = "class Car\n  def go = wait\n  def wait = sleep(1)\n  def self.now = File.read('a')\nend\n\
                xs.pmap { |x| x.go }\nxs.pmap { Car.now }\ndef help = eval('1')\nxs.pmap { help }";
    let expected =
        [(3, "unsupported-method", true), (4, "unsupported-method", true), (8, "unsupported-call", true)];
    // What evaluates a text may define anything.
    assert_eq!(told(&text.replace("eval('1')", "binding")), expected);
    assert_eq!(told(text), []);
}

#[test]
fn what_may_be_somebody_elses_is_not_told() {
    for text in [
        "def gets = 1\nxs.pmap { gets }",
        "define_method(:gets) { 1 }\nxs.pmap { gets }",
        "describe { xs.pmap { gets } }",
        "class Car < Vehicle\n  def go = xs.pmap { gets }\nend",
        "module Driving\n  def go = xs.pmap { gets }\nend",
        "class Car\n  include Driving\n  def go = xs.pmap { gets }\nend",
        "class File\n  def self.read(x) = x\nend\nxs.pmap { |x| File.read(x) }",
        "File = Class.new\nxs.pmap { |x| File.read(x) }",
        "class A\n  def read = File.read('a')\nend\nxs.pmap { |x| x.read }",
        "class A\n  def load_it = gets\nend\nclass B\n  def load_it = 1\nend\nxs.pmap { |x| x.load_it }",
        "class A\n  def go = xs.pmap { wait }\n  def wait = gets\nend\nclass B < A\n  def wait = 1\nend",
        "xs.pmap(&:gets)\nxs.map { gets }\nxs.pmap { |x| x.gets }\nxs.pmap { puts 1 }",
        "def pmap = yield\npmap { gets }",
        "xs.plazy.map { |x| x }.to_a.map { gets }",
        "Ikra.section { Ikra.sync { gets } }",
        "xs.pmap { |x| foo { return x } }",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[test]
fn what_goes_on_with_a_parallel_method_is_parallel() {
    for text in [
        "xs.pmap.with_index { gets }",
        "xs.plazy.map { gets }",
        "xs.plazy.select { 1 }.map { 2 }.sum { gets }",
        "Ikra.section { gets }",
        "class Car\n  def go = xs.pmap { xs.each { gets } }\nend",
        "class Car < Struct.new(:a)\n  def go = xs.pmap { gets }\nend",
    ] {
        assert_eq!(told(text).len(), 1, "{text}");
    }
}
