//! What is kept on disk from one process to the next, named by a hash of everything that it depends on. A cache that
//! cannot be read or written is the same as an empty one: it never fails a section. What is kept: what inference has
//! found (`infer/recording.rs`; the extension's `shelf.rs` has it), machine code (`backend/cpu/object.rs`), what NVRTC
//! gave, and tables of characters (`lib/ikra/characters.rb`).
//!
//! Files are in a folder that is the user's, into which nobody else can write; so must each file be. Its name is a hash
//! of all that it depends on, the build (`build/digest.rs` hashes the sources) among them, and it begins with a
//! checksum of name and content. Files are written beside and renamed. What is not whole is removed; what cannot be
//! read or written is not there. A program that was read is verified before it is compiled. All take 256 MiB at most,
//! the least recently used go first.

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// Bytes that all files may have together; the least recently used go first.
const LIMIT: u64 = 256 << 20;
/// So many times in what fills the folder it is looked how many files there are, at names by chance, the larger the oftener:
/// all have to be looked at.
const LOOKS: u64 = 64;
/// Before what is kept: its length, and a checksum of the name and all that comes behind.
const HEADER: usize = 40;
/// What has changed since it was used last longer ago than this is marked as used.
const USED: u64 = 60;

/// What a file holds, which its name ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What inference has found of a section: [`crate::infer::recording`].
    Section,
    /// Machine code of a program, for the CPU.
    Code,
    /// Code of a kernel for a GPU.
    Cubin,
    /// What the running Ruby says of characters.
    Characters,
}

impl Sort {
    const ALL: [Self; 4] = [Self::Section, Self::Code, Self::Cubin, Self::Characters];

    const fn suffix(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Code => "code",
            Self::Cubin => "cubin",
            Self::Characters => "characters",
        }
    }
}

static IS_ON: AtomicBool = AtomicBool::new(true);

/// Is anything to be kept, or looked up?
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

pub fn turn(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

/// That of the user, in `IKRA_CACHE_DIR`, or `ikra` in the user's cache folder, as the environment says when it is asked
/// first.
pub fn of_user() -> &'static Cache {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    CACHE.get_or_init(|| Cache { folder: folder_of_user(&|name| std::env::var_os(name)), limit: LIMIT })
}

/// A folder with what is kept.
pub struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
}

/// A name for what depends on these parts alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Of this build of Ikra.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in std::iter::once(BUILD.as_bytes()).chain(parts) {
            // With its length, so that no two lists of parts read the same.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut name = String::new();
        for byte in hash.finalize() {
            let _ = write!(name, "{byte:02x}");
        }
        Self(name)
    }

    /// One of several that are kept by the same name.
    pub fn one(&self, number: usize) -> Self {
        Self(format!("{}-{number}", self.0))
    }
}

/// A hash of the text that Ikra was built from, and of what it was built by: what another build has kept is nothing to this
/// one.
pub const BUILD: &str = env!("IKRA_BUILD");

