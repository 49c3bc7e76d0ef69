//! The facts about the running Ruby that the compiler asks for, found out when the extension is loaded: before programs
//! can have changed Ruby's methods.

use ikra_core::infer::dialect::Dialect;
use magnus::Ruby;
use std::sync::OnceLock;

static DIALECT: OnceLock<Dialect> = OnceLock::new();

pub fn init(ruby: &Ruby) {
    // A lambda keeps local variables out of the main program's.
    let holds = |code: &str| ruby.eval(&format!("-> {{ {code} }}.call == true")).unwrap_or(false);
    DIALECT.get_or_init(|| Dialect::probe(holds));
}

pub fn dialect() -> Dialect {
    DIALECT.get().copied().unwrap_or_default()
}
