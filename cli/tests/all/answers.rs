//! Tests the answers of the commands.

use crate::support::{self, CHESS960, KIWIPETE, kogge, kogge_with_input, words};
use serde_json::{Value, json};

#[test]
fn counts() {
    for (line, nodes) in [
        ("perft 0", "1"),
        ("perft 1", "20"),
        ("perft 5", "4865609"),
        ("perft 4 --backend cpu", "197281"),
        ("perft 6 --backend cpu --hash 2M", "119060324"),
        ("perft 6 --hash 100000k", "119060324"),
        ("perft 4 --backend cpu --device 0 --threads 1", "197281"),
        ("perft 4 --device cpu:0", "197281"),
        ("perft 6 --device cpu --hash 2M", "119060324"),
        ("perft 3 --backend mailbox", "8902"),
        ("--backend mailbox perft 3", "8902"),
        (&format!("perft 4 --fen \"{KIWIPETE}\""), "4085603"),
        (&format!("perft 3 --fen \"{CHESS960}\""), "28677"),
        ("perft 2 --moves e2e4 e7e5", "835"),
        ("perft 2 --moves e4 e5", "835"),
        ("perft 1 --moves e4 e5 Nf3 Nc6 Bb5 a6 O-O", "32"),
        ("perft 2 --moves \"e2e4 e7e5\"", "835"),
        ("perft 2 --moves \"1. e4 e5\"", "835"),
        ("perft 1 --moves \"1. e4 e5 2. Nf3 Nc6 3.Bb5 a6 4. O-O\"", "32"),
        ("perft 1 --moves \"1.e4 1...e5 2.Nf3\" Nc6 3. \"Bb5 3... a6\" 0-0", "32"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/4K2R w K -\"", "15"),
        // Castling is read in both notations.
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/4K2R w K -\" --moves e1g1", "3"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/4K2R w K -\" --moves e1h1", "3"),
        ("perft 3 --fen kiwipete", "97862"),
        ("perft 2 --fen startpos --moves e2e4 e7e5", "835"),
        ("perft 128 --fen \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"", "0"),
    ] {
        let answer = kogge(&words(&format!("{line} --quiet"))).answer(line);
        assert_eq!(answer, format!("Nodes searched: {nodes}\n"), "kogge {line}");
    }
}

