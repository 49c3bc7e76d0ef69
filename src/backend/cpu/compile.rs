//! Functions of Cranelift's IR to machine code, several at the same time, as they do not depend on each other: where
//! there is enough to do, the largest first, on threads that begin and end with the compilation: those of the pool must
//! not go to sleep for want of memory, as these may. All share the token.

use super::object::Object;
use super::{cancel, internal, of_module};
use crate::allocator;
use crate::cache::Name;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::{Program, walk};
use crate::profile::Profile;
use crate::reserve::{Expendable, Reserve};
use crate::threads;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module, ModuleReloc};
use parking_lot::Mutex;
use std::panic::resume_unwind;
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// A thread more is started for so many of Cranelift's instructions, which take about 2 ms: starting one takes 0.05.
const WORTH_A_THREAD: usize = 1_000;
/// A driver of fewer statements is compiled before the kernels, by the same thread.
const SMALL_DRIVER: usize = 400;
/// Bytes that the thread sets aside that compiles a driver, for each statement.
const FOR_A_STATEMENT: usize = 4 << 10;
/// Compiling recurses as deep as the code is nested.
const STACK: usize = 8 << 20;
/// Bytes that such a thread sets aside, and more for each of Cranelift's instructions.
const SET_ASIDE: usize = 4 << 20;
const FOR_AN_INSTRUCTION: usize = 1 << 10;
/// What it usually takes of that, in small blocks.
const USUAL_PART: usize = 2;

/// What is done with the driver of a program and what is done with its kernels, at the same time where the driver is large.
pub fn with_driver<A: Send, B>(
    program: &Program,
    driver: impl FnOnce() -> A + Send,
    kernels: impl FnOnce() -> B,
) -> (A, B) {
    let mut size = 0;
    if let Some(driver) = program.driver {
        walk::for_each(&program.functions[driver.0 as usize].body, &mut |_| size += 1);
    }
    if size < SMALL_DRIVER {
        let driver = driver();
        return (driver, kernels());
    }
    both(SET_ASIDE + program.size() * FOR_A_STATEMENT, driver, kernels)
}

