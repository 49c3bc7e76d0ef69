//! IR → CUDA C++: one function of CUDA's over all entries of a program, readable, because `Ikra.explain` shows it. The text names
//! no captured value, so that a new value never recompiles.

mod divisors;
mod expression;
mod function;
mod shared;
mod width;

use super::deferred::{self, Way};
use super::rows;
use super::sharing::Sharing;
use crate::ir::{
    BufferInfo, BufferKind, FuncId, Function, Op, Part, Program, ScalarSource, Site, Stmt, walk,
};
use crate::scalar::Ty;
use std::fmt::Write;

/// What every generated text begins with.
pub(super) const PRELUDE: &str = include_str!("prelude.cuh");
/// Threads of a block: enough for occupancy, few enough that small sections reach all multiprocessors.
pub(super) const BLOCK: u32 = 128;
/// Threads of a warp.
pub(super) const LANES: u32 = 32;
/// A launch takes at most so many segments, so that they stay within the parameters of a kernel (4 KiB).
const MOST_SEGMENTS: usize = 64;

/// A program as CUDA C++.
pub(super) struct Source {
    /// Without the prelude.
    pub text: String,
    /// Segments that one launch can take.
    pub segments: usize,
    /// Some function calls itself, so that threads need a stack.
    pub recursive: bool,
    /// Elements that warps can share: by the kernel `shared_section`, if there are some.
    pub sharing: Sharing,
}

impl Source {
    /// What the compiler gets: the prelude, and the text numbered from line 1 in its messages.
    pub fn complete(&self) -> String {
        format!("{PRELUDE}\n#line 1 \"section.cu\"\n{}", self.text)
    }

    /// The same without lines of comment, which name the user's lines: code that was only moved is the same code.
    pub fn essence(&self) -> String {
        let lines = self.text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut text = PRELUDE.to_owned();
        lines.for_each(|line| {
            text.push('\n');
            text.push_str(line);
        });
        text
    }
}

/// Facts about a program that its functions' text depends on.
pub(super) struct Names<'a> {
    program: &'a Program,
    functions: Vec<String>,
    buffers: Vec<String>,
    scalars: Vec<String>,
    can_fail: Vec<bool>,
    recursive: Vec<bool>,
    /// What elements defer.
    deferred: Vec<(FuncId, Way)>,
    sharing: Sharing,
    /// Comments say which expression statements come of.
    is_shown: bool,
}

/// The text of a verified program.
pub(super) fn emit(program: &Program) -> Source {
    source(program, false)
}

/// The text with comments that have the [number of an expression](crate::ir::Origin::number) in front of what comes of it.
pub(super) fn shown(program: &Program) -> String {
    source(program, true).text
}

fn source(program: &Program, is_shown: bool) -> Source {
    let names = Names { is_shown, ..Names::of(program) };
    let entries = program.entries().count();
    let segments = entries.clamp(1, MOST_SEGMENTS);
    let recursive = names.recursive.contains(&true);
    let mut text = String::new();
    arguments(&names, &mut text);
    if names.sharing.is_some() {
        let _ = write!(
            text,
            "// What iterations record that a warp runs at the same time.
alignas(16) __shared__ u64 record[{}][{BLOCK}];
static __device__ __forceinline__ u64& recorded(int number, int lane) {{ return record[number][own_warp() + lane]; }}

",
            names.sharing.record().max(1)
        );
    }
    // The driver runs on the host.
    let drivers = program.drivers();
    let elsewhere =
        |id: FuncId| drivers.contains(&id) || names.deferred.iter().any(|(other, _)| *other == id);
    let is_called = |index: &usize| !elsewhere(FuncId(*index as u32));
    if (0..program.functions.len()).filter(is_called).count() > entries {
        for index in (0..program.functions.len()).filter(is_called) {
            let _ = writeln!(text, "{};", function::signature(&names, index));
        }
        text.push('\n');
    }
    for index in (0..program.functions.len()).filter(is_called) {
        function::emit(&names, index, &mut text);
        text.push('\n');
    }
    let moves = rows::moves_rows(program);
    if moves {
        text.push_str(rows::TEXT);
    }
    let _ = write!(
        text,
        "struct Launch {{ i64 first_tick, end_tick; int clocked, segments; Segment segment[{segments}]; }};\n\n"
    );
    kernel(&names, segments, (recursive, moves), false, &mut text);
    let Names { sharing, .. } = &names;
    if sharing.is_some() {
        text.push_str("\n// A warp for each element.\n");
        kernel(&names, segments, (false, false), true, &mut text);
    }
    Source { text, segments, recursive, sharing: names.sharing }
}

