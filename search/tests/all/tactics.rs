//! Tactics of a well-known suite, with a low node limit.

#[path = "../../examples/tactics/suite.rs"]
mod suite;

use kogge_search::{Limits, Searcher};
use suite::Problem;

#[test]
fn win_at_chess() {
    let limits = Limits { nodes: Some(5_000), ..Limits::default() };
    let mut searcher = Searcher::new().unwrap();
    let problems = include_str!("../../../data/wac.epd").lines().step_by(3).map(|line| Problem::parse(line).unwrap());
    let unsolved: Vec<_> = problems.filter(|problem| !problem.search(&mut searcher, &limits).1).collect();
    let names: Vec<_> = unsolved.iter().map(|problem| &problem.name).collect();
    println!("{} of 100 are not solved: {names:?}", names.len());
    // The search fails on 40 positions, on every machine; a better search may fail on other positions.
    assert!(names.len() <= 45, "{names:?}");
}

#[test]
fn what_is_to_be_avoided_is_no_solution() {
    let mut searcher = Searcher::new().unwrap();
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let mut is_solved = |task: &str| {
        let line = format!("6k1/5ppp/8/8/8/8/8/R3K3 w - - {task}");
        Problem::parse(&line).map(|problem| problem.search(&mut searcher, &limits).1)
    };
    assert_eq!(is_solved("bm Ra8#; id \"mate\";"), Ok(true));
    assert_eq!(is_solved("bm Ra7 Ra8;"), Ok(true));
    assert_eq!(is_solved("bm Ra7;"), Ok(false));
    assert_eq!(is_solved("am Ra8;"), Ok(false));
    assert_eq!(is_solved("am Ra7 Ra6;"), Ok(true));
    for task in ["", "id \"nothing\";", "bm Ra9;", "bm Rb8;"] {
        assert!(is_solved(task).is_err(), "{task}");
    }
}