impl Cache {
    /// Where it is, if there is a place for it.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What is kept by this name, if it is intact.
    pub fn get(&self, name: &Name, sort: Sort) -> Option<Vec<u8>> {
        if !is_on() {
            return None;
        }
        let path = self.path(name, sort)?;
        is_private(path.parent()?)?;
        let mut file = File::options().read(true).custom_flags(libc::O_NOFOLLOW).open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !is_mine(&metadata) || metadata.len() > self.limit {
            return None;
        }
        let mut all = Vec::new();
        all.try_reserve_exact(usize::try_from(metadata.len()).ok()?).ok()?;
        file.read_to_end(&mut all).ok()?;
        let Some(content) = content(name, &all) else {
            let _ = fs::remove_file(&path);
            return None;
        };
        let start = all.len() - content.len();
        // What is used stays.
        if metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age.as_secs() > USED)) {
            let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        }
        all.drain(..start);
        Some(all)
    }

    /// Is something kept by this name?
    pub fn has(&self, name: &Name, sort: Sort) -> bool {
        self.path(name, sort).is_some_and(|path| path.exists())
    }

    /// Forgets what is kept by a name.
    pub fn remove(&self, name: &Name, sort: Sort) {
        if let Some(path) = self.path(name, sort) {
            let _ = fs::remove_file(path);
        }
    }

    /// Keeps something, if there is room for it.
    pub fn put(&self, name: &Name, sort: Sort, content: &[u8]) {
        if is_on() {
            let _ = self.try_put(name, sort, content);
        }
    }

    fn try_put(&self, name: &Name, sort: Sort, content: &[u8]) -> Option<()> {
        let path = self.path(name, sort)?;
        let folder = path.parent()?;
        create_private(folder)?;
        let bytes = (content.len() + HEADER) as u64;
        if bytes > self.limit {
            return None;
        }
        let chance = u64::from_str_radix(name.0.get(..4)?, 16).ok()?;
        if chance * self.limit <= (bytes * LOOKS) << 16 {
            self.make_room(folder, bytes);
        }
        // Another process sees the whole file or none.
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).ok()?;
        file.write_all(&(content.len() as u64).to_le_bytes()).ok()?;
        file.write_all(&checksum(name, content)).ok()?;
        file.write_all(content).ok()?;
        file.persist(path).ok()?;
        Some(())
    }

    /// Why nothing is kept in the folder, though there is one.
    pub fn unusable(&self) -> Option<&'static str> {
        let folder = self.folder.as_deref()?;
        match fs::metadata(folder) {
            Ok(metadata) if !metadata.is_dir() => Some("it is no folder"),
            Ok(metadata) if !is_mine(&metadata) => Some("it belongs to others, or others can write there"),
            _ => None,
        }
    }

    /// How many files there are of each sort, and the bytes that they take.
    pub fn count(&self) -> [(&'static str, usize, u64); 4] {
        let files = self.files();
        Sort::ALL.map(|sort| {
            let files = || files.iter().filter(|file| file.sort == sort);
            (sort.suffix(), files().count(), files().map(|file| file.bytes).sum())
        })
    }

    /// Removes all of it. Gives how many files went.
    pub fn clear(&self) -> usize {
        self.files().iter().filter(|file| fs::remove_file(&file.path).is_ok()).count()
    }

    fn files(&self) -> Vec<Listed> {
        let folder = self.folder.as_deref().filter(|folder| is_private(folder).is_some());
        folder.map(listed).unwrap_or_default()
    }

    /// Removes the least recently used files until `wanted` more bytes are within the limit, and what processes have left that
    /// were ended while they wrote.
    fn make_room(&self, folder: &Path, wanted: u64) {
        remove_unfinished(folder);
        let mut files = listed(folder);
        files.sort_by(|one, other| (one.used, &one.path).cmp(&(other.used, &other.path)));
        let mut total: u64 = files.iter().map(|file| file.bytes).sum::<u64>() + wanted;
        for file in files {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                total -= file.bytes;
            }
        }
    }

    fn path(&self, name: &Name, sort: Sort) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(&name.0).with_extension(sort.suffix()))
    }
}

/// The files that are kept.
fn listed(folder: &Path) -> Vec<Listed> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let listed = entries.filter_map(|entry| {
        let path = entry.path();
        let suffix = path.extension()?.to_str()?;
        let sort = Sort::ALL.into_iter().find(|sort| sort.suffix() == suffix)?;
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Listed { used: metadata.modified().ok()?, bytes: metadata.len(), path, sort })
    });
    listed.collect()
}

struct Listed {
    path: PathBuf,
    sort: Sort,
    used: SystemTime,
    bytes: u64,
}

/// What the names of files begin with that are being written.
const UNFINISHED: &str = ".unfinished-";
/// Whoever has written one so long has ended.
const ABANDONED: u64 = 3_600;

fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_one = entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_one && age().is_some_and(|age| age.as_secs() > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn checksum(name: &Name, content: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(name.0.as_bytes());
    hash.update([0]);
    hash.update(content);
    hash.finalize().into()
}

fn content<'a>(name: &Name, file: &'a [u8]) -> Option<&'a [u8]> {
    let (header, content) = file.split_at_checked(HEADER)?;
    let is_whole =
        header[..8] == (content.len() as u64).to_le_bytes() && header[8..] == checksum(name, content);
    is_whole.then_some(content)
}