impl<'a> Names<'a> {
    fn of(program: &'a Program) -> Self {
        let calls: Vec<Vec<usize>> = program
            .functions
            .iter()
            .map(|f| {
                let mut callees = Vec::new();
                walk::for_each(&f.body, &mut |s| {
                    if let Stmt::Call { function, .. } = s {
                        callees.push(function.0 as usize);
                    }
                });
                callees
            })
            .collect();
        let reaches = |from: usize, to: usize| {
            let mut seen = vec![false; calls.len()];
            let mut open = calls[from].clone();
            while let Some(next) = open.pop() {
                if next == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    open.extend(&calls[next]);
                }
            }
            false
        };
        let recursive: Vec<bool> = (0..calls.len()).map(|f| reaches(f, f)).collect();
        let mut can_fail: Vec<bool> =
            program.functions.iter().zip(&recursive).map(|(f, recursive)| *recursive || fails(f)).collect();
        // A caller of what can fail can fail: at most as many rounds as functions.
        while let Some(caller) =
            (0..calls.len()).find(|f| !can_fail[*f] && calls[*f].iter().any(|callee| can_fail[*callee]))
        {
            can_fail[caller] = true;
        }
        let sharing = Sharing::of(program, &recursive);
        Self {
            program,
            sharing,
            functions: named("f", program.functions.iter().map(|f| f.name.clone())),
            buffers: named("b", program.buffers.iter().map(|b| buffer_word(b).to_owned())),
            scalars: named("s", program.scalars.iter().map(|s| scalar_word(&s.source).to_owned())),
            can_fail,
            recursive,
            deferred: deferred::ways(program),
            is_shown: false,
        }
    }
}

/// Does a statement of the function itself fail?
fn fails(function: &Function) -> bool {
    let mut found = false;
    walk::for_each(&function.body, &mut |s| {
        found |= match s {
            Stmt::Check { .. } | Stmt::Fail { .. } | Stmt::Defer { .. } => true,
            // It can be stopped.
            Stmt::Loop { body, .. } => walk::may_run_long(body),
            Stmt::Let { op: Op::Binary(op, a, b), .. } => {
                width::can_overflow(*op, width::known(function, *a), width::known(function, *b))
            }
            _ => false,
        };
    });
    found
}

/// `prefix`, number and what is left of a Ruby name in C: unique and never a keyword.
fn named(prefix: &str, words: impl Iterator<Item = String>) -> Vec<String> {
    words
        .enumerate()
        .map(|(index, word)| {
            let word: String = word
                .trim_start_matches('@')
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .take(40)
                .collect();
            let word = word.trim_matches('_');
            if word.is_empty() { format!("{prefix}{index}") } else { format!("{prefix}{index}_{word}") }
        })
        .collect()
}

fn buffer_word(buffer: &BufferInfo) -> &str {
    match &buffer.kind {
        BufferKind::Column { name, .. } => name,
        BufferKind::ArrayOffset(_) => "offset",
        BufferKind::ArrayLength(_) => "length",
        BufferKind::ArrayRoom(_) => "room",
        BufferKind::ArrayEnds(_) => "ends",
        BufferKind::ArrayValues(..) => "values",
        BufferKind::Base(..) => "base",
        BufferKind::Beside(..) => "beside",
        BufferKind::Accumulator(..) => "accumulator",
        BufferKind::AccumulatorTick(_) => "accumulator_tick",
        BufferKind::Merged(..) => "merged",
        BufferKind::Selection => "selection",
        BufferKind::Kept => "kept",
        BufferKind::Variable(..) => "variable",
        BufferKind::Assigned(_) => "assigned",
        BufferKind::Result(..) | BufferKind::ResultWords => "result",
        BufferKind::KernelWords => "words",
        BufferKind::Given(..) => "given",
        BufferKind::Places(_) => "place",
        BufferKind::Scratch => "scratch",
        BufferKind::Frozen(_) | BufferKind::FrozenArray(_) => "frozen",
        BufferKind::FirstSame(_) => "first_same",
        BufferKind::Marks(_) => "marks",
        BufferKind::SymbolRanks => "rank",
        BufferKind::SymbolNames => "name",
        BufferKind::SymbolIndex => "symbols",
        BufferKind::KeyIndex(_) => "key_index",
    }
}

