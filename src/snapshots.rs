//! Expected texts in files, for tests: source, `----`, what is printed of it; `====` between two of them. `UPDATE=1 cargo
//! test -p ikra-core --lib` writes the expected texts anew.

use std::path::Path;

/// Checks, or writes, all cases of a file below `src`; gives how many there are.
pub fn check(path: &str, print: &dyn Fn(&str) -> String) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
    let text = std::fs::read_to_string(&path).expect("a file of snapshots");
    let update = std::env::var_os("UPDATE").is_some();
    let mut written = Vec::new();
    for case in text.split("====\n") {
        let (source, expected) = case.split_once("----\n").unwrap_or((case, ""));
        let actual = print(source);
        if !update {
            assert_eq!(
                actual,
                expected,
                "{}, for\n{source}\nthe left side is what is, the right side what was",
                path.display()
            );
        }
        written.push(format!("{source}----\n{actual}"));
    }
    if update {
        std::fs::write(&path, written.join("====\n")).expect("to write the snapshots");
    }
    written.len()
}
