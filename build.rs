//! Names the build by a hash of what it is made of: what one build keeps on disk is nothing to another.

#[path = "build/digest.rs"]
mod digest;

use digest::Digest;
use std::env;
use std::process::Command;

fn main() {
    let mut digest = Digest::of(&["build.rs", "build", "Cargo.toml", "Cargo.lock", "src"]);
    let mut variables: Vec<_> = env::vars().filter(|(name, _)| tells(name)).collect();
    variables.sort();
    for (name, value) in variables {
        digest.add(name.as_bytes());
        digest.add(value.as_bytes());
    }
    let compiler = env::var_os("RUSTC").and_then(|rustc| Command::new(rustc).arg("-vV").output().ok());
    digest.add(&compiler.map(|output| output.stdout).unwrap_or_default());
    digest.tell("IKRA_BUILD");
}

/// Does a variable of the environment say how it is built?
fn tells(name: &str) -> bool {
    let known = ["TARGET", "PROFILE", "OPT_LEVEL", "DEBUG", "CARGO_ENCODED_RUSTFLAGS"];
    known.contains(&name) || name.starts_with("CARGO_FEATURE_") || name.starts_with("CARGO_CFG_")
}
