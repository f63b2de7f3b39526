//! Running kernels on a device, with errors that name it.

use kogge_board::BackendError;
use kogge_board::breadth_first::StageError;
use ocl::ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE;

use crate::kernels::{Module, SIGNATURES, STAGES, Signature, Stage, Type};
use crate::options::Choice;
use crate::profile::Profile;
use crate::runtime::{Argument, Buffer, Element, Failure, Kernel, Program, Queue};

/// A device's queue and the kernels compiled for it.
pub(crate) struct Runner {
    /// The device's name.
    pub(crate) device: String,
    pub(crate) queue: Queue,
    /// The modules that are compiled.
    programs: Vec<(Module, Program)>,
    /// What the compiler said.
    pub(crate) log: String,
    pub(crate) profile: Option<Profile>,
    /// In the order of the stages; those of modules that are not compiled are missing.
    kernels: [Option<Launch>; STAGES.len()],
}

/// A kernel and how it is launched.
struct Launch {
    kernel: Kernel,
    /// Work-items of a work-group.
    group: usize,
    /// How many work-groups there are at most.
    most_groups: usize,
}

impl Runner {
    /// A device for which nothing is compiled yet.
    pub(crate) fn new(device: String, queue: Queue, profiled: bool) -> Self {
        let (programs, log, profile) = (Vec::new(), String::new(), profiled.then(Profile::new));
        Self { device, queue, programs, log, profile, kernels: [const { None }; STAGES.len()] }
    }

    /// Whether a module is compiled.
    pub(crate) fn has(&self, module: Module) -> bool {
        self.program(module).is_some()
    }

    /// A module, if it is compiled.
    pub(crate) fn program(&self, module: Module) -> Option<&Program> {
        self.programs.iter().find(|(known, _)| *known == module).map(|(_, program)| program)
    }

    /// Forgets a module.
    pub(crate) fn forget(&mut self, module: Module) {
        self.programs.retain(|(known, _)| *known != module);
        for stage in STAGES.into_iter().filter(|stage| stage.module() == module) {
            self.kernels[stage as usize] = None;
        }
    }

    /// Compiles the kernels of a module from their [source](crate::kernels::source).
    ///
    /// # Errors
    /// A sentence, with the compiler's log if it is the compiler that failed.
    pub(crate) fn compile(&mut self, choice: &Choice, module: Module, source: &str) -> Result<(), String> {
        let (program, log) = self.queue.build(source, &choice.compiler_options());
        let program = program
            .map_err(|failure| format!("the kernels cannot be compiled. {failure} The compiler says:\n{log}"))?;
        for stage in STAGES.into_iter().filter(|stage| stage.module() == module) {
            let Signature { name, .. } = SIGNATURES[stage as usize];
            let group = stage.group(choice);
            let kernel = program.kernel(name).map_err(|failure| failure.to_string())?;
            let most = self.queue.max_work_group_size(&kernel).map_err(|failure| failure.to_string())?;
            if most < group {
                return Err(format!("the kernel {name} runs in work-groups of at most {most}, and not of {group}."));
            }
            self.kernels[stage as usize] = Some(Launch { kernel, group, most_groups: stage.most_groups(choice) });
        }
        self.programs.push((module, program));
        self.log += &log;
        Ok(())
    }

    /// An error that names the device and what it was doing.
    pub(crate) fn failed(&self, doing: &str, failure: Failure) -> StageError {
        let (device, doing) = (self.device.clone(), doing.to_owned());
        BackendError::Device { device, doing, reason: failure.to_string() }.into()
    }

    /// Queues a kernel for so many items. No items, no kernel.
    ///
    /// # Safety
    /// The buffers must hold as many elements as the kernel reads and writes for these items.
    pub(crate) unsafe fn launch(
        &mut self,
        stage: Stage,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Result<(), StageError> {
        let Signature { name, parameters } = SIGNATURES[stage as usize];
        debug_assert!(parameters.len() == arguments.len(), "the kernel {name} has {} parameters", parameters.len());
        for (&(parameter, kind), argument) in parameters.iter().zip(arguments) {
            let fits = match (kind, argument) {
                (Type::Input(element) | Type::Output(element), Argument::Buffer(buffer)) => element == buffer.element(),
                (Type::Uint, Argument::Uint(_)) => true,
                _ => false,
            };
            debug_assert!(fits, "{parameter} of the kernel {name} is of another type");
        }
        if items == 0 {
            return Ok(());
        }
        let Some(Launch { kernel, group, most_groups }) = &mut self.kernels[stage as usize] else {
            let (device, doing) = (self.device.clone(), format!("to run the kernel {name}"));
            let reason = "it has not been compiled.".to_owned();
            return Err(BackendError::Device { device, doing, reason }.into());
        };
        let groups = items.div_ceil(*group).min(*most_groups);
        // SAFETY: the arguments are those of the table, as tests see to, and another test compares the table with the
        // source. That the buffers are large enough is the caller's promise.
        let event = unsafe { self.queue.launch(kernel, groups, *group, arguments) };
        let noted = event.and_then(|event| match (&mut self.profile, event) {
            (Some(profile), Some(event)) => profile.add(stage, items, event),
            _ => Ok(()),
        });
        noted.map_err(|failure| match failure.code {
            // Nothing was run.
            CL_MEM_OBJECT_ALLOCATION_FAILURE => StageError::OutOfMemory,
            _ => self.failed(&format!("to run the kernel {name}"), failure),
        })
    }

    /// Waits for all that was queued, and reads the first `len` elements.
    pub(crate) fn read<T: Element>(&self, what: &str, buffer: &Buffer<T>, len: usize) -> Result<Vec<T>, StageError> {
        self.read_from(what, buffer, 0, len)
    }

    /// The same from element number `first` on.
    pub(crate) fn read_from<T: Element>(
        &self,
        what: &str,
        buffer: &Buffer<T>,
        first: usize,
        len: usize,
    ) -> Result<Vec<T>, StageError> {
        self.queue.read(buffer, first, len).map_err(|failure| self.failed(&format!("to give back {what}"), failure))
    }

    /// Writes the first elements, and waits until that is done.
    pub(crate) fn write<T: Element>(&self, what: &str, buffer: &Buffer<T>, data: &[T]) -> Result<(), StageError> {
        self.queue.write(buffer, data).map_err(|failure| self.failed(&format!("to take {what}"), failure))
    }

    /// Sets the first `len` elements to zero, in turn.
    pub(crate) fn clear<T: Element>(&self, what: &str, buffer: &Buffer<T>, len: usize) -> Result<(), StageError> {
        self.queue.clear(buffer, len).map_err(|failure| self.failed(&format!("to clear {what}"), failure))
    }
}
