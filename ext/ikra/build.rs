//! Ruby's functions are in the process that loads the extension. Only macOS's linker has to be told. And the build is named
//! by its text, as that of the core is by its own.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-link-arg=-Wl,-undefined,dynamic_lookup");
    }
    let mut hash = Sha256::new();
    let mut files = Vec::new();
    for path in ["build.rs", "Cargo.toml", "src"] {
        println!("cargo::rerun-if-changed={path}");
        collect(Path::new(path), &mut files);
    }
    files.sort();
    for path in files {
        let text = fs::read(&path).unwrap_or_default();
        for bytes in [path.to_string_lossy().as_bytes(), &text] {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    println!("cargo::rustc-env=IKRA_EXTENSION_BUILD={:x}", hash.finalize());
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}