#[test]
fn the_root_is_a_position_of_a_game() {
    let games = &b"[White \"A\"]\n1. e4 e5 (1... c5) 2. Nf3 {good} 1-0\n\n[White \"B\"]\n1. Ke2 *\n\n\
        [Variant \"Chess960\"]\n[FEN \"1r2k3/8/8/8/8/8/8/1R2K1R1 w KQq - 0 9\"]\n9. O-O *\n"[..];
    for (line, fen) in [
        ("", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
        ("--ply 2", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
        ("--ply 0 --moves d4", "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"),
        ("--game 3", "1r2k3/8/8/8/8/8/8/1R3RK1 b q - 1 9"),
    ] {
        for command in ["position show", "perft 1", "best 1"] {
            let run = kogge_with_input(&words(&format!("{command} --pgn - {line} --json")), games);
            assert_eq!(run.json()[0]["fen"], fen, "{command} {line}");
        }
    }
    for (line, reason) in [
        ("--game 2", "standard input: Game 2, line 5: The move \"Ke2\" is not legal here."),
        ("--game 4", "standard input has 3 games, but --game is 4."),
        ("--ply 4", "Game 1 of standard input has 3 plies; --ply can be from 0 to 3."),
        ("--game 0", "invalid value '0' for '--game <N>'"),
    ] {
        let run = kogge_with_input(&words(&format!("perft 1 --pgn - {line}")), games);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
}

#[test]
fn a_rate_names_the_way_of_counting() {
    for (line, what) in [
        ("perft 3", "leaves/s (last two plies in closed form, equal positions not merged); cpu: "),
        ("perft 3 --backend mailbox", "leaves/s (every leaf made, equal positions not merged); mailbox: "),
        ("divide 3", "leaves/s (last two plies in closed form, equal positions not merged); cpu: "),
        ("perft 5 --hash 1M", ", hash table of 1048576 bytes"),
        ("perft 5 --raw", "leaves/s (last two plies in closed form, equal positions not merged); cpu: "),
        ("perft 5", "leaves/s (last two plies in closed form, equal positions not merged); cpu: "),
        ("perft 5 --memory 64M", "leaves/s (last two plies in closed form, equal positions merged); cpu: "),
        ("perft 5 --plies 4 --ranges 2", "; merged to ply 4 (72078 positions in 2 ranges), 1 plies below"),
        ("perft 5 --device cpu,mailbox --raw", " positions of a frontier, "),
        ("stats 3", "leaves/s (every leaf made, equal positions not merged); cpu: "),
        ("unique 3", "distinct positions/s (every leaf made, equal positions merged); cpu: "),
    ] {
        let answer = kogge(&words(&format!("{line} -v"))).answer(line);
        assert!(answer.lines().any(|last| last.contains(what)), "kogge {line}: {answer}");
        let brief = kogge(&words(line)).answer(line);
        let last = support::without_opening(brief.lines().last().unwrap_or_default());
        assert!(last.contains("/s; ") && last.len() < 80 && !last.contains('('), "kogge {line}: {brief}");
        let quiet = kogge(&words(&format!("{line} --quiet"))).answer(line);
        assert!(!quiet.contains("/s") && answer.starts_with(&quiet), "kogge {line}: {quiet}");
    }
}

#[test]
fn a_plan_is_shown_without_counting() {
    let plan = kogge(&words("perft 9 --plan --plies 7 --backend cpu --memory 4G")).answer("plan");
    let lines: Vec<_> = plan.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>()[..3], ["ply", "distinct", "positions"]);
    assert!(lines[4].contains(" 5362 ") && plan.contains('~') && plan.contains("plies below: "), "{plan}");
    assert!(plan.contains("every leaf without merging: about") && !plan.contains("Nodes"), "{plan}");
}

#[test]
fn merged_or_not_the_count_is_the_same() {
    let root = "--quiet --fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"";
    for how in ["", "--raw", "--plies 2", "--plies 4 --ranges 7", "--memory 200K", "--backend mailbox --plies 3"] {
        let answer = kogge(&words(&format!("perft 5 {how} {root}"))).answer(how);
        assert_eq!(answer, "Nodes searched: 193690690\n", "{how}");
    }
    // Beyond 64 bits.
    let kings = kogge(&words("perft 40 --quiet --fen \"8/8/8/4k3/8/8/8/4K3 w - - 0 1\"")).answer("kings");
    assert_eq!(kings, "Nodes searched: 2198670980161442470610996153951315\n");
    let parts = kogge(&words("unique 4 --quiet --memory 1M")).answer("unique");
    assert_eq!(parts, kogge(&words("unique 4 --quiet")).answer("unique"));
}

/// The estimate from these lines lies within four standard errors, and the same lines give the same estimate again.
#[test]
fn estimates() {
    let line = "estimate 6 --plies 2 --lines 20000 --seed 3";
    let run = kogge(&words(&format!("{line} --json")));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let found = &run.json()[0];
    let number = |field: &str| found[field].as_f64().unwrap_or_else(|| panic!("{field}: {found}"));
    let (leaves, error) = (number("leaves"), number("error"));
    assert!(error > 0.0 && (leaves - 119_060_324.0).abs() < 4.0 * error, "{found}");
    assert!(number("lines") >= 20_000.0 && number("ply") == 2.0 && number("seed") == 3.0, "{found}");
    assert_eq!((&found["exact"], &found["stopped"]), (&json!(null), &json!(false)));
    let text = kogge(&words(&format!("{line} --quiet"))).answer(line);
    assert_eq!(text, kogge(&words(&format!("{line} --quiet --threads 1"))).answer(line));
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("Estimate: 1.19") && lines[0].contains("e8 +- "), "{text}");
    assert!(lines[1].starts_with("95 % interval: 1.1") && lines.len() == 3, "{text}");
    assert!(lines[2].contains(" from the 400 positions of ply 2, with "), "{text}");
    let exact = kogge(&words("estimate 5 --quiet")).answer("exact");
    assert_eq!(exact, "Exactly 4865609; the tree is small enough to count.\n");
    let exact_enough = kogge(&words("estimate 7 --plies 3 --error 1% --quiet")).answer("error");
    assert!(exact_enough.contains("e9 +- "), "{exact_enough}");
}

#[test]
fn divide_looks_like_stockfish() {
    let answer = kogge(&words("divide 2 --quiet --fen \"8/8/8/8/8/2k5/p7/K7 b - - 0 1\"")).answer("divide");
    assert_eq!(answer, "c3b3: 0\nc3b4: 2\nc3c2: 1\nc3c4: 2\nc3d2: 2\nc3d3: 2\nc3d4: 2\n\nNodes searched: 11\n");
    let castling = kogge(&words("divide 1 --quiet --fen \"4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1\"")).answer("divide");
    assert!(castling.contains("e1g1: 1\n") && castling.contains("e1b1: 1\n"), "{castling}");
    let nothing = kogge(&words("divide 3 --quiet --fen \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"")).answer("divide");
    assert_eq!(nothing, "\nNodes searched: 0\n");
}

#[test]
fn tables() {
    let stats = kogge(&["stats", "3", "--quiet", "--fen", KIWIPETE]).answer("stats");
    assert_eq!(
        stats,
        "\
depth  nodes  captures  e.p.  castles  promotions  checks  discovered  double  mates
    1     48         8     0        2           0       0           0       0      0
    2   2039       351     1       91           0       3           0       0      0
    3  97862     17102    45     3162           0     993           0       0      1
"
    );
    let unique = kogge(&["unique", "4", "--quiet"]).answer("unique");
    assert_eq!(
        unique,
        "\
ply  distinct positions  reached once
  0                   1             1
  1                  20            20
  2                 400           400
  3                5362          1862
  4               72078          9825
"
    );
    let diagrams = kogge(&["unique", "4", "--quiet", "--diagrams"]).answer("unique");
    assert_eq!(diagrams.lines().last(), Some("  4               72078          9825     71852"));
    let parts = kogge(&words("unique 5 --quiet --diagrams --memory 12M")).answer("unique");
    assert_eq!(parts.lines().last(), Some("  5              822518         53516    815677"));
    // If the positions with the same pawns do not fit in memory together, diagrams are not counted, and a note says so.
    let parts = kogge(&words("unique 4 --fen kiwipete --diagrams --memory 20M"));
    assert!(parts.code == 0 && parts.stdout.contains("  4             1374152        213924         -\n"), "{parts:?}");
    assert!(parts.stderr.contains("note: The diagrams of ply 4 were not counted"), "{parts:?}");
}

#[test]
fn json() {
    let one = |line: &str| {
        let run = kogge(&words(&format!("{line} --json")));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "kogge {line}");
        let mut objects = run.json();
        assert_eq!(objects.len(), 1, "kogge {line}");
        objects.remove(0)
    };
    let perft = one("perft 3 --moves e4");
    assert_eq!(
        (&perft["command"], &perft["depth"], &perft["nodes"]),
        (&json!("perft"), &json!(3), &json!(13160)),
        "{perft}"
    );
    assert_eq!(perft["fen"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    for (field, expected) in [("bulk", json!(true)), ("deduplicated", json!(false)), ("backend", json!("cpu"))] {
        assert_eq!(perft[field], expected, "{field}");
    }
    assert_eq!(perft["hash"], json!(null));
    let hashed = one("perft 5 --hash 1m --threads 1");
    assert_eq!((&hashed["nodes"], &hashed["hash"]), (&json!(4865609), &json!(1 << 20)));
    assert_eq!(one("divide 4 --hash 1M")["hash"], json!(1 << 20));
    assert_eq!(perft["plan"], json!(null));
    let merged = one("perft 5 --plies 3 --ranges 2 --memory 64M");
    assert_eq!((&merged["nodes"], &merged["deduplicated"]), (&json!(4_865_609), &json!(true)));
    let plan = &merged["plan"];
    assert_eq!((&plan["memory"], &plan["below"]), (&json!(1 << 26), &json!(2)));
    assert_eq!(plan["plies"].as_array().map(Vec::len), Some(4));
    assert_eq!((&plan["plies"][3]["positions"], &plan["plies"][3]["ranges"]), (&json!(5362), &json!(2)));
    let planned = one("perft 8 --plan --memory 1G");
    assert_eq!((&planned["command"], &planned["nodes"]), (&json!("plan"), &json!(null)));
    assert_eq!(planned["plan"]["plies"][3]["measured"], true);
    assert!(perft["seconds"].is_f64() && perft["per_second"].is_f64() && perft["device"].is_string());

    let divide = one("divide 2");
    assert_eq!(divide["moves"].as_array().map(Vec::len), Some(20));
    assert_eq!(divide["moves"][0], json!({"move": "a2a3", "nodes": 20}));
    assert_eq!(divide["nodes"], 400);

    assert_eq!(one("stats 3")["plies"][2]["captures"], 34);
    assert_eq!(
        one("unique 3")["plies"],
        json!([
            {"ply": 0, "positions": 1, "once": 1},
            {"ply": 1, "positions": 20, "once": 20},
            {"ply": 2, "positions": 400, "once": 400},
            {"ply": 3, "positions": 5362, "once": 1862}
        ])
    );

    assert_eq!(one("unique 4 --diagrams")["plies"][4]["diagrams"], 71852);

    let diff = one("diff 3 --against mailbox");
    assert_eq!((&diff["same"], &diff["nodes"], &diff["difference"]), (&json!(true), &json!(8902), &json!(null)));

    let show = one("position show \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"");
    assert_eq!((&show["state"], &show["check"], &show["moves"]), (&json!("stalemate"), &json!(false), &json!([])));
    assert_eq!(show["packed"].as_array().map(Vec::len), Some(5));

    let devices = one("devices");
    let row = |name: &str| {
        devices["devices"].as_array().and_then(|rows| rows.iter().find(|row| row["backend"] == name)).cloned()
    };
    for (name, usable) in [("cpu", true), ("mailbox", true)] {
        let row = row(name).expect(name);
        assert_eq!(
            (&row["usable"], &row["number"], row["info"].is_object()),
            (&json!(usable), &json!(0), true),
            "{row}"
        );
    }
}

#[test]
fn every_field_of_the_json_is_documented() {
    fn check(value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let documented = [format!("`{name}`"), format!("\"{name}\"")];
                    let text = include_str!("../../JSON.md");
                    assert!(documented.iter().any(|field| text.contains(field)), "{name} is not in JSON.md");
                    check(value);
                }
            }
            Value::Array(values) => values.iter().for_each(check),
            _ => {}
        }
    }
    let suite =
        format!("{0} ;D1 20\n{0} ;D1 21\n{0} ;D9 1\n4k3/8/8/8/8/8/8/8 w - - ;D1 1\nrubbish", kogge::board::START);
    let suite = kogge_with_input(&["suite", "-", "--max-depth", "1", "--json"], suite.as_bytes()).json();
    assert_eq!(suite.len(), 6);
    suite.iter().for_each(check);
    for line in [
        "perft 1",
        "perft 5 --plies 2",
        "perft 5 --plan",
        "divide 1",
        "stats 1",
        "unique 1",
        "estimate 3",
        "estimate 6 --plies 2 --lines 1000",
        "diff 1 --against mailbox",
        "devices",
        "position show",
        "bench --seconds 1 --repetitions 1 --backend mailbox",
        "position pack --format circle32 \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"",
    ] {
        kogge(&words(&format!("{line} --json"))).json().iter().for_each(check);
    }
}

#[test]
fn counts_in_json_are_exact() {
    // The largest number of 128 bits.
    let suite = b"8/8/8/8/8/1k6/p7/K7 w - - 0 1 ;D1 340282366920938463463374607431768211455";
    let run = kogge_with_input(&["suite", "-", "--json"], suite);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("\"expected\":340282366920938463463374607431768211455,\"found\":0"), "{}", run.stdout);
}

#[test]
fn standard_positions_have_names() {
    let help = kogge(&["perft", "--help"]).answer("perft --help").split_whitespace().collect::<Vec<_>>().join(" ");
    for known in kogge::known::standard() {
        let (name, fen) = (known.name, known.root.to_string());
        assert!(help.contains(name), "{name}: {help}");
        let shown = kogge(&["position", "show", name]).answer(name);
        assert!(shown.contains(&format!("\nFEN    {fen}\n")), "{name}: {shown}");
        let pack = |fen: &str| kogge(&["position", "pack", "--format", "quad48", fen]).answer(fen);
        assert_eq!(pack(name), pack(&fen));
    }
    let suite = kogge_with_input(&["suite", "-", "--quiet"], b"kiwipete ;D1 48\npos3 ;D2 191\n").answer("suite");
    assert!(suite.contains("2 passed"), "{suite}");
}

#[test]
fn devices_are_listed_in_a_few_words_or_in_full() {
    let (brief, full) = (kogge(&["devices"]).stdout, kogge(&["devices", "-v"]).stdout);
    let line = |text: &str| text.lines().find(|line| line.starts_with("mailbox")).map(str::to_owned);
    assert_eq!(line(&brief).as_deref(), Some("mailbox        0  one CPU thread (CPU)"));
    assert!(line(&full).is_some_and(|line| line.contains("(CPU); kogge ") && line.contains("10x12 board")), "{full}");
    assert_eq!(brief.lines().count(), full.lines().count());
}

#[test]
fn positions_are_shown() {
    let shown = kogge(&["position", "show", "--moves", "f3", "e5", "g4", "Qh4"]).answer("position show");
    assert!(
        shown.starts_with(
            "\
8 r n b . k b n r
7 p p p p . p p p
6 . . . . . . . .
5 . . . . p . . .
4 . . . . . . P q
3 . . . . . P . .
2 P P P P P . . P
1 R N B Q K B N R
  a b c d e f g h

FEN    rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3
Turn   white, in check, checkmate
"
        ),
        "{shown}"
    );
    for format in ["quad48    48 bytes  ", "circle32  32 bytes  ", "five42    42 bytes  ", "pieces38  38 bytes  "] {
        assert!(shown.contains(format), "{shown}");
    }
    let moves = kogge(&["position", "show", KIWIPETE]).answer("position show");
    for text in ["white, 48 moves", "e1g1  O-O", "e1c1  O-O-O", "e5f7  Nxf7", "e2a6  Bxa6"] {
        assert!(moves.contains(text), "{text}: {moves}");
    }
    let mating = kogge(&["position", "show", "--moves", "f3", "e5", "g4"]).answer("position show");
    assert!(mating.contains("d8h4  Qh4#"), "{mating}");
    assert!(kogge(&["position", "show", CHESS960]).answer("show").contains("Chess960"));
}

#[test]
fn packing_and_unpacking_are_inverse() {
    for fen in [kogge::board::START, KIWIPETE, "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1"] {
        for format in ["quad48", "circle32", "five42", "pieces38", "pieces64"] {
            let hex = kogge(&["position", "pack", "--format", format, fen]).answer("pack");
            let back = kogge(&["position", "unpack", "--format", format, hex.trim()]).answer("unpack");
            assert_eq!(back.trim(), fen, "{format}");
        }
    }
    let hex = kogge(&["position", "pack", "--format", "circle32", CHESS960]).answer("pack");
    let back =
        kogge(&["position", "unpack", "--format", "circle32", "--castling", "HEhe", hex.trim()]).answer("unpack");
    assert_eq!(back.trim(), CHESS960.replace(" 0 9", " 0 1"));
}

#[test]
fn suites() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../board/data/random.epd");
    let run = kogge(&["suite", file, "--max-nodes", "1000", "--max-depth", "2"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("PASS")).count(), 1000);
    assert!(run.stdout.contains("\n1000 passed, 0 failed, 0 skipped, 0 broken\n"));
    let start = kogge::board::START;
    for (text, code, summary, complaint) in [
        (format!("{start} ;D1 20 ;D2 400 ;D3 8902\n"), 0, "1 passed, 0 failed, 0 skipped, 0 broken", ""),
        (format!("# comment\n\n{start} ;D1 20 ;D2 401 ;D3 8902\n"), 1, "0 passed, 1 failed, 0 skipped, 0 broken", ""),
        (
            format!("{start} ;D1 20\nrubbish\n{start} ;D2 400\n"),
            2,
            "2 passed, 0 failed, 0 skipped, 1 broken",
            "Line 2 of standard input is left out.",
        ),
        (
            format!("{start} ;D1 20\nrubbish\n{start} ;D2 401\n"),
            1,
            "1 passed, 1 failed, 0 skipped, 1 broken",
            "Line 2 ",
        ),
        (format!("{start} ;D5 4865609\n"), 2, "0 passed, 0 failed, 1 skipped, 0 broken", "caps leave no count"),
        ("\n# nothing\n".to_owned(), 2, "0 passed, 0 failed, 0 skipped, 0 broken", "There is no position in "),
        (format!("{start} ;D1 20\n{}\n", "8".repeat(10_000)), 2, "1 passed, 0 failed, 0 skipped, 1 broken", "Line 2 "),
    ] {
        let run = kogge_with_input(&["suite", "-", "--max-depth", "4", "--quiet"], text.as_bytes());
        assert_eq!(run.code, code, "{text}");
        assert!(run.stdout.contains(summary) && run.stderr.contains(complaint), "{text}{}{}", run.stdout, run.stderr);
        assert_eq!(run.stderr.is_empty(), complaint.is_empty(), "{}", run.stderr);
    }
    let failed = kogge_with_input(&["suite", "-"], format!("{start} ;D2 401\n").as_bytes()).stdout;
    assert!(failed.starts_with(&format!("FAIL      1  {start}  depth 2: expected 401, found 400\n")), "{failed}");
    let binary = kogge_with_input(&["suite", "-"], b"\xff\xfe\x00\x01\n");
    assert!(binary.code == 2 && binary.stderr.contains("not text"), "{}", binary.stderr);
}

