//! Ruby's functions are in the process that loads the extension. Only macOS's linker has to be told. And the build is named
//! by its text, as that of the core is by its own.

#[path = "../../build/digest.rs"]
mod digest;

use digest::Digest;

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-link-arg=-Wl,-undefined,dynamic_lookup");
    }
    Digest::of(&["build.rs", "../../build", "Cargo.toml", "src"]).tell("IKRA_EXTENSION_BUILD");
}