fn buffer_comment(buffer: &BufferInfo) -> String {
    let part = |part: &Part| if *part == Part::Tag { ", tags" } else { "" };
    match &buffer.kind {
        BufferKind::Column { hierarchy, name, part: p } => {
            format!("{name} of hierarchy {}{}", hierarchy.0, part(p))
        }
        BufferKind::ArrayOffset(kind) => format!("where arrays of kind {} start", kind.0),
        BufferKind::ArrayLength(kind) => format!("lengths of arrays of kind {}", kind.0),
        BufferKind::ArrayRoom(kind) => format!("items for which arrays of kind {} have room", kind.0),
        BufferKind::ArrayEnds(kind) => format!("where room for arrays of kind {} is left", kind.0),
        BufferKind::ArrayValues(kind, p) => format!("elements of arrays of kind {}{}", kind.0, part(p)),
        BufferKind::Base(_, p) => format!("elements of the base{}", part(p)),
        BufferKind::Beside(_, n, p) => format!("column {n} of the base{}", part(p)),
        BufferKind::Kept => "which elements are kept".into(),
        BufferKind::Result(_, p) => format!("results{}", part(p)),
        BufferKind::Accumulator(n, p) => format!("parts of accumulator {n}{}", part(p)),
        BufferKind::AccumulatorTick(n) => format!("when accumulator {n} was written"),
        BufferKind::Variable(n, p) => format!("variable {n} around the section{}", part(p)),
        BufferKind::Assigned(n) => format!("whether variable {n} has been assigned"),
        BufferKind::Merged(..) | BufferKind::Selection => "of the driver".into(),
        BufferKind::ResultWords => "words of results".into(),
        BufferKind::KernelWords => "words of what elements make".into(),
        BufferKind::Given(_, p) => format!("what elements give{}", part(p)),
        BufferKind::Places(hierarchy) => format!("classes of objects of hierarchy {}", hierarchy.0),
        BufferKind::Scratch => "memory for the arrays of each thread".into(),
        BufferKind::Frozen(hierarchy) => format!("frozen objects of hierarchy {}", hierarchy.0),
        BufferKind::FrozenArray(kind) => format!("frozen arrays of kind {}", kind.0),
        BufferKind::FirstSame(_) => "first elements that are the same objects".into(),
        BufferKind::Marks(what) => format!("who touched {what}"),
        BufferKind::SymbolRanks => "the order of symbols".into(),
        BufferKind::SymbolNames => "the names of symbols".into(),
        BufferKind::SymbolIndex => "symbols by their names".into(),
        BufferKind::KeyIndex(kind) => format!("the hash index of keys of kind {}", kind.0),
    }
}

fn scalar_word(source: &ScalarSource) -> &'static str {
    match source {
        ScalarSource::Root(_, Part::Payload) => "captured",
        ScalarSource::Root(_, Part::Tag) => "tag",
        ScalarSource::ClassBase(..) => "first_id",
        ScalarSource::BaseLength => "base_length",
        ScalarSource::SeriesFirst(_) => "first",
        ScalarSource::SeriesStep(_) => "step",
        ScalarSource::Driver(_) => "given",
        ScalarSource::ScratchWords => "scratch_words",
        ScalarSource::ResultWords => "result_words",
        ScalarSource::RootRange(_, 0) => "low",
        ScalarSource::RootRange(..) => "high",
        ScalarSource::Fine(_) => "fine",
        ScalarSource::Epoch => "epoch",
    }
}

/// The C type of a buffer's entries.
fn stored(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "unsigned char",
        Ty::I32 => "int",
        Ty::I64 => "i64",
        Ty::F64 => "double",
    }
}