#[test]
fn suites_in_other_forms() {
    let start = kogge::board::START;
    let four = start.strip_suffix(" 0 1").unwrap();
    let text = format!(
        "\u{feff}{four} D1 20; D2 400; id \"start; D1 21\";\r\n{four} hmvc 3; fmvn 2; acd 5; c0 \"x\"; d3 8,902; D3 8_902;\n\
         {start},20,400,8902\n{start}; perft 3 = 8902;\n4k3/8/8/8/8/8/8/4K3 w - - 200 0 ;D1 5\0"
    );
    let run = kogge_with_input(&["suite", "-"], text.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains(&format!("PASS      2  {four} 3 2  2 of 2 counts\n")), "{}", run.stdout);
    assert!(run.stdout.contains("\n5 passed, 0 failed, 0 skipped, 0 broken\n"), "{}", run.stdout);
    let run = kogge_with_input(&["suite", "-"], format!("{start} ;D1 20 ;D3 8.902\n").as_bytes());
    assert!(run.code == 2 && run.stderr.contains("\"D3 8.902\""), "{}", run.stderr);
}

/// Positions that no game reaches, with the counts of python-chess 1.11.2.
const UNREACHABLE: &str = "\
4k3/8/3N1N2/4R3/8/8/8/4K3 b - - 0 1 ;D1 2 ;D2 68 ;D3 104 ;D4 3251 ;D5 14714
4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/N3K3 w - - 0 1 ;D1 62 ;D2 298 ;D3 18176 ;D4 107325
rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 18 ;D2 360 ;D3 7402 ;D4 163918
r3k2r/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/R3K2R w KQkq - 0 1 ;D1 17 ;D2 289 ;D3 4834 ;D4 81056
4k3/8/8/3Pp3/8/8/8/K6r w - e6 0 1 ;D1 2 ;D2 40 ;D3 220 ;D4 4096 ;D5 24460
4k3/8/K6r/3Pp3/8/8/8/8 w - e6 0 1 ;D1 6 ;D2 109 ;D3 601 ;D4 10364 ;D5 63096
kbQQQQQQ/pp5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1 ;D1 259 ;D2 651
";

