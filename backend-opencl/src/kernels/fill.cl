// Kogge-Stone fills: all sliding attacks of a side with shifts and masks alone.

// Three functions for each direction. NAME_step returns the squares one step away. NAME_fill returns the squares that
// sliders pass over, including their own; an occluded fill doubles its reach in every step (1, 2, 4 squares).
// NAME_attacks returns the squares that sliders attack: empty ones and the first occupied one.
#define DIRECTION(name, towards, distance, landing)                                                                   \
    INLINE ulong name##_step(ulong board) {                                                                           \
        return (board towards distance) & landing;                                                                    \
    }                                                                                                                 \
    INLINE ulong name##_fill(ulong sliders, ulong empty) {                                                            \
        const ulong through1 = empty & landing;                                                                       \
        const ulong through2 = through1 & (through1 towards distance);                                                \
        const ulong through4 = through2 & (through2 towards(2 * distance));                                           \
        ulong fill = sliders;                                                                                         \
        fill |= through1 & (fill towards distance);                                                                   \
        fill |= through2 & (fill towards(2 * distance));                                                              \
        return fill | (through4 & (fill towards(4 * distance)));                                                      \
    }                                                                                                                 \
    INLINE ulong name##_attacks(ulong sliders, ulong empty) {                                                         \
        return name##_step(name##_fill(sliders, empty));                                                              \
    }

DIRECTION(north, <<, 8, ~0UL)
DIRECTION(south, >>, 8, ~0UL)
#ifdef SLIDERS_CARRY
// Along a rank, an addition replaces a fill: from the square beside each slider a carry runs over empty squares, clears
// them, and sets the first occupied one. Squares on file h count as occupied, so that no carry leaves its rank.
INLINE ulong east_step(ulong board) {
    return (board << 1) & NOT_FILE_A;
}
INLINE ulong west_step(ulong board) {
    return (board >> 1) & NOT_FILE_H;
}
INLINE ulong east_attacks(ulong sliders, ulong empty) {
    const ulong through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}
INLINE ulong west_attacks(ulong sliders, ulong empty) {
    return reverse(east_attacks(reverse(sliders), reverse(empty)));
}
// Squares that look along the rank but may be empty need fills: two of their carries could run over the same squares.
DIRECTION(any_east, <<, 1, NOT_FILE_A)
DIRECTION(any_west, >>, 1, NOT_FILE_H)
#else
DIRECTION(east, <<, 1, NOT_FILE_A)
DIRECTION(west, >>, 1, NOT_FILE_H)
#define any_east_attacks east_attacks
#define any_west_attacks west_attacks
#endif
DIRECTION(north_east, <<, 9, NOT_FILE_A)
DIRECTION(north_west, <<, 7, NOT_FILE_H)
DIRECTION(south_east, >>, 7, NOT_FILE_A)
DIRECTION(south_west, >>, 9, NOT_FILE_H)

// The squares of knights, moved by one file or by two towards a or h. A leap also shifts by two ranks after one file,
// and by one rank after two files.
typedef struct {
    ulong west1, east1, west2, east2;
} Leaps;

// Returns the squares of knights, moved by files.
INLINE Leaps leaps_of(ulong knights) {
    return (Leaps){
        (knights >> 1) & NOT_FILE_H,
        (knights << 1) & NOT_FILE_A,
        (knights >> 2) & (NOT_FILE_H & NOT_FILE_H >> 1),
        (knights << 2) & (NOT_FILE_A & NOT_FILE_A << 1),
    };
}

// Returns the squares that knights attack.
INLINE ulong knight_attacks(ulong knights) {
    const Leaps leaps = leaps_of(knights);
    const ulong near = leaps.west1 | leaps.east1;
    const ulong far = leaps.west2 | leaps.east2;
    return near << 16 | near >> 16 | far << 8 | far >> 8;
}

// Returns the neighbours of kings, and their own squares.
INLINE ulong king_attacks(ulong kings) {
    const ulong row = kings | east_step(kings) | west_step(kings);
    return row | row << 8 | row >> 8;
}

// Returns the squares attacked by pawns that move up.
INLINE ulong pawn_attacks_up(ulong pawns) {
    return north_east_step(pawns) | north_west_step(pawns);
}

// Returns the squares attacked by pawns that move down.
INLINE ulong pawn_attacks_down(ulong pawns) {
    return south_east_step(pawns) | south_west_step(pawns);
}
