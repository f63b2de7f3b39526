//! The check of an engine with planted faults. The engine is this test's own program, started again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::fen;
use kogge_board::Fen;
use kogge_check::FaultKind::{self, Answer, Crash, Hang, Hash, Make, Moves, Repeated, Sum, Undo};
use kogge_check::{
    CheckError, CheckReport, CheckSettings, Engine, EngineSetup, Fault, GivenPosition, Rule, check, corpus,
};
use kogge_driver::{Observer, Progress};
use kogge_movegen_cpu::{Cpu, LegalMoves};
use kogge_testkit::faulty_engine::{DIALECTS, FAULTS, Part, speak, speak_if_told};

/// Longer than any answer takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The patience with engines that hang, or do not know `uci`.
const SHORT: Duration = Duration::from_secs(2);
/// The number of engines that run at the same time.
const AT_ONCE: usize = 4;
/// The number of men of a smallest position.
const FEW: u32 = 8;

#[test]
fn engine() {
    speak_if_told();
}

fn setup(names: &[&str]) -> EngineSetup {
    let program = std::env::current_exe().unwrap();
    let command = format!("\"{}\" --exact check::engine --nocapture speak {}", program.display(), names.join(" "));
    let is_short = names.iter().any(|name| ["no-uci", "hangs-at-en-passant"].contains(name));
    EngineSetup::new(&command, if is_short { SHORT } else { PATIENCE })
}

/// Checks copies of an engine with these positions.
fn check_copies(
    copies: usize,
    names: &[&str],
    positions: &[GivenPosition],
    observer: &dyn Observer,
) -> Result<CheckReport, CheckError> {
    let copies = (0..copies).map(|_| Ok(Box::new(Engine::start(setup(names), observer)?) as _));
    let settings = CheckSettings {
        time: None,
        seed: 0,
        positions: Some(positions),
        reference: &|| Ok(Box::new(Cpu::new(Some(1))?)),
    };
    check(copies.collect::<Result<_, CheckError>>()?, &settings, observer)
}

fn report(names: &[&str], positions: &[GivenPosition]) -> CheckReport {
    check_copies(1, names, positions, &()).unwrap_or_else(|error| panic!("{names:?}: {error}"))
}

/// Does something with each item, in several threads, and returns the results in order.
fn for_each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let left = Mutex::new(items.iter().enumerate());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((index, item)) = left.lock().unwrap().next() else { return };
                    let result = work(item);
                    done.lock().unwrap().push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Positions of the corpus: each `step`th one, to two plies if these are few leaves.
fn some_of_the_corpus(step: usize, most: usize) -> Vec<GivenPosition> {
    let positions = corpus().into_iter().step_by(step).take(most).map(|position| position.fen);
    let two_plies = |fen: &Fen| LegalMoves::of(&fen.rules, &fen.position).count() <= 20;
    positions.map(|fen| GivenPosition { depth: Some(if two_plies(&fen) { 2 } else { 1 }), fen }).collect()
}

/// The positions that show planted faults.
fn shown_by(names: &[&str]) -> Vec<GivenPosition> {
    let planted = names.iter().flat_map(|name| FAULTS.iter().find(|planted| planted.name == *name).unwrap().shown_by);
    planted.map(|&(text, depth)| GivenPosition { fen: fen(text), depth: Some(depth) }).collect()
}

