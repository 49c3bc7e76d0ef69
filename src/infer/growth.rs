//! When there is another walk, and why. What has grown is a reason for one if this walk has gone by what was known before:
//! what is known of functions and of loops knows that of itself (`memo/tracked.rs`), all else counts as
//! read. What only the function being lowered has gone by, as its own joins and loops, has that function lowered again
//! at once, if it is one of Ruby's own about texts and nothing else has grown (`lower_function`).
//!
//! `IKRA_LOG=infer` says on the standard error of each walk what was new first, where in the compiler that was found, and
//! what was being lowered. `IKRA_TEST_WALKS=1` has a testing build do one walk more, in which nothing at all may grow and
//! which has to come to the same code: random programs run so.

use super::Lowerer;
use super::memo::Memo;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::{Op, Program, any_op, passes};
use std::ops::BitOrAssign;
use std::panic::Location;
use std::sync::OnceLock;

/// Has something grown in this walk? If so, where in the compiler that was found first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth(Option<&'static Location<'static>>);

impl Growth {
    pub(super) const fn is_some(self) -> bool {
        self.0.is_some()
    }

    /// Something else has grown as well, if it has.
    pub(super) fn extend(&mut self, other: Self) {
        self.0 = self.0.or(other.0);
    }
}

impl BitOrAssign<bool> for Growth {
    #[track_caller]
    fn bitor_assign(&mut self, grew: bool) {
        if grew {
            self.0.get_or_insert(Location::caller());
        }
    }
}

/// Is it asked for?
pub(super) fn is_told() -> bool {
    static TOLD: OnceLock<bool> = OnceLock::new();
    *TOLD.get_or_init(|| {
        std::env::var("IKRA_LOG").is_ok_and(|names| names.split(',').any(|name| name.trim() == "infer"))
    })
}

/// A walk more than is needed, in which nothing may grow.
#[derive(Default)]
pub(super) struct Check {
    /// How many statements of use the walk before had, which was taken for the last.
    ended: Option<usize>,
}

impl Check {
    /// The last walk has come to this: is there to be one more?
    pub(super) fn begins(&mut self, memo: &mut Memo, program: &Program) -> bool {
        static ASKED: OnceLock<bool> = OnceLock::new();
        let is_asked =
            cfg!(feature = "testing") && *ASKED.get_or_init(|| std::env::var_os("IKRA_TEST_WALKS").is_some());
        if !is_asked || self.ended.is_some() {
            return false;
        }
        self.ended = Some(size(program));
        memo.all_counts = true;
        true
    }

    /// An error if that one has come to anything else.
    pub(super) fn compare(&self, memo: &Memo, program: &Program) -> Result<(), Error> {
        match self.ended {
            Some(ended) if memo.changed.is_some() || size(program) != ended => {
                let found = format!("{:?}, {:?} after {ended:?}", memo.changed, size(program));
                Err(Error::Internal(format!("inference ended before all was known: {found}")))
            }
            _ => Ok(()),
        }
    }
}

/// How many statements there are that are of use, without constants: the numbers of sites, which depend on the order in
/// which functions are lowered, are now and then such as there are already.
fn size(program: &Program) -> usize {
    let mut program = program.clone();
    let _ = passes::eliminate::run(&mut program, &CancellationToken::default());
    let is_constant = |op: &Op| matches!(op, Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_));
    let mut constants = 0;
    for function in &program.functions {
        any_op(&function.body, &mut |op| {
            constants += usize::from(is_constant(op));
            false
        });
    }
    program.size() - constants
}

impl Lowerer<'_> {
    /// Something may have grown that the function being lowered has gone by, and nobody else can.
    #[track_caller]
    pub(super) fn note_grown_within(&mut self, grew: bool) {
        match self.is_again_lowered() {
            true => self.grew_within |= grew,
            false => self.memo.changed |= grew,
        }
    }

    /// Is it of use to lower the function here once more when something of it has grown? Most often others have grown, too,
    /// so that there is another walk in any case. The code of users may have been refused, which would stay.
    fn is_again_lowered(&self) -> bool {
        !self.memo.changed.is_some()
            && !self.memo.all_counts
            && self.function.as_ref().is_some_and(|function| function.is_of_texts)
    }

    /// The line of the user's code that is being lowered, and the method in it.
    pub(super) fn growing_in(&self) -> String {
        let (path, line) = self.line_here();
        format!("{path}:{line}, in `{}`", self.frame().name)
    }
}

/// Tells why a section begins anew, and is inferred again.
pub fn tell_anew(why: impl FnOnce() -> String) {
    if is_told() {
        eprintln!("ikra: begins anew: {}", why());
    }
}

/// Tells of a walk with so many expressions.
pub(super) fn tell(walk: u32, expressions: u32, growth: Growth, within: Option<&str>) {
    let why = match growth.0 {
        Some(at) => {
            let within = within.unwrap_or("what comes after it");
            format!("new first at {}:{}: {within}", at.file(), at.line())
        }
        None => "nothing new".into(),
    };
    eprintln!("ikra: walk {walk}: {expressions} expressions, {why}");
}
