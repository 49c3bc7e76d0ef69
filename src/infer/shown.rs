//! `IKRA_LOG=hir` shows the HIR of each code that a section runs, once, on the standard error.

use crate::hir;
use crate::source::Span;
use crate::syntax::ast::Code;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Is it asked for?
fn is_told() -> bool {
    static TOLD: OnceLock<bool> = OnceLock::new();
    *TOLD.get_or_init(|| {
        std::env::var("IKRA_LOG").is_ok_and(|names| names.split(',').any(|name| name.trim() == "hir"))
    })
}

/// Shows a code that is entered, if it is the first time.
pub(super) fn show(code: &Code) {
    static SHOWN: Mutex<BTreeSet<(String, Span)>> = Mutex::new(BTreeSet::new());
    if is_told() && SHOWN.lock().insert((code.name.clone(), code.span)) {
        match hir::convert(code) {
            Ok(hir) => eprintln!("{}", hir::print(&hir)),
            Err(diagnostic) => eprintln!("ikra: {}", diagnostic.message),
        }
    }
}
