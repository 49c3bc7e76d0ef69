//! Compiled kernels on disk, named by a hash of everything they depend on. A cache that cannot be read or written is
//! the same as an empty one: it never fails a section.

use super::locate::{Variables, folder_in};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Changes when the same inputs would give other code.
const FORMAT: &str = "ikra-cubin-1";
/// Bytes that all files may have together; the least recently used go first.
const LIMIT: u64 = 256 << 20;
const SUFFIX: &str = "cubin";

pub(super) struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
}

impl Cache {
    /// In `IKRA_CACHE_DIR`, or `ikra` in the user's cache folder.
    pub fn of_user() -> Self {
        Self { folder: folder_of_user(&|name| std::env::var_os(name)), limit: LIMIT }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The code kept under these parts, if it is intact.
    pub fn get(&self, parts: &[&str]) -> Option<Vec<u8>> {
        let path = self.path(parts)?;
        is_private(path.parent()?)?;
        let file = fs::read(&path).ok()?;
        let (header, code) = file.split_at_checked(40)?;
        if header[..8] != (code.len() as u64).to_le_bytes() || header[8..] != Sha256::digest(code)[..] {
            let _ = fs::remove_file(&path);
            return None;
        }
        // What is used stays.
        let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        Some(code.to_vec())
    }

    pub fn put(&self, parts: &[&str], code: &[u8]) {
        let _ = self.try_put(parts, code);
    }

    fn try_put(&self, parts: &[&str], code: &[u8]) -> Option<()> {
        let path = self.path(parts)?;
        let folder = path.parent()?;
        create_private(folder)?;
        self.make_room(folder, code.len() as u64 + 40);
        // Another process sees the whole file or none.
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(&(code.len() as u64).to_le_bytes()).ok()?;
        file.write_all(&Sha256::digest(code)).ok()?;
        file.write_all(code).ok()?;
        file.persist(path).ok()?;
        Some(())
    }

    /// Removes the least recently used files until `wanted` more bytes are within the limit.
    fn make_room(&self, folder: &Path, wanted: u64) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter(|e| e.path().extension().is_some_and(|x| x == SUFFIX))
            .filter_map(|e| {
                let metadata = e.metadata().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), e.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|f| f.1).sum::<u64>() + wanted;
        for (_, size, path) in files {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }

    fn path(&self, parts: &[&str]) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        for part in std::iter::once(&FORMAT).chain(parts) {
            // With its length, so that no two lists of parts read the same.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut name = String::new();
        for byte in hash.finalize() {
            let _ = write!(name, "{byte:02x}");
        }
        Some(self.folder.as_ref()?.join(name).with_extension(SUFFIX))
    }
}

/// Who names a place means it; a relative one is none where programs of all sorts read the variable.
fn folder_of_user(variables: Variables<'_>) -> Option<PathBuf> {
    let named = variables("IKRA_CACHE_DIR").filter(|path| !path.is_empty()).map(PathBuf::from);
    named
        .or_else(|| folder_in(variables, "XDG_CACHE_HOME").map(|path| path.join("ikra")))
        .or_else(|| folder_in(variables, "HOME").map(|path| path.join(".cache/ikra")))
}

/// What is loaded into a GPU is code: the folder is the user's alone. `None` where it is not.
pub(super) fn create_private(folder: &Path) -> Option<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
    is_private(folder)
}

/// Is it a folder of the user's into which nobody else can write?
fn is_private(folder: &Path) -> Option<()> {
    const OF_OTHERS: u32 = 0o022;
    let metadata = fs::metadata(folder).ok()?;
    // SAFETY: it has no preconditions.
    let user = unsafe { libc::geteuid() };
    (metadata.is_dir() && metadata.uid() == user && metadata.mode() & OF_OTHERS == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(limit: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: Some(folder.path().join("new/folder")), limit };
        (folder, cache)
    }

    #[test]
    fn code_is_found_again_under_all_its_parts() {
        let (_folder, cache) = cache(LIMIT);
        assert_eq!(cache.get(&["a", "bc"]), None);
        cache.put(&["a", "bc"], b"code");
        assert_eq!(cache.get(&["a", "bc"]).as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.get(&["ab", "c"]), None);
    }

    #[test]
    fn a_damaged_file_is_not_used_and_goes() {
        let (_folder, cache) = cache(LIMIT);
        cache.put(&["a"], b"code");
        let path = cache.path(&["a"]).unwrap();
        for damage in [&b"short"[..], &[7; 44]] {
            fs::write(&path, damage).unwrap();
            assert_eq!(cache.get(&["a"]), None);
        }
        let mut file = vec![0; 40];
        file[0] = 4;
        file.extend(b"code");
        fs::write(&path, file).unwrap();
        assert_eq!(cache.get(&["a"]), None);
        assert!(!path.exists());
    }

    #[test]
    fn the_least_recently_used_make_room() {
        let (_folder, cache) = cache(400);
        for (age, name) in [(30, "a"), (20, "b"), (10, "c")] {
            cache.put(&[name], &[1; 80]);
            let file = File::options().append(true).open(cache.path(&[name]).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        assert!(cache.get(&["a"]).is_some());
        cache.put(&["d"], &[1; 80]);
        assert!(cache.get(&["b"]).is_none());
        assert!(cache.get(&["a"]).is_some() && cache.get(&["c"]).is_some() && cache.get(&["d"]).is_some());
    }

    #[test]
    fn a_folder_that_others_own_or_can_write_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, chown};
        let (_folder, cache) = cache(LIMIT);
        cache.put(&["a"], b"code");
        let folder = cache.folder().unwrap();
        let entries = || fs::read_dir(folder).unwrap().count();
        let mode = |bits| fs::set_permissions(folder, fs::Permissions::from_mode(bits)).unwrap();
        for bits in [0o777, 0o720, 0o702] {
            mode(bits);
            assert_eq!(cache.get(&["a"]), None);
            cache.put(&["b"], b"code");
            assert_eq!(entries(), 1);
        }
        mode(0o755);
        assert!(cache.get(&["a"]).is_some());
        // Only the superuser can give a folder away.
        if chown(folder, Some(12_345), None).is_ok() {
            assert_eq!(cache.get(&["a"]), None);
        }
    }

    #[test]
    fn the_folder_is_an_absolute_one_or_the_one_that_is_named() {
        let folder = |variables: &[(&str, &str)]| {
            folder_of_user(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| v.into()))
        };
        assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache/ikra".into()));
        assert_eq!(folder(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]), Some("/h/.cache/ikra".into()));
        assert_eq!(folder(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/ikra".into()));
        assert_eq!(folder(&[("HOME", "")]), None);
        assert_eq!(folder(&[("HOME", ".")]), None);
        assert_eq!(folder(&[("IKRA_CACHE_DIR", "c"), ("HOME", "/h")]), Some("c".into()));
    }

    #[test]
    fn no_folder_is_no_error() {
        let cache = Cache { folder: Some("/proc/nothing".into()), limit: LIMIT };
        cache.put(&["a"], b"code");
        assert_eq!(cache.get(&["a"]), None);
    }
}
