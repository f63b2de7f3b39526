//! Finding values on a device: leaves judged, and values backed up.

use kogge_board::BackendError;
use kogge_board::breadth_first::{
    JudgeStages, MOST_QUIESCENCE_ROOM, PLIES_WITH_QUIESCENCE, Part, QUIESCENCE_NODES, QUIESCENCE_ROOM, StageError,
    Stages,
};

use crate::kernels::{Module, Stage, source};
use crate::runtime::Argument::{Buffer, Uint};
use crate::runtime::{Buffer as Memory, Node};
use crate::stages::Session;

/// Leaves that are judged by the evaluation in one launch, so that drivers do not take a long kernel for one that hangs.
const LEAVES: usize = 1 << 24;

/// Positions that a work-item of a quiescence search looks at in one launch, likewise.
const STEPS: u32 = 1 << 12;

/// What quiescence searches take besides the buffers of the stages.
pub(crate) struct Quiescence {
    nodes: Memory<Node>,
    /// Where each work-item is: the index of its position, and the ply.
    states: Memory<[u32; 2]>,
    /// For how many moves each has room.
    room: usize,
}

impl Session {
    /// Compiles what is needed to judge; returns whether that is new.
    ///
    /// # Errors
    /// If the compiler fails, with its log.
    pub(crate) fn begin_judging(&mut self) -> Result<bool, BackendError> {
        match &mut self.quiescence {
            Some(quiescence) => quiescence.room = QUIESCENCE_ROOM,
            None => {
                let lanes = self.choice.group * self.choice.quiescence_groups;
                let queue = &self.runner.queue;
                let buffers =
                    queue.buffer(lanes * QUIESCENCE_NODES).and_then(|nodes| Ok((nodes, queue.buffer(lanes)?)));
                let (nodes, states) = buffers.map_err(|failure| self.no_room(failure))?;
                self.quiescence = Some(Quiescence { nodes, states, room: QUIESCENCE_ROOM });
            }
        }
        if self.runner.has(Module::Judging) {
            return Ok(false);
        }
        let source = source(&self.choice, Module::Judging);
        self.runner.compile(&self.choice, Module::Judging, &source).map_err(|reason| BackendError::Unavailable {
            backend: "opencl",
            reason: format!("on {}, {reason}", self.runner.device),
        })?;
        Ok(true)
    }
}

