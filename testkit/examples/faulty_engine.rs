//! The engine with planted faults as a program: `faulty_engine castling-through-check slow=20000`.

use std::io::{stdin, stdout};

use kogge_testkit::faulty_engine::speak;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    speak(&names, stdin().lock(), stdout());
}
