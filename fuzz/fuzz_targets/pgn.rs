#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kogge_fuzz::pgn(bytes));
