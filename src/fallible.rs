//! Fallible allocation, for lists as long as the data: where there is too little memory for one, that is an error and
//! not the end of the process. What a section needs besides does not grow with the data.

use crate::error::NoMemory;
use crate::reserve;

/// Makes room for `more` items.
#[inline]
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    if more <= list.capacity() - list.len() {
        return Ok(());
    }
    reserve::fallible(|| list.try_reserve(more)).map_err(|_| too_long::<T>(list.len().saturating_add(more)))
}

/// Appends, growing as `Vec::push` does.
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), NoMemory> {
    if list.len() == list.capacity() {
        reserve(list, 1)?;
    }
    list.push(item);
    Ok(())
}

/// Lengthens with copies of `item`.
pub fn resize<T: Clone>(list: &mut Vec<T>, length: usize, item: T) -> Result<(), NoMemory> {
    reserve(list, length.saturating_sub(list.len()))?;
    list.resize(length, item);
    Ok(())
}

/// `length` copies of `item`.
pub fn filled<T: Clone>(item: T, length: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    resize(&mut list, length, item)?;
    Ok(list)
}

/// A list of items whose number is known.
pub fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    reserve(&mut list, items.len())?;
    list.extend(items);
    Ok(list)
}

/// Does memory that is not set hold what nobody may rely on? Only specs want that.
pub fn fills_with_garbage() -> bool {
    cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_GARBAGE").is_some()
}

/// So many numbers, whatever they are: they will be written before they are read. Clearing them would take as long as that.
pub fn unset<T: bytemuck::Pod>(length: usize) -> Result<Vec<T>, NoMemory> {
    let mut list: Vec<T> = Vec::new();
    reserve(&mut list, length)?;
    let start = list.as_mut_ptr();
    // SAFETY: the empty assembly may have written there, for all that the compiler knows, so the bytes are ones, and any
    // bytes are a number. There is room for so many.
    unsafe {
        std::arch::asm!("/* {} */", in(reg) start, options(nostack, preserves_flags));
        list.set_len(length);
    }
    if fills_with_garbage() {
        bytemuck::cast_slice_mut::<T, u8>(&mut list).fill(0xa5);
    }
    Ok(list)
}

fn too_long<T>(length: usize) -> NoMemory {
    NoMemory(length.saturating_mul(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_a_list_is_an_error_that_says_its_size() {
        assert_eq!(filled(0u64, 1 << 60), Err(NoMemory(1 << 63)));
        assert_eq!(filled(0u16, 1 << 62), Err(NoMemory(1 << 63)));
        let mut list = vec![1, 2];
        assert_eq!(reserve(&mut list, usize::MAX), Err(NoMemory(usize::MAX)));
        assert_eq!(resize(&mut list, 4, 7), Ok(()));
        assert_eq!(push(&mut list, 8), Ok(()));
        assert_eq!(list, [1, 2, 7, 7, 8]);
        assert_eq!(resize(&mut list, 1, 0), Ok(()));
        assert_eq!(collect([3, 4].into_iter()), Ok(vec![3, 4]));
    }
}
