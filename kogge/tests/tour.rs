//! Runs the tour.

#[path = "../examples/tour.rs"]
mod tour;

#[test]
fn the_tour_is_right() {
    tour::main().unwrap();
}
