//! `Ikra.explain`: the user's lines with their types, the columns, the IR and the generated source, as text.

use ikra_core::backend::{Backend, Executable};
use ikra_core::heap::schema::{BaseColumn, Output};
use ikra_core::infer::{Inferred, Listing};
use ikra_core::ir::access::{accesses, touched_by_driver_loops};
use ikra_core::ir::{Buffer, BufferKind, Program};
use ikra_core::source::{FileId, SourceMap, Span};
use ikra_core::types::{ClassId, Type, TypeSet};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

/// Wider lines push their types to the right.
const WIDTH: usize = 60;

pub fn text(
    (lines, traps): (&str, &str),
    told: &dyn Fn(Span) -> Option<String>,
    inferred: &Inferred,
    backend: &dyn Backend,
    executable: &Executable,
    class_name: impl Fn(ClassId) -> String,
) -> String {
    let mut out = String::new();
    heading(&mut out, "Types");
    out.push_str(lines);
    heading(&mut out, "Columns");
    let types = |set: &TypeSet| {
        let mut names: Vec<_> = set.iter().map(|ty| type_name(ty, &class_name)).collect();
        names.dedup();
        names.join(" | ")
    };
    for (number, column) in inferred.schema.base.columns.iter().enumerate() {
        let how = match column {
            BaseColumn::Items(_) => "read",
            BaseColumn::Unread => {
                let _ = writeln!(out, "value {number} of each element: not read");
                continue;
            }
            BaseColumn::Index => "the index",
            BaseColumn::Series { .. } => "computed from the index",
        };
        let _ = writeln!(out, "value {number} of each element: {} ({how})", types(&column.types()));
    }
    let accesses = accesses(&inferred.program);
    let ways = |is_it: &dyn Fn(&BufferKind) -> bool| {
        let buffers = (0..).map(Buffer).zip(&inferred.program.buffers).filter(|(_, info)| is_it(&info.kind));
        let ways =
            buffers.filter_map(|(buffer, _)| accesses.get(&buffer)).map(|access| format!(": {access}"));
        ways.max_by_key(String::len).unwrap_or_default()
    };
    for column in &inferred.schema.columns {
        let access = match (column.read, column.written) {
            (true, true) => "read, written",
            (false, true) => "written",
            _ => "read",
        };
        let ways = ways(&|kind| match kind {
            BufferKind::Column { hierarchy, name, .. } => {
                (hierarchy, name) == (&column.hierarchy, &column.name)
            }
            _ => false,
        });
        let owners: Vec<_> = column.classes.iter().map(|class| class_name(*class)).collect();
        let _ = writeln!(
            out,
            "{} of {}: {} ({access}{ways})",
            column.name,
            owners.join(", "),
            types(&column.stored.types)
        );
    }
    for array in &inferred.schema.arrays {
        let access = if array.made {
            "made, read"
        } else if array.written {
            "read, written"
        } else {
            "read"
        };
        let ways = ways(&|kind| matches!(kind, BufferKind::ArrayValues(k, _) if *k == array.kind));
        let types = types(&array.stored.types);
        let _ = writeln!(out, "elements of arrays k{}: {types} ({access}{ways})", array.kind.0);
    }
    if !inferred.traps.is_empty() {
        heading(&mut out, "Unsupported, where an element comes to it");
        out.push_str(traps);
    }
    out.push_str(&loops_of_driver(inferred));
    heading(&mut out, "IR");
    let _ = writeln!(out, "{}", inferred.program.annotated(told));
    heading(&mut out, &format!("Code for {}", backend.name()));
    out.push_str(placed(&executable.source(), &inferred.program, told).trim_end());
    out.push('\n');
    out
}

/// How the paths of code begin that chains are put together of.
const OWN: &str = "(ikra ";

/// Cranelift's margin for numbers of places.
const MARGIN: &str = "                                ";

