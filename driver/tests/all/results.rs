//! `RESULTS.md` and the tables in `data/`: they agree, every row is confirmed in a second way, and small terms of sequences are
//! recomputed.
//!
//! `reference_data.rs` recomputes the other tables, and the program's tests compare the large counts with the published ones.

use std::collections::HashMap;

use crate::support::{fen, rows};
use kogge_board::known::{self, KnownCounts};
use kogge_driver::{Driver, MergeSettings, legal_moves};
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_movegen_cpu::{Cpu, Game};
use sha2::{Digest, Sha256};

const RESULTS: &str = include_str!("../../../RESULTS.md");

/// The start positions of Chess960 with their counts, by Scharnagl number.
const STARTS: &str = include_str!("../../../data/chess960-starts.epd");

/// The maximum number of leaves of a term that a test counts by merged plies, and that the mailbox counts one by one.
const MOST_MERGED: u128 = 500_000_000;
const MOST_MADE: u128 = 100_000;

fn standard(name: &str) -> KnownCounts {
    known::standard().into_iter().find(|known| known.name == name).unwrap_or_else(|| panic!("no position {name}"))
}

/// A term of a sequence.
struct Term {
    sequence: &'static str,
    fen: &'static str,
    n: u32,
    count: u128,
    published: Option<u128>,
    second: &'static str,
}

fn terms() -> Vec<Term> {
    let term = |row: Vec<&'static str>| {
        let &[sequence, fen, n, count, published, second] = &row[..] else { panic!("{row:?}") };
        let published = (published != "-").then(|| published.parse().unwrap());
        Term { sequence, fen, n: n.parse().unwrap(), count: count.parse().unwrap(), published, second }
    };
    rows(include_str!("../../../data/sequences.tsv")).map(term).collect()
}

/// Returns the cells of the table whose head row begins with `heads`.
fn table(heads: &str) -> Vec<Vec<&'static str>> {
    let lines = RESULTS.lines().skip_while(|line| !line.starts_with(heads)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let rows: Vec<_> = rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect();
    assert!(!rows.is_empty(), "no table begins with {heads}");
    rows
}

