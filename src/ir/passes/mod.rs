//! Transformations of verified IR, one verb a file.
//!
//! `wrap` finds arithmetic of which only low bits or a remainder are wanted, which therefore need not fail beyond 64
//! bits; `eliminate` removes dead code; `promote` forwards what was stored in a variable to its reads, so that most
//! variables go; `imply` takes tests out whose answer follows from one before them; `defer` takes changes out of
//! elements; `fuse_ticks` puts the loop over ticks inside the entries and promotes columns to variables; `hoist` moves
//! loop-invariant code before its loop; `unite` makes one variable of two that hand a value on. Of drivers `reuse` says last which arrays are needed no more.

pub mod defer;
pub mod eliminate;
pub mod fuse_ticks;
pub mod hoist;
pub mod imply;
pub mod promote;
pub mod reuse;
#[cfg(feature = "testing")]
pub mod uncheck;
pub mod unite;
pub mod unwatch;
pub mod wrap;

use super::Program;
use super::verifier::verify;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::profile::Profile;
use std::time::Instant;

type Pass = fn(&mut Program, &CancellationToken) -> Result<(), Error>;

/// In this order. Entries come in with a body for one tick and go out with the loop over all.
const PASSES: [(&str, Pass); 11] = [
    ("wrap", wrap::run),
    ("eliminate", eliminate::run),
    ("promote", promote::run),
    ("imply", imply::run),
    ("defer", defer::run),
    ("fuse_ticks", fuse_ticks::run),
    ("promote", promote::run),
    ("hoist", hoist::run),
    ("unite", unite::run),
    ("eliminate", eliminate::run),
    ("reuse", reuse::run),
];

/// Runs all passes, also on [`Program::plain`]; with `defers` unset, nothing is deferred. The verifier looks at what comes
/// in and what goes out, in debug builds also after each pass.
pub fn run_all(
    program: &mut Program,
    defers: bool,
    token: &CancellationToken,
    profile: &mut Profile,
) -> Result<(), Error> {
    let mut start = Instant::now();
    let mut lap = |name: String, count: usize| {
        profile.step(name, start.elapsed(), count as u64);
        start = Instant::now();
    };
    verify_after("inference", program)?;
    lap("pass: verify".into(), program.size());
    for (i, (name, run)) in PASSES.iter().enumerate() {
        token.check()?;
        if *name != "defer" || defers {
            if let Some(plain) = &mut program.plain {
                run(plain, token)?;
            }
            run(program, token)?;
        }
        lap(format!("pass: {name}"), 1);
        if cfg!(debug_assertions) || i + 1 == PASSES.len() {
            verify_after(name, program)?;
            lap("pass: verify".into(), 0);
        }
    }
    Ok(())
}

fn verify_after(pass: &str, program: &Program) -> Result<(), Error> {
    verify(program).map_err(|errors| {
        let errors: Vec<String> = errors.into_iter().map(|e| format!("after {pass}: {e}")).collect();
        Error::Internal(format!("invalid IR:\n{}\n{program}", errors.join("\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parser::parse;

    /// Runs one pass over a program and compares the text of its functions, indented as in the test.
    #[track_caller]
    pub(super) fn check(pass: Pass, before: &str, after: &str) -> Program {
        let mut program = parse(before).unwrap();
        verify(&program).unwrap();
        pass(&mut program, &CancellationToken::default()).unwrap();
        let text = program.to_string();
        let functions = text.split_once("\nfn ").map_or("", |(_, rest)| rest);
        let lines =
            |text: &str| text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
        assert_eq!(lines(&format!("fn {functions}")), lines(after), "\n{text}");
        verify(&program).unwrap();
        program
    }

    #[test]
    fn errors_name_the_pass() {
        let mut program = parse("fn f0 () { break L0 }").unwrap();
        let error = run_all(
            &mut program,
            true,
            &CancellationToken::default(),
            &mut crate::profile::Profile::default(),
        )
        .unwrap_err()
        .to_string();
        assert!(error.contains("\nafter inference: f0: `break L0`: L0 is not around it\n"), "{error}");
    }

    #[test]
    fn the_whole_way() {
        // `progress += 1 while progress < street length`, in each tick, of a car that stays on its street.
        let before = r#"
            b0 = base: i32
            b1 = column h0 "@progress": i64 written
            b2 = column h0 "@street": i32
            b3 = column h1 "@length": i64
            e0 = overflow "+"
            entry f0 "Car"
            fn f0 "Car" (v0: i32, v1: i64, v2: i64) {
              v3 = load b0[v0]
              v4 = load b1[v3]
              x0 = v4
              v5 = x0
              v6 = load b2[v3]
              v7 = load b3[v6]
              v8 = lt v5, v7
              v9 = i64 1
              if v8 {
                v10 = add_checked v5, v9 at e0
                store b1[v3] = v10
              } else {
                return
              }
            }"#;
        check(
            |program, token| run_all(program, true, token, &mut Profile::default()),
            before,
            "fn f0 \"Car\" (v0: i32, v1: i64, v2: i64) {
               var x0: i64, x1: i64, x2: i64
               v3 = load b0[v0]
               v11 = load b1[v3]
               x1 = v11
               v13 = i64 1
               x2 = v1
               v6 = load b2[v3]
               v7 = load b3[v6]
               v9 = i64 1
               loop L0 {
                 v14 = x2
                 tick v14
                 v4 = x1
                 v8 = lt v4, v7
                 if v8 {
                   v10 = add_checked v4, v9 at e0
                   x1 = v10
                 }
                 v15 = add v14, v13
                 x2 = v15
                 v16 = ge v15, v2
                 if v16 {
                   break L0
                 }
               }
               v12 = x1
               store b1[v3] = v12
             }",
        );
    }
}
