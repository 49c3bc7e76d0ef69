//! NVIDIA's run-time compiler: CUDA C++ text → code of a GPU. Our own binding of its few functions, because where it
//! lies is ours to say.

use crate::error::Error;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt::{self, Write};
use std::path::Path;
use std::ptr;
use std::str::FromStr;

/// Strict IEEE arithmetic: as Ruby's, without contraction to fused multiply-add. `ptxas` of CUDA up to 13.0 clones
/// some functions that call themselves, and dies of it.
pub(super) const OPTIONS: [&str; 4] =
    ["--fmad=false", "--std=c++17", "--disable-warnings", "--ptxas-options=--cloning=no"];

/// For texts of which only is asked whether they compile.
const UNOPTIMIZED: &str = "--Ofast-compile=max";

/// Passes of NVVM that take up to half of the time, and without which kernels are as fast; and the version of NVRTC
/// from which on it is known. Functions that call themselves read other places without these passes (seen with 13.0).
const FEWER_PASSES: &str = "--Ofast-compile=min";
const FEWER_PASSES_SINCE: (c_int, c_int) = (12, 9);

/// What a text is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A GPU of this compute capability, times ten.
    Gpu(u32),
    /// The same, of functions that call themselves.
    Recursive(u32),
    /// Nobody: whether such a GPU's compiler takes the text. PTX that is not optimized tells it ten times sooner.
    Check(u32),
}

impl fmt::Display for Target {
    /// As other processes are told it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(capability) => write!(f, "sm_{capability}"),
            Self::Recursive(capability) => write!(f, "recursive_{capability}"),
            Self::Check(capability) => write!(f, "compute_{capability}"),
        }
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let number = |text: &str| text.parse().ok();
        let gpu = text.strip_prefix("sm_").and_then(number).map(Self::Gpu);
        let recursive = || text.strip_prefix("recursive_").and_then(number).map(Self::Recursive);
        let check = || text.strip_prefix("compute_").and_then(number).map(Self::Check);
        gpu.or_else(recursive)
            .or_else(check)
            .ok_or_else(|| Error::Internal(format!("{text:?} is nothing to compile for")))
    }
}

type Handle = *mut c_void;
type Code = c_int;

/// The functions we call, with NVRTC's own signatures.
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Code,
    error_string: unsafe extern "C" fn(Code) -> *const c_char,
    supported_count: unsafe extern "C" fn(*mut c_int) -> Code,
    supported: unsafe extern "C" fn(*mut c_int) -> Code,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Code,
    destroy: unsafe extern "C" fn(*mut Handle) -> Code,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Code,
    cubin: Output,
    ptx: Output,
    log: Output,
}

/// How NVRTC hands out bytes: their number, then the bytes.
#[derive(Clone, Copy)]
struct Output {
    size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
    get: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
}

pub(super) struct Nvrtc {
    functions: Functions,
    /// Compute capabilities, times ten.
    supported: Vec<u32>,
    /// Major and minor.
    version: (c_int, c_int),
    _library: Library,
}

