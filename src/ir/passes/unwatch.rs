//! Takes out what watches elements, for those that run in order.

use super::eliminate;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each_mut;
use crate::ir::{Block, ErrorKind, Op, Program, Site, Stmt};

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let Program { functions, sites, .. } = program;
    for function in functions {
        drop_checks(&mut function.body, sites);
        for_each_mut(&mut function.body, &mut |stmt| {
            if let Stmt::Let { op: op @ Op::Watch { .. }, site, .. } = stmt {
                (*op, *site) = (Op::I64(-1), None);
            }
        });
    }
    eliminate::run(program, token)
}

fn drop_checks(block: &mut Block, sites: &[Site]) {
    block.retain(|stmt| {
        !matches!(stmt, Stmt::Check { site, .. } if matches!(sites[site.0 as usize].error, ErrorKind::Race { .. }))
    });
    for stmt in block {
        for inner in stmt.blocks_mut() {
            drop_checks(inner, sites);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[test]
    fn only_what_watches_goes() {
        let head = "b0 = marks column h0 \"@x\": i64 written; b1 = column h0 \"@x\": i64 written
            e0 = race write column h0 \"@x\"; e1 = overflow \"+\"";
        let function = |body: &str| format!("fn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        let before = "v3 = watch_write b0[v0] by v1 at e0
             v4 = i64 0
             v5 = lt v3, v4
             check v5 at e0 with v3, v1
             v6 = add_checked v1, v2 at e1
             store b1[v0] = v6";
        let after = "v6 = add_checked v1, v2 at e1
             store b1[v0] = v6";
        check(run, &format!("program\n{head}\n{}", function(before)), &function(after));
    }
}
