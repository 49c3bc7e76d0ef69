//! Snapshots of Ruby code and its AST or its diagnostics, in `tests/*.txt`: source, `----`, expected text; `====`
//! between two of them. The code that is looked at stands in `⟦…⟧`, or is the first in the source. To write the
//! expected texts anew: `UPDATE=1 cargo test -p ikra-core --lib syntax`.

use super::*;
use crate::diagnostic::render_all;
use crate::source::{RubyVersion, SourceFile};
use crate::syntax::ast::Target;
use std::collections::HashSet;

const SAMPLE: &str = include_str!("tests/sample.rb");

fn sources(text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("a.rb", text, 1));
    (sources, file)
}

/// The first code of a text, or the one in `⟦…⟧`.
pub(crate) fn code_in(marked: &str) -> (SourceMap, Result<Code, CodeError>) {
    let text = marked.replace(['⟦', '⟧'], "");
    let (sources, file) = sources(&text);
    let span = match (marked.find('⟦'), marked.find('⟧')) {
        (Some(start), Some(end)) => Span { file, start: start as u32, end: (end - '⟦'.len_utf8()) as u32 },
        _ => codes_in(&sources, file).unwrap()[0],
    };
    let code = code_at(&sources, file, span.start, span.end);
    (sources, code)
}

fn parsed(text: &str) -> Code {
    code_in(text).1.expect("code")
}

fn printed(source: &str) -> String {
    match code_in(source) {
        (sources, Ok(code)) => match unsupported(&code) {
            all if all.is_empty() => dump::dump(&code),
            all => render_all(&all, &sources),
        },
        (sources, Err(CodeError::Unsupported(diagnostics))) => render_all(&diagnostics, &sources),
        (_, Err(CodeError::NotFound)) => "not found\n".into(),
        (_, Err(CodeError::Memory(_))) => "no memory\n".into(),
    }
}

/// What of the code is unsupported where it is reached.
fn unsupported(code: &Code) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    walk::each_node(code, &mut |node| {
        if let Kind::Unsupported(diagnostic) = &node.kind {
            all.push((**diagnostic).clone());
        }
    });
    all
}

/// Each node with its text, and the name of each call with its own.
fn printed_spans(source: &str) -> String {
    let (sources, code) = code_in(source);
    let code = code.expect("code");
    let text = |span: Span| &sources.file(span.file).text[span.start as usize..span.end as usize];
    let mut out = String::new();
    walk::each_node(&code, &mut |node| {
        let kind = format!("{:?}", node.kind);
        let kind = kind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        out += &format!("{kind} «{}»", text(node.span));
        match &node.kind {
            Kind::Call(call) => out += &format!(" name «{}»", text(call.name_span)),
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => {
                let (Target::Local(_, span)
                | Target::Captured(_, span)
                | Target::Ivar(_, span)
                | Target::Global(_, span)
                | Target::ClassVariable(_, span)
                | Target::Index { span, .. }
                | Target::Attribute { span, .. }
                | Target::Multiple(_, span)) = **target;
                out += &format!(" target «{}»", text(span));
            }
            _ => {}
        }
        out.push('\n');
    });
    out
}

fn snapshots(name: &str, print: fn(&str) -> String) {
    crate::snapshots::check(&format!("syntax/tests/{name}"), &print);
}

#[test]
fn parameters() {
    snapshots("params.txt", printed);
}

#[test]
fn locals_and_captured_variables() {
    snapshots("locals.txt", printed);
}

#[test]
fn method_calls() {
    snapshots("calls.txt", printed);
}

#[test]
fn assignments() {
    snapshots("assignments.txt", printed);
}

#[test]
fn control_flow() {
    snapshots("control.txt", printed);
}

#[test]
fn patterns() {
    snapshots("patterns.txt", printed);
}

#[test]
fn literals() {
    snapshots("literals.txt", printed);
}

