//! Takes out what watches elements, for those that run in order.

use super::eliminate;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each_mut;
use crate::ir::{Block, ErrorKind, Op, Program, Site, SiteId, Stmt, Watched};

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    for function in &mut program.functions {
        self::function(&mut function.body, &program.sites, None);
    }
    eliminate::run(program, token)
}

/// Takes out of a function what watches `what`, or anything.
pub(super) fn function(body: &mut Block, sites: &[Site], what: Option<&Watched>) {
    let is_it = |site: &SiteId| match &sites[site.0 as usize].error {
        ErrorKind::Race { what: watched, .. } => what.is_none_or(|what| what == watched),
        _ => false,
    };
    drop_checks(body, &is_it);
    for_each_mut(body, &mut |stmt| {
        if let Stmt::Let { op: op @ Op::Watch { .. }, site, .. } = stmt
            && site.as_ref().is_none_or(&is_it)
        {
            (*op, *site) = (Op::I64(-1), None);
        }
    });
}

fn drop_checks(block: &mut Block, is_it: &impl Fn(&SiteId) -> bool) {
    block.retain(|stmt| !matches!(stmt, Stmt::Check { site, .. } if is_it(site)));
    for stmt in block {
        for inner in stmt.blocks_mut() {
            drop_checks(inner, is_it);
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
