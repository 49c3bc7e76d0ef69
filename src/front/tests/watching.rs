//! Accesses that could conflict: which are watched.

use super::World;
use crate::heap::schema::Output;
use crate::ir::{BufferKind, Watched};
use crate::types::{ArrayKind, Type};

const CELL: &str = "
    class Cell
      def x = @x
      def y = @y
      def other = @other
      def cells = @cells
      def x=(x)
        @x = x
      end
      def cool(depth)
        @y = @other.y
        cool(depth - 1) if depth > 0
      end
    end
";

/// The variables of Cells that are watched in a block, and "items" for those of arrays.
fn watched(block: &str) -> Vec<String> {
    let world = World::new(&format!("{CELL}base.peach {{ |cell| {block} }}"));
    let cell = world.object("Cell");
    let world = world
        .base(std::slice::from_ref(&cell))
        .column("Cell", "x", &[Type::Integer])
        .column("Cell", "y", &[Type::Integer, Type::Nil])
        .column("Cell", "other", &[cell])
        .column("Cell", "cells", &[Type::Array(ArrayKind(0))])
        .elements(0, &[Type::Integer]);
    let mut world = world;
    let program = world.must_infer(Output::Nothing).program;
    assert!(!program.kernels[0].fused || !program.is_watched());
    let touched = program.buffers.iter().filter_map(|buffer| match &buffer.kind {
        BufferKind::Marks(Watched::Column { name, .. }) => Some(name.clone()),
        BufferKind::Marks(_) => Some("items".into()),
        _ => None,
    });
    let mut touched: Vec<String> = touched.collect();
    touched.dedup();
    touched
}

#[test]
fn what_nobody_writes_is_not_watched() {
    assert!(watched("cell.other.x + cell.cells[0]").is_empty());
}

#[test]
fn what_is_touched_in_the_element_alone_is_not_watched() {
    assert!(watched("cell.x += cell.other.y.to_i").is_empty());
    assert!(watched("same = cell; same.x = same.x + 1").is_empty());
}

#[test]
fn what_others_see_is_checked_once() {
    assert_eq!(watched("cell.x += cell.other.x"), ["@x"]);
    assert_eq!(watched("cell.other.x = 1; cell.y = cell.x"), ["@x"]);
}

#[test]
fn called_functions_do_not_know_the_element() {
    assert_eq!(watched("cell.cool(3)"), ["@y"]);
}

#[test]
fn arrays_are_checked_where_they_are_written() {
    assert_eq!(watched("cell.cells[0] = 1"), ["items"]);
}

#[test]
fn changes_are_deferred_where_there_is_nothing_else() {
    assert!(watched("cell.cells[0] += 1").is_empty());
    assert!(watched("cell.other.x = cell.y.to_i").is_empty());
    assert!(watched("cell.other.x += cell.y if cell.y; cell.x -= 2").is_empty());
    assert!(watched("y = cell.y.to_i; cell.other.x = y if y < cell.other.x").is_empty());
    assert_eq!(watched("cell.other.x += 1; cell.y = cell.x"), ["@x"]);
    assert_eq!(watched("cell.other.x += cell.other.other.x"), ["@x"]);
    assert_eq!(watched("a = cell.other.x; cell.x += 1; cell.other.x = a + 1"), ["@x"]);
}