#[test]
fn nesting() {
    snapshots("nesting.txt", printed);
}

#[test]
fn spans() {
    snapshots("spans.txt", printed_spans);
}

#[test]
fn refusals() {
    snapshots("refusals.txt", printed);
}

/// Each slug has an example in `refusals.txt`, but for those that no source that fits there can show.
#[test]
fn every_slug_has_an_example() {
    let examples = include_str!("tests/refusals.txt");
    for slug in lower::refusals::SLUGS {
        let elsewhere = ["nesting-too-deep", "unsupported-syntax"].contains(slug);
        assert!(elsewhere || examples.contains(&format!("[{slug}]")), "no example of {slug}");
    }
}

#[test]
fn only_the_exact_span_is_found() {
    let text = "f { |x| x }\n-> (x) { x }\ndef a = 1\n";
    let (sources, file) = sources(text);
    let found = |start: u32, end: u32| code_at(&sources, file, start, end).is_ok();
    let at = |part: &str| text.find(part).expect("the part") as u32;
    let (block, lambda, def) = (at("{ |x|"), at("->"), at("def"));
    let (block_end, lambda_end, def_end) = (at("\n->"), at("\ndef"), at("1\n") + 1);
    assert!(found(block, block_end) && found(lambda, lambda_end) && found(def, def_end));
    // parse.y starts a lambda at its parameters, or after its arrow.
    assert!(found(at("(x)"), lambda_end) && found(lambda + 2, lambda_end));
    assert!(!found(at("{ x }"), block_end));
    assert!(!found(block, block_end - 1) && !found(block + 1, block_end) && !found(block - 1, block_end));
    assert!(!found(lambda, def_end) && !found(def_end, def) && !found(u32::MAX, u32::MAX) && !found(0, 0));
}

#[test]
fn the_binding_of_an_eval_tells_its_locals() {
    let (sources, file) = sources("f { |x| total += x; rate }");
    let span = codes_in(&sources, file).unwrap()[0];
    let code = |outer: &[String]| code_in_binding(&sources, file, span.start, span.end, outer).expect("code");
    assert_eq!(
        dump::dump(&code(&["total".into(), "rate".into()])),
        "(block (reads total rate) (writes total) (params x%0) (do (+= ^total x%0) ^rate))\n"
    );
    assert_eq!(dump::dump(&code(&[])), "(block (params x%0) (do (+= total%1 x%0) (variable rate)))\n");
}

/// `it` is a method until Ruby 3.3.
#[test]
fn texts_are_read_as_their_ruby_does() {
    let read = |version| {
        let mut sources = SourceMap::new(version);
        let file = sources.add(SourceFile::new("a.rb", "f { it + 1 }", 1));
        let span = codes_in(&sources, file).unwrap()[0];
        dump::dump(&code_at(&sources, file, span.start, span.end).expect("code"))
    };
    for minor in 1..=3 {
        assert_eq!(read(RubyVersion(3, minor)), "(block (call (variable it) .+ 1))\n");
    }
    for version in [RubyVersion(3, 4), RubyVersion(4, 0), RubyVersion(4, 1), RubyVersion(5, 0)] {
        assert_eq!(read(version), "(block (params it%0) (call it%0 .+ 1))\n");
    }
}

#[test]
fn an_endless_method_may_end_before_its_last_parenthesis_in_ruby_3_4() {
    let found = |text: &str, end: usize, version| {
        let mut sources = SourceMap::new(version);
        let file = sources.add(SourceFile::new("a.rb", text, 1));
        code_at(&sources, file, 0, end as u32).is_ok()
    };
    let (old, new) = (RubyVersion(3, 3), RubyVersion(3, 4));
    for text in ["def run(&b) = each(&b)", "def run(&b) = 1 + each(2, &b  # it\n)"] {
        let early = text.rfind("&b").unwrap() + 2;
        assert!(found(text, text.len(), old) && !found(text, early, old));
        assert!(found(text, text.len(), new) && found(text, early, new) && !found(text, early - 1, new));
    }
    let text = "def run(&b) each(&b) end";
    assert!(!found(text, text.len() - 1, new));
}