#[test]
fn positions_that_no_game_reaches_are_skipped_or_counted() {
    let suite = |options: &str, text: &str| {
        kogge_with_input(&words(&format!("suite - --backend cpu {options}")), text.as_bytes())
    };
    let two_kings = "4k3/8/8/8/8/8/8/4KK2 w - - 0 1 ;D1 9\n";
    let all = format!("{UNREACHABLE}{} ;D1 20\n{two_kings}", kogge::board::START);
    let skipped = suite("--quiet", &all);
    assert_eq!((skipped.code, skipped.stderr.as_str()), (0, ""), "{}", skipped.stdout);
    let line = "SKIP      1  not reachable in a game. The black king is in check from 3 pieces; one move can give at most two checks.\n";
    assert!(skipped.stdout.starts_with(line), "{}", skipped.stdout);
    let tally = "\n1 passed, 0 failed, 0 skipped, 0 broken; 8 skipped, not reachable in a game\n";
    assert!(skipped.stdout.ends_with(tally), "{}", skipped.stdout);

    let counted = suite("--quiet --allow-unreachable", &all);
    assert_eq!((counted.code, counted.stderr.as_str()), (0, ""), "{}", counted.stdout);
    assert_eq!(
        counted.stdout,
        "SKIP      9  not reachable in a game. There are 2 white kings; each side must have exactly one.\n\n8 passed, 0 failed, 0 \
         skipped, 0 broken; 1 skipped, not reachable in a game; 7 counted by the mailbox, not reachable in a game\n"
    );
    let json = suite("--json --allow-unreachable", &all).json();
    assert_eq!((&json[0]["status"], &json[8]["status"]), (&"PASS".into(), &"UNREACHABLE".into()));
    let summary = json.last().unwrap();
    assert_eq!((&summary["passed"], &summary["unreachable"], &summary["mailbox"]), (&8.into(), &1.into(), &7.into()));

    let wrong = suite("--allow-unreachable", &UNREACHABLE.replace("D3 104", "D3 105"));
    assert!(wrong.code == 1 && wrong.stdout.contains("depth 3: expected 105, found 104"), "{}", wrong.stdout);
    let broken = suite("--allow-unreachable", &UNREACHABLE.replace("D3 104", "D3 x"));
    assert!(broken.code == 2 && broken.stdout.contains("1 broken; 6 counted by the mailbox"), "{}", broken.stdout);
    let nothing = suite("", two_kings);
    assert!(nothing.code == 2 && nothing.stderr.contains("--allow-unreachable counts"), "{}", nothing.stderr);
}

