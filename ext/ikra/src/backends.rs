//! The back-ends of the process: made at the first use, kept for good.

use crate::errors::Trouble;
use ikra_core::backend::Backend;
use ikra_core::error::Error;
use std::sync::{Arc, OnceLock};

type Made = Result<Arc<dyn Backend>, String>;

static CPU: OnceLock<Made> = OnceLock::new();
static CUDA: OnceLock<Made> = OnceLock::new();

/// Below so many block calls a section is done on the CPU before a card has even been handed the data.
const WORTH_A_CARD: u64 = 100_000;

fn cpu() -> &'static Made {
    CPU.get_or_init(|| Err("the CPU back-end is not linked in".into()))
}

fn cuda() -> &'static Made {
    CUDA.get_or_init(|| Err("the CUDA back-end is not linked in".into()))
}

/// Why a back-end cannot be used; `None` when it can.
pub fn missing(name: &str) -> Option<String> {
    let made = match name {
        "cpu" => cpu(),
        "cuda" | "cuda-emulated" => cuda(),
        _ => return Some(format!("there is no back-end called {name}")),
    };
    made.as_ref().err().cloned()
}

/// The back-end called `name`, or for `auto` the one that is likely to be faster at so many block calls.
pub fn choose(name: &str, calls: u64) -> Result<Arc<dyn Backend>, Trouble> {
    let made = match name {
        "auto" => match cuda() {
            Ok(_) if calls >= WORTH_A_CARD => cuda(),
            _ => cpu(),
        },
        "cpu" => cpu(),
        _ => cuda(),
    };
    made.clone().map_err(|reason| Error::Device(reason).into())
}
