//! The kernels' source for a device, and its bindings.

use kogge_gpu::kernels::{Binding, Module, Scalar};
use kogge_gpu::source::{Form, MODULES, constants, source as source_of};
use kogge_gpu::{GpuSettings, tuning};

/// Returns the source of a module: the constants that depend on the device, then the kernels.
pub fn source(settings: &GpuSettings, module: Module) -> String {
    let constants = constants(settings, module).map(|(name, value)| format!("const {name} = {value};\n")).concat();
    constants + &source_of(module, Form::of(settings))
}

/// Returns the source of a module with the scalars as immediates instead of in a buffer.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn with_immediates(source: &str) -> String {
    source.replacen("@group(0) @binding(0) var<uniform> scalars", "var<immediate> scalars", 1)
}

/// Returns the fingerprint of the source in all its forms.
pub fn fingerprint() -> String {
    let forms = Form::ALL.map(|form| MODULES.map(|module| source_of(module, form)).concat());
    tuning::fingerprint(forms.iter().map(String::as_str))
}

/// The size of a launch's scalars in bytes; every kernel receives them as one struct.
pub const SCALARS: usize = Scalar::ALL.len() * size_of::<u32>();

/// The binding of the scalars. The bindings of the buffers follow.
pub const SCALARS_BINDING: u32 = 0;

/// The binding of a buffer.
pub const fn binding_of(buffer: Binding) -> u32 {
    SCALARS_BINDING + 1 + buffer as u32
}

#[cfg(test)]
mod tests {
    use kogge_gpu::kernels::Kernel;
    use wgpu::naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};
    use wgpu::naga::{self, AddressSpace, StorageAccess};

    use kogge_gpu::source::Word;

    use super::*;

    /// The constants that depend on the device, but for `FAST_REVERSE`.
    const SETTINGS: [&str; 8] = [
        "GROUP",
        "CLOSED_FORM_GROUP",
        "CLOSED_FORM_TURNS",
        "COUNT_GROUP",
        "WEIGHTED_SUMS_GROUP",
        "QUEUE",
        "CAPTURE_CHANGE",
        "PAWN_BY_PAWN_CHANGE",
    ];

    /// Returns every form of the source, with the features that it uses.
    fn forms(module: Module) -> impl Iterator<Item = (String, Capabilities)> {
        Form::ALL.into_iter().flat_map(move |form| {
            let mut capabilities = Capabilities::empty();
            capabilities.set(Capabilities::SHADER_INT64, form.word == Word::Native);
            capabilities.set(Capabilities::SUBGROUP, form.subgroups);
            [false, true].map(|fast_reverse| {
                let constants = SETTINGS.map(|name| format!("const {name} = 64u;\n")).concat();
                let constants = format!("{constants}const FAST_REVERSE = {fast_reverse};\n");
                (constants + &source_of(module, form), capabilities)
            })
        })
    }

    fn validated(source: &str, capabilities: Capabilities) -> (naga::Module, naga::valid::ModuleInfo) {
        let module =
            naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        (module, info)
    }

    #[test]
    fn scalars_can_be_immediates() {
        // Vulkan guarantees 128 bytes.
        const { assert!(SCALARS <= 128) };
        for (source, capabilities) in MODULES.into_iter().flat_map(forms) {
            let spaces = |source: &str| {
                let (module, _) = validated(source, capabilities | Capabilities::IMMEDIATES);
                let scalars =
                    module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some("scalars"));
                let (_, scalars) = scalars.expect("scalars");
                (scalars.space, scalars.binding.map(|binding| binding.binding))
            };
            assert_eq!(spaces(&source), (AddressSpace::Uniform, Some(SCALARS_BINDING)));
            assert_eq!(spaces(&with_immediates(&source)), (AddressSpace::Immediate, None));
        }
    }

    /// Checks every form of the source.
    #[test]
    fn the_source_has_the_kernels_and_buffers_of_the_table() {
        for part in MODULES {
            for (source, capabilities) in forms(part) {
                let (module, info) = validated(&source, capabilities);
                for kernel in Kernel::of(&[part]) {
                    let index = module.entry_points.iter().position(|entry| entry.name == kernel.signature().name);
                    let index = index.expect("a kernel");
                    let used = module.global_variables.iter().filter_map(|(handle, variable)| {
                        let used: GlobalUse = info.get_entry_point(index)[handle];
                        let AddressSpace::Storage { access } = variable.space else { return None };
                        let written = access.contains(StorageAccess::STORE);
                        (!used.is_empty()).then_some((variable.name.clone()?, variable.binding?.binding, written))
                    });
                    let mut used: Vec<_> = used.collect();
                    let buffers = kernel.signature().buffers.iter();
                    let mut listed: Vec<_> = buffers
                        .map(|&buffer| (buffer.name().to_owned(), binding_of(buffer), buffer.is_written()))
                        .collect();
                    used.sort();
                    listed.sort();
                    assert_eq!(used, listed, "{}", kernel.signature().name);
                }
            }
        }
    }
}
