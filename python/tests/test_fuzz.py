"""No input crashes: any argument gives an answer or an exception whose text is a sentence."""

import operator

import kogge
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from kogge import Positions, Rules

EXPECTED = (ValueError, TypeError, IndexError, OverflowError, MemoryError, OSError, kogge.DeviceError)

TEXTS = st.one_of(
    st.text(),
    st.text(alphabet="pnbrqkPNBRQK12345678/ wbKQkqAHah-e36", max_size=80),
    st.sampled_from(["e2e4", "e7e8q", "O-O", "Nf3", "exd8=Q+", "e1g1", "cpu", "opencl:9", "uci", "mask", "circle32", kogge.START]),
)
ANYTHING = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.binary(max_size=100),
    st.lists(TEXTS, max_size=4),
    st.lists(st.integers(), max_size=4),
    arrays.arrays(
        arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6)
    ),
)
SQUARE = st.integers(0, 63)


def check(call):
    """Return the answer of a call, or nothing if it refuses its arguments properly."""
    try:
        return call()
    except EXPECTED as error:
        text = str(error)
        # Python's own messages about a wrong type are not sentences.
        assert text and (text[0].isupper() and text[-1] == "." or not isinstance(error, (kogge.PositionError, kogge.MoveError)))
        if isinstance(error, (kogge.PositionError, kogge.MoveError)):
            assert error.index >= 0
        return None


def number(argument):
    """Return an argument as a whole number, or 0 if it is none. An array without dimensions is one."""
    try:
        return operator.index(argument)
    except TypeError:
        return 0


def use(positions: Positions) -> None:
    """Call everything that answers for an array."""
    assert len(positions) == len(positions.count()) == len(positions.to_fens())
    children, offsets = positions.expand()
    assert len(children) == offsets[-1]
    positions.moves(), positions.moves("codes"), positions.moves("mask"), positions.moves("indices")
    positions.planes(17), positions.status(), positions.checkers(), positions.evaluate(), positions.unique()
    positions.playouts(3), positions.perft(2), positions.hashes(), hash(positions), repr(positions)


@settings(max_examples=50)
@given(st.lists(TEXTS, max_size=3))
def test_fens(fens):
    positions = check(lambda: Positions.from_fens(fens))
    if positions is not None:
        use(positions)


@given(st.sampled_from(["from_fens", "groups_from_fens", "from_epd", "from_pgn", "from_bytes", "from_boards", "start", "concatenate"]), st.data())
def test_sources(name, data):
    argument = data.draw(st.integers(-10, 1000) if name == "start" and data.draw(st.booleans()) else ANYTHING)
    if name == "start" and 1 << 20 < number(argument) < 1 << 62:
        return
    check(lambda: getattr(Positions, name)(argument))


@given(ANYTHING, ANYTHING, st.booleans())
def test_words(words, rules, checked):
    check(lambda: Positions(words, rules, checked))
    check(lambda: Positions(words))


@settings(max_examples=300)
@given(arrays.arrays(np.uint64, st.tuples(st.integers(0, 100), st.sampled_from([4, 6]))))
def test_any_words_are_refused_or_used(words):
    positions = check(lambda: Positions(words))
    if positions is not None:
        use(positions)
    # Without a check, the answers are meaningless, but there must be answers.
    check(lambda: use(Positions(words, check=False)))


@settings(max_examples=300)
@given(st.integers(0, 10_000), st.integers(0, 5), st.integers(0, 63), st.sampled_from(["quad48", "circle32"]))
def test_one_wrong_bit_is_found_or_makes_another_position(seed, word, bit, form):
    games = kogge.playouts(3, 30, seed=seed).to_format(form)
    words = games.words.copy()
    words[1, word % words.shape[1]] ^= np.uint64(1) << np.uint64(bit)
    positions = check(lambda: Positions(words))
    if positions is not None:
        assert positions != games and Positions.from_fens(positions.to_fens()) == positions
    check(lambda: use(Positions(words, check=False)))


@given(ANYTHING)
def test_keys(key):
    check(lambda: Positions.start(5)[key])


@given(st.one_of(ANYTHING, st.lists(TEXTS, min_size=2, max_size=2), arrays.arrays(np.uint16, 2), arrays.arrays(np.int64, 2)))
def test_moves(moves):
    played = check(lambda: Positions.start(2).play(moves))
    if played is not None:
        assert len(played) == 2 and played.black_to_move().all()


@given(st.sampled_from(["count", "expand", "perft", "stats", "minimax", "moves", "planes", "to_format", "to_bytes", "with_rules"]), ANYTHING)
def test_arguments(name, argument):
    if name in ("perft", "stats", "minimax") and number(argument) > 3:
        # Such a depth may take days; this one is refused.
        argument = number(argument) + 2**33
    check(lambda: getattr(Positions.start(2), name)(argument))


@given(ANYTHING, st.one_of(st.integers(-2, 3), TEXTS), ANYTHING)
def test_functions(fen, depth, device):
    check(lambda: kogge.perft(fen, depth, device if isinstance(device, str) else "auto"))
    check(lambda: Rules(fen))
    check(lambda: kogge.unpack_bulletformat(fen))
    check(lambda: kogge.unpack_marlinformat(fen))
    check(lambda: kogge.pack_bulletformat(Positions.start(), fen, device))
    check(lambda: kogge.pack_marlinformat(Positions.start(), [0], [1], device))


@settings(max_examples=300)
@given(arrays.arrays(np.uint8, (3, 32)), st.integers(0, 31), st.integers(0, 255))
def test_records(records, at, byte):
    check(lambda: kogge.unpack_bulletformat(records))
    check(lambda: kogge.unpack_marlinformat(records))
    games = kogge.playouts(2, 20, seed=byte)
    for pack, unpack in [
        (kogge.pack_bulletformat, kogge.unpack_bulletformat),
        (kogge.pack_marlinformat, kogge.unpack_marlinformat),
    ]:
        changed = pack(games, [1, 2], [0, 2]).copy()
        changed[1, at] = byte
        found = check(lambda unpack=unpack, changed=changed: unpack(changed))
        if found is not None:
            use(found[0])