/// The planted faults with the kind and the rule that a check names.
const NAMED: [(&str, FaultKind, Option<Rule>); FAULTS.len()] = [
    ("en-passant-uncovers-rank", Moves, Some(Rule::EnPassantUncoversRank)),
    ("en-passant-uncovers-file", Moves, Some(Rule::EnPassantUncoversFile)),
    ("en-passant-uncovers-diagonal", Moves, Some(Rule::EnPassantUncoversDiagonal)),
    ("en-passant-evasion-missing", Moves, Some(Rule::EnPassantInCheck)),
    ("second-en-passant-missing", Moves, Some(Rule::EnPassantByEither)),
    ("castles-through-check", Moves, Some(Rule::CastlingThroughCheck)),
    ("castles-out-of-check", Moves, Some(Rule::CastlingOutOfCheck)),
    ("castles-into-check", Moves, Some(Rule::CastlingIntoCheck)),
    ("castling-fears-b", Moves, Some(Rule::CastlingRookAttacked)),
    ("castles-over-b", Moves, Some(Rule::CastlingBlocked)),
    ("knight-promotion-missing", Moves, Some(Rule::UnderPromotion)),
    ("rook-promotion-missing", Moves, Some(Rule::UnderPromotion)),
    ("promotion-to-left-missing", Moves, Some(Rule::PromotionToFileA)),
    ("leaves-diagonal-pin", Moves, Some(Rule::PinOnDiagonal)),
    ("pinned-pawn-captures", Moves, Some(Rule::PinOnFile)),
    ("double-check-ignored", Moves, Some(Rule::DoubleCheck)),
    ("king-steps-back", Moves, Some(Rule::KingStaysOnLine)),
    ("king-captures-protected", Moves, Some(Rule::KingTakesProtected)),
    ("kings-may-touch", Moves, Some(Rule::KingsTouch)),
    ("knight-wraps", Moves, Some(Rule::KnightAtEdge)),
    ("pawn-wraps", Moves, Some(Rule::PawnAtEdge)),
    ("double-push-jumps", Moves, Some(Rule::DoublePush)),
    ("double-push-from-sixth", Moves, Some(Rule::DoublePush)),
    ("bishop-stops-short", Moves, Some(Rule::AcrossBoard)),
    ("king-misses-corner", Moves, Some(Rule::KingMoves)),
    ("short-queen-list", Moves, Some(Rule::ManyMoves)),
    ("short-move-list", Moves, Some(Rule::ManyMoves)),
    ("captured-rook-keeps-right", Make, Some(Rule::KingsideRookCaptured)),
    ("promotion-keeps-right", Make, Some(Rule::PromotionTakesRight)),
    ("rook-keeps-right", Make, Some(Rule::RightLostByQueensideRook)),
    ("king-keeps-rights", Make, Some(Rule::RightLostByKing)),
    ("passed-square-stays", Make, Some(Rule::EnPassantTooLate)),
    ("single-push-is-passed", Make, Some(Rule::EnPassantTooLate)),
    ("undo-misplaces-pawn", Undo, Some(Rule::EnPassant)),
    ("undo-forgets-right", Undo, Some(Rule::CastlingQueenside)),
    ("undo-leaves-queen", Undo, Some(Rule::Promotion)),
    ("undo-forgets-passed-square", Undo, Some(Rule::EnPassant)),
    ("key-lacks-en-passant", Hash, None),
    ("key-lacks-castling", Hash, None),
    ("table-ignores-depth", Hash, None),
    ("table-collides", Hash, None),
    ("sum-adds-one", Sum, None),
    ("short-counts", Sum, None),
    ("prints-twice", Repeated, None),
    ("promotions-lack-letter", Moves, Some(Rule::Promotion)),
    ("crashes-at-promotion", Crash, None),
    ("hangs-at-en-passant", Hang, None),
    ("silent-at-mate", Answer, None),
    ("prints-garbage", Answer, None),
    ("closes-output", Crash, None),
];

/// Faults that need many men, that no smaller position is tried for, or that depend on earlier questions.
const LARGE: [&str; 4] = ["short-queen-list", "short-move-list", "hangs-at-en-passant", "table-ignores-depth"];

/// Returns the fault of a report that is named for a planted one.
#[track_caller]
fn fault_of<'r>(report: &'r CheckReport, planted: &str) -> &'r Fault {
    let (_, kind, rule) = NAMED.iter().find(|(name, ..)| *name == planted).expect("a planted fault");
    let found = report.faults.iter().find(|fault| (fault.kind, fault.rule) == (*kind, *rule));
    found.unwrap_or_else(|| panic!("{planted} is not among the faults: {:#?}", report.faults))
}

