//! Where NVRTC is: a path the user names, the loader's folders, CUDA's own, or one of Python's wheels. Found without
//! loading it where possible, because a cached kernel needs no compiler.

use crate::cache::{Variables, folder_in};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Newest first: a cubin needs a driver at least as new as its compiler, so older ones may still do.
const NAMES: [&str; 4] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"];

#[derive(Clone, Debug)]
pub(super) struct Location {
    /// A file, or a bare name for the loader to find.
    pub path: PathBuf,
    /// Changes when another version is installed there.
    pub identity: String,
}

/// The first NVRTC that a driver of this CUDA version (major) can run the output of.
pub(super) fn nvrtc(driver: Option<u32>) -> Result<Location, String> {
    let mut too_new = Vec::new();
    let folders = folders(&|name| env::var_os(name));
    for folder in &folders {
        // A file may be named itself, too.
        let files =
            if folder.is_file() { vec![folder.clone()] } else { NAMES.map(|n| folder.join(n)).to_vec() };
        for file in files {
            // A driver package may leave an empty file, or a link to nothing.
            let Some(real) = fs::canonicalize(&file).ok().filter(|f| f.is_file()) else { continue };
            match (driver, major(&real)) {
                (Some(driver), Some(version)) if version > driver => too_new.push(file),
                _ => return Ok(Location { identity: identity(&real), path: file }),
            }
        }
    }
    for name in NAMES {
        let fits = !matches!((driver, major(Path::new(name))), (Some(d), Some(v)) if v > d);
        // SAFETY: NVIDIA's library has no initialisers with preconditions.
        if fits && unsafe { libloading::Library::new(name) }.is_ok() {
            return Ok(Location { path: name.into(), identity: name.to_owned() });
        }
    }
    Err(match too_new.first() {
        Some(file) => format!(
            "{} is newer than the driver; update the driver or install nvidia-cuda-nvrtc-cu{}",
            file.display(),
            driver.unwrap_or(12)
        ),
        None => "libnvrtc was not found; install the CUDA toolkit or the wheel nvidia-cuda-nvrtc-cu12, or name its \
                 folder in IKRA_NVRTC_PATH"
            .to_owned(),
    })
}

/// Major version in a name such as `libnvrtc.so.12.9.86`.
fn major(file: &Path) -> Option<u32> {
    let name = file.file_name()?.to_str()?;
    name.split_once(".so.")?.1.split('.').next()?.parse().ok()
}

fn identity(file: &Path) -> String {
    let Ok(metadata) = fs::metadata(file) else { return String::new() };
    let modified = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    format!("{} {} {}", file.display(), metadata.len(), modified.map_or(0, |t| t.as_nanos()))
}

/// Folders (or files) to look in, best first.
fn folders(variables: Variables<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let folder = |name| folder_in(variables, name);
    if let Some(path) = variables("IKRA_NVRTC_PATH").filter(|p| !p.is_empty()) {
        // Who names a place means it.
        return vec![path.into()];
    }
    if let Some(paths) = variables("LD_LIBRARY_PATH") {
        found.extend(env::split_paths(&paths).filter(|path| path.is_absolute()));
    }
    found.extend(["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(folder).map(|path| path.join("lib64")));
    found.push("/usr/local/cuda/lib64".into());
    let versioned = matching(Path::new("/usr/local"), |name| name.starts_with("cuda-"));
    found.extend(versioned.into_iter().map(|p| p.join("lib64")));
    found.extend(
        ["/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"].map(PathBuf::from),
    );
    found.extend(["/usr/lib64", "/usr/lib"].map(PathBuf::from));
    found.extend(folder("CONDA_PREFIX").map(|path| path.join("lib")));
    for packages in site_packages(variables) {
        for wheel in ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"] {
            found.push(packages.join(wheel));
        }
    }
    found
}

/// Where Python's packages are, as its own layouts have it.
fn site_packages(variables: Variables<'_>) -> Vec<PathBuf> {
    let folder = |name| folder_in(variables, name);
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(folder).collect();
    roots.extend(folder("HOME").map(|path| path.join(".local")));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    let pythons = roots.iter().flat_map(|r| matching(&r.join("lib"), |name| name.starts_with("python3")));
    pythons.flat_map(|p| [p.join("site-packages"), p.join("dist-packages")]).collect()
}

/// Entries of a folder whose name fits, the last by name first.
fn matching(folder: &Path, fits: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named: BTreeSet<PathBuf> =
        entries.filter(|e| e.file_name().to_str().is_some_and(&fits)).map(|e| e.path()).collect();
    named.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_relative_variables_name_no_folders() {
        let without = folders(&|_| None);
        for value in ["", "lib", "./lib", "::lib:."] {
            assert_eq!(
                folders(&|name| (name != "IKRA_NVRTC_PATH").then(|| value.into())),
                without,
                "{value:?}"
            );
        }
        assert!(without.iter().all(|path| path.is_absolute()));
        let found = folders(&|name| matches!(name, "CONDA_PREFIX" | "CUDA_PATH").then(|| "/a".into()));
        assert!(["/a/lib", "/a/lib64"].iter().all(|path| found.contains(&PathBuf::from(path))));
    }

    #[test]
    fn the_major_version_stands_in_the_name() {
        assert_eq!(major(Path::new("/x/libnvrtc.so.12.9.86")), Some(12));
        assert_eq!(major(Path::new("libnvrtc.so.13")), Some(13));
        assert_eq!(major(Path::new("libnvrtc.so")), None);
    }
}
