//! Ids of objects: dense in each hierarchy, class by class, so `@progress` of Cars and Pedestrians is one column and
//! the class of an id follows from its range.

use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use ikra_core::types::{ClassId, HierarchyId};
use rb_sys::VALUE;

#[derive(Debug, Default)]
struct Hierarchy {
    classes: Vec<ClassId>,
    /// First id of each class, and the number of objects at the end.
    bases: Vec<u32>,
}

/// The ids of one run, given when all its objects are found.
#[derive(Debug, Default)]
pub struct Ids {
    hierarchies: Vec<Hierarchy>,
}

impl Ids {
    /// Ids for the hierarchies wanted; `None` when there are more objects than an id can number.
    pub fn new(pool: &ObjectPool, pinned: &Pinned, wanted: &[HierarchyId]) -> Option<Self> {
        let mut ids = Self::default();
        for hierarchy in wanted {
            let index = hierarchy.0 as usize;
            if ids.hierarchies.len() <= index {
                ids.hierarchies.resize_with(index + 1, Hierarchy::default);
            }
            let classes = pool.of_hierarchy(*hierarchy);
            let mut bases = Vec::with_capacity(classes.len() + 1);
            let mut total = 0;
            for class in &classes {
                bases.push(total as u32);
                total += pinned.objects(*class).len();
                i32::try_from(total).ok()?;
            }
            bases.push(total as u32);
            ids.hierarchies[index] = Hierarchy { classes, bases };
        }
        Some(ids)
    }

    fn hierarchy(&self, hierarchy: HierarchyId) -> &Hierarchy {
        &self.hierarchies[hierarchy.0 as usize]
    }

    /// The classes of a hierarchy, in the order of their ids.
    pub fn classes(&self, hierarchy: HierarchyId) -> &[ClassId] {
        &self.hierarchy(hierarchy).classes
    }

    /// Those of all hierarchies, with the first id of each.
    pub fn all_classes(&self) -> impl Iterator<Item = (HierarchyId, ClassId, u32)> {
        (0..).zip(&self.hierarchies).flat_map(|(number, hierarchy)| {
            let of_class = hierarchy.classes.iter().zip(&hierarchy.bases);
            of_class.map(move |(class, base)| (HierarchyId(number), *class, *base))
        })
    }

    /// First id of the class at `place`; the number of objects for a place past the last.
    pub fn base(&self, hierarchy: HierarchyId, place: u32) -> u32 {
        let bases = &self.hierarchy(hierarchy).bases;
        bases.get(place as usize).or(bases.last()).copied().unwrap_or(0)
    }

    /// Number of objects of a hierarchy.
    pub fn count(&self, hierarchy: HierarchyId) -> usize {
        self.hierarchy(hierarchy).bases.last().copied().unwrap_or(0) as usize
    }

    pub fn object(&self, pinned: &Pinned, hierarchy: HierarchyId, id: u32) -> Option<VALUE> {
        let Hierarchy { classes, bases } = self.hierarchies.get(hierarchy.0 as usize)?;
        let place = bases.partition_point(|base| *base <= id).checked_sub(1)?;
        pinned.object(*classes.get(place)?, (id - bases[place]) as usize)
    }
}
