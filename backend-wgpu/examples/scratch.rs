use kogge_backend_wgpu::*;
use kogge_board::*;
fn main() {
    let device = devices().unwrap().remove(0);
    let fens: Vec<Fen> = std::env::args().skip(1).map(|f| f.parse().unwrap()).collect();
    for group in [8, 64] {
    for queue in [4, 40] {
    let mut closed = Wgpu::on(&device, &Options { work_group_size: Some(group), queued_per_lane: Some(queue), ..Options::default() }).unwrap();
    let mut single = Wgpu::on(&device, &Options { work_group_size: Some(group), closed_form: Some(false), ..Options::default() }).unwrap();
    let mut roots: Vec<_> = fens.iter().map(|f| Quad48::from(&f.position)).collect();
    while roots.len() < 3000 { roots = closed.expand(&fens[0].rules, &roots).unwrap().positions; }
    let a = closed.perft(&fens[0].rules, &roots, 2).unwrap();
    let a2 = closed.perft(&fens[0].rules, &roots, 2).unwrap();
    let b = single.perft(&fens[0].rules, &roots, 2).unwrap();
    println!("group {group} queue {queue}: same twice {} {} {} {} {}", a == a2, roots.len(), a.iter().sum::<u64>(), a2.iter().sum::<u64>(), b.iter().sum::<u64>());
    let _ = 0; for (i, ((x, x2), y)) in a.iter().zip(&a2).zip(&b).enumerate().filter(|(_, ((x, x2), y))| **x != **y || **x2 != **y).take(20) { println!("  {i}: {x} {x2} {y} alone {:?}", closed.perft(&fens[0].rules, &[roots[i]], 2)); 
       if x != y { println!("{:?}", Fen::new(roots[i].unpack_unchecked(), fens[0].rules).to_string()); } }
    }}
}