impl Nvrtc {
    /// Loads the library: a file, or a bare name for the loader to find.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::bind(path).map_err(|e| Error::Device(format!("{}: {e}", path.display())))
    }

    fn bind(path: &Path) -> Result<Self, String> {
        // SAFETY: NVIDIA's library has no initialisers with preconditions.
        let library = unsafe { Library::new(path) }.map_err(|e| e.to_string())?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the field has the type that nvrtc.h declares for this name, and the library is kept.
                *unsafe { library.get($name.to_bytes_with_nul()) }.map_err(|e| e.to_string())?
            };
        }
        let functions = Functions {
            version: function!(c"nvrtcVersion"),
            error_string: function!(c"nvrtcGetErrorString"),
            supported_count: function!(c"nvrtcGetNumSupportedArchs"),
            supported: function!(c"nvrtcGetSupportedArchs"),
            create: function!(c"nvrtcCreateProgram"),
            destroy: function!(c"nvrtcDestroyProgram"),
            compile: function!(c"nvrtcCompileProgram"),
            cubin: Output { size: function!(c"nvrtcGetCUBINSize"), get: function!(c"nvrtcGetCUBIN") },
            ptx: Output { size: function!(c"nvrtcGetPTXSize"), get: function!(c"nvrtcGetPTX") },
            log: Output { size: function!(c"nvrtcGetProgramLogSize"), get: function!(c"nvrtcGetProgramLog") },
        };
        let mut count = 0;
        // SAFETY: writes one number.
        unsafe { (functions.supported_count)(&raw mut count) };
        let mut supported = vec![0; count.max(0) as usize];
        // SAFETY: writes as many numbers as it said.
        unsafe { (functions.supported)(supported.as_mut_ptr()) };
        let supported = supported.into_iter().map(|a| a as u32).collect();
        let mut version = (0, 0);
        // SAFETY: writes two numbers.
        unsafe { (functions.version)(&raw mut version.0, &raw mut version.1) };
        Ok(Self { functions, supported, version, _library: library })
    }

    /// What a GPU of this compute capability can load: its own code, or, for a GPU newer than this compiler, PTX
    /// that the driver translates. For a check, PTX.
    pub fn compile(&self, text: &str, target: Target) -> Result<Vec<u8>, Error> {
        let (Target::Gpu(gpu) | Target::Recursive(gpu) | Target::Check(gpu)) = target;
        let known = self.supported.contains(&gpu);
        let capability =
            if known { Some(gpu) } else { self.supported.iter().copied().filter(|a| *a < gpu).max() };
        let Some(capability) = capability else {
            let oldest = self.supported.iter().min().copied().unwrap_or(0);
            return Err(Error::Device(format!(
                "the GPU has compute capability {}.{}, and this NVRTC compiles for {}.{} and newer; use an older CUDA",
                gpu / 10,
                gpu % 10,
                oldest / 10,
                oldest % 10
            )));
        };
        let check = matches!(target, Target::Check(_));
        let is_code = known && !check;
        let architecture =
            format!("--gpu-architecture={}_{capability}", if is_code { "sm" } else { "compute" });
        let effort = match target {
            Target::Check(_) => Some(UNOPTIMIZED),
            Target::Gpu(_) => (self.version >= FEWER_PASSES_SINCE).then_some(FEWER_PASSES),
            Target::Recursive(_) => None,
        };
        let options: Vec<CString> = std::iter::once(architecture.as_str())
            .chain(OPTIONS)
            .chain(effort)
            .filter_map(|o| CString::new(o).ok())
            .collect();
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let source = CString::new(text)
            .map_err(|_| Error::Internal("the generated text has a zero byte".to_owned()))?;
        let mut program = Compilation { functions: &self.functions, handle: ptr::null_mut() };
        // SAFETY: text and name are C strings, there are no headers, and the handle is written on success.
        let code = unsafe {
            (self.functions.create)(
                &raw mut program.handle,
                source.as_ptr(),
                c"section.cu".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check("nvrtcCreateProgram", code)?;
        // SAFETY: the program was created, the options are C strings that outlive the call.
        let code =
            unsafe { (self.functions.compile)(program.handle, pointers.len() as c_int, pointers.as_ptr()) };
        if code != 0 {
            let log = program.output(self.functions.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
            return Err(Error::Internal(format!(
                "NVRTC refuses the generated text for {architecture} ({}):\n{log}\n{}",
                self.message(code),
                excerpt(text, &log)
            )));
        }
        let output = if is_code { self.functions.cubin } else { self.functions.ptx };
        program
            .output(output)
            .map_err(|code| Error::Device(format!("NVRTC gives no code: {}", self.message(code))))
    }

    fn check(&self, what: &str, code: Code) -> Result<(), Error> {
        if code == 0 { Ok(()) } else { Err(Error::Device(format!("{what}: {}", self.message(code)))) }
    }

    fn message(&self, code: Code) -> String {
        // SAFETY: gives a static C string for every code.
        let text = unsafe { CStr::from_ptr((self.functions.error_string)(code)) };
        text.to_string_lossy().into_owned()
    }
}

/// A program being compiled.
struct Compilation<'a> {
    functions: &'a Functions,
    handle: Handle,
}

impl Compilation<'_> {
    fn output(&self, output: Output) -> Result<Vec<u8>, Code> {
        let mut size = 0;
        // SAFETY: the program was created; writes one number.
        let code = unsafe { (output.size)(self.handle, &raw mut size) };
        if code != 0 {
            return Err(code);
        }
        let mut bytes = vec![0u8; size];
        // SAFETY: writes as many bytes as it said.
        let code = unsafe { (output.get)(self.handle, bytes.as_mut_ptr().cast()) };
        if code == 0 { Ok(bytes) } else { Err(code) }
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: created, and destroyed once.
            unsafe { (self.functions.destroy)(&raw mut self.handle) };
        }
    }
}

/// The lines of the text that a log speaks of, with their neighbours. The text's own numbering starts after the
/// prelude, at its `#line`.
fn excerpt(text: &str, log: &str) -> String {
    let section = text.split_once("#line 1 \"section.cu\"\n").map_or(text, |(_, section)| section);
    let lines: Vec<&str> = section.lines().collect();
    let mut out = String::new();
    let places =
        log.split("section.cu(").skip(1).filter_map(|rest| rest.split(')').next()?.parse::<usize>().ok());
    for at in places.take(3) {
        for number in at.saturating_sub(2).max(1)..=(at + 2).min(lines.len()) {
            let mark = if number == at { '>' } else { ' ' };
            let _ = writeln!(out, "{mark} {number:4} | {}", lines[number - 1]);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::locate;
    use super::*;

    #[test]
    fn a_refused_text_comes_with_the_log_and_its_lines() {
        let Ok(location) = locate::nvrtc(None) else { return };
        let text = "int a;\n#line 1 \"section.cu\"\nint b;\nint c = nothing;\nint d;\n";
        let error =
            Nvrtc::load(&location.path).unwrap().compile(text, Target::Gpu(90)).unwrap_err().to_string();
        assert!(error.contains("\"nothing\" is undefined"), "{error}");
        assert!(error.contains(">    2 | int c = nothing;\n     3 | int d;"), "{error}");
        let old =
            Nvrtc::load(&location.path).unwrap().compile("int a;", Target::Gpu(20)).unwrap_err().to_string();
        assert!(old.contains("compute capability 2.0"), "{old}");
    }

    #[test]
    fn a_gpu_newer_than_the_compiler_gets_ptx_as_does_a_check() {
        let Ok(location) = locate::nvrtc(None) else { return };
        let nvrtc = Nvrtc::load(&location.path).unwrap();
        for target in [Target::Gpu(999), Target::Check(90)] {
            let code = nvrtc.compile("extern \"C\" __global__ void f() {}", target).unwrap();
            assert!(String::from_utf8_lossy(&code).contains(".entry f"));
            assert_eq!(target.to_string().parse::<Target>().unwrap(), target);
        }
    }
}
