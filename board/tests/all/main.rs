//! The public interface: formats, moves, attacks and placements.

mod attacks;
mod common;
mod evaluation;
mod fen_files;
mod formats;
mod moves;
mod placements;
mod planes32;
