//! Finding values on a device: leaves judged, and values backed up.

use kogge_board::BackendError;
use kogge_board::breadth_first::{
    JudgeStages, MOST_QUIESCENCE_ROOM, PLIES_WITH_QUIESCENCE, Part, QUIESCENCE_NODES, QUIESCENCE_ROOM, StageError,
    Stages,
};

use crate::kernels::{Module, Stage};
use crate::runner::Scalars;
use crate::runtime::Buffer;
use crate::stages::{Session, all, scalars_of};

/// Leaves that are judged by the evaluation in one launch, so that drivers do not take a long kernel for one that hangs.
const LEAVES: usize = 1 << 24;

/// What quiescence searches take besides the buffers of the stages.
pub(crate) struct Quiescence {
    nodes: Buffer<[u32; 16]>,
    /// Where each work-item is: the index of its position, and the ply.
    states: Buffer<[u32; 2]>,
    /// For how many moves each has room.
    pub(crate) room: usize,
}

impl Session {
    /// Compiles what is needed to judge; returns whether that is new.
    ///
    /// # Errors
    /// If the compiler fails.
    pub(crate) fn begin_judging(&mut self) -> Result<bool, BackendError> {
        match &mut self.quiescence {
            Some(quiescence) => quiescence.room = QUIESCENCE_ROOM,
            None => {
                let lanes = self.choice.quiescence_lanes;
                let gpu = &self.runner.gpu;
                let buffers = gpu
                    .buffer("nodes", lanes * QUIESCENCE_NODES)
                    .and_then(|nodes| Ok((nodes, gpu.buffer("states", lanes)?)));
                let (nodes, states) =
                    buffers.map_err(|failure| self.runner.error("to make room for quiescence searches", failure))?;
                self.quiescence = Some(Quiescence { nodes, states, room: QUIESCENCE_ROOM });
            }
        }
        if self.runner.has(Module::Judging) {
            return Ok(false);
        }
        let compiled = self.runner.compile(&self.choice, Module::Judging);
        compiled.map_err(|failure| self.runner.error("to compile kernels", failure))?;
        Ok(true)
    }
}

/// A position's value stands where its root stood, which is not asked for here.
impl JudgeStages for Session {
    fn judge(&mut self, level: usize, len: usize) -> Result<(), StageError> {
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        let bound = [&here.positions.raw, &buffers.lines.raw, &here.roots.raw];
        for first in (0..len).step_by(LEAVES) {
            let leaves = first..len.min(first + LEAVES);
            runner.launch(Stage::Judge, leaves.len(), group, scalars_of(&leaves), &bound)?;
        }
        Ok(())
    }

    fn quiesce(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError> {
        let (moves, group, steps) = (self.sizes().moves, self.choice.group, self.choice.quiescence_steps);
        self.work(level + 1, len, 0)?;
        let (Some(buffers), Some(Quiescence { nodes, states, room })) = (&self.buffers, &self.quiescence) else {
            let (device, doing) = (self.runner.device.clone(), "to look for quiescence".to_owned());
            return Err(
                BackendError::Device { device, doing, reason: "nothing was made ready for that.".to_owned() }.into()
            );
        };
        let (runner, here) = (&mut self.runner, &buffers.levels[level]);
        let lanes = self.choice.quiescence_lanes.min(moves / room).min(len);
        if lanes == 0 && len > 0 {
            return Err(StageError::OutOfMemory);
        }
        let bound = [
            &here.positions.raw,
            &buffers.lines.raw,
            &buffers.items.raw,
            &buffers.item_count.raw,
            &buffers.totals.raw,
            &here.roots.raw,
            &nodes.raw,
            &states.raw,
        ];
        let depth = depth.min(PLIES_WITH_QUIESCENCE);
        let scalars = Scalars { depth, room: *room as u32, lanes: lanes as u32, steps, ..all(len) };
        runner.clear(&buffers.item_count, 2);
        runner.clear(states, lanes);
        let mut is_running = len > 0;
        while is_running {
            runner.launch(Stage::Quiesce, lanes, group, scalars, &bound)?;
            let counts = runner.read("whether searches are running", &buffers.item_count, 2)?;
            is_running = counts.last() != Some(&0);
            runner.write("how many positions are taken", &buffers.item_count, &[counts[0], 0])?;
        }
        Ok(())
    }

    fn back_up(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 2, part.positions.end, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let bound = [
            &here.positions.raw,
            &here.counts.raw,
            &here.offsets.raw,
            &here.bases.raw,
            &next.roots.raw,
            &here.roots.raw,
        ];
        runner.launch(Stage::BackUp, part.positions.len(), group, scalars_of(&part.positions), &bound)
    }

    fn values(&mut self, len: usize) -> Result<Vec<i32>, StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        let lost = runner.read("whether moves were lost", &buffers.totals, 1)?;
        if lost.first() != Some(&[0, 0]) {
            runner.clear(&buffers.totals, 1);
            let device = self.runner.device.clone();
            match &mut self.quiescence {
                Some(quiescence) if quiescence.room < MOST_QUIESCENCE_ROOM => quiescence.room = MOST_QUIESCENCE_ROOM,
                _ => {
                    let reason = "it found more moves than positions can have.".to_owned();
                    return Err(BackendError::WrongAnswer { device, reason }.into());
                }
            }
            return Err(StageError::Again);
        }
        let values = runner.read("the values", &buffers.levels[0].roots, len)?;
        Ok(values.into_iter().map(|value| value as i32).collect())
    }
}