/// The values of environment variables.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The folder in a variable of the environment. What is empty or relative would be a place in whatever folder the program
/// was started in, and is none.
pub fn folder_in(variables: Variables<'_>, name: &str) -> Option<PathBuf> {
    variables(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Who names a place means it; a relative one is none where programs of all sorts read the variable.
fn folder_of_user(variables: Variables<'_>) -> Option<PathBuf> {
    let named = variables("IKRA_CACHE_DIR").filter(|path| !path.is_empty()).map(PathBuf::from);
    named
        .or_else(|| folder_in(variables, "XDG_CACHE_HOME").map(|path| path.join("ikra")))
        .or_else(|| folder_in(variables, "HOME").map(|path| path.join(".cache/ikra")))
}

/// What is loaded is code: the folder is the user's alone. `None` where it is not.
pub fn create_private(folder: &Path) -> Option<()> {
    use std::os::unix::fs::DirBuilderExt;
    if !folder.is_dir() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
    }
    is_private(folder)
}

/// Is it a folder of the user's into which nobody else can write?
fn is_private(folder: &Path) -> Option<()> {
    let metadata = fs::metadata(folder).ok()?;
    (metadata.is_dir() && is_mine(&metadata)).then_some(())
}

fn is_mine(metadata: &fs::Metadata) -> bool {
    const OF_OTHERS: u32 = 0o022;
    // SAFETY: it has no preconditions.
    let user = unsafe { libc::geteuid() };
    metadata.uid() == user && metadata.mode() & OF_OTHERS == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORT: Sort = Sort::Code;

    fn name(parts: &[&str]) -> Name {
        Name::new(parts.iter().map(|part| part.as_bytes()))
    }

    fn cache(limit: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: Some(folder.path().join("new/folder")), limit };
        (folder, cache)
    }

    #[test]
    fn code_is_found_again_under_all_its_parts() {
        let (_folder, cache) = cache(LIMIT);
        assert_eq!(cache.get(&name(&["a", "bc"]), SORT), None);
        cache.put(&name(&["a", "bc"]), SORT, b"code");
        assert_eq!(cache.get(&name(&["a", "bc"]), SORT).as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.get(&name(&["ab", "c"]), SORT), None);
        assert_eq!(cache.get(&name(&["a", "bc"]), Sort::Section), None);
        assert_eq!(cache.files().len(), 1);
        assert_eq!((cache.clear(), cache.files().len()), (1, 0));
    }

    #[test]
    fn a_damaged_file_is_not_used_and_goes() {
        let (_folder, cache) = cache(LIMIT);
        let one = name(&["a"]);
        cache.put(&one, SORT, b"code");
        let path = cache.path(&one, SORT).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            fs::write(&path, &flipped).unwrap();
            assert_eq!(cache.get(&one, SORT), None);
            assert!(!path.exists());
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.get(&one, SORT), None);
            assert!(!path.exists());
        }
        // Another one's file is none of its own.
        fs::write(cache.path(&name(&["b"]), SORT).unwrap(), &whole).unwrap();
        assert_eq!(cache.get(&name(&["b"]), SORT), None);
        fs::write(&path, &whole).unwrap();
        assert!(cache.get(&one, SORT).is_some());
    }

    #[test]
    fn the_least_recently_used_make_room() {
        let (_folder, cache) = cache(400);
        for (age, one) in [(300, "a"), (200, "b"), (100, "c")] {
            cache.put(&name(&[one]), SORT, &[1; 80]);
            let file = File::options().append(true).open(cache.path(&name(&[one]), SORT).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        assert!(cache.get(&name(&["a"]), SORT).is_some());
        cache.put(&name(&["d"]), SORT, &[1; 80]);
        let is_there = |one: &str| cache.get(&name(&[one]), SORT).is_some();
        assert!(!is_there("b"));
        assert!(is_there("a") && is_there("c") && is_there("d"));
    }

    #[test]
    fn what_was_left_unfinished_goes_after_a_while() {
        let (_folder, cache) = cache(400);
        cache.put(&name(&["a"]), SORT, &[1; 80]);
        let folder = cache.folder().unwrap();
        for (left, age) in [("old", 2 * ABANDONED), ("new", 1)] {
            let path = folder.join(format!("{UNFINISHED}{left}"));
            let file = File::create(path).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        cache.put(&name(&["b"]), SORT, &[1; 80]);
        assert!(!folder.join(format!("{UNFINISHED}old")).exists());
        assert!(folder.join(format!("{UNFINISHED}new")).exists());
        assert_eq!(cache.files().len(), 2);
    }

    #[test]
    fn what_others_own_or_can_write_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        let (_folder, cache) = cache(LIMIT);
        let one = name(&["a"]);
        cache.put(&one, SORT, b"code");
        let folder = cache.folder().unwrap();
        let entries = || fs::read_dir(folder).unwrap().count();
        let mode = |path: &Path, bits| fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
        for bits in [0o777, 0o720, 0o702] {
            mode(folder, bits);
            assert_eq!(cache.get(&one, SORT), None);
            cache.put(&name(&["b"]), SORT, b"code");
            assert_eq!(entries(), 1);
        }
        mode(folder, 0o755);
        assert!(cache.get(&one, SORT).is_some());
        let path = cache.path(&one, SORT).unwrap();
        mode(&path, 0o666);
        assert_eq!(cache.get(&one, SORT), None);
        mode(&path, 0o600);
        let elsewhere = folder.join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.get(&one, SORT), None);
        fs::rename(&elsewhere, &path).unwrap();
        assert!(cache.get(&one, SORT).is_some());
        // Only the superuser can give something away.
        if chown(&path, Some(12_345), None).is_ok() {
            assert_eq!(cache.get(&one, SORT), None);
            chown(&path, Some(0), None).unwrap();
            chown(folder, Some(12_345), None).unwrap();
            assert_eq!(cache.get(&one, SORT), None);
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
        cache.put(&name(&["a"]), SORT, b"code");
        assert_eq!(cache.get(&name(&["a"]), SORT), None);
    }
}