/// Does both at the same time, the first one on a thread beside this one that sets so many bytes aside; or else one after the
/// other.
fn both<A: Send, B>(bytes: usize, first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    let open = Mutex::new(Some(first));
    let begin = || open.lock().take();
    // As in `all`.
    let Some(expendable) = Expendable::of_this_thread().filter(|_| threads::count() > 1) else {
        let given = begin().map(|first| first());
        return (given.unwrap_or_else(|| unreachable!("nobody else has begun it")), second());
    };
    thread::scope(|scope| {
        let body = || {
            crate::signals::block();
            let _expendable = Expendable::new(expendable);
            let reserve = Reserve::new(bytes);
            // Where there is no memory for it, the other does it.
            reserve.ok().and_then(|_reserve| begin().map(|first| first()))
        };
        let thread =
            Builder::new().name("ikra-compile".into()).stack_size(STACK).spawn_scoped(scope, body).ok();
        let second = second();
        let given = thread.and_then(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let given = given.or_else(|| begin().map(|first| first()));
        (given.unwrap_or_else(|| unreachable!("who has begun it has given it")), second)
    })
}

/// A function that is declared, as IR and later as machine code.
pub struct Emitted {
    pub id: FuncId,
    pub name: String,
    pub context: Context,
    pub instructions: usize,
}

/// What is to be done and what is done, with its number and the time that it took.
struct Work {
    open: Vec<(usize, Emitted)>,
    done: Vec<(usize, Emitted, Duration)>,
    failed: Option<Error>,
}

/// Compiles the functions, all that there are, and gives the module their code, in their order. It is kept by a name, if
/// there is one.
pub fn all(
    module: &mut JITModule,
    functions: Vec<Emitted>,
    name: Option<&Name>,
    token: &CancellationToken,
    profile: &mut Profile,
) -> Result<Vec<Emitted>, Error> {
    let total: usize = functions.iter().map(|function| function.instructions).sum();
    let helpers = (threads::count() - 1).min(functions.len().saturating_sub(1)).min(total / WORTH_A_THREAD);
    let bytes = SET_ASIDE + total * FOR_AN_INSTRUCTION;
    let mut open: Vec<_> = functions.into_iter().enumerate().collect();
    // The largest are begun first.
    open.sort_by_key(|(number, function)| (function.instructions, usize::MAX - number));
    let work = Mutex::new(Work { open, done: Vec::new(), failed: None });
    // Where memory ends, a thread beside this one can only go to sleep, and nobody must need this one then either.
    match Expendable::of_this_thread() {
        Some(expendable) if helpers > 0 => thread::scope(|scope| {
            let (work, isa) = (&work, module.isa());
            let beside = |_| {
                let (token, told) = (token.clone(), expendable.clone());
                let body = move || {
                    crate::signals::block();
                    let _expendable = Expendable::new(told);
                    // Where there is no memory for it, the others do it.
                    if let Ok(_reserve) = Reserve::new(bytes) {
                        allocator::widen(total * FOR_AN_INSTRUCTION / USUAL_PART / 2);
                        share(isa, work, &token);
                    }
                };
                // Where there is no thread to be had, this one does it.
                Builder::new().name("ikra-compile".into()).stack_size(STACK).spawn_scoped(scope, body).ok()
            };
            let beside: Vec<_> = (0..helpers).filter_map(beside).collect();
            allocator::widen(total * FOR_AN_INSTRUCTION / USUAL_PART);
            share(isa, work, token);
            for thread in beside {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        }),
        _ => share(module.isa(), &work, token),
    }
    let Work { mut done, failed, .. } = work.into_inner();
    if let Some(error) = failed {
        return Err(error);
    }
    done.sort_by_key(|(number, ..)| *number);
    let ids: Vec<FuncId> = done.iter().map(|(_, function, _)| function.id).collect();
    let mut object = name.map(|_| Object::default());
    let mut bytes = 0;
    for (_, function, time) in &done {
        let Emitted { id, name, context, instructions } = function;
        let code = context.compiled_code().ok_or_else(|| internal("no code"))?;
        let relocations: Vec<ModuleReloc> = code
            .buffer
            .relocs()
            .iter()
            .map(|relocation| ModuleReloc::from_mach_reloc(relocation, &context.func, *id))
            .collect();
        let alignment = u64::from(code.buffer.alignment);
        let taken = object
            .as_mut()
            .and_then(|object| object.add(module, &ids, (alignment, code.code_buffer()), &relocations));
        if taken.is_none() {
            object = None;
        }
        module.define_function_bytes(*id, alignment, code.code_buffer(), &relocations).map_err(of_module)?;
        profile.step(format!("code: {name}"), *time, *instructions as u64);
        bytes += code.code_buffer().len();
    }
    profile.step("machine code", Duration::ZERO, bytes as u64);
    if let Some((object, name)) = object.zip(name) {
        object.put(name);
    }
    Ok(done.into_iter().map(|(_, function, _)| function).collect())
}

/// Compiles one function after the other until none is left that nobody has begun, or one has failed.
fn share(isa: &dyn TargetIsa, work: &Mutex<Work>, token: &CancellationToken) {
    let next = || {
        let mut work = work.lock();
        if work.failed.is_some() { None } else { work.open.pop() }
    };
    while let Some((number, mut function)) = next() {
        let start = Instant::now();
        let compiled = cancel::within(token, || {
            token.check()?;
            let compiled = function.context.compile(isa, &mut ControlPlane::default());
            compiled.map(|_| ()).map_err(|error| internal(format!("{:?}", error.inner)))
        });
        let mut work = work.lock();
        match compiled {
            Ok(()) => work.done.push((number, function, start.elapsed())),
            Err(error) => {
                work.failed.get_or_insert(error);
            }
        }
    }
}
