"""Measures kogge beside other packages: positions a second, for batches of 1, 1,000 and 1,000,000 positions.

    python python/bench/benchmark.py [--device cpu opencl] [--sizes 1 1000 1000000] [--seconds 0.5] [--json FILE]
        [--library PROGRAM]

The script needs kogge and NumPy alone. It measures python-chess, rust-chess and cozy-chess beside kogge if they are installed. Every rate
is the median of several runs of at least the given time; a run of a slower package takes fewer positions of the batch. The positions
come from random games of 40 plies. Counts of all packages must agree. `--library` names the program of the Rust example `batches`
(`cargo build --release -p kogge-cli --example batches`), which measures the Rust library with the same positions on the same devices.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import kogge
import numpy as np
from kogge import Positions

try:
    import chess
except ImportError:
    chess = None
try:
    import rust_chess
except ImportError:
    rust_chess = None
try:
    import cozy_chess
except ImportError:
    cozy_chess = None

SLOW = 2000
"""The most positions of a batch that packages get which take one board at a time; their rate does not depend on it."""
RUNS = 5
OPERATIONS = ["count", "expand", "moves", "masks", "planes", "unique", "playouts"]
PLIES = 10

Rows = list[dict[str, Any]]
Work = Callable[[], object]


def rate(work: Work, positions: int, seconds: float) -> float:
    """Return the positions a second of a call that handles this many positions."""
    work()
    start = time.perf_counter()
    work()
    once = time.perf_counter() - start
    repeats = max(1, round(seconds / RUNS / max(once, 1e-7)))
    rates = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        rates.append(repeats * positions / (time.perf_counter() - start))
    return statistics.median(rates)


def of_kogge(positions: Positions, device: str) -> dict[str, Work]:
    """Return the operations of kogge; those that a device does not compute are measured with the CPU only."""
    work: dict[str, Work] = {
        "count": lambda: positions.count(device),
        "expand": lambda: positions.expand(device),
    }
    if device == "cpu":
        work |= {
            "moves": positions.moves,
            "masks": lambda: positions.moves("mask"),
            "planes": positions.planes,
            "unique": positions.unique,
            "playouts": lambda: positions.playouts(PLIES),
        }
    return work


def of_python_chess(fens: list[str]) -> dict[str, Work]:
    boards = [chess.Board(fen) for fen in fens]

    def children(board: chess.Board) -> list[chess.Board]:
        made = []
        for move in board.legal_moves:
            child = board.copy(stack=False)
            child.push(move)
            made.append(child)
        return made

    def masks() -> np.ndarray:
        mask = np.zeros((len(boards), 4096), dtype=bool)
        for row, board in zip(mask, boards):
            row[[move.from_square * 64 + move.to_square for move in board.legal_moves]] = True
        return mask

    def planes() -> np.ndarray:
        masks = [
            [board.pieces_mask(piece, color) for color in (chess.WHITE, chess.BLACK) for piece in chess.PIECE_TYPES]
            for board in boards
        ]
        octets = np.array(masks, dtype=np.uint64).view(np.uint8).reshape(len(boards), 12, 8, 1)
        return np.unpackbits(octets, axis=-1, bitorder="little")

    random = np.random.default_rng(0)

    def playouts() -> None:
        for board in boards:
            board = board.copy(stack=False)
            for _ in range(PLIES):
                moves = list(board.legal_moves)
                if not moves:
                    break
                board.push(moves[random.integers(len(moves))])

    return {
        "count": lambda: [board.legal_moves.count() for board in boards],
        "expand": lambda: [children(board) for board in boards],
        "moves": lambda: [[move.uci() for move in board.legal_moves] for board in boards],
        "masks": masks,
        "planes": planes,
        "unique": lambda: {board._transposition_key() for board in boards},
        "playouts": playouts,
    }


def of_rust_chess(fens: list[str]) -> dict[str, Work]:
    boards = [rust_chess.Board(fen) for fen in fens]

    def moves(board: Any) -> list[Any]:
        board.reset_move_generator()
        return list(board.generate_legal_moves())

    return {
        "count": lambda: [len(moves(board)) for board in boards],
        "expand": lambda: [[board.make_move_new(move) for move in moves(board)] for board in boards],
        "moves": lambda: [[move.get_uci() for move in moves(board)] for board in boards],
    }


def of_cozy_chess(fens: list[str]) -> dict[str, Work]:
    import copy

    boards = [cozy_chess.Board.from_fen(fen) for fen in fens]

    def children(board: Any) -> list[Any]:
        made = []
        for move in board.generate_moves():
            child = copy.copy(board)
            child.play_unchecked(move)
            made.append(child)
        return made

    return {
        "count": lambda: [len(board.generate_moves()) for board in boards],
        "expand": lambda: [children(board) for board in boards],
        "moves": lambda: [[str(move) for move in board.generate_moves()] for board in boards],
    }


def of_library(program: str, positions: Positions, devices: list[str]) -> Rows:
    """Measure the Rust library with the same positions."""
    with tempfile.NamedTemporaryFile() as file:
        positions.to_format("quad48").words.tofile(file.name)
        try:
            answer = subprocess.run([program, file.name, *devices], capture_output=True, text=True)
        except OSError as error:
            sys.exit(f"{program} could not be started: {error}. Build it as this file's first lines say.")
    if answer.returncode != 0:
        sys.exit(f"{program} failed. It says: {answer.stderr}")
    lines = [line.split("\t") for line in answer.stdout.splitlines() if line.count("\t") == 2]
    return [
        {"package": f"Rust {device}", "operation": operation, "batch": len(positions), "rate": float(rate)}
        for device, operation, rate in lines
    ]


def measure(sizes: list[int], devices: list[str], seconds: float, program: str | None) -> Rows:
    """Measure everything, and compare the counts."""
    rows: Rows = []

    def add(package: str, size: int, positions: int, work: dict[str, Work]) -> None:
        for operation, call in work.items():
            rows.append({"package": package, "operation": operation, "batch": size, "rate": rate(call, positions, seconds)})
            print(f"{package:<14} {operation:<9} {size:>9} {rows[-1]['rate']:>16,.0f}", file=sys.stderr)

    others = [("python-chess", chess, of_python_chess), ("rust-chess", rust_chess, of_rust_chess), ("cozy-chess", cozy_chess, of_cozy_chess)]
    # Some drivers give a device to one process at a time, so the library comes before this process opens it.
    batches = {size: kogge.playouts(size, 40, seed=size) for size in sizes}
    if program:
        for positions in batches.values():
            rows += of_library(program, positions, devices)
    for size, positions in batches.items():
        counts = positions.count("cpu")
        for device in devices:
            work = of_kogge(positions, device)
            if not np.array_equal(positions.count(device), counts):
                sys.exit(f"kogge counts other moves on {device} than on the CPU.")
            add(f"kogge {device}", size, size, work)
        few = positions[: min(size, SLOW)]
        fens = few.to_fens()
        for name, package, operations in others:
            if package is None:
                continue
            work = operations(fens)
            if [int(count) for count in work["count"]()] != counts[: len(few)].tolist():
                print(f"note: {name} counts other moves than kogge.", file=sys.stderr)
            add(name, size, len(few), work)
    return rows


def table(rows: Rows) -> str:
    """Return the rates as a table in Markdown, in positions a second."""
    packages = list(dict.fromkeys(row["package"] for row in rows))
    rates = {(row["operation"], row["batch"], row["package"]): row["rate"] for row in rows}
    lines = [f"| operation | batch | {' | '.join(packages)} |", f"|---|---:|{'---:|' * len(packages)}"]
    for operation in OPERATIONS:
        for batch in sorted({row["batch"] for row in rows}):
            cells = [short(rates.get((operation, batch, package))) for package in packages]
            lines.append(f"| {operation} | {batch:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def short(rate: float | None) -> str:
    """Return a rate with three digits."""
    if rate is None:
        return ""
    for unit, name in [(1e9, " G"), (1e6, " M"), (1e3, " k")]:
        if rate >= unit:
            return f"{rate / unit:.3g}{name}"
    return f"{rate:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", default=["cpu"], help="the devices of kogge; the first operations run on each")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 1000, 1_000_000], help="the numbers of positions")
    parser.add_argument("--seconds", type=float, default=0.5, help="the time of each measurement")
    parser.add_argument("--library", dest="program", help="the program of the Rust example `batches`, to measure the Rust library, too")
    parser.add_argument("--json", help="also write the rates to this file")
    arguments = parser.parse_args()
    rows = measure(arguments.sizes, arguments.device, arguments.seconds, arguments.program)
    versions = {"kogge": kogge.__version__, "python": platform.python_version(), "numpy": np.__version__}
    if chess:
        versions["chess"] = chess.__version__
    machine = {"cores": os.cpu_count(), "devices": [repr(device) for device in kogge.devices() if device.usable]}
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"versions": versions, "machine": machine, "rows": rows}, file, indent=1)
    print(f"Positions a second. {versions}, {machine}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
