use super::*;

fn found(source: &str, options: u32, text: &str) -> Vec<i64> {
    let pattern = Pattern::new(source, options, false).unwrap();
    let prepared = pattern.prepare(text.as_bytes(), Encoding::Utf8 as i64) as i64;
    match pattern.search(text.as_bytes(), 0, Request::Search, prepared, Wanted::Groups) {
        -1 => vec![],
        _ => (0..2 * i64::from(pattern.groups()) + 2).map(last_slot).collect(),
    }
}

fn refused(source: &str) -> (String, &'static str) {
    let Refused { part, why } = Pattern::new(source, 0, false).unwrap_err();
    (part, why)
}

#[test]
fn lines_begin_and_end_as_in_ruby() {
    assert_eq!(found("^", 0, "a\n"), [0, 0]);
    assert_eq!(found("^b*", 0, "\nb"), [0, 0]);
    assert_eq!(refused("x^b*").0, "^");
    assert_eq!(found("^a|x", 0, "x\na"), [0, 1]);
    assert_eq!(found(r"a\Z", 0, "a\na\n"), [2, 3]);
    assert_eq!(found("a$", 0, "ba\n"), [1, 2]);
}

#[test]
fn nothing_is_missed_by_what_is_looked_for_first() {
    assert_eq!(found(" ?a[^a]*b", 0, "ab"), [0, 2]);
    assert_eq!(found(r#"\s*=\s*"[^"]*""#, 0, r#"a="x", b = "y""#), [1, 5]);
    assert_eq!(found("b?  [^a]+b", 0, "  b "), []);
    assert_eq!(found("cat|dog", 0, "a dog"), [2, 5]);
}

#[test]
fn the_first_of_two_that_begin_alike_is_taken() {
    assert_eq!(found(r#"([^"]*b|[^"]*.{1,2})"#, 0, r#"b="x""#), [0, 1, 0, 1]);
    assert_eq!(found(r"(b*(\w+a*|\w+.\s*?[ab]?))?\w", 0, r#"aab"b""#), [0, 3, 0, 2, 0, 2]);
    assert_eq!(found("(a*b|a*.|a*c)d", 0, "aacd"), [0, 4, 0, 3]);
}

#[test]
fn groups_are_where_they_matched_last() {
    assert_eq!(found("(a)|(b)", 0, "b"), [0, 1, -1, -1, 0, 1]);
    assert_eq!(found("(?:(a)|b)+", 0, "ab"), [0, 2, 0, 1]);
    assert_eq!(found("(?<x>a)(b)", 0, "ab"), [0, 2, 0, 1]);
}

#[test]
fn what_ruby_reads_otherwise_is_refused_by_name() {
    assert_eq!(refused("ab(?=c)d").0, "(?=");
    assert_eq!(refused(r"(a)\1").0, r"\1");
    assert_eq!(refused("(?:a?)*b").0, "(?:a?)*");
    assert_eq!(refused("x++").0, "++");
    assert_eq!(refused(r"a\Zb").0, r"\Z");
}
