//! The table of lines and leaps that every kernel looks up.

/// The lines through a square and the leaps from it, without the square itself, in this order: file, rank, diagonal,
/// antidiagonal, king, knight.
pub type Lines = [u64; 6];

/// Returns the lines of each square.
pub fn lines() -> [Lines; 64] {
    let mut lines = [[0; 6]; 64];
    for (from, boards) in lines.iter_mut().enumerate() {
        for to in (0..64).filter(|&to| to != from) {
            let (file, rank) = (to as i32 % 8 - from as i32 % 8, to as i32 / 8 - from as i32 / 8);
            let related = [
                file == 0,
                rank == 0,
                file == rank,
                file == -rank,
                file.abs() <= 1 && rank.abs() <= 1,
                file.abs() * rank.abs() == 2,
            ];
            for (board, related) in boards.iter_mut().zip(related) {
                *board |= u64::from(related) << to;
            }
        }
    }
    lines
}

/// Returns the table in the form that the kernels read: three pairs of boards for each square.
pub fn table() -> Vec<[u64; 2]> {
    lines().as_flattened().as_chunks().0.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_corners_and_centre() {
        let lines = lines();
        let [file, rank, diagonal, antidiagonal, king, knight] = lines[0];
        assert_eq!([file, rank], [0x0101_0101_0101_0100, 0xfe]);
        assert_eq!([diagonal, antidiagonal], [0x8040_2010_0804_0200, 0]);
        assert_eq!([king, knight], [0x302, 0x2_0400]);
        assert_eq!(lines[28].map(u64::count_ones), [7, 7, 6, 7, 8, 8]);
        assert_eq!(table().len(), 192);
    }
}
