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
    assert_eq!(found("x^b*", 0, "x\nb"), []);
    assert_eq!(found("x\n^b*", 0, "x\n"), []);
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
fn what_is_around_is_looked_at() {
    assert_eq!(found(r"\d+(?= EUR)", 0, "1 2 EUR"), [2, 3]);
    assert_eq!(found(r"(?<!a)b(?!c)", 0, "ab bc é b"), [9, 10]);
    assert_eq!(found("(?<=é|bc)(?i:X)", 0, "bx éx"), [5, 6]);
    assert_eq!(found(r"(?<=^|,)[^,]*(?=,|$)", 0, "a,b"), [0, 1]);
    assert_eq!(found(r"(?=(a+))a*b\1", 0, "baaabac"), [3, 6, 3, 4]);
}

#[test]
fn where_a_match_may_begin_is_found_first() {
    // The place that is found first is none: `1 ` has no number before it, `22` another letter.
    assert_eq!(found(r"(?<=: )\d+", 0, "1 22: x: 33"), [9, 11]);
    assert_eq!(found(r"(?<=é|ab)x", 0, "xéx"), [3, 4]);
    assert_eq!(found(r"(?<=[aé])x", 0, "xéx"), [3, 4]);
    assert_eq!(found(r"([ab])\1", 0, "abab bb"), [5, 7, 5, 6]);
    assert_eq!(found(r"(\bab?)\1", 0, "baa aabaa aaa"), [4, 6, 4, 5]);
    assert_eq!(found(r"(?:(a)|b)+\1c", 0, "bc abac"), [3, 7, 3, 4]);
    assert_eq!(found(r"(?>a+|b)c(?=\d)", 0, "aac bc1"), [4, 6]);
    assert_eq!(found(r"(?=.*\d)[a-z]+", 0, "- ab1"), [2, 4]);
    assert_eq!(found(r"^(?>\w+);", 0, "a\nbc;"), [2, 5]);
    // Behind the last place is none.
    assert_eq!(found(r"(?<=a)(?>b)", 0, "aé"), []);
}

#[test]
fn groups_match_again() {
    assert_eq!(found(r"(\w)\1", 0, "abccd"), [2, 4, 2, 3]);
    assert_eq!(found(r"(?<c>[éß])\k<c>", 0, "éßß"), [2, 6, 2, 4]);
    assert_eq!(found(r"(?:(a)|b)\1", 0, "bb aa"), [3, 5, 3, 4]);
}

#[test]
fn what_is_atomic_matches_once() {
    assert_eq!(found("(?>a+)ab", 0, "aab"), []);
    assert_eq!(found("a++b", 0, "caab"), [1, 4]);
    assert_eq!(found("a?+ab", 0, "ab"), []);
    assert_eq!(found(r"\R\n?", 0, "a\r\nb"), [1, 3]);
    assert_eq!(found(r"\R", 0, "é\u{2028}"), [2, 5]);
}

#[test]
fn a_search_that_takes_too_many_steps_ends() {
    let pattern = Pattern::new(r"(?:a|a|b)+(?!.)c", 0, false).unwrap();
    let search = |text: &[u8]| pattern.search(text, 0, Request::Search, 0, Wanted::Whole);
    assert_eq!(search(&[&[b'a'; 40][..], b"c"].concat()), -2);
    // It may begin nowhere.
    assert_eq!(search(&[b'a'; 100]), -1);
}

#[test]
fn what_ruby_reads_otherwise_is_refused_by_name() {
    assert_eq!(refused(r"(a)\2").0, r"\2");
    assert_eq!(refused("(?:a?)*b").0, "(?:a?)*");
    assert_eq!(refused("x*?+").0, "*?+");
    assert_eq!(refused(r"a\Gb").0, r"\G");
    assert_eq!(refused(r"(?<n>a)\g<n>").0, r"\g");
    assert_eq!(refused("(?i:(a)\\1)").0, r"\1");
}