#[test]
fn a_symbol_is_a_block() {
    let span = Span { file: FileId(0), start: 3, end: 9 };
    let code = symbol_block("speed", span, 0);
    assert_eq!(dump::dump(&code), "(block (params element%0) (call element%0 .speed))\n");
    check(&code, "", FileId(0));
    assert_eq!(code.span, span);
    let code = symbol_block("at", span, 1);
    assert_eq!(dump::dump(&code), "(block (params element%0 more1%1) (call element%0 .at more1%1))\n");
    check(&code, "", FileId(0));
}

#[test]
fn lines_count_from_the_first_line_of_an_eval() {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("(eval)", "f { __LINE__ }", 41));
    let span = codes_in(&sources, file).unwrap()[0];
    let code = code_at(&sources, file, span.start, span.end).expect("code");
    assert!(matches!(code.body.kind, Kind::Integer(41)));
}

#[test]
fn local_numbers_are_one_series_and_fresh_in_each_block() {
    let code = parsed("f { |x| g { |x| y = x }; g { |y| y } }");
    assert_eq!(code.locals, ["x", "x", "y", "y"]);
}

/// What holds for every code: numbers are dense and unique, spans and locals are in range.
fn check(code: &Code, text: &str, file: FileId) {
    let mut ids = HashSet::new();
    walk::each_node(code, &mut |node| {
        assert!(ids.insert(node.id), "{:?} twice", node.id);
        assert!(node.id.0 < code.nodes);
        assert_eq!(node.span.file, file);
        if !text.is_empty() {
            let range = node.span.start as usize..node.span.end as usize;
            assert!(text.get(range).is_some(), "{:?} is no span of the text", node.span);
        }
        if let Kind::Local(local) = node.kind {
            assert!((local.0 as usize) < code.locals.len());
        }
    });
    dump::dump(code);
}

/// Lowers everything in a text; what comes of it does not matter, only that something does.
fn survive(text: &str) -> usize {
    let file = FileId(0);
    let source = SourceFile::new("a.rb", text, 1);
    let mut count = 0;
    parse::with_tree(text, RubyVersion::default(), &[], |tree| {
        parse::each_callable(tree, |callable, nesting, using| {
            let found = parse::FoundCode { callable, nesting: nesting.to_vec(), using };
            match lower::code(&source, file, tree, &found, None) {
                Ok(code) => check(&code, text, file),
                Err(CodeError::Unsupported(diagnostics)) => assert!(!diagnostics.is_empty()),
                Err(CodeError::NotFound | CodeError::Memory(_)) => unreachable!(),
            }
            count += 1;
        });
    });
    count
}

#[test]
fn every_prefix_of_a_program_is_survived() {
    let found = parse::on_deep_stack(SAMPLE, || {
        (0..=SAMPLE.len())
            .filter(|end| SAMPLE.is_char_boundary(*end))
            .map(|end| survive(&SAMPLE[..end]))
            .max()
    });
    assert_eq!(found.expect("memory"), Some(15));
}