/// The struct of buffers and scalars: eight bytes for each, in the program's order (see `layout`).
fn arguments(names: &Names<'_>, out: &mut String) {
    let program = names.program;
    if program.buffers.is_empty() && program.scalars.is_empty() {
        return;
    }
    out.push_str("struct Arguments {\n");
    for (info, name) in program.buffers.iter().zip(&names.buffers) {
        let constant = if info.written { "" } else { "const " };
        let _ = writeln!(
            out,
            "  {constant}{}* __restrict__ {name};  // {}",
            stored(info.ty),
            buffer_comment(info)
        );
    }
    for (info, name) in program.scalars.iter().zip(&names.scalars) {
        let ty = if info.ty == Ty::F64 { "double" } else { "i64" };
        let _ = writeln!(out, "  {ty} {name};");
    }
    for (_, way) in &names.deferred {
        if let Way::Log(number) = way {
            let _ = writeln!(out, "  u64* log{number}; u64 room{number}; u64* count{number};");
        }
    }
    out.push_str("};\nextern \"C\" { __constant__ Arguments args; }\n\n");
}

/// `shared`: the elements that warps can share, each of them by one.
fn kernel(
    names: &Names<'_>,
    segments: usize,
    (recursive, moves): (bool, bool),
    shared: bool,
    out: &mut String,
) {
    let entries: Vec<_> = names.program.entries().collect();
    let name = if shared { "shared_section" } else { "section" };
    // Few elements are to have all warps that there are registers for: one that waits for the next has waited for all.
    let at_once = if shared { ", 8" } else { "" };
    let _ = writeln!(
        out,
        "extern \"C\" __global__ void __launch_bounds__({BLOCK}{at_once}) {name}(const __grid_constant__ Launch launch) {{"
    );
    if moves {
        out.push_str(
            "  if (launch.segments < 0) {
    const Segment& rest = launch.segment[0];
    u64 rows = (u64)(u32)rest.first_job << 32 | (u32)rest.first_block;
    move({launch.first_tick, launch.end_tick, -launch.segments, (int*)rows, rest.jobs});
    return;
  }
",
        );
    }
    out.push_str("  int s = 0;\n");
    if segments > 1 {
        let _ = writeln!(
            out,
            "  for (int i = 1; i < {segments}; i++)\n    \
             if (i < launch.segments && (int)blockIdx.x >= launch.segment[i].first_block) s = i;"
        );
    }
    let (open, threads) = if shared { ("(", ") / 32") } else { ("", "") };
    let _ = writeln!(
        out,
        "  const Segment& segment = launch.segment[s];
  int job = {open}((int)blockIdx.x - segment.first_block) * (int)blockDim.x + (int)threadIdx.x{threads};
  if (job >= segment.jobs) return;"
    );
    if shared {
        out.push_str("  if (own_lane() >= WARP) return;\n");
    }
    out.push_str(
        "  job += segment.first_job;
  int element = run.order ? run.order[job] : job;
  i64 now = launch.clocked ? *run.clock : 0, first = launch.first_tick + now, end = launch.end_tick + now;
  // Where an earlier tick has failed, its state means nothing.
  if (first > 0 && (i64)(run.failure->key >> 32) < first) return;
",
    );
    let lane = if shared { ", own_lane()" } else { ", 0" };
    let _ = writeln!(out, "  Element e = {{element, 0, first, 0, 0, 0{lane}}};");
    if recursive {
        out.push_str("  int here;\n  e.stack = (u64)&here;\n");
    }
    let call = |entry: usize| {
        let function = entries[entry].function.0 as usize;
        let form = if names.sharing.functions[function] { format!("<{shared}>") } else { String::new() };
        format!("{}{form}(e, element, first, end)", names.functions[function])
    };
    let kernels = names.program.kernels.iter().enumerate();
    let kernel_of: Vec<usize> =
        kernels.flat_map(|(number, kernel)| std::iter::repeat_n(number, kernel.entries.len())).collect();
    let is_here = |entry: &usize| !shared || names.sharing.shares(kernel_of[*entry]);
    match entries.len() {
        0 => {}
        1 => {
            let _ = writeln!(out, "  {};", call(0));
        }
        _ => {
            out.push_str("  switch (segment.entry) {\n");
            for (index, entry) in entries.iter().enumerate().filter(|(index, _)| is_here(index)) {
                let _ =
                    writeln!(out, "    case {index}: {}; break;  // {}", call(index), comment(&entry.name));
            }
            out.push_str("  }\n");
        }
    }
    out.push_str("}\n");
}

/// Text that cannot end a line comment.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r', '\\'], " ")
}

/// `traffic.rb:12`, as comments show it.
fn place(site: &Site) -> String {
    let (path, line) = site.place();
    let file = path.rsplit('/').next().unwrap_or("");
    comment(&format!("{file}:{line}"))
}
