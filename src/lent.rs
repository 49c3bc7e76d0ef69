//! Memory of somebody else that is only read, with who keeps it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Slices into such memory. They are for `'static` to nobody else: who looks at them looks at this for as long.
#[derive(Clone)]
pub struct Lent<T> {
    numbers: T,
    _owner: Arc<dyn Any + Send + Sync>,
}

impl<T: Copy> Lent<T> {
    /// # Safety
    /// What `numbers` points to is there, and nobody writes it, as long as the owner lives.
    pub unsafe fn new(numbers: T, owner: Arc<dyn Any + Send + Sync>) -> Self {
        Self { numbers, _owner: owner }
    }
}

impl<N> Lent<&'static [N]> {
    pub const fn numbers(&self) -> &[N] {
        self.numbers
    }
}

impl<T> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lent")
    }
}