fn commands(help: &str) -> Vec<&str> {
    let listed = help.split_once("\nCommands:\n").map_or("", |(_, listed)| listed);
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    // `kogge help` takes the name of a command and no options.
    names.filter(|name| !name.is_empty() && *name != "help").collect()
}

/// Returns the flags that a help text lists, except `--help`.
fn flags(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.filter_map(|line| line.split([' ', ',', '=', '[']).find(|word| word.starts_with("--")));
    names.filter(|name| *name != "--help").collect()
}

#[test]
fn help_man_and_completions_know_every_flag() {
    let pages = std::env::temp_dir().join(format!("kogge-man-{}", std::process::id()));
    std::fs::create_dir_all(&pages).unwrap();
    kogge(&["man", "--dir", pages.to_str().unwrap()]).answer("man --dir");
    let scripts =
        ["bash", "zsh", "fish", "powershell", "elvish"].map(|shell| kogge(&["completions", shell]).answer(shell));
    let (mut known, mut waiting) = (Vec::new(), vec![String::new()]);
    while let Some(command) = waiting.pop() {
        let help = kogge(&[&words(&command)[..], &["--help"]].concat()).answer(&command);
        assert!(help.contains("Usage: kogge"), "{help}");
        let page = format!("kogge {command}").trim_end().replace(' ', "-") + ".1";
        let page = std::fs::read_to_string(pages.join(&page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        for flag in flags(&help) {
            assert!(page.contains(&flag.replace('-', "\\-")), "man page of {command}: {flag}");
            for script in &scripts {
                assert!(script.contains(flag.trim_start_matches('-')), "{command} {flag}: {script}");
            }
        }
        waiting.extend(commands(&help).into_iter().map(|name| format!("{command} {name}").trim_start().to_owned()));
        known.push(command);
    }
    std::fs::remove_dir_all(&pages).unwrap();
    // The list also has the commands that the README names, and subcommands.
    for command in ["perft", "bench", "best", "run", "ledger", "uci", "position unpack", "man"] {
        assert!(known.iter().any(|name| name == command), "{command} is not among {known:?}");
    }
    let man = kogge(&["man"]).answer("man");
    assert!(man.contains("\\-\\-backend") && man.contains("kogge\\-perft"), "{man}");
}

#[test]
fn best_moves() {
    let mate = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    for backend in ["cpu", "mailbox"] {
        let line = format!("best 1 --quiet --backend {backend} --fen \"{mate}\"");
        assert_eq!(kogge(&words(&line)).answer(&line), "Score: mate in 1\nLine: h5f7\nNodes searched: 43\n");
    }
    let stalemate = "best 3 --quiet --quiescence off --fen \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"";
    assert_eq!(kogge(&words(stalemate)).answer(stalemate), "Score: 0.00\nLine: none\nNodes searched: 1\n");
    let run = kogge(&words("best 2 --json --quiescence off --moves e4 e5"));
    let [answer] = &run.json()[..] else { panic!("{run:?}") };
    assert_eq!((&answer["depth"], &answer["nodes"], &answer["quiescence"]), (&json!(2), &json!(835), &json!(false)));
    assert!(answer["centipawns"].is_i64() && answer["mate"].is_null() && answer["line"][1].is_string(), "{answer}");
}

/// Returns the peak memory of a process so far, in bytes.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// A regression test: lists that are reused once grew with every range, so this count took more than a gigabyte.
#[cfg(target_os = "linux")]
#[test]
fn a_count_in_ranges_keeps_to_its_memory() {
    let arguments = ["perft", "7", "--plies", "6", "--memory", "40M", "--threads", "2", "--backend", "cpu", "--quiet"];
    let output = std::process::Stdio::piped();
    let mut process = support::command(&arguments).stdout(output).spawn().expect("kogge starts");
    let mut most = 0;
    while process.try_wait().expect("it can be asked").is_none() {
        most = peak(process.id()).unwrap_or(most);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = process.wait_with_output().expect("it can be read");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Nodes searched: 3195901860\n");
    assert!((10 << 20..150 << 20).contains(&most), "{most} bytes");
}
