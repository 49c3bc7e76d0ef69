// A hash of what a build is made of, for the build scripts of both crates.

use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

pub struct Digest(Sha256);

impl Digest {
    /// Of files, and of all in folders, in whatever order these have them. Cargo runs the script anew where they change.
    pub fn of(paths: &[&str]) -> Self {
        let mut files = Vec::new();
        for path in paths {
            println!("cargo::rerun-if-changed={path}");
            collect(Path::new(path), &mut files);
        }
        files.sort();
        let mut digest = Self(Sha256::new());
        for path in files {
            digest.add(path.to_string_lossy().as_bytes());
            digest.add(&fs::read(&path).unwrap_or_default());
        }
        digest
    }

    pub fn add(&mut self, bytes: &[u8]) {
        // With their number, so that no two lists of parts read the same.
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Gives it to the crate as a variable of `env!`.
    pub fn tell(self, variable: &str) {
        println!("cargo::rustc-env={variable}={:x}", self.0.finalize());
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}