/// A position's value stands where its root stood, which is not asked for here.
impl JudgeStages for Session {
    fn judge(&mut self, level: usize, len: usize) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        for first in (0..len).step_by(LEAVES) {
            let end = len.min(first + LEAVES);
            let arguments = [
                Buffer(&here.positions),
                Buffer(&buffers.lines),
                Uint(first as u32),
                Uint(end as u32),
                Buffer(&here.roots),
            ];
            // SAFETY: the level has room for so many positions and their values, says `work`.
            unsafe { runner.launch(Stage::Judge, end - first, &arguments)? };
        }
        Ok(())
    }

    fn quiesce(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError> {
        let moves = self.sizes().moves;
        self.work(level + 1, len, 0)?;
        let (Some(buffers), Some(Quiescence { nodes, states, room })) = (&self.buffers, &self.quiescence) else {
            let (device, doing) = (self.runner.device.clone(), "to look for quiescence".to_owned());
            return Err(
                BackendError::Device { device, doing, reason: "nothing was made ready for that.".to_owned() }.into()
            );
        };
        let (runner, here) = (&mut self.runner, &buffers.levels[level]);
        let lanes = states.len().min(moves / room).min(len);
        if lanes == 0 && len > 0 {
            return Err(StageError::OutOfMemory);
        }
        runner.clear("how many positions are taken", &buffers.item_count, 1)?;
        runner.clear("where searches are", states, lanes)?;
        let running = &buffers.successor_count;
        let mut is_running = len > 0;
        while is_running {
            runner.clear("whether searches are running", running, 1)?;
            let arguments = [
                Buffer(&here.positions),
                Buffer(&buffers.lines),
                Uint(len as u32),
                Uint(depth.min(PLIES_WITH_QUIESCENCE)),
                Uint(STEPS),
                Uint(lanes as u32),
                Uint(*room as u32),
                Buffer(&buffers.items),
                Buffer(nodes),
                Buffer(states),
                Buffer(&buffers.item_count),
                Buffer(running),
                Buffer(&buffers.lost),
                Buffer(&here.roots),
            ];
            // SAFETY: the level has room for so many positions and their values, says `work`; there are so many states,
            // nodes for each of them, and so many times the room for moves. The nodes are enough for a depth of one.
            unsafe { runner.launch(Stage::Quiesce, lanes, &arguments)? };
            is_running = runner.read("whether searches are running", running, 1)? != [0];
        }
        Ok(())
    }

    fn back_up(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 2, part.positions.end, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let arguments = [
            Buffer(&here.positions),
            Buffer(&here.counts),
            Buffer(&here.offsets),
            Buffer(&here.bases),
            Uint(part.positions.start as u32),
            Uint(part.positions.end as u32),
            Buffer(&next.roots),
            Buffer(&here.roots),
        ];
        // SAFETY: the positions are on the level, and their successors on the next, says `work`.
        unsafe { runner.launch(Stage::BackUp, part.positions.len(), &arguments) }
    }

    fn values(&mut self, len: usize) -> Result<Vec<i32>, StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        if runner.read("whether moves were lost", &buffers.lost, 1)? != [0] {
            runner.clear("whether moves were lost", &buffers.lost, 1)?;
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

#[cfg(test)]
mod tests {
    use kogge_board::{Backend, Fen, Leaves, Quad48, Rules, breadth_first};
    use kogge_movegen_cpu::Cpu;

    use super::*;
    use crate::OpenCl;
    use crate::mutants::first_device;
    use crate::options::Options;

    fn kiwipete() -> Vec<Quad48> {
        let fen: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        vec![Quad48::from(&fen.position)]
    }

    fn session(device: &crate::platform::Device) -> OpenCl {
        let options = Options::default();
        OpenCl::untested(device, Session::new(device, &options).unwrap())
    }

    #[test]
    fn without_room_for_moves_there_is_room_the_next_time() {
        let Some(device) = first_device() else { return };
        let mut backend = session(&device);
        backend.session.begin_judging().unwrap();
        let expected = Cpu::new(Some(1)).unwrap().minimax(&Rules::STANDARD, &kiwipete(), 1, Leaves::Quiescent);
        for room in 1..20 {
            backend.session.quiescence.as_mut().unwrap().room = room;
            let (rules, leaves) = (Rules::STANDARD, Leaves::Quiescent);
            let found =
                breadth_first::minimax(&mut backend, |backend| &mut backend.session, &rules, &kiwipete(), 1, leaves);
            assert_eq!(found, expected, "room for {room} moves");
            assert_eq!(backend.session.quiescence.as_ref().unwrap().room, MOST_QUIESCENCE_ROOM);
        }
        // Where there is room for all that can be, moves without room are an error, not another try.
        let Session { runner, buffers, .. } = &mut backend.session;
        runner.write("that moves were lost", &buffers.as_ref().unwrap().lost, &[1]).unwrap();
        let answer = backend.session.values(1);
        assert!(matches!(answer, Err(StageError::Backend(BackendError::WrongAnswer { .. }))), "{answer:?}");
    }

    /// The self-test must find errors: they are put in, one at a time.
    #[test]
    fn kernels_that_judge_wrong_are_not_used() {
        let Some(device) = first_device() else { return };
        let mut backend = session(&device);
        for (error, from, to) in [
            ("a king beside a king is under attack", "& ~their.king,\n        guarded", ",\n        guarded"),
            ("mates are as good as soon", "-1 - value", "-value"),
            ("stalemate is a loss", "drawn || (all", "(all"),
            ("nobody has to evade a check", "all_moves || judgement.check) {", "all_moves) {"),
            ("a cutoff comes too early", "opened = alpha <", "opened = alpha + 50 <"),
        ] {
            let source = source(&backend.session.choice, Module::Judging);
            assert!(source.contains(from), "the kernels do not say: {from}");
            let choice = backend.session.choice.clone();
            backend.session.runner.forget(Module::Judging);
            backend.session.runner.compile(&choice, Module::Judging, &source.replacen(from, to, 1)).unwrap();
            let verdict = kogge_board::minimax::self_test(&mut backend);
            assert!(matches!(verdict, Err(BackendError::WrongAnswer { .. })), "{error}: {verdict:?}");
        }
    }
}
