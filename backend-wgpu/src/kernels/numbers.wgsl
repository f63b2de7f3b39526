// Numbers of squares, for the closed form.

fn majority(a: Board, b: Board, c: Board) -> Board {
    return (a & b) | ((a | b) & c);
}

// A number for each square, as bit planes of weight 1, 2, 4, 8, 16.
struct Numbers {
    ones: Board,
    twos: Board,
    fours: Board,
    eights: Board,
    sixteens: Board,
}

// Adds 1, 2 and 4 to the numbers of some squares.
fn add_numbers(numbers: ptr<function, Numbers>, ones: Board, twos: Board, fours: Board) {
    let carry1 = (*numbers).ones & ones;
    let carry2 = majority((*numbers).twos, twos, carry1);
    let carry3 = majority((*numbers).fours, fours, carry2);
    let carry4 = (*numbers).eights & carry3;
    (*numbers).ones ^= ones;
    (*numbers).twos ^= twos ^ carry1;
    (*numbers).fours ^= fours ^ carry2;
    (*numbers).eights ^= carry3;
    (*numbers).sixteens ^= carry4;
}

// A number up to seven for each square.
struct Few {
    ones: Board,
    twos: Board,
    fours: Board,
}

// Adds what is seen both ways along an axis, seven squares at most.
fn add_both_ways(numbers: ptr<function, Numbers>, ahead: Few, behind: Few) {
    let carry1 = ahead.ones & behind.ones;
    let carry2 = majority(ahead.twos, behind.twos, carry1);
    add_numbers(
        numbers,
        ahead.ones ^ behind.ones,
        ahead.twos ^ behind.twos ^ carry1,
        ahead.fours ^ behind.fours ^ carry2,
    );
}

// Adds two boards to the numbers.
fn increment_twice(numbers: ptr<function, Numbers>, a: Board, b: Board) {
    let carry1 = majority((*numbers).ones, a, b);
    let carry2 = (*numbers).twos & carry1;
    let carry3 = (*numbers).fours & carry2;
    let carry4 = (*numbers).eights & carry3;
    (*numbers).ones ^= a ^ b;
    (*numbers).twos ^= carry1;
    (*numbers).fours ^= carry2;
    (*numbers).eights ^= carry3;
    (*numbers).sixteens ^= carry4;
}

// The sum of the numbers of some squares.
fn sum_of(numbers: Numbers, squares: Board) -> u32 {
    return count_ones(numbers.ones & squares) + 2u * count_ones(numbers.twos & squares) +
        4u * count_ones(numbers.fours & squares) + 8u * count_ones(numbers.eights & squares) +
        16u * count_ones(numbers.sixteens & squares);
}

// The number of a single square.
fn number_at(numbers: Numbers, square: u32) -> u32 {
    return select(0u, 1u, has(numbers.ones, square)) + select(0u, 2u, has(numbers.twos, square)) +
        select(0u, 4u, has(numbers.fours, square)) + select(0u, 8u, has(numbers.eights, square)) +
        select(0u, 16u, has(numbers.sixteens, square));
}
