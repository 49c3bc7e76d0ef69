//! What Ruby raises is never dropped, checked: any call into Ruby may raise what another thread has sent, a Timeout or a
//! signal, and that would be lost. `gvl::or_none` and `gvl::or_defer` keep it until it can be raised.

use std::fs;
use std::path::Path;

/// What calls Ruby and gives a `Result`.
const CALLS: [&str; 9] = [
    "call(",
    "call::<",
    "funcall(",
    "funcall::<",
    "protect(",
    "eval(",
    "const_get(",
    "const_get::<",
    "respond_to(",
];

/// What makes nothing of an error.
const DROPS: [&str; 6] = [".ok()", ".is_ok", ".is_err", ".unwrap_or", ".map_or", ".err()"];

/// Run while the extension is loaded, when `lib/ikra/extension.rb` lets nothing be raised.
const LOADED: [&str; 4] = ["capture", "vm/dialect", "vm/method_tables/probe", "vm/object_pool"];

/// What stands behind the parenthesis that closes the first one of a text.
fn behind(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return text.get(at + 1..),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn dropped(module: &str, text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap().trim()).collect();
    let mut found = Vec::new();
    for name in CALLS {
        for (at, _) in code.match_indices(name) {
            let from = &code[at..];
            let rest = behind(from).unwrap_or_default();
            if DROPS.iter().any(|drop| rest.starts_with(drop)) {
                let told: String = from.chars().take(60).collect();
                found.push(format!("{module}: {told}"));
            }
        }
    }
    found
}

#[test]
fn what_ruby_raises_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    crate::held::files(&root, &mut paths);
    let mut found = Vec::new();
    for path in paths {
        let module = path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().to_owned();
        if module != "dropped" && !LOADED.contains(&module.as_str()) {
            found.extend(dropped(&module, &fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(found.is_empty(), "what these raise is lost: {found:#?}");
}

#[test]
fn what_drops_is_seen() {
    let text =
        "let a = call(ruby, Own::Name, &[f(x)])\n    .ok()?;\nlet b = or_none(call(ruby, Own::Name, &[x]))?;";
    assert_eq!(dropped("m", text), ["m: call(ruby, Own::Name, &[f(x)]).ok()?;let b = or_none(call(ru"]);
}
