//! Cranelift to machine code, run on all cores.
