//! `Ikra.explain`: the user's lines with their types, the columns, the IR and the generated source, as text.

use ikra_core::backend::{Backend, Kernel};
use ikra_core::infer::Inferred;
use ikra_core::types::{ClassId, Type, TypeSet};
use std::fmt::Write;

pub fn text(
    inferred: &Inferred,
    backend: &dyn Backend,
    kernel: &dyn Kernel,
    class_name: impl Fn(ClassId) -> String,
) -> String {
    let mut out = String::new();
    heading(&mut out, "Types");
    out.push_str(inferred.types.trim_end());
    out.push('\n');
    heading(&mut out, "Columns");
    let types = |set: &TypeSet| {
        let names: Vec<_> = set.iter().map(|ty| type_name(ty, &class_name)).collect();
        names.join(" | ")
    };
    for column in &inferred.schema.columns {
        let access = match (column.read, column.written) {
            (true, true) => "read, written",
            (false, true) => "written",
            _ => "read",
        };
        let owners: Vec<_> = column.classes.iter().map(|class| class_name(*class)).collect();
        let _ = writeln!(
            out,
            "{} of {}: {} ({access})",
            column.name,
            owners.join(", "),
            types(&column.stored.types)
        );
    }
    for array in &inferred.schema.arrays {
        let access = if array.written { "read, written" } else { "read" };
        let _ =
            writeln!(out, "elements of arrays k{}: {} ({access})", array.kind.0, types(&array.stored.types));
    }
    heading(&mut out, "IR");
    let _ = writeln!(out, "{}", inferred.program);
    heading(&mut out, &format!("Code for {}", backend.name()));
    out.push_str(kernel.source().trim_end());
    out.push('\n');
    out
}

fn heading(out: &mut String, title: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{title}\n{}", "-".repeat(title.len()));
}

fn type_name(ty: &Type, class_name: &impl Fn(ClassId) -> String) -> String {
    match ty {
        Type::Nil => "nil".into(),
        Type::False => "false".into(),
        Type::True => "true".into(),
        Type::Integer => "Integer".into(),
        Type::Float => "Float".into(),
        Type::Symbol => "Symbol".into(),
        Type::Object(_, class) => class_name(*class),
        Type::Array(kind) => format!("Array k{}", kind.0),
        Type::Module(class) => class_name(*class),
        Type::Range { .. } => "Range".into(),
        Type::Tuple(items) => format!("Array of {}", items.len()),
        Type::Proc(_) | Type::Closure(..) => "Proc".into(),
        Type::Building(_, class) => class_name(*class),
        Type::Record(record) => class_name(record.class),
        Type::List(_) => "Array".into(),
        Type::Enumerator(..) => "Enumerator".into(),
    }
}
