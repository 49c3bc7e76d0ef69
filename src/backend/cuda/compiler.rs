//! NVRTC runs in a process of its own, which is killed when nobody waits for it any more: it ends its process with some
//! texts, and on a busy machine mostly does so when its own callback tells it to stop. What is started is the running
//! Ruby with nothing but the extension, which takes some milliseconds and needs no other executable in the gem.
//!
//! The text goes to its standard input, and what it gives comes from its standard output: a byte that says what it is,
//! then the bytes.

use super::locate::Location;
use super::nvrtc::{Nvrtc, Target};
use crate::cancel::CancellationToken;
use crate::error::Error;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// How often it is looked whether anyone still waits.
const LOOK_MS: i32 = 5;
/// So many bytes go into a pipe that takes any without waiting (`PIPE_BUF`).
const PIECE: usize = 4096;

const CODE: u8 = b'c';
const DEVICE: u8 = b'd';
const INTERNAL: u8 = b'i';

static PROCESS: OnceLock<Vec<OsString>> = OnceLock::new();

/// How a process that calls [`serve`] is started: a program and its arguments, to which NVRTC's place and what is
/// compiled for are added. Without, NVRTC runs in this process. To be said once.
pub fn set_process(command: Vec<OsString>) {
    let _ = PROCESS.set(command);
}

/// What the target can load.
pub(super) fn compile(
    location: &Location,
    text: &str,
    target: Target,
    token: &CancellationToken,
) -> Result<Vec<u8>, Error> {
    match PROCESS.get().map(Vec::as_slice) {
        Some([program, arguments @ ..]) => {
            let mut command = Command::new(program);
            command.args(arguments).arg(&location.path).arg(target.to_string());
            run(command, text, token)
        }
        _ => Nvrtc::load(&location.path)?.compile(text, target),
    }
}

/// Has the process compile the text.
fn run(mut command: Command, text: &str, token: &CancellationToken) -> Result<Vec<u8>, Error> {
    let failed = |what: &str| Error::Device(format!("the process that compiles for the GPU {what}"));
    // Of its own group, so that a terminal's Ctrl-C is only the section's.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let child = command
        .spawn()
        .map_err(|e| failed(&format!("({}) cannot be started: {e}", command.get_program().display())))?;
    let mut child = Ending(child);
    let answer = exchange(&mut child.0, text.as_bytes(), token)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match answer.split_first() {
        Some((&CODE, code)) => Ok(code.to_vec()),
        Some((&DEVICE, message)) => Err(Error::Device(text(message))),
        Some((&INTERNAL, message)) => Err(Error::Internal(text(message))),
        _ => {
            // Somebody else may have waited for it.
            let how =
                child.0.wait().map_or_else(|_| "unknown status".to_owned(), |status| status.to_string());
            Err(failed(&format!("died ({how}); `Ikra.backend = :cpu` does without it")))
        }
    }
}

/// Ends with this.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Gives it the input, and what it writes until it ends.
fn exchange(child: &mut Child, mut input: &[u8], token: &CancellationToken) -> Result<Vec<u8>, Error> {
    let broken = |e: io::Error| Error::Device(format!("the process that compiles for the GPU: {e}"));
    let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let mut stdout = stdout.ok_or_else(|| Error::Internal("a process without an output".to_owned()))?;
    let mut output = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        token.check()?;
        let writable = stdin.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let [write, read] = ready(writable, stdout.as_raw_fd()).map_err(broken)?;
        if let (true, Some(pipe)) = (write, &mut stdin) {
            let piece = &input[..input.len().min(PIECE)];
            // Where it ended before, its answer says so.
            let written =
                if piece.is_empty() { Err(io::ErrorKind::WriteZero.into()) } else { pipe.write(piece) };
            match written {
                Ok(count) => input = &input[count..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => stdin = None,
            }
        }
        if read {
            match stdout.read(&mut buffer) {
                Ok(0) => return Ok(output),
                Ok(count) => output.extend_from_slice(&buffer[..count]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(broken(e)),
            }
        }
    }
}

/// Waits a little until one can be written (unless it is negative) or the other read.
fn ready(write: RawFd, read: RawFd) -> io::Result<[bool; 2]> {
    let poll = |fd, events| libc::pollfd { fd, events, revents: 0 };
    let mut both = [poll(write, libc::POLLOUT), poll(read, libc::POLLIN)];
    // SAFETY: the list has two entries.
    if unsafe { libc::poll(both.as_mut_ptr(), 2, LOOK_MS) } < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok([false; 2]) } else { Err(error) };
    }
    Ok(both.map(|fd| fd.revents != 0))
}

/// What the other process does: compiles the standard input with the NVRTC at this place.
///
/// # Errors
/// Only where standard input or output fail; what NVRTC says goes to the standard output.
pub fn serve(path: &Path, target: Target) -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let compiled = Nvrtc::load(path).and_then(|nvrtc| nvrtc.compile(&text, target));
    let (kind, bytes) = match compiled {
        Ok(code) => (CODE, code),
        Err(Error::Internal(message)) => (INTERNAL, message.into_bytes()),
        Err(error) => (DEVICE, error.to_string().into_bytes()),
    };
    let mut stdout = io::stdout().lock();
    let written =
        stdout.write_all(&[kind]).and_then(|()| stdout.write_all(&bytes)).and_then(|()| stdout.flush());
    match written {
        // Nobody waits any more.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(script: &str) -> Ending {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        Ending(command.spawn().unwrap())
    }

    #[test]
    fn much_goes_both_ways() {
        let input: Vec<u8> = (0..1_000_000).map(|i| (i % 251) as u8).collect();
        let token = CancellationToken::default();
        assert_eq!(exchange(&mut child("cat").0, &input, &token).unwrap(), input);
        assert_eq!(exchange(&mut child("exec 0<&-; echo no").0, &input, &token).unwrap(), b"no\n");
        assert_eq!(exchange(&mut child("cat; kill -9 $$").0, b"part", &token).unwrap(), b"part");
    }

    #[test]
    fn it_may_die() {
        let run = |program: &str, script| {
            let mut command = Command::new(program);
            command.args(["-c", script]);
            run(command, "text", &CancellationToken::default()).map_err(|e| e.to_string())
        };
        assert_eq!(run("sh", "cat > /dev/null; printf 'ccode'"), Ok(b"code".to_vec()));
        assert_eq!(run("sh", "printf 'dnot there'"), Err("not there".to_owned()));
        let died = "the process that compiles for the GPU died (signal: 9 (SIGKILL)); `Ikra.backend = :cpu` does without it";
        assert_eq!(run("sh", "kill -9 $$"), Err(died.to_owned()));
        assert!(run("/no/shell", "").unwrap_err().contains("(/no/shell) cannot be started: No such file"));
    }

    #[test]
    fn it_ends_when_nobody_waits_any_more() {
        let token = CancellationToken::default();
        let mut process = child("sleep 100");
        let other = token.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            other.cancel();
        });
        assert!(matches!(exchange(&mut process.0, b"", &token), Err(Error::Cancelled)));
        drop(process);
        thread.join().unwrap();
    }
}