/// Whether an engine with these faults answers the commands of a fault in the way of an engine without faults.
fn is_right_about(fault: &Fault, names: &[&str]) -> bool {
    let said = |names: &[&str]| {
        let mut output = Vec::new();
        speak(names, fault.commands.join("\n").as_bytes(), &mut output);
        output
    };
    said(names) == said(&[])
}

#[test]
fn every_planted_fault_is_found() {
    for_each(FAULTS, |planted| {
        let name = planted.name;
        let positions = [shown_by(&[name]), some_of_the_corpus(7, 60)].concat();
        let report = report(&[name], &positions);
        let fault = fault_of(&report, name);
        assert!(report.faults.len() <= 2, "{name}: {:#?}", report.faults);
        assert_eq!(report.answers, positions.len() as u64, "{name}");
        assert!(fault.times > 0 && !fault.commands.is_empty(), "{name}: {fault:#?}");
        let men = fault.position.position.occupied().count_ones();
        assert!(men <= FEW || LARGE.contains(&name), "{name}: {fault:#?}");
        assert!(!fault.reasons.is_empty() && fault.reasons.iter().all(|reason| reason.ends_with('.')), "{fault:#?}");
        let has_wrong_moves = !fault.missing.is_empty() || !fault.extra.is_empty();
        match fault.kind {
            Moves | Make => assert!(has_wrong_moves && fault.counts.is_empty(), "{name}: {fault:#?}"),
            Undo => assert!(!has_wrong_moves && !fault.counts.is_empty(), "{name}: {fault:#?}"),
            Repeated => assert!(!fault.repeated.is_empty(), "{name}: {fault:#?}"),
            _ => {}
        }
        assert_eq!(fault.kind == Make, !fault.line.is_empty(), "{name}: {fault:#?}");
        // In another process, these need a longer session, or end this one.
        if planted.part != Part::Process && name != "table-ignores-depth" {
            assert!(!is_right_about(fault, &[name]), "{name}: {fault:#?}");
        }
    });
}

#[test]
fn several_faults_are_all_found() {
    let sets: [&[&str]; 7] = [
        &["knight-promotion-missing", "castles-through-check", "captured-rook-keeps-right"],
        &["en-passant-uncovers-rank", "king-captures-protected"],
        &["undo-misplaces-pawn", "pawn-wraps", "bishop-stops-short"],
        &["key-lacks-castling", "double-check-ignored"],
        &["prints-twice", "castles-into-check"],
        &["sum-adds-one", "castles-out-of-check", "rook-keeps-right"],
        &["crashes-at-promotion", "kings-may-touch", "silent-at-mate"],
    ];
    for_each(&sets, |names| {
        let report = report(names, &[shown_by(names), some_of_the_corpus(7, 60)].concat());
        for name in *names {
            fault_of(&report, name);
        }
    });
}

#[test]
fn engines_without_faults_pass() {
    let alone = DIALECTS.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("slow"));
    let mut dialects: Vec<Vec<&str>> = alone.map(|name| vec![name]).collect();
    dialects.push(vec![]);
    dialects.push(vec!["async", "no-sum"]);
    dialects.push(vec!["castles-to-rook", "capital-promotions", "perft-command"]);
    let chess960 = corpus().iter().filter(|position| position.fen.is_chess960()).count() as u64;
    assert!(chess960 > 100);
    for_each(&dialects, |names| {
        // Each answer without a sum ends with a silence, a long one if the engine may be ready before its last line.
        let step = match (names.contains(&"no-sum"), names.contains(&"async")) {
            (true, true) => 128,
            (true, false) => 16,
            (false, _) => 1,
        };
        let positions = some_of_the_corpus(step, usize::MAX);
        let report = report(names, &positions);
        assert_eq!(report.faults, [], "{names:?}");
        // Without UCI, an engine cannot be told that it is Chess960.
        let left = if names.contains(&"no-uci") { chess960 } else { 0 };
        assert_eq!((report.given, report.restarts), ((positions.len() as u64 - left, left), 0), "{names:?}");
        assert_eq!(report.chess960, left == 0, "{names:?}");
        assert!(report.rules.iter().all(|tally| tally.failed == 0), "{names:?}");
        if step == 1 && left == 0 {
            let untested = [Rule::WrongPiece, Rule::Notation];
            let rules = Rule::ALL.into_iter().filter(|rule| !untested.contains(rule));
            assert!(report.rules.iter().map(|tally| tally.rule).eq(rules), "{names:?}");
        }
    });
}