/// Code with the places of expressions behind lines. It has numbers of them in front of instructions (Cranelift's IR), or
/// in a line of their own before those that come of it (CUDA C++).
fn placed(code: &str, program: &Program, told: &dyn Fn(Span) -> Option<String>) -> String {
    let origins = program.functions.iter().flat_map(|function| &function.values).map(|data| data.origin);
    let spans: HashMap<u32, Span> = origins.filter_map(|origin| origin.number().zip(origin.0)).collect();
    let of_number = |number: &str| u32::from_str_radix(number, 16).ok();
    let mut out = String::new();
    let mut current = None;
    for line in code.lines() {
        let text = line.trim_start();
        if let Some(number) = text.strip_prefix("// @").and_then(of_number) {
            current = spans.get(&number);
            continue;
        }
        let instruction = text.strip_prefix('@').and_then(|rest| rest.split_once(' '));
        if let Some((number, rest)) = instruction.and_then(|(number, rest)| Some((of_number(number)?, rest)))
        {
            let _ = write!(out, "    {}", rest.trim_start());
            if let Some(place) = spans.get(&number).and_then(|span| told(*span)) {
                let _ = write!(out, "  ; {place}");
            }
        } else {
            out.push_str(line.strip_prefix(MARGIN).unwrap_or(line));
            match current {
                // A function ends, or a block does.
                Some(_) if line.starts_with('}') => current = None,
                Some(span) if !text.starts_with('}') && !text.starts_with("//") => {
                    if let Some(place) = told(*span) {
                        let _ = write!(out, "  // {place}");
                    }
                }
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// Says where an expression of the user's is: by the name of its file alone, where no other one has that name.
pub fn teller(map: &SourceMap, program: &Program) -> HashMap<Span, String> {
    let origins = program.functions.iter().flat_map(|function| &function.values);
    let spans: HashSet<Span> = origins.filter_map(|data| data.origin.0).collect();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for span in &spans {
        let (path, _) = map.place(*span);
        paths.entry(name(&path)).or_default().insert(path);
    }
    let place = |span: &Span| {
        let (path, line) = map.place(*span);
        let short = name(&path);
        if paths[&short].len() == 1 { format!("{short}:{line}") } else { format!("{path}:{line}") }
    };
    let is_users = |span: &&Span| !map.place(**span).0.starts_with(OWN);
    spans.iter().filter(is_users).map(|span| (*span, place(span))).collect()
}

/// What a program's code around parallel calls goes through by itself, where that may be much.
fn loops_of_driver(inferred: &Inferred) -> String {
    if inferred.schema.output != Output::Program {
        return String::new();
    }
    let touched = touched_by_driver_loops(&inferred.program);
    let names: BTreeSet<String> = touched
        .iter()
        .filter_map(|buffer| match &inferred.program.buffers[buffer.0 as usize].kind {
            BufferKind::Column { name, .. } => Some(name.clone()),
            BufferKind::ArrayValues(kind, _) => Some(format!("elements of arrays k{}", kind.0)),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "\nThe code around parallel calls goes through these by itself, one after the other, at some ten nanoseconds for \
         each (on a GPU after they were copied): {names}.\nWhere there are many, a parallel call is faster: pmap, psum, \
         pselect …\n"
    )
}

/// The user's lines, each once, with the types of what stands in them beside them.
pub fn lines(listing: &Listing, sources: &SourceMap) -> String {
    let mut out = String::new();
    let mut lines: BTreeMap<FileId, BTreeMap<u32, Vec<String>>> = BTreeMap::new();
    for code in &listing.codes {
        let file = sources.file(code.file);
        let (first, last) = (file.position(code.start).0, file.position(code.end).0);
        let lines = lines.entry(code.file).or_default();
        for line in first..=last {
            lines.entry(line).or_default();
        }
    }
    for (span, types) in &listing.types {
        let file = sources.file(span.file);
        let line = file.position(span.end).0;
        let Some(text) = file.text.get(span.start as usize..span.end as usize) else { continue };
        let text = match text.rsplit_once('\n').map(|(_, end)| end.trim_start()) {
            None => text.to_owned(),
            // The end of a chain of calls; of anything else the last line tells nothing.
            Some(end) if end.starts_with(['.', '&']) => format!("…{end}"),
            Some(_) => continue,
        };
        let beside = lines.entry(span.file).or_default().entry(line).or_default();
        let item = format!("{text}: {types}");
        if !beside.contains(&item) {
            beside.push(item);
        }
    }
    // What Ikra has put together is no line of the user's.
    lines.retain(|file, _| !sources.file(*file).path.starts_with("(ikra "));
    for (number, (file, lines)) in lines.iter().enumerate() {
        let file = sources.file(*file);
        let _ = writeln!(out, "{}{}", if number > 0 { "\n" } else { "" }, file.path);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let texts = lines.keys().map(|line| file.line(*line)).filter(|text| !text.trim().is_empty());
        let left = texts.clone().map(indent).min().unwrap_or(0);
        let width = texts.map(|text| text.chars().count() - left).filter(|width| *width <= WIDTH).max();
        let width = width.unwrap_or(WIDTH);
        let mut before = None;
        for (line, types) in lines {
            if before.is_some_and(|before| before + 1 < *line) {
                out.push('\n');
            }
            before = Some(*line);
            let text = file.line(*line).get(left..).unwrap_or_default();
            let row = match types.is_empty() {
                true => format!("{line:5}  {text}"),
                false => format!("{line:5}  {text:width$}  # {}", types.join(", ")),
            };
            let _ = writeln!(out, "{}", row.trim_end());
        }
    }
    out
}

fn heading(out: &mut String, title: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{title}\n{}", "-".repeat(title.len()));
}

pub fn type_name(ty: &Type, class_name: &impl Fn(ClassId) -> String) -> String {
    match ty {
        Type::Nil => "nil".into(),
        Type::False => "false".into(),
        Type::True => "true".into(),
        Type::Integer => "Integer".into(),
        Type::Float => "Float".into(),
        Type::Symbol => "Symbol".into(),
        Type::Object(_, class) => class_name(*class),
        Type::Array(kind) => format!("Array k{}", kind.0),
        Type::Hash(kind, _) => format!("Hash k{}", kind.0),
        Type::Column(_, ty) => format!("Column of {}", ty.name()),
        Type::Module(class) => class_name(*class),
        Type::Range { .. } => "Range".into(),
        Type::Tuple(items) => format!("Array of {}", items.len()),
        Type::Proc(_) | Type::Closure(..) => "Proc".into(),
        Type::Building(_, class) => class_name(*class),
        Type::Record(record) => class_name(record.class),
        Type::List(_) => "Array".into(),
        Type::Made(class) => class_name(*class),
        Type::Enumerator(..) => "Enumerator".into(),
    }
}
