//! Masks the parts of an output that depend on the machine and the time.
//!
//! The following parts are masked on both sides, so they are not compared:
//!
//! * times and rates: a number before `s` or `ms`, with or without `about`; a number and its prefix before a unit that
//!   ends in `/s`; the time to open the device, with its words;
//! * the device and its variant: the rest of a line after ` cpu: `;
//! * dates and times of day;
//! * in JSON, the values of `seconds`, `per_second`, `chosen`, `device`, `driver`, `variant` and `memory`;
//! * in the `info` lines of UCI, numbers after `depth`, `seldepth`, `nodes`, `nps`, `hashfull` and `time`.
//!
//! The line of `-v` that explains why GPUs were tried or not is left out on both sides, because it depends on the
//! machine's load.
//!
//! In the page, a line `...` stands for any number of lines, and ` ...` at the end of a line for the rest of that line.

use crate::support::without_opening;

pub(crate) fn agrees(page: &[String], output: &[String]) -> bool {
    let kept = |lines: &[String]| -> Vec<String> {
        lines.iter().filter(|line| !says_why(line)).map(|line| masked(line)).collect()
    };
    lines_agree(&kept(page), &kept(output))
}

fn says_why(line: &str) -> bool {
    line.starts_with("No GPU was tried: ") || line.starts_with("GPUs were tried first: ")
}

fn lines_agree(page: &[String], output: &[String]) -> bool {
    match page.split_first() {
        None => output.is_empty(),
        Some((gap, rest)) if gap == "..." => (0..=output.len()).any(|skipped| lines_agree(rest, &output[skipped..])),
        Some((line, rest)) => output.split_first().is_some_and(|(first, others)| {
            let agrees = match line.strip_suffix(" ...") {
                Some(start) => first.starts_with(start),
                None => line == first,
            };
            agrees && lines_agree(rest, others)
        }),
    }
}

/// Masks the parts of a line that depend on the machine and the time.
fn masked(line: &str) -> String {
    if line.starts_with('{') {
        return ["seconds", "per_second", "chosen", "device", "driver", "variant", "memory"]
            .iter()
            .fold(line.to_owned(), |line, name| without_value(&line, name));
    }
    let line = without_opening(line);
    let (line, who) = match line.split_once(" cpu: ") {
        Some((before, _)) => (before, " cpu: #"),
        None => (&*line, ""),
    };
    let words: Vec<&str> = line.split(' ').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut index = 0;
    while index < words.len() {
        let word = |ahead: usize| words.get(index + ahead).copied().unwrap_or_default();
        let is_info = words[0] == "info" && index > 0;
        let after_key =
            is_info && ["depth", "seldepth", "nodes", "nps", "hashfull", "time"].contains(&words[index - 1]);
        let is_rate = (1..3).any(|ahead| unit(word(ahead)).ends_with("/s"));
        if is_number(word(0)) && ["s", "ms"].contains(&unit(word(1))) {
            // The unit depends on the number, so it is masked too; punctuation stays.
            kept.extend(["#", &word(1)[unit(word(1)).len()..]]);
            index += 2;
        } else if is_number(word(0)) && ["k", "M", "G", "T"].contains(&word(1)) {
            kept.push("#");
            index += 2;
        } else if is_date(word(0)) || is_number(word(0)) && (after_key || is_rate) {
            kept.push("#");
            index += 1;
        } else {
            kept.push(word(0));
            index += 1;
        }
    }
    kept.join(" ") + who
}

/// Removes the punctuation after a word.
fn unit(word: &str) -> &str {
    word.trim_end_matches([',', '.', ';', ':', ')'])
}

/// Whether a word looks like 2026-11-21 or 15:49:58.
fn is_date(word: &str) -> bool {
    let shape: String = word.chars().map(|one| if one.is_ascii_digit() { '0' } else { one }).collect();
    shape == "0000-00-00" || shape == "00:00:00"
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit()) && word.parse::<f64>().is_ok()
}

/// Masks the value of a field in a line of JSON.
fn without_value(line: &str, name: &str) -> String {
    let key = format!("\"{name}\":");
    let mut pieces = line.split(&key);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = match piece.strip_prefix('"') {
            Some(text) => text.find('"').map(|end| end + 2),
            None => piece.find([',', '}']),
        };
        kept += &key;
        kept.push('#');
        kept += end.and_then(|end| piece.get(end..)).unwrap_or_default();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rates_and_machines_are_masked() {
        for (line, expected) in [
            ("0.351 s, 9.12 G leaves/s (raw); cpu: CPU, 2 threads, avx512", "# , # leaves/s (raw); cpu: #"),
            ("0.018 s, after 0.6 s to open the device, 330 k leaves/s; cpu: CPU", "# , # leaves/s; cpu: #"),
            ("Made  2026-11-21 15:49:58 UTC by kogge", "Made  # # UTC by kogge"),
            ("1.174 s, 767 k distinct positions/s", "# , # distinct positions/s"),
            ("3 ms, 767 distinct positions/s", "# , # distinct positions/s"),
            (
                r#"{"depth":3,"seconds":0.1,"device":"a, b","memory":null}"#,
                r#"{"depth":3,"seconds":#,"device":#,"memory":#}"#,
            ),
            ("info depth 3 score mate 1 nodes 21 pv h5f7", "info depth # score mate 1 nodes # pv h5f7"),
        ] {
            assert_eq!(masked(line), expected);
        }
    }

    #[test]
    fn answers_are_not_masked() {
        for line in
            ["Nodes searched: 3195901860", "  5              822518", "depth 2: expected 401, found 400", "a2a3: 1"]
        {
            assert_eq!(masked(line), line);
        }
    }

    #[test]
    fn gaps_are_where_the_page_has_them() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let output = lines("one 1\ntwo\nNo GPU was tried: the CPU needs less than 1 ms.\nthree 3");
        for (page, agreeing) in [
            ("one 1\ntwo\nthree 3", true),
            ("one 1\n...\nthree 3", true),
            ("one 1\n...", true),
            ("one ...\ntwo\nthree ...", true),
            ("one 1\ntwo", false),
            ("one 1\n...\nfour", false),
            ("...\none 2\ntwo\nthree 3", false),
            ("one 1\ntwo\nthree 3\n\nfour", false),
            ("", false),
        ] {
            assert_eq!(agrees(&lines(page), &output), agreeing, "{page}");
        }
    }
}
