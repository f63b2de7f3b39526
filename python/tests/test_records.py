"""Records of trainers: what they keep. `records/tests` compares their bytes with those of other people's crates."""

import chess
import kogge
import numpy as np
import pytest
from kogge import PositionError, Positions


def test_marlinformat_keeps_positions():
    positions = kogge.playouts(2000, 50, seed=1)
    random = np.random.default_rng(1)
    scores = random.integers(-30_000, 30_000, len(positions), dtype=np.int16)
    results = random.integers(0, 3, len(positions), dtype=np.uint8)
    fullmoves = random.integers(1, 300, len(positions), dtype=np.uint16)
    records = kogge.pack_marlinformat(positions, scores, results, fullmoves)
    assert records.shape == (2000, 32) and records.dtype == np.uint8
    for data in [records, records.ravel(), records.tobytes()]:
        again, found_scores, found_results, found_fullmoves = kogge.unpack_marlinformat(data)
        assert again == positions
        assert np.array_equal(found_scores, scores) and found_scores.dtype == np.int16
        assert np.array_equal(found_results, results) and np.array_equal(found_fullmoves, fullmoves)
    assert (kogge.unpack_marlinformat(kogge.pack_marlinformat(positions, scores, results))[3] == 1).all()


def test_bulletformat_keeps_the_board_of_the_side_to_move():
    positions = kogge.playouts(250, 51, seed=2) + kogge.playouts(250, 50, seed=3)
    scores = np.arange(500, dtype=np.int16)
    results = np.arange(500) % 3
    again, found_scores, found_results = kogge.unpack_bulletformat(kogge.pack_bulletformat(positions, scores, results))
    black = positions.black_to_move()
    assert black.any() and not black.all() and not again.black_to_move().any()
    assert np.array_equal(found_scores, np.where(black, -scores, scores))
    assert np.array_equal(found_results, np.where(black, 2 - results, results))
    assert np.array_equal(again.planes(), positions.planes(perspective="mover"))
    assert (again.planes(17)[:, 12:] == 0).all() and (again.halfmove_clocks() == 0).all()


def test_marlinformat_keeps_chess960():
    fens = [chess.Board.from_chess960_pos(100).shredder_fen(), "4k3/8/8/8/8/8/8/4K3 w - - 12 1"]
    positions = Positions.from_fens(fens)
    records = kogge.pack_marlinformat(positions, [0, 0], [1, 1])
    assert kogge.unpack_marlinformat(records)[0] == positions
    other = Positions.from_fens([chess.Board.from_chess960_pos(200).shredder_fen()])
    both = np.concatenate([records, kogge.pack_marlinformat(other, [0], [1])])
    with pytest.raises(PositionError, match="It castles with the rook on file") as error:
        kogge.unpack_marlinformat(both)
    assert error.value.index == 2
    assert (kogge.unpack_marlinformat(both, castling=False)[0].planes(17)[:, 12:16] == 0).all()


def test_wrong_numbers_are_refused():
    start = Positions.start(2)
    for scores, results, text in [
        ([0], [1, 1], r"there are 2 positions, and the shape is \[1\]"),
        ([0, 40_000], [1, 1], "number 1 is 40000, which does not fit in 16 bits"),
        ([0, 0.5], [1, 1], "the dtype is float64"),
        ([0, 0], [1, 3], "Result 1 is 3; expected 0"),
        ([0, 0], [1, -1], "number 1 is -1, which does not fit in 8 bits"),
        ("ab", [1, 1], "the shape is"),
    ]:
        for pack in [kogge.pack_bulletformat, kogge.pack_marlinformat]:
            with pytest.raises(ValueError, match=text):
                pack(start, scores, results)


def test_wrong_records_are_named():
    records = kogge.pack_marlinformat(Positions.start(100), [0] * 100, [1] * 100)
    records[70, 30] = 7
    with pytest.raises(PositionError, match="Position 70 cannot be used. The result is 7") as error:
        kogge.unpack_marlinformat(records)
    assert error.value.index == 70
    with pytest.raises(ValueError, match="32 bytes each; 31 bytes"):
        kogge.unpack_bulletformat(bytes(31))
    with pytest.raises(TypeError, match="Records are bytes"):
        kogge.unpack_bulletformat([1])
