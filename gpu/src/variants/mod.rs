//! Published ways of counting that measured slower on every device so far. They are kept for comparison, and tests
//! check their answers.

pub(crate) mod depth_first;

use crate::kernels::Part;

/// The maximum number of plies that a kernel counts depth first. The leaves below a position then fit in its total.
pub(crate) const MOST_LAST_PLIES: u32 = 6;

/// The variants that a device uses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Variants {
    /// The attacks of a single slider are looked up in a table of 841 KiB by magic numbers. The kernels' interface adds the table.
    pub magic: bool,
    /// A position in device memory is six bitboards (the boards of [`Quad48`](kogge_board::Quad48) as the side to move sees them)
    /// instead of a [`Planes32`](kogge_board::Planes32). The first and last rank of the pawns' board mark the rooks that may
    /// castle.
    pub boards48: bool,
    /// The number of plies, 2 to 6, that each work-item walks below a position depth first. It makes and unmakes moves with a
    /// stack of four-byte undo moves in local memory.
    pub depth_first: Option<u32>,
}

impl Variants {
    /// The bytes of a position.
    pub const fn position_bytes(self) -> usize {
        if self.boards48 { 48 } else { 32 }
    }

    pub(crate) const fn position_parts(self) -> usize {
        self.position_bytes() / size_of::<Part>()
    }

    /// Returns the number of undo moves that a work-item stores. Moves of the last two plies need no undo move. At least one
    /// undo move is stored, because arrays must not be empty.
    pub const fn stacked(self) -> usize {
        match self.depth_first {
            Some(plies) if plies > 3 => plies as usize - 2,
            _ => 1,
        }
    }

    /// Checks the number of plies, with work-groups of this size.
    ///
    /// # Errors
    /// A sentence that names the option.
    pub(crate) fn check(self, group_size: usize, local_memory: u64) -> Result<(), String> {
        let Some(plies) = self.depth_first else { return Ok(()) };
        if (2..=MOST_LAST_PLIES).contains(&plies) && (group_size * self.stacked() * 4) as u64 <= local_memory {
            return Ok(());
        }
        Err(format!(
            "a work-item can walk 2 to {MOST_LAST_PLIES} plies depth first, as local memory permits, and {plies} \
             were asked for."
        ))
    }
}