/// Reads a number with commas or marks around it.
fn number(text: &str) -> u128 {
    text.replace([',', '*'], "").parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

#[test]
fn every_term_has_a_second_way() {
    let mut next = HashMap::new();
    for Term { sequence, fen: root, n, count, published, second } in terms() {
        let expected = next.entry(sequence).or_insert(0);
        assert_eq!(n, *expected, "the terms of {sequence} are in order");
        *expected += 1;
        assert!(!second.is_empty(), "{sequence}({n})");
        for way in second.split("; ") {
            let is_known = ["OEIS", "raw", "mailbox", "opencl", "wgpu", "another project"].contains(&way)
                || way.starts_with("merged with ");
            assert!(is_known, "{sequence}({n}): {way}");
        }
        // A published term confirms ours if and only if it is right.
        assert_eq!(second.split("; ").any(|way| way == "OEIS"), published == Some(count), "{sequence}({n})");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert!(root.len() > start.len() / 2 && fen(root).to_string() == root, "{root}");
    }
    assert_eq!(next.len(), 6);
}

#[test]
fn small_terms_are_recomputed() {
    let (mut cpu, mut mailbox) = (Cpu::new(None).unwrap(), Mailbox::new());
    let settings = MergeSettings::with_memory(1 << 30);
    let mut recomputed = 0;
    for Term { sequence, fen: root, n, count, .. } in terms() {
        let root = fen(root);
        if count <= MOST_MERGED {
            let merged = Driver::new(&mut cpu, &()).perft_merged(&root, n, &settings).unwrap();
            assert_eq!(merged.leaves, count, "{sequence}({n})");
            recomputed += 1;
        }
        if count <= MOST_MADE {
            assert_eq!(Driver::new(&mut mailbox, &()).perft(&root, n), Ok(count), "{sequence}({n})");
        }
    }
    assert!(recomputed >= 40, "{recomputed} terms");
}

#[test]
fn sequences_are_those_of_the_data() {
    let listed = table("| sequence | start position |");
    let terms = terms();
    let mut seen = 0;
    for row in &listed {
        let name = row[0].trim_start_matches('[').split(']').next().unwrap();
        let texts: Vec<_> = row[3].split(", ").collect();
        let expected: Vec<_> = terms.iter().filter(|term| term.sequence == name).collect();
        assert_eq!(row[2], format!("0 to {}", expected.len() - 1), "{name}");
        assert_eq!(texts.len(), expected.len(), "{name}");
        for (text, term) in texts.iter().zip(expected) {
            assert_eq!(number(text), term.count, "{name}({})", term.n);
            let marks = text.chars().filter(|&mark| mark == '*').count();
            let is = match term.published {
                None => 4,
                Some(published) if published != term.count => 2,
                Some(_) => 0,
            };
            assert_eq!(marks, is, "bold if new, italic if corrected: {name}({})", term.n);
            seen += 1;
        }
    }
    assert_eq!(seen, terms.len());
    let differing: Vec<_> = terms.iter().filter(|term| term.published != Some(term.count)).collect();
    let listed = table("| term | count |");
    assert_eq!(listed.len(), differing.len());
    for (row, term) in listed.iter().zip(differing) {
        assert_eq!(row[0], format!("{}({})", term.sequence, term.n));
        assert_eq!(number(row[1]), term.count);
        assert_eq!((row[2] != "-").then(|| number(row[2])), term.published, "{}", row[0]);
        assert_eq!(row[3], term.second, "{}", row[0]);
    }
}

#[test]
fn every_large_count_has_a_command_and_a_second_way() {
    let mut seen = 0;
    for row in table("| position | depth |") {
        let [position, depth, leaves, by, plan, time, confirmed, command, _] = row[..] else { panic!("{row:?}") };
        assert!([by, plan, time, confirmed].iter().all(|cell| !cell.is_empty()) && number(leaves) > 0, "{row:?}");
        let command = command.trim_matches('`');
        let commands = ["perft", "run"].map(|name| format!("kogge {name} {depth} "));
        assert!(commands.iter().any(|start| command.starts_with(start)), "{command}");
        let name = position.to_lowercase().replace("position ", "pos");
        let root = known::standard().into_iter().find(|known| known.name == name && name != "startpos");
        assert!(root.is_none_or(|root| command.ends_with(&format!("--fen {}", root.name))), "{command}");
        seen += 1;
    }
    assert!(seen >= 13);
}

#[test]
fn games_that_end_in_mate_or_in_check_are_recomputed() {
    let listed = table("| sequence | games |");
    let [mates, games, checks] = [0, 1, 2].map(|row: usize| listed[row][3].split(", ").map(number).collect::<Vec<_>>());
    let last = |terms: &[u128]| format!("0 to {}", terms.len() - 1);
    assert_eq!([listed[0][2], listed[1][2], listed[2][2]], [last(&mates), last(&games), last(&checks)]);
    let start = standard("startpos");
    for (n, &term) in games.iter().enumerate() {
        let leaves = if n == 0 { Some(1) } else { start.leaves(n as u32) };
        assert_eq!(Some(term), leaves.map(|leaves| leaves + mates[..n].iter().sum::<u128>()), "A006494({n})");
    }
    let mut cpu = Cpu::new(None).unwrap();
    for (n, &expected) in mates.iter().enumerate().take(7) {
        let counted = Driver::new(&mut cpu, &()).stats(&start.root, n as u32).unwrap();
        assert_eq!(counted.mates, expected, "A079485({n})");
        assert_eq!(counted.checks - counted.mates, checks[n], "A089956({n})");
    }
    let page = include_str!("../../../docs/categories.md");
    let page = page.split_once("## The start position").unwrap().1.split_once("## Other positions").unwrap().0;
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.map(|row| row.split(" | ").collect::<Vec<_>>()).filter(|row| row[0] != "depth");
    let mut plies = 0;
    for row in rows {
        let n = row[0].parse::<usize>().unwrap();
        assert_eq!((number(row[9]), number(row[6]) - number(row[9])), (mates[n], checks[n]), "{n} plies");
        plies = n;
    }
    assert_eq!([plies + 1; 2], [mates.len(), checks.len()]);
}

/// Returns the first rank of a start position of Chess960 by its Scharnagl number: the bishops go on light and on dark squares, then the
/// queen and the knights on the remaining squares from the left, then rook, king and rook.
fn first_rank(number: usize) -> String {
    const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let mut files = [None; 8];
    files[2 * (number % 4) + 1] = Some('b');
    files[2 * (number / 4 % 4)] = Some('b');
    let mut place = |piece, rank: usize| {
        let free = (0..8).filter(|&file| files[file].is_none()).nth(rank).unwrap();
        files[free] = Some(piece);
    };
    place('q', number / 16 % 6);
    let [first, second] = KNIGHTS[number / 96];
    // The first knight's square is already taken when the second knight is placed.
    place('n', first);
    place('n', second - 1);
    ['r', 'k', 'r'].into_iter().for_each(|piece| place(piece, 0));
    files.into_iter().flatten().collect()
}

/// A start position of Chess960: its FEN, and its leaves at depths 1 to 8.
fn starts() -> Vec<(&'static str, Vec<u128>)> {
    let line = |line: &'static str| {
        let mut fields = line.split(" ;");
        let fen = fields.next().unwrap();
        let count = |(index, field): (usize, &str)| number(field.strip_prefix(&format!("D{} ", index + 1)).unwrap());
        (fen, fields.enumerate().map(count).collect())
    };
    STARTS.lines().map(line).collect()
}

