use kogge_board::Fen;
use kogge_driver::*;
use kogge_movegen_cpu::Cpu;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let mut cpu = Cpu::new(None).unwrap();
    let s = MergeSettings { plies: Some(a[1] as u32), ..MergeSettings::with_memory(a[2] << 20) };
    let t = std::time::Instant::now();
    let m = Driver::new(&mut cpu, &()).perft_merged(&Fen::start(), a[0] as u32, &s);
    match m { Ok(m) => println!("{} {:.1} s\n{}", m.leaves, t.elapsed().as_secs_f64(), m.plan), Err(e) => println!("{e}") }
}
