//! The CPU backend against published counts.

use kogge_board::{Backend, Fen, Quad48};
use kogge_movegen_cpu::Cpu;

fn perft(cpu: &mut Cpu, fen: &str, depth: u32) -> u64 {
    let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    cpu.perft(&fen.rules, &[Quad48::from(&fen.position)], depth).unwrap()[0]
}

#[test]
fn the_six_standard_positions() {
    let mut cpu = Cpu::new(None).unwrap();
    let mut checked = 0;
    for line in include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [_, fen, depth, nodes, _] = *line.split('\t').collect::<Vec<_>>() else { panic!("{line}") };
        let nodes: u128 = nodes.parse().unwrap();
        if nodes <= 1_000_000_000 {
            assert_eq!(u128::from(perft(&mut cpu, fen, depth.parse().unwrap())), nodes, "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 34);
}

/// Every line of an EPD file to the deepest depth of at most `most` nodes.
fn epd(text: &str, most: u64) {
    let mut cpu = Cpu::new(None).unwrap();
    for line in text.lines() {
        let mut fields = line.split(" ;");
        let fen = fields.next().unwrap();
        let deepest = fields
            .map(|field| field.strip_prefix('D').and_then(|field| field.split_once(' ')).unwrap())
            .map(|(depth, nodes)| (depth.parse().unwrap(), nodes.parse().unwrap()))
            .filter(|&(_, nodes): &(u32, u64)| nodes <= most)
            .last();
        if let Some((depth, nodes)) = deepest {
            assert_eq!(perft(&mut cpu, fen, depth), nodes, "{line}, depth {depth}");
        }
    }
}

#[test]
fn random_positions() {
    epd(include_str!("../../data/random.epd"), 3_000_000);
}

#[test]
fn chess960_positions() {
    epd(include_str!("../../data/chess960.epd"), 3_000_000);
}

/// Tables of one entry, of a few and of many: what they forget differs, what they answer does not.
#[test]
fn hash_tables_keep_counts_exact() {
    for bytes in [64, 4096, 1 << 24] {
        let mut cpu = Cpu::new(None).unwrap();
        cpu.set_hash(bytes).unwrap();
        let mut checked = 0;
        for line in include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#')) {
            let [_, fen, depth, nodes, _] = *line.split('\t').collect::<Vec<_>>() else { panic!("{line}") };
            let nodes: u128 = nodes.parse().unwrap();
            if nodes <= 20_000_000 {
                assert_eq!(u128::from(perft(&mut cpu, fen, depth.parse().unwrap())), nodes, "{line}, {bytes} bytes");
                checked += 1;
            }
        }
        assert!(checked > 20);
    }
    assert!(Cpu::new(None).unwrap().set_hash(1).is_err());
}