#[test]
fn start_positions_of_chess960_are_recomputed() {
    let starts = starts();
    assert_eq!(starts.len(), 960);
    assert_eq!(first_rank(518), "rnbqkbnr");
    let (mut cpu, mut mailbox) = (Cpu::new(None).unwrap(), Mailbox::new());
    let settings = MergeSettings::with_memory(1 << 30);
    for (index, (root, leaves)) in starts.iter().enumerate() {
        let rank = first_rank(index);
        let upper = rank.to_uppercase();
        assert!(root.starts_with(&format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{upper} w ")), "{index}: {root}");
        assert_eq!((fen(root).to_string(), leaves.len()), (root.to_string(), 10), "{index}");
        assert_eq!(Driver::new(&mut mailbox, &()).perft(&fen(root), 3), Ok(leaves[2]), "{index}");
        for depth in [1, 2, 4] {
            assert_eq!(Driver::new(&mut cpu, &()).perft(&fen(root), depth), Ok(leaves[depth as usize - 1]), "{index}");
        }
        // The deepest of these counts take a tenth of a second each.
        for depth in (5..=7).filter(|depth| (index + *depth as usize).is_multiple_of([7, 31, 131][*depth as usize - 5]))
        {
            let merged = Driver::new(&mut cpu, &()).perft_merged(&fen(root), depth, &settings).unwrap();
            assert_eq!(merged.leaves, leaves[depth as usize - 1], "{index} at depth {depth}");
        }
    }
    let start = standard("startpos");
    assert!((1..=10).all(|depth| start.leaves(depth) == Some(starts[518].1[depth as usize - 1])));
    for row in table("| depth | leaves of all |") {
        let depth = row[0].parse::<usize>().unwrap();
        let leaves = |index: usize| starts[index].1[depth - 1];
        assert_eq!(number(row[1]), (0..960).map(leaves).sum::<u128>(), "depth {depth}");
        let least = (0..960).min_by_key(|&index| leaves(index)).unwrap();
        let most = (0..960).max_by_key(|&index| (leaves(index), index)).unwrap();
        let cell = |index: usize| format!("{} ({})", leaves(index), index);
        assert_eq!([row[2], row[3]].map(|cell| cell.replace(',', "")), [least, most].map(cell), "depth {depth}");
    }
    let sum: String = Sha256::digest(STARTS).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(RESULTS.contains(&sum), "{sum}");
}

#[test]
fn distinct_positions_are_those_of_the_data() {
    let data: Vec<_> = rows(include_str!("../../../data/unique.tsv")).filter(|row| row[0] == "startpos").collect();
    for row in table("| ply | distinct positions |") {
        let expected = &data[row[0].parse::<usize>().unwrap()];
        for (cell, expected) in row[1..].iter().zip(&expected[2..]).filter(|(cell, _)| **cell != "-") {
            assert_eq!(number(cell), expected.parse().unwrap(), "ply {}", row[0]);
        }
    }
}

#[test]
fn kinds_of_moves_are_those_of_the_tree() {
    let page = include_str!("../../../docs/categories.md").split_once("## The start position").unwrap().1;
    let (mut cpu, mut seen, mut recomputed) = (Cpu::new(None).unwrap(), 0, 0);
    for row in page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")) {
        let mut cells: Vec<_> = row.split(" | ").collect();
        if cells[0].parse::<u32>().is_ok() {
            cells.insert(0, "startpos");
        }
        let Ok(depth) = cells[1].parse() else { continue };
        let name = cells[0].to_lowercase().replace("position ", "pos");
        let known = standard(&name);
        let numbers: Vec<_> = cells[2..].iter().map(|cell| number(cell)).collect();
        assert_eq!((known.leaves(depth), numbers.len()), (Some(numbers[0]), 9), "{row}");
        if numbers[0] <= MOST_MERGED {
            let found = Driver::new(&mut cpu, &()).stats(&known.root, depth).unwrap();
            assert_eq!(numbers, found.to_array(), "{row}");
            recomputed += 1;
        }
        seen += 1;
    }
    assert!(seen >= 20 && recomputed >= 2, "{seen} rows, {recomputed} recomputed");
}

#[test]
fn divides_are_complete_and_small_rows_are_recomputed() {
    let mut cpu = Cpu::new(None).unwrap();
    let settings = MergeSettings::with_memory(1 << 30);
    let data: Vec<_> = rows(include_str!("../../../data/divides.tsv")).collect();
    let mut seen = 0;
    for rows in data.chunk_by(|row, next| row[..2] == next[..2]) {
        let (name, depth) = (rows[0][0], rows[0][1].parse::<u32>().unwrap());
        let known = standard(name);
        let sum: u128 = rows.iter().map(|row| number(row[3])).sum();
        // A count that nobody has published yet is only on the page.
        let is_new = || RESULTS.replace(',', "").contains(&format!("| {depth} | {sum} |"));
        assert!(known.leaves(depth).map_or_else(is_new, |leaves| leaves == sum), "{name} at {depth}: {sum}");
        let moves = legal_moves(&mut cpu, &known.root).unwrap().into_iter();
        let mut moves: Vec<_> = moves.map(|(played, _)| played.uci(&known.root.rules, false)).collect();
        moves.sort();
        assert_eq!(rows.iter().map(|row| row[2]).collect::<Vec<_>>(), moves, "{name} at {depth}");
        // Endgames have so few positions that merged counts take almost no time, except the deepest ones.
        let is_quick = |row: &&Vec<_>| name == "pos3" && depth < 10 || number(row[3]) <= 2 * MOST_MERGED;
        for row in rows.iter().filter(is_quick) {
            let mut game = Game::new(known.root);
            game.play_line(&[row[2]]).unwrap();
            let merged = Driver::new(&mut cpu, &()).perft_merged(game.fen(), depth - 1, &settings).unwrap();
            assert_eq!(merged.leaves, number(row[3]), "{row:?}");
            seen += 1;
        }
    }
    assert!(seen >= 15, "{seen} rows were recomputed");
}

#[test]
fn known_counts_are_well_formed() {
    for row in rows(include_str!("../../../board/data/known-counts.tsv")) {
        assert!(row.len() == 5 && ["many", "few", "one"].contains(&row[4]), "{row:?}");
        assert!(row[3].parse::<u128>().is_ok_and(|leaves| leaves > 0), "{row:?}");
    }
}
