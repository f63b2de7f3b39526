"""Answers of devices, in one array and in many, by all devices of the machine."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import kogge
import numpy as np
import pytest
from kogge import MoveError, Positions, Rules

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def devices() -> list[str]:
    """Return the devices that can be used; the environment may require some."""
    usable = [device for device in kogge.devices() if device.usable]
    for backend in filter(None, os.environ.get("KOGGE_REQUIRE_DEVICES", "").split(",")):
        assert any(device.backend == backend for device in usable), f"There is no {backend} device."
    return [device.id for device in usable]


@pytest.mark.parametrize("device", devices())
def test_all_devices_answer_alike(device):
    positions = kogge.playouts(300, 50, seed=5)
    assert np.array_equal(positions.count(device), positions.count())
    children, offsets = positions.expand(device)
    expected, expected_offsets = positions.expand()
    assert children == expected and np.array_equal(offsets, expected_offsets)
    assert np.array_equal(positions.perft(2, device), positions.perft(2))
    few = positions[:8]
    assert np.array_equal(few.minimax(1, True, device), few.minimax(1))
    stats, known = few.stats(2, device), few.stats(2, "cpu")
    assert stats.keys() == known.keys() and all(np.array_equal(stats[key], known[key]) for key in known)
    assert kogge.perft(kogge.START, 4, device) == 197_281
    assert kogge.perft(kogge.START, 5, device, memory=1 << 26) == 4_865_609


def test_devices_are_described():
    found = {device.backend: device for device in kogge.devices()}
    assert set(found) >= {"cpu", "mailbox"}
    cpu = found["cpu"]
    assert cpu.usable and cpu.id == "cpu:0" and cpu.kind == "CPU" and cpu.reason is None and cpu.name in repr(cpu)


@pytest.mark.parametrize("device", ["", "gpu", "CPU", "cpu:x", "cpu:-1", "auto:0", "cpu:7", "opencl:99"])
def test_other_devices_are_refused(device):
    for call in [lambda: Positions.start().count(device), lambda: kogge.perft(kogge.START, 1, device)]:
        with pytest.raises((ValueError, kogge.DeviceError), match=r"\.$"):
            call()


def test_small_and_large_arrays_answer_alike():
    positions = kogge.playouts(1000, 60, seed=1)
    for part in [positions, positions.to_format("circle32")]:
        singles = [part[index : index + 1] for index in range(200)]
        assert part.count()[:200].tolist() == [one.count()[0] for one in singles]
        assert part[:200].expand()[0] == Positions.concatenate([one.expand()[0] for one in singles])
        assert part.moves()[:200] == [one.moves()[0] for one in singles]
        assert part.status()[:200].tolist() == [one.status()[0] for one in singles]
        assert part.evaluate()[:200].tolist() == [one.evaluate()[0] for one in singles]
        assert np.array_equal(part.planes()[:200], np.concatenate([one.planes() for one in singles]))
        assert np.array_equal(part.moves("mask")[:200], np.concatenate([one.moves("mask") for one in singles]))


def test_large_arrays_are_cut_into_chunks():
    """More positions than one call of a device or one look at Ctrl-C takes."""
    some = kogge.playouts(1 << 10, 30, seed=8)
    many = Positions.concatenate([some] * 129)
    assert np.array_equal(many.perft(2).reshape(129, -1), np.tile(some.perft(2), (129, 1)))
    assert np.array_equal(many.status().reshape(129, -1), np.tile(some.status(), (129, 1)))
    (codes, offsets), (few, _) = many.moves("codes"), some.moves("codes")
    assert len(offsets) == len(many) + 1 and np.array_equal(codes, np.tile(few, 129))
    distinct, counts, inverse = many.unique()
    assert len(distinct) == len(some.unique()[0]) and counts.sum() == len(many) and distinct[inverse] == many


def test_successors_of_several_calls_are_joined():
    # A position with one move, and a position with two.
    few = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "k7/8/2K5/8/8/8/8/8 b - - 0 1"])
    many = Positions.concatenate([few[:1]] * 3 + [few[np.zeros(1 << 20, dtype=int)], few])
    children, offsets = many.expand()
    assert few.count().tolist() == [1, 2]
    assert len(children) == offsets[-1] == (1 << 20) + 6 and np.array_equal(np.diff(offsets), many.count())
    assert children[-3:] == few.expand()[0] and children[:1] == few.expand()[0][:1]


def test_empty_arrays_have_empty_answers():
    none = Positions.start(0)
    children, offsets = none.expand()
    assert len(children) == 0 and offsets.tolist() == [0]
    assert none.count().shape == none.perft(3).shape == none.perft(5).shape == none.minimax(2).shape == (0,)
    assert none.moves() == [] and none.moves("mask").shape == (0, 4096) and none.planes(17).shape == (0, 17, 8, 8)
    assert none.play([]) == none and none.play("e2e4") == none and none.playouts(3) == none
    assert [len(part) for part in none.unique()] == [0, 0, 0]
    assert none.stats(3)["nodes"].shape == (0,)
    assert none.to_fens() == [] and none.to_bytes() == b"" and none.words.shape == (0, 6)


def test_published_counts():
    positions = Positions.from_fens([kogge.START, KIWIPETE])
    assert positions.perft(0).tolist() == [1, 1]
    assert positions.perft(4).tolist() == [197_281, 4_085_603]
    assert kogge.perft(KIWIPETE, 5) == kogge.perft(KIWIPETE, 5, merge=False) == 193_690_690
    stats = positions.stats(4)
    assert stats["checks"].tolist() == [469, 25_523] and stats["mates"].tolist() == [8, 43]
    # Shallow trees of many positions are counted together.
    stats = Positions.concatenate([positions] * 500).stats(3)
    assert stats["captures"].tolist() == [34, 17_102] * 500 and stats["nodes"].tolist() == [8902, 97_862] * 500
    # More than 64 bits.
    assert kogge.perft("8/8/8/4k3/8/8/8/4K3 w - - 0 1", 40) == 2198670980161442470610996153951315
    with pytest.raises(OverflowError, match=r"exceeds 2\^128"):
        kogge.perft("8/8/8/4k3/8/8/8/4K3 w - - 0 1", 60)


def test_minimax_and_evaluation():
    mate = Positions.from_fens(["r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"])
    assert mate.minimax(1).tolist() == mate.minimax(3).tolist() == [31_999]
    positions = kogge.playouts(500, 40, seed=2)
    assert np.array_equal(positions.minimax(0, quiescence=False)[positions.status() != 1], positions.evaluate()[positions.status() != 1])
    # One ply by hand: the greatest of the negated values of all successors, because no successor ends the game.
    ongoing = positions[positions.status() == 0]
    children, offsets = ongoing.expand()
    values = -children.minimax(0, quiescence=False)
    is_mate = values > 30_000
    values[is_mate] -= 1
    best = np.maximum.reduceat(values, offsets[:-1])
    assert np.array_equal(ongoing.minimax(1, quiescence=False), best)


@pytest.mark.parametrize("depth", [129, 2**32 - 1])
def test_depths_that_are_too_deep_are_refused(depth):
    start = Positions.start()
    for call in [start.perft, start.stats, start.minimax, lambda depth: kogge.perft(kogge.START, depth)]:
        with pytest.raises((ValueError, OverflowError), match=r"too deep|\.$"):
            call(2**31 if call == start.minimax else depth)


def test_unique_is_exact():
    positions = kogge.playouts(20_000, 3, seed=3)
    for part in [positions, positions.to_format("circle32")]:
        distinct, counts, inverse = part.unique()
        assert distinct.format == part.format and distinct[inverse] == part
        rows, first, expected_counts = np.unique(part.words, axis=0, return_index=True, return_counts=True)
        order = np.argsort(first)
        assert np.array_equal(distinct.words, rows[order]) and np.array_equal(counts, expected_counts[order])
    clocks = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 1 1", "4k3/8/8/8/8/8/8/4K2R w K - 2 1"])
    assert len(clocks.unique()[0]) == 2 and len(clocks.without_clock().unique()[0]) == 1


def test_playouts_depend_on_seed_and_number_alone():
    games = kogge.playouts(5000, 80, seed=9)
    assert games == kogge.playouts(5000, 80, seed=9) != kogge.playouts(5000, 80, seed=10)
    assert games[:10] == kogge.playouts(10, 80, seed=9)
    assert kogge.playouts(3, 0) == Positions.start(3)
    first = kogge.playouts(20_000, 1, seed=0)
    distinct, counts, _ = first.unique()
    assert len(distinct) == 20 and counts.min() > 800 and counts.max() < 1200
    games.check()
    over = kogge.playouts(3000, 400, seed=4)
    assert {1, 3} <= set(over.status().tolist())


@pytest.mark.parametrize(
    ("moves", "error", "text"),
    [
        (["e2e4", "e2e5"], MoveError, 'position 1 cannot be played. "e2e5" is not a legal move of'),
        (["e2e4", "xyz"], MoveError, "is not a move in SAN"),
        (["e2e4", ""], MoveError, "is not a move in SAN"),
        (["e2e4", "éé"], MoveError, "is not a move in SAN"),
        (["e2e4", "e2e4x"], MoveError, "SAN"),
        (["e2e4"], ValueError, "There are 1 moves for 2 positions"),
        (np.array([796, 0], dtype=np.uint16), MoveError, "The code 796 is not a legal move"),
        (np.array([796, -5]), MoveError, "The index -5"),
        (np.array([796.0, 796.0]), TypeError, "Moves are"),
        (np.array([[796, 796]]), TypeError, "Moves are"),
        (np.array(["e2e4", "e2e4"]), TypeError, "Moves are"),
        ([796, 796], TypeError, "Moves are"),
        (None, TypeError, "Moves are"),
    ],
)
def test_other_moves_are_refused(moves, error, text):
    with pytest.raises(error) as raised:
        Positions.start(2).play(moves)
    assert text in str(raised.value)
    if isinstance(raised.value, MoveError):
        assert raised.value.index in (0, 1)


def test_play_castles_as_the_rules_write_it():
    fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"
    positions = Positions.from_fens([fen])
    castled = positions.play("f1g1")
    assert castled.to_fens() == ["4k3/8/8/8/8/8/8/5RK1 b - - 1 1"] and positions.play("O-O") == castled
    orthodox = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 0 1"])
    assert orthodox.play("e1g1") == orthodox.play("O-O")
    with pytest.raises(MoveError):
        orthodox.play("e1h1")
    with_rook = orthodox.with_rules(Rules(chess960=True))
    assert with_rook.play("e1h1").to_fens()[0].startswith("4k3/8/8/8/8/8/8/5RK1 b")


@pytest.mark.parametrize(
    "call",
    [
        lambda it: it.moves("lan"),
        lambda it: it.planes(13),
        lambda it: it.planes(dtype="int8"),
        lambda it: it.planes(perspective="black"),
        lambda it: it.to_format("five42"),
        lambda it: it.to_bytes("x"),
        lambda it: kogge.perft(kogge.START, 6, memory=0),
    ],
)
def test_other_arguments_are_refused(call):
    with pytest.raises(ValueError, match=r"\.$"):
        call(Positions.start())


def test_progress_is_reported_and_can_stop():
    calls = []
    assert kogge.perft(kogge.START, 7, "cpu", merge=False, progress=lambda *it: calls.append(it))
    assert calls and all(0 <= fraction <= 1 and counted >= 0 for fraction, counted in calls) and calls[-1][0] == 1

    class Enough(Exception):
        pass

    def stop(fraction: float, counted: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        kogge.perft(kogge.START, 12, "cpu", merge=False, progress=stop)
    with pytest.raises(Enough):
        Positions.start(100).minimax(9, device="cpu", progress=stop)
    with pytest.raises(TypeError):
        kogge.perft(kogge.START, 12, "cpu", merge=False, progress=3)


def test_the_gil_is_released_and_devices_are_shared():
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.001):
            beats += 1

    thread = threading.Thread(target=beat)
    thread.start()
    kogge.perft(kogge.START, 7, "cpu", merge=False)
    done.set()
    thread.join()
    assert beats > 3
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda depth: kogge.perft(kogge.START, depth), [3, 4, 5] * 8))
    assert counts == [8902, 197_281, 4_865_609] * 8


def seconds_computed() -> float:
    """Return how long the processes that this one has waited for have computed, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="Windows has no signals")