#[test]
fn a_check_goes_on_after_a_crash_and_a_hang() {
    let sets = [["crashes-at-promotion", "castles-through-check"], ["hangs-at-en-passant", "knight-promotion-missing"]];
    for_each(&sets, |names| {
        let report = report(names, &shown_by(names));
        assert_eq!(report.answers, 2, "{names:?}");
        assert!(report.restarts > 0, "{names:?}");
        let failure = fault_of(&report, names[0]);
        let asked = failure.commands.last().unwrap();
        assert!(failure.reasons[0].contains(&format!("when it was asked for {asked:?}")), "{failure:#?}");
        fault_of(&report, names[1]);
    });
}

#[test]
fn copies_share_the_work() {
    let name = "knight-promotion-missing";
    let positions = [shown_by(&[name]), some_of_the_corpus(3, 200)].concat();
    let one = report(&[name], &positions);
    let three = check_copies(3, &[name], &positions, &()).unwrap();
    assert_eq!((three.answers, three.given), (one.answers, one.given));
    assert_eq!(three.rules, one.rules);
    assert_eq!(three.faults.len(), 1);
    assert_eq!((three.faults[0].times, three.faults[0].rule), (one.faults[0].times, one.faults[0].rule));
}

/// Stops a check after some answers.
struct StopAfter(u64, AtomicBool);

impl Observer for StopAfter {
    fn progress(&self, progress: &Progress) {
        self.1.fetch_or(progress.done >= self.0, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

#[test]
fn a_stopped_check_has_a_report() {
    let name = "knight-promotion-missing";
    let positions = [shown_by(&[name]), some_of_the_corpus(1, 200)].concat();
    let report = check_copies(1, &[name], &positions, &StopAfter(20, AtomicBool::new(false))).unwrap();
    assert!(report.was_stopped);
    assert_eq!((report.answers, report.given), (20, (20, positions.len() as u64 - 20)));
    fault_of(&report, name);
}

#[test]
fn positions_of_chess960_are_left_out_if_an_engine_does_not_know_it() {
    let positions = some_of_the_corpus(5, 100);
    let chess960 = positions.iter().filter(|position| position.fen.is_chess960()).count() as u64;
    let setup = EngineSetup { chess960: Some(false), ..setup(&[]) };
    let settings = CheckSettings {
        time: None,
        seed: 0,
        positions: Some(&positions),
        reference: &|| Ok(Box::new(Cpu::new(Some(1))?)),
    };
    let report = check(vec![Box::new(Engine::start(setup, &()).unwrap())], &settings, &()).unwrap();
    assert!(!report.chess960 && chess960 > 0);
    assert_eq!(report.given, (100 - chess960, chess960));
}

#[test]
fn the_built_in_positions_come_without_being_named() {
    let settings = CheckSettings {
        time: Some(Duration::from_secs_f64(3.0)),
        seed: 1,
        positions: None,
        reference: &|| Ok(Box::new(Cpu::new(Some(1))?)),
    };
    let engine = Engine::start(setup(&["knight-promotion-missing"]), &()).unwrap();
    let report = check(vec![Box::new(engine)], &settings, &()).unwrap();
    fault_of(&report, "knight-promotion-missing");
    assert_eq!(report.given.0 + report.given.1, corpus().len() as u64);
}
