"""The array as a sequence: making it, its parts, equality, pickling, and its memory."""

import pickle
from pathlib import Path

import chess
import kogge
import numpy as np
import pytest
from kogge import PositionError, Positions, Rules

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
EN_PASSANT = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1"
FENS = [kogge.START, KIWIPETE, EN_PASSANT, "4k3/8/8/8/8/8/8/4K2R w K - 17 1"]
FORMATS = ["quad48", "circle32"]


@pytest.fixture(params=FORMATS)
def four(request) -> Positions:
    return Positions.from_fens(FENS).to_format(request.param)


def test_fens_round_trip(four):
    assert four.to_fens() == FENS
    assert len(four) == 4


def test_parts(four):
    assert [position.to_fens()[0] for position in four] == FENS
    assert four[1].to_fens() == [KIWIPETE]
    assert four[-1].to_fens() == FENS[3:]
    assert four[np.int64(1)] == four[1]
    for part in [slice(1, 3), slice(None, None, -1), slice(None, None, 2), slice(3, 1), slice(9, 20), slice(-3, None)]:
        assert four[part].to_fens() == FENS[part]
    assert four[1:][1:].to_fens() == FENS[2:]
    assert four[[2, 0, 2, -1]].to_fens() == [FENS[index] for index in [2, 0, 2, -1]]
    assert four[np.array([3, 1], dtype=np.uint8)].to_fens() == [FENS[3], FENS[1]]
    assert four[np.array([True, False, False, True])].to_fens() == [FENS[0], FENS[3]]
    assert four[[]].to_fens() == []
    assert four[1:3].format == four.format and four[[1]].format == four.format


@pytest.mark.parametrize("key", [4, -5, 2**62, -(2**62), [0, 4], [True], np.array([-5])])
def test_numbers_out_of_range_are_refused(four, key):
    with pytest.raises(IndexError, match=r"\.$"):
        four[key]


@pytest.mark.parametrize("key", ["a", 1.5, [1.5], None, [[0]], {}])
def test_other_keys_are_refused(four, key):
    with pytest.raises(TypeError, match=r"\.$"):
        four[key]


def test_equality_and_hashes(four):
    same = Positions.from_fens(FENS)
    assert four == same and hash(four) == hash(same) and not four != same
    assert four != four[:3] and four != four[::-1] and four != FENS
    assert four[:0] == same[:0]
    assert four != four.with_rules(Rules(chess960=True))
    assert np.array_equal(four.hashes(), same.hashes()) and len(set(four.hashes().tolist())) == 4
    assert {four: 1}[same] == 1


def test_joining(four):
    assert four[:1] + four[1:] == four
    assert Positions.concatenate([four[:2], four[:0], four[2:]]) == four
    assert (four + four).format == four.format
    assert Positions.concatenate([four, four.to_format("quad48")]).to_fens() == FENS + FENS
    assert len(Positions.concatenate([])) == 0
    with pytest.raises(ValueError, match="different rules cannot be joined"):
        four + four.with_rules(Rules(chess960=True))
    with pytest.raises(TypeError):
        four + FENS


def test_pickling(four):
    for part in [four, four[1:3], four[:0]]:
        again = pickle.loads(pickle.dumps(part))
        assert again == part and again.format == part.format and again.rules == part.rules
    assert len(pickle.dumps(Positions.start(100_000)[:1])) < 1000
    rules = Rules("GBgb", halfmove_clock=False)
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_words_are_shared_and_read_only(four):
    words = four.words
    assert words.dtype == np.uint64 and words.shape == (4, 6 if four.format == "quad48" else 4)
    again = Positions(words)
    assert again == four and np.shares_memory(again.words, words)
    assert np.shares_memory(four[1:3].words, words)
    assert np.array_equal(np.asarray(four), words)
    with pytest.raises(ValueError):
        words[0, 0] = 1
    with pytest.raises(ValueError):
        words.flags.writeable = True
    del four
    assert Positions(words) == again


def test_arrays_that_are_not_contiguous_are_copied(four):
    words = np.zeros((4, 8), dtype=np.uint64)
    width = four.words.shape[1]
    words[:, :width] = four.words
    assert Positions(words[:, :width]) == four
    assert Positions(np.asfortranarray(four.words)) == four
    assert Positions(four.words[::-1]) == four[::-1]
    unaligned = np.frombuffer(b"\0" + four.words.tobytes(), dtype=np.uint8)[1:].view(np.uint64).reshape(4, width)
    assert Positions(unaligned) == four