@pytest.mark.parametrize(
    "work",
    [
        'kogge.perft(kogge.START, 14, "cpu", merge=False)',
        'kogge.perft(kogge.START, 14, "cpu")',
        'kogge.Positions.start(1000).perft(9, "cpu")',
        'kogge.Positions.start(1000).stats(6, "cpu")',
        'kogge.Positions.start(1000).minimax(8, device="cpu")',
        "kogge.Positions.start(1 << 22).playouts(10_000)",
        # Single calls that take many seconds.
        'kogge.Positions.start(1 << 20).count("mailbox")',
        'kogge.Positions.start(1 << 20).expand("mailbox")',
        'kogge.Positions.start(1 << 13).perft(3, "mailbox")',
        'kogge.Positions.start(1 << 11).stats(3, "mailbox")',
        'kogge.Positions.start(1).perft(9, "mailbox")',
        'kogge.Positions.start(1).minimax(6, device="mailbox")',
        'kogge.perft(kogge.START, 12, "mailbox")',
    ],
)
def test_ctrl_c_stops(work):
    program = textwrap.dedent(f"""
        import sys
        import kogge
        print("begun", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("stopped", kogge.perft(kogge.START, 3))
    """)
    before = seconds_computed()
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    threading.Event().wait(0.7)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, _ = process.communicate(timeout=60)
    took, computed = time.monotonic() - start, seconds_computed() - before
    assert out == "stopped 8902\n" and process.returncode == 0
    # The work ends within half a second. On a busy machine it takes longer, but computes the same.
    assert took < 20 and computed < 3 * (os.cpu_count() or 1), f"{took} s, {computed} s computed"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows cannot fork")
def test_a_forked_process_starts_anew():
    program = textwrap.dedent("""
        import os
        import kogge
        kogge.playouts(1000, 20).count()
        child = os.fork()
        games = kogge.playouts(1000, 20)
        total = games.count().sum() + len(games.unique()[0]) + games[:9].perft(4, "cpu").sum() + games[:9].stats(2, "cpu")["nodes"].sum()
        if child == 0:
            os._exit(0 if total > 0 else 1)
        print(os.waitpid(child, 0)[1])
    """)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "0\n", done.stderr


def test_only_names_of_the_package_are_public():
    public = {name for name in dir(kogge) if not name.startswith("_")}
    assert public <= set(kogge.__all__)


@pytest.mark.skipif(sys.platform != "linux", reason="the layer is of Mesa on Linux")
def test_listing_devices_without_a_display_server_prints_nothing():
    hidden = ("XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT", "NODEVICE_SELECT")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    program = [sys.executable, "-c", "import kogge; kogge.devices()"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
