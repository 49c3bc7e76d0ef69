//! Names the build by a hash of what it is made of: what one build keeps on disk is nothing to another.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let mut hash = Sha256::new();
    let mut files = Vec::new();
    for path in ["build.rs", "Cargo.toml", "Cargo.lock", "src"] {
        println!("cargo::rerun-if-changed={path}");
        collect(Path::new(path), &mut files);
    }
    files.sort();
    for path in files {
        let text = fs::read(&path).unwrap_or_default();
        part(&mut hash, path.to_string_lossy().as_bytes());
        part(&mut hash, &text);
    }
    let mut variables: Vec<_> = env::vars().filter(|(name, _)| tells(name)).collect();
    variables.sort();
    for (name, value) in variables {
        part(&mut hash, name.as_bytes());
        part(&mut hash, value.as_bytes());
    }
    let compiler = env::var_os("RUSTC").and_then(|rustc| Command::new(rustc).arg("-vV").output().ok());
    part(&mut hash, &compiler.map(|output| output.stdout).unwrap_or_default());
    println!("cargo::rustc-env=IKRA_BUILD={:x}", hash.finalize());
}

/// Does a variable of the environment say how it is built?
fn tells(name: &str) -> bool {
    let known = ["TARGET", "PROFILE", "OPT_LEVEL", "DEBUG", "CARGO_ENCODED_RUSTFLAGS"];
    known.contains(&name) || name.starts_with("CARGO_FEATURE_") || name.starts_with("CARGO_CFG_")
}

fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}