def test_files_are_mapped(four, tmp_path: Path):
    path = tmp_path / "positions"
    path.write_bytes(four.to_bytes(four.format))
    mapped = np.memmap(path, dtype=np.uint64, mode="r").reshape(-1, four.words.shape[1])
    positions = Positions(mapped)
    assert positions == four and np.shares_memory(positions.words, mapped)
    assert Positions.from_bytes(path.read_bytes(), four.format) == four


def test_changes_of_shared_memory_are_found_by_check():
    words = Positions.start(3).words.copy()
    positions = Positions(words)
    words[2, 5] = 0
    with pytest.raises(PositionError, match="Position 2 cannot be used. The bitboards contradict") as error:
        positions.check()
    assert error.value.index == 2
    positions = Positions(words, check=False)
    positions.count(), positions.expand(), positions.moves(), positions.status(), positions.planes(17), positions.perft(3)


def test_the_documented_bytes():
    # The same bytes as `kogge position pack` prints in docs/commands.md.
    packed = "66ff1e000000ff66ad001e00000000ad91ff1e000000ff91ffff000000000000"
    assert Positions.start().to_bytes().hex() == packed
    assert Positions.from_bytes(bytes.fromhex(packed)).to_fens() == [kogge.START]


def test_other_arrays_are_refused():
    start = Positions.start(2).words
    for words, text in [
        (start.astype(np.int64), "dtype int64"),
        (start.astype(">u8"), "dtype >u8"),
        (start.ravel(), r"shape \(12,\)"),
        (start.reshape(3, 4)[:, :3], r"\[3, 3\]"),
        (start.tolist(), "list"),
        (None, "NoneType"),
    ]:
        with pytest.raises(ValueError, match=text):
            Positions(words)
    with pytest.raises(ValueError, match="32 bytes each; 33 bytes"):
        Positions.from_bytes(bytes(33))
    with pytest.raises(ValueError, match="no format"):
        Positions.from_bytes(b"", "five42")
    with pytest.raises(PositionError, match="not as the circle32 format writes it") as error:
        # Bits above the state: other words for a legal position.
        circle = Positions.from_fens(["4k3/8/8/8/8/8/8/4K3 w - - 0 1"] * 2).to_format("circle32").words.copy()
        circle[1, :3] |= np.uint64(1) << np.uint64(63)
        Positions(circle)
    assert error.value.index == 1


@pytest.mark.parametrize(
    ("fens", "index", "text"),
    [
        ([""], 0, "The FEN is empty"),
        ([kogge.START, "8/8/8/8/8/8/8/8 w - - 0 1"], 1, "There are 0 white kings"),
        ([kogge.START] * 3 + [None], 3, "A FEN is a text (str), not NoneType."),
        ([kogge.START, "bbrkrqnn/pppppppp/8/8/8/8/PPPPPPPP/BBRKRQNN w KQkq - 0 1"], 1, "the rook on file e, where position 0 has"),
        ([kogge.START.replace("w", "\ud800")], None, "surrogates"),
    ],
)
def test_bad_fens_are_named(fens, index, text):
    with pytest.raises((PositionError, UnicodeEncodeError)) as error:
        Positions.from_fens(fens)
    assert text in str(error.value)
    assert index is None or error.value.index == index


def test_one_fen_is_not_a_list():
    with pytest.raises(TypeError, match="put a single one in a list"):
        Positions.from_fens(kogge.START)


def test_names_and_fens_of_four_fields_are_read():
    named = Positions.from_fens(["startpos", "Kiwipete", KIWIPETE.rsplit(" ", 2)[0]])
    assert named == Positions.from_fens([kogge.START, KIWIPETE, KIWIPETE])
    assert kogge.perft("kiwipete", 3) == 97_862


