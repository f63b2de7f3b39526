//! A struct of arguments for each kernel, whose fields have the names that the kernel uses.

use kogge_board::merge::{Filter, KeyRange};

use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::kernels::{Kernel, element, with_kernels};

/// The arguments of one kernel.
pub(crate) trait Arguments<I: Interface> {
    /// The kernel.
    const KERNEL: Kernel;

    /// The buffers, in the order of the signature.
    fn buffers<'a>(&'a self) -> impl AsRef<[&'a I::Buffer]>
    where
        I: 'a;

    /// The scalars, in the order of the signature.
    fn scalars(&self) -> impl AsRef<[u32]>;
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

            fn buffers<'a>(&'a self) -> impl AsRef<[&'a I::Buffer]>
            where
                I: 'a,
            {
                [$(self.$buffer.raw()),*]
            }

            fn scalars(&self) -> impl AsRef<[u32]> {
                [$(self.$scalar),*]
            }
        }
    )* };
}

with_kernels!(arguments);

/// A number of plies from which on the kernels need not know the number. Each side has more moves than the kernels try.
const MOST_PLIES: u32 = 8;

/// Returns the scalar `filter_kind` of the kernels, and the range. For [`Filter::All`], the range is arbitrary.
pub(crate) fn parts_of(filter: Filter) -> (u32, KeyRange) {
    match filter {
        Filter::All => (u32::MAX, KeyRange::WHOLE),
        Filter::Reaching { range, plies, is_reversed } => (2 * plies.min(MOST_PLIES) + u32::from(is_reversed), range),
    }
}

/// Completes the arguments of a kernel with the scalars that select the successors to keep: `with_filter!(filter =>
/// Kernel { field, .., })`.
macro_rules! with_filter {
    ($filter:expr => $Kernel:ident { $($argument:tt)* }) => {{
        let (filter_kind, kogge_board::merge::KeyRange { first, last }) = crate::arguments::parts_of($filter);
        let [[first_own, first_theirs], [last_own, last_theirs]] = [first.pawns, last.pawns];
        $Kernel {
            $($argument)*
            filter_kind,
            first_own_low: first_own as u32,
            first_own_high: (first_own >> 32) as u32,
            first_theirs_low: first_theirs as u32,
            first_theirs_high: (first_theirs >> 32) as u32,
            first_hash: first.hash,
            last_own_low: last_own as u32,
            last_own_high: (last_own >> 32) as u32,
            last_theirs_low: last_theirs as u32,
            last_theirs_high: (last_theirs >> 32) as u32,
            last_hash: last.hash,
        }
    }};
}

pub(crate) use with_filter;
