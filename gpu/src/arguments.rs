//! A struct of arguments for each kernel, whose fields have the names that the kernel uses.

use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::kernels::{Kernel, element, with_kernels};

/// The arguments of one kernel.
pub(crate) trait Arguments<I: Interface> {
    /// The kernel.
    const KERNEL: Kernel;

    /// Calls `launch` with the buffers and the scalars, in the order of the signature.
    fn bind<T>(&self, launch: impl FnOnce(&[&I::Buffer], &[u32]) -> T) -> T;
}

/// Defines the struct of each kernel's arguments.
macro_rules! arguments {
    ($($(#[$doc:meta])* $Kernel:ident, $name:literal, $module:ident: $($buffer:ident)* | $($scalar:ident)*;)*) => { $(
        pub(crate) struct $Kernel<'a, I: Interface> {
            $(pub(crate) $buffer: &'a Buffer<I, element::$buffer>,)*
            $(pub(crate) $scalar: u32,)*
        }

        impl<I: Interface> Arguments<I> for $Kernel<'_, I> {
            const KERNEL: Kernel = Kernel::$Kernel;

            fn bind<T>(&self, launch: impl FnOnce(&[&I::Buffer], &[u32]) -> T) -> T {
                launch(&[$(self.$buffer.raw()),*], &[$(self.$scalar),*])
            }
        }
    )* };
}

with_kernels!(arguments);