def test_rules_follow_from_fens():
    assert Positions.from_fens([kogge.START]).rules == Rules()
    castling = ["4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "1r2k1r1/8/8/8/8/8/8/4K3 w g - 0 1"]
    rules = Positions.from_fens(castling).rules
    assert (rules.castling, rules.chess960, rules.halfmove_clock) == ("GBga", True, True)
    assert Positions.from_fens(castling, Rules("GBga")).rules == rules
    with pytest.raises(PositionError, match="where the rules name the rook on file h"):
        Positions.from_fens(castling, Rules("HAha", chess960=True))
    with pytest.raises(PositionError, match="another file than e"):
        Positions(Positions.from_fens(["3k4/8/8/8/8/8/8/R2K4 w A - 0 1"]).words)
    clock = "4k3/8/8/8/8/8/8/4K2R w K - 17 1"
    assert Positions.from_fens([clock], Rules(halfmove_clock=False)).halfmove_clocks().tolist() == [0]
    assert Positions.from_fens([clock]).halfmove_clocks().tolist() == [17]
    assert Positions.from_fens([clock]).without_clock() == Positions.from_fens([clock], Rules(halfmove_clock=False))
    with pytest.raises(PositionError, match="halfmove clock is 17"):
        Positions.from_fens([clock]).with_rules(Rules(halfmove_clock=False))


def test_rules_are_values():
    rules = Rules("GBgb")
    assert rules == Rules("GBgb", chess960=True) != Rules() and hash(rules) == hash(Rules("GBgb"))
    assert eval(repr(rules)) == rules
    for wrong in ["", "HAhaa", "haHA", "IAha", "KQkq", "éAha"]:
        with pytest.raises(ValueError, match="such as"):
            Rules(wrong)
    with pytest.raises(ValueError, match="Only Chess960"):
        Rules("GBgb", chess960=False)


def test_groups():
    starts = [chess.Board.from_chess960_pos(number).shredder_fen() for number in [0, 518, 0, 100, 518]]
    groups = Positions.groups_from_fens(starts)
    assert sorted(index for indices, _ in groups for index in indices) == [0, 1, 2, 3, 4]
    assert groups[0][0].tolist() == [0, 2]
    for indices, positions in groups:
        assert positions.to_boards() == [chess.Board(starts[index], chess960=True) for index in indices]
    with pytest.raises(PositionError) as error:
        Positions.groups_from_fens([starts[0], "x"])
    assert error.value.index == 1


def test_epd(tmp_path: Path):
    path = tmp_path / "suite.epd"
    path.write_text(
        f"\ufeff# a comment\n\n{KIWIPETE} ;D1 48\r\n"
        '8/8/8/8/k2Pp3/8/8/3K4 b - d3 id "one"; bm e4d3;\n'
        "4k3/8/8/8/8/8/8/4K2R w K -\n"
    )
    positions = Positions.from_epd(path)
    assert positions.to_fens() == [KIWIPETE, EN_PASSANT, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
    assert Positions.from_epd(str(path)) == positions
    path.write_text(f"{KIWIPETE}\n\n8/8 w - -\n")
    with pytest.raises(PositionError, match="In line 3: ") as error:
        Positions.from_epd(path)
    assert error.value.index == 1
    path.write_bytes(b"\xff\n")
    with pytest.raises(PositionError, match="not text"):
        Positions.from_epd(path)
    with pytest.raises(OSError, match="cannot be read"):
        Positions.from_epd(tmp_path / "missing")


def test_pgn(tmp_path: Path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 (1... c5) 2. Nf3 1-0\n\n[Variant \"Chess960\"] *\n")
    positions, offsets, results = Positions.from_pgn(path)
    assert positions[0] == positions[4] == Positions.start()
    assert positions[1] == Positions.start().play(["e4"]) and positions[3].to_fens()[0].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2")
    assert (offsets.tolist(), offsets.dtype) == ([0, 4, 5], np.int64)
    assert (results.tolist(), results.dtype) == ([2, -1], np.int8)
    path.write_text("1. e4 *\n\n1. e4 e5\n2. Ke3 *\n")
    with pytest.raises(ValueError, match="games.pgn: Game 2, line 4: The move \"Ke3\" is not legal here"):
        Positions.from_pgn(str(path))
    path.write_text('[FEN "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 9"] *\n[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 9"] *')
    with pytest.raises(PositionError, match="It is in game 2. It castles with the rook on file h") as error:
        Positions.from_pgn(path)
    assert error.value.index == 1
    with pytest.raises(OSError, match="cannot be read"):
        Positions.from_pgn(tmp_path / "missing")


def test_boards():
    boards = [chess.Board(fen) for fen in FENS]
    assert Positions.from_boards(boards) == Positions.from_fens(FENS)
    assert Positions.from_fens(FENS).to_boards() == boards
    board = chess.Board(chess960=True)
    board.push_san("e4")
    # python-chess records the square that every double push passes; kogge records it only where a capture is legal.
    assert board.ep_square is not None
    assert Positions.from_boards([board]).to_fens() == ["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]
    old = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 90")
    old.halfmove_clock = 149
    assert Positions.from_boards([old]).halfmove_clocks().tolist() == [127]
    for wrong, text in [(chess.Board(None), "0 white kings"), (1, "A chess.Board is expected, not int.")]:
        with pytest.raises(PositionError, match=text) as error:
            Positions.from_boards([chess.Board(), wrong])
        assert error.value.index == 1


def test_representations(four):
    assert eval(repr(four[1])) == four[1]
    assert repr(four) == f"<4 Positions, {four.format}, {four.rules!r}>"


def test_there_is_room_or_an_error():
    assert len(Positions.start(0)) == 0
    with pytest.raises(MemoryError):
        Positions.start(2**57)
    with pytest.raises(OverflowError):
        Positions.start(-1)
