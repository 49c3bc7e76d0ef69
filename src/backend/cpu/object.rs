//! Machine code as it is kept on disk. It is looked up by a hash of the program as it is compiled, the instruction set
//! with all its flags, and which forms of it are wanted. It is bytes with relocations by the number of a function or
//! the name of one of the runtime's: the emitters write no address into code. So it does not hang on how the program
//! was come by.

use super::{IMPORT, internal, of_module};
use crate::cache::{self, Name, Sort};
use crate::error::Error;
use crate::ir::Program;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{LibCall, Signature};
use cranelift_codegen::isa::TargetIsa;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module, ModuleReloc, ModuleRelocTarget};
use serde::{Deserialize, Serialize};

/// Functions that were compiled together, in the order in which they were declared.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Object(Vec<Function>);

#[derive(Debug, Serialize, Deserialize)]
struct Function {
    alignment: u64,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Relocation {
    offset: u32,
    /// Its place in [`KINDS`].
    kind: u8,
    target: Target,
    addend: i64,
}

#[derive(Debug, Serialize, Deserialize)]
enum Target {
    /// One of these functions.
    Function(u32),
    /// A place in one of them.
    Within(u32, u32),
    /// A function of the runtime.
    Runtime(String),
    /// A function of Cranelift's.
    Library(String),
}

/// Those that code for x86-64 and 64-bit Arm has which stands in one piece of memory.
const KINDS: [Reloc; 7] = [
    Reloc::Abs8,
    Reloc::Abs4,
    Reloc::X86PCRel4,
    Reloc::X86CallPCRel4,
    Reloc::Arm64Call,
    Reloc::Aarch64AdrPrelPgHi21,
    Reloc::Aarch64AddAbsLo12Nc,
];

impl Object {
    /// Takes a function with its relocations, the next one of `all`. `None` where it has one that cannot be written down.
    pub fn add(
        &mut self,
        module: &JITModule,
        all: &[FuncId],
        (alignment, bytes): (u64, &[u8]),
        relocations: &[ModuleReloc],
    ) -> Option<()> {
        let number = |id: FuncId| Some(all.iter().position(|one| *one == id)? as u32);
        let relocation = |ModuleReloc { offset, kind, name, addend }: &ModuleReloc| {
            let target = match name {
                ModuleRelocTarget::User { namespace: 0, index } => {
                    let id = FuncId::from_u32(*index);
                    let declared = module.declarations().get_function_decl(id);
                    match declared.linkage {
                        Linkage::Import => Target::Runtime(declared.name.clone()?),
                        _ => Target::Function(number(id)?),
                    }
                }
                ModuleRelocTarget::FunctionOffset(id, at) => Target::Within(number(*id)?, *at),
                ModuleRelocTarget::LibCall(call) => Target::Library(call.to_string()),
                _ => return None,
            };
            let kind = KINDS.iter().position(|known| known == kind)? as u8;
            Some(Relocation { offset: *offset, kind, target, addend: *addend })
        };
        let relocations = relocations.iter().map(relocation).collect::<Option<_>>()?;
        self.0.push(Function { alignment, bytes: bytes.to_vec(), relocations });
        Some(())
    }

    /// What is kept by a name, if it has so many functions.
    pub fn get(name: &Name, functions: usize) -> Option<Self> {
        let bytes = cache::of_user().get(name, Sort::Code)?;
        let object: Self = postcard::from_bytes(&bytes).ok()?;
        object.fits(functions).then_some(object)
    }

    pub fn put(&self, name: &Name) {
        if let Ok(bytes) = postcard::to_stdvec(self) {
            cache::of_user().put(name, Sort::Code, &bytes);
        }
    }

    /// Is it what was compiled of so many functions, and whole?
    fn fits(&self, functions: usize) -> bool {
        let is_right = |function: &Function, relocation: &Relocation| {
            let target = match &relocation.target {
                Target::Function(number) => (*number as usize) < functions,
                Target::Within(number, at) => {
                    self.0.get(*number as usize).is_some_and(|of| (*at as usize) < of.bytes.len())
                }
                Target::Runtime(_) => true,
                Target::Library(name) => name.parse::<LibCall>().is_ok(),
            };
            target
                && (relocation.kind as usize) < KINDS.len()
                && (relocation.offset as usize) < function.bytes.len()
        };
        self.0.len() == functions
            && self.0.iter().all(|function| {
                function.alignment.is_power_of_two()
                    && function.relocations.iter().all(|relocation| is_right(function, relocation))
            })
    }

    /// Gives the module the code of these functions, which are declared. Gives the bytes of all.
    pub fn define(&self, module: &mut JITModule, all: &[FuncId]) -> Result<usize, Error> {
        let mut bytes = 0;
        for (function, id) in self.0.iter().zip(all) {
            let mut relocations = Vec::with_capacity(function.relocations.len());
            for Relocation { offset, kind, target, addend } in &function.relocations {
                let name = match target {
                    Target::Function(number) => {
                        ModuleRelocTarget::User { namespace: 0, index: all[*number as usize].as_u32() }
                    }
                    Target::Within(number, at) => {
                        ModuleRelocTarget::FunctionOffset(all[*number as usize], *at)
                    }
                    Target::Runtime(name) => {
                        // Only its address matters.
                        let signature = Signature::new(module.isa().default_call_conv());
                        let id = module.declare_function(name, IMPORT, &signature).map_err(internal)?;
                        ModuleRelocTarget::User { namespace: 0, index: id.as_u32() }
                    }
                    Target::Library(name) => {
                        let call = name.parse().map_err(|()| internal("an unknown function"))?;
                        ModuleRelocTarget::LibCall(call)
                    }
                };
                let kind = KINDS[*kind as usize];
                relocations.push(ModuleReloc { offset: *offset, kind, name, addend: *addend });
            }
            module
                .define_function_bytes(*id, function.alignment, &function.bytes, &relocations)
                .map_err(of_module)?;
            bytes += function.bytes.len();
        }
        Ok(bytes)
    }
}

/// The name of the code that becomes of a program, for a machine; `what` of it, and how. `None` where nothing is kept.
pub fn name(program: &Program, isa: &dyn TargetIsa, what: &impl Serialize) -> Option<Name> {
    if !cache::is_on() || cache::of_user().folder().is_none() {
        return None;
    }
    let features: Vec<_> = isa.isa_flags().iter().map(ToString::to_string).collect();
    let machine = format!("{} {} {}", isa.triple(), isa.flags(), features.join(" "));
    let (program, what) = (postcard::to_stdvec(program).ok()?, postcard::to_stdvec(what).ok()?);
    Some(Name::new([machine.as_bytes(), &what, &program]))
}