/// A program with something random changed in each of them.
pub(crate) fn mutations(count: usize) -> Vec<String> {
    const PIECES: &[u8] = b"(){}[]|&*.,:;=<>!?@$#\"'`~%^+-/\\ \n_1ax\0\x7f";
    const WORDS: &[&str] =
        &[" end ", " do ", " if ", " def ", " -> ", " begin ", " rescue ", "<<~A", "é", " in ", "**"];
    let mut state: u64 = 42;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mutate = |_| {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for _ in 0..=random(4) {
            let place = random(bytes.len());
            match random(4) {
                0 => bytes[place] = PIECES[random(PIECES.len())],
                1 => bytes.insert(place, PIECES[random(PIECES.len())]),
                2 => drop(bytes.remove(place)),
                _ => drop(bytes.splice(place..place, WORDS[random(WORDS.len())].bytes())),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    (0..count).map(mutate).collect()
}

#[test]
fn every_mutation_of_a_program_is_survived() {
    let texts = mutations(1500);
    let found = parse::on_deep_stack(SAMPLE, || texts.iter().map(|text| survive(text)).sum::<usize>());
    let found = found.expect("memory");
    assert!(found > 10_000, "{found}");
}

/// What recursion would choke on: each is a diagnostic, or parses, or is not found.
#[test]
fn deep_nesting_is_refused() {
    let n = 20_000;
    let deep = [
        format!("f {{ {}1{} }}", "(".repeat(n), ")".repeat(n)),
        format!("f {{ {}1{} }}", "[".repeat(n), "]".repeat(n)),
        format!("f {{ {}x }}", "!".repeat(n)),
        format!("f {{ {}1 }}", "1 + ".repeat(n)),
        format!("f {{ x{} }}", ".y".repeat(n)),
        format!("f {{ x{} }}", "[0]".repeat(n)),
        format!("f {{ {}1 }}", "x = ".repeat(n)),
        format!("f {{ 1{} }}", " if x".repeat(n)),
        format!("f {{ 1{} }}", " rescue 1".repeat(n)),
        format!("f {{ x{} }}", " && y".repeat(n)),
        format!("f {{ A{} }}", "::B".repeat(n)),
        format!("f {{ foo{} }}", "::B".repeat(n)),
        format!("f {{ if x then 1{} end }}", " elsif x then 1".repeat(n)),
        format!("f {{ {}1{} }}", "f { ".repeat(n), "}".repeat(n)),
        format!("f {{ {}1{} }}", "->(x = ".repeat(n), ") { }".repeat(n)),
        format!("f {{ |{}a{}| 1 }}", "(".repeat(n), ")".repeat(n)),
        format!("f {{ {}a{}, b = 1 }}", "(".repeat(n), ")".repeat(n)),
        format!("f {{ \"{}{}\" }}", "#{\"".repeat(n), "\"}".repeat(n)),
        format!("f {{ x = {} }}", "\"a\" ".repeat(n)),
        format!("f {{ case x; in {}a then 1 end }}", "a | ".repeat(n)),
        format!("f {{ begin{}; end }}", "; rescue; 1".repeat(n)),
    ];
    for text in &deep {
        let (sources, file) = sources(text);
        let shown = &text[..20];
        let start = text.find('{').expect("a block") as u32;
        match code_at(&sources, file, start, text.len() as u32) {
            Ok(code) => {
                // Wide, not deep.
                let flat = matches!(
                    code.body.kind,
                    Kind::Constant { .. } | Kind::ConstantOf { .. } | Kind::Assign { .. }
                );
                assert!(flat, "{shown} is {:?}", code.body.kind);
                check(&code, text, file);
            }
            // Prism has given up before the closing brace.
            Err(CodeError::Memory(_)) => panic!("no memory for {shown}"),
            Err(CodeError::NotFound) => assert!(shown.contains("f { f") || shown.contains('#'), "{shown}"),
            Err(CodeError::Unsupported(diagnostics)) => {
                assert!(diagnostics[0].render(&sources).contains("hint"), "{shown}");
            }
        }
    }
}

#[test]
fn depth_that_people_write_is_fine() {
    let sum = vec!["x"; 200].join(" + ");
    assert!(code_in(&format!("f {{ |x| {sum} }}")).1.is_ok());
    let text = format!("f {{ |x| {} }}", vec!["x"; 400].join(" + "));
    let (_, code) = code_in(&text);
    let Err(CodeError::Unsupported(diagnostics)) = code else { panic!("{code:?}") };
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].slug, "nesting-too-deep");
}
