"""The native part of kogge."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, SupportsIndex, final, overload

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "START",
    "Device",
    "DeviceError",
    "MoveError",
    "PositionError",
    "Positions",
    "Rules",
    "__version__",
    "devices",
    "pack_bulletformat",
    "pack_marlinformat",
    "perft",
    "unpack_bulletformat",
    "unpack_marlinformat",
]

START: str
"""The FEN of the start position of orthodox chess."""
__version__: str

_Progress = Callable[[float, int], object]
"""Gets the share of the work that is done, 0 to 1, and the leaves counted so far; neither is a result."""

class PositionError(ValueError):
    """A position is not legal or cannot be read."""

    index: int
    """The number of the first bad position in the input, from 0."""

class MoveError(ValueError):
    """A move cannot be played."""

    index: int
    """The number of the first position whose move is bad, from 0."""

class DeviceError(RuntimeError):
    """A device cannot be used, or it failed."""

@final
class Rules:
    """The rules that all positions of an array share. Objects are immutable, comparable and hashable."""

    def __new__(cls, castling: str = "HAha", *, chess960: bool | None = None, halfmove_clock: bool = True) -> Rules:
        """Make rules from the files of the castling rooks of the rights K, Q, k and q.

        `chess960` is true by default if these files are not those of orthodox chess. `halfmove_clock=False` makes all halfmove clocks
        0, so that positions that differ in nothing else are equal.
        """
    @property
    def castling(self) -> str:
        """The files of the castling rooks, such as `"HAha"`."""
    @property
    def chess960(self) -> bool:
        """Whether a king may castle from any file, and castling is written as the king's move to its rook."""
    @property
    def halfmove_clock(self) -> bool:
        """Whether moves count the plies since the last capture or pawn move."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...

@final
class Positions:
    """An immutable array of legal positions that share their rules.

    An array is a sequence: `positions[3]`, `positions[2:5]`, `positions[mask]` and `positions[indices]` are arrays, too. A number or a
    slice with step 1 copies nothing. Arrays are equal if their rules and all their positions are equal, in either format.
    """

    def __new__(cls, words: NDArray[np.uint64], rules: Rules | None = None, check: bool = True) -> Positions:
        """Make an array of the words of packed positions: shape (N, 6) is the format quad48, shape (N, 4) is circle32.

        The memory is shared, not copied, if the array is contiguous; so a file can be mapped with `numpy.memmap`. Whoever writes to it
        afterwards must call `check()`. With `check=False`, nothing is checked; then illegal positions give meaningless answers.

        Raises:
            PositionError: A position is not legal.
            ValueError: The array has another dtype or shape.
        """
    @staticmethod
    def from_fens(fens: Iterable[str], rules: Rules | None = None) -> Positions:
        """Read FENs, X-FENs or Shredder-FENs, or names such as `kiwipete`. Without rules, they follow from the castling rights of all positions.

        The move numbers are left out, and an en-passant square where no capture is legal.

        Raises:
            PositionError: A FEN is wrong, or has other castling rooks than an earlier one.
        """
    @staticmethod
    def groups_from_fens(fens: Iterable[str]) -> list[tuple[NDArray[np.int64], Positions]]:
        """Read FENs of games with different castling rooks: an array for each of their rules, with the numbers of its FENs.

        Raises:
            PositionError: A FEN is wrong.
        """
    @staticmethod
    def from_epd(path: str | PathLike[str], rules: Rules | None = None) -> Positions:
        """Read a file with an EPD or a FEN in each line; operations, blank lines and comments (`#`) are left out.

        Raises:
            PositionError: A line is wrong; the message names it.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_pgn(
        path: str | PathLike[str], rules: Rules | None = None
    ) -> tuple[Positions, NDArray[np.int64], NDArray[np.int8]]:
        """Read the games of a PGN file, of chess or Chess960; variations are skipped.

        Returns the positions of all games, N + 1 offsets, and the N results. The positions of game `i`, from its start to its end,
        are `positions[offsets[i]:offsets[i + 1]]`. The results are 0 if black won, 1 for a draw, 2 if white won, and -1 if the result
        is not known.

        Raises:
            ValueError: A game is wrong; the message names the game and the line.
            PositionError: A game has other castling rooks than an earlier one.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_bytes(
        data: bytes, format: Literal["quad48", "circle32"] = "circle32", rules: Rules | None = None
    ) -> Positions:
        """Read packed positions.

        Raises:
            PositionError: A position is not legal.
            ValueError: The number of bytes is wrong.
        """
    @staticmethod
    def from_boards(boards: Iterable[chess.Board], rules: Rules | None = None) -> Positions:
        """Read boards of python-chess. Halfmove clocks beyond 127 become 127.

        Raises:
            PositionError: A board is not legal, or has other castling rooks than an earlier one.
        """
    @staticmethod
    def start(n: int = 1) -> Positions:
        """Return the start position of orthodox chess, `n` times."""
    @staticmethod
    def concatenate(parts: Sequence[Positions]) -> Positions:
        """Join arrays that have the same rules.

        Raises:
            ValueError: The rules differ.
        """
    @property
    def rules(self) -> Rules:
        """The rules."""
    @property
    def format(self) -> Literal["quad48", "circle32"]:
        """The format of the positions in memory."""
    @property
    def words(self) -> NDArray[np.uint64]:
        """The words of the positions, of shape (N, 6) or (N, 4): a view that cannot be written to."""
    def check(self) -> None:
        """Check all positions again.

        Raises:
            PositionError: A position is not legal.
        """
    def to_format(self, format: Literal["quad48", "circle32"]) -> Positions:
        """Return the same positions in a format: 48 bytes, for computing, or 32 bytes, for storing."""
    def with_rules(self, rules: Rules) -> Positions:
        """Return the same positions under other rules.

        Raises:
            PositionError: A position is not legal under these rules.
        """
    def without_clock(self) -> Positions:
        """Return the positions with all halfmove clocks 0, under rules that keep no clock."""
    def to_fens(self) -> list[str]:
        """Return the positions as FENs with move number 1; in Chess960, as Shredder-FENs."""
    def to_boards(self) -> list[chess.Board]:
        """Return the positions as boards of python-chess, which must be installed."""
    def to_bytes(self, format: Literal["quad48", "circle32"] = "circle32") -> bytes:
        """Return the packed positions."""
    def count(self, device: str = "auto") -> NDArray[np.uint32]:
        """Count the legal moves of each position."""
    def expand(self, device: str = "auto") -> tuple[Positions, NDArray[np.int64]]:
        """Make every legal move of each position.

        Returns the successors, in the order that `moves` has too, and N + 1 offsets: the successors of position `i` are
        `children[offsets[i]:offsets[i + 1]]`.
        """
    @overload
    def moves(self, form: Literal["uci", "san"] = "uci") -> list[list[str]]: ...
    @overload
    def moves(self, form: Literal["codes"]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]: ...
    @overload
    def moves(self, form: Literal["indices"]) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    @overload
    def moves(self, form: Literal["mask"]) -> NDArray[np.bool_]:
        """Return the legal moves of each position, in the order of `expand`.

        * `"uci"`: a list of texts for each position, such as `"e2e4"` and `"e7e8q"`.
        * `"san"`: a list of texts for each position, such as `"Nbd2"` and `"exd8=Q+"`.
        * `"codes"`: numbers of 16 bits (from, 6 bits; to, 6 bits; kind, 4 bits), and N + 1 offsets.
        * `"indices"`: the numbers 64 * from + to, and N + 1 offsets. The four promotions of a pawn have one index.
        * `"mask"`: a table of shape (N, 4096) that is true at the indices of legal moves.

        Squares are numbered from a1 = 0, b1 = 1 to h8 = 63. In Chess960, castling goes to the square of the rook.
        """
    def play(self, moves: str | Sequence[str] | NDArray[np.integer[Any]]) -> Positions:
        """Play a move in each position and return the positions after them.

        Moves are texts (UCI notation or SAN), one for each position or one for all; codes (an array of uint16); or indices (an array of
        another integer type). A promotion by its index is to a queen.

        Raises:
            MoveError: A move is not legal.
            ValueError: There are more or fewer moves than positions.
        """
    def perft(self, depth: int, device: str = "auto", progress: _Progress | None = None) -> NDArray[np.uint64]:
        """Count the leaves `depth` plies below each position, 1 at depth 0.

        Raises:
            OverflowError: A count exceeds 2^64.
        """
    def stats(
        self, depth: int, device: str = "auto", progress: _Progress | None = None
    ) -> dict[str, NDArray[np.uint64]]:
        """Count the leaves below each position by the moves that lead to them.

        The keys are nodes, captures, en_passant, castles, promotions, checks, discovered, double and mates.
        """
    def minimax(
        self, depth: int, quiescence: bool = True, device: str = "auto", progress: _Progress | None = None
    ) -> NDArray[np.int32]:
        """Return the value of each position by exhaustive minimax, `depth` plies deep, for the side to move.

        Values are hundredths of a pawn. 32,000 less the plies to mate is a mate, and -32,000 plus these plies is being mated.
        Captures and promotions at a leaf are searched to the end, unless `quiescence` is false.
        """
    def evaluate(self) -> NDArray[np.int32]:
        """Return the value of each position for the side to move, without looking ahead, in hundredths of a pawn."""
    def checkers(self) -> NDArray[np.uint64]:
        """Return the squares of the pieces that give check, as bitboards (a1 is bit 0); 0 without check."""
    def status(self) -> NDArray[np.uint8]:
        """Return whether each game is over, and why, as numbers of `kogge.Status`."""
    def black_to_move(self) -> NDArray[np.bool_]:
        """Return which positions have black to move."""
    def halfmove_clocks(self) -> NDArray[np.uint8]:
        """Return the plies since the last capture or pawn move, 0 to 127."""
    def unique(self) -> tuple[Positions, NDArray[np.int64], NDArray[np.int64]]:
        """Find equal positions, by all their bytes.

        Returns the distinct positions in the order of their first occurrence, how often each occurs, and for each position the number
        of its distinct position: `distinct[inverse] == positions`. Positions that differ only in the halfmove clock are different;
        `without_clock()` makes them equal.
        """
    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each position, the same in both formats and in every process of this version of kogge."""
    def polyglot_keys(self) -> NDArray[np.uint64]:
        """Return the Zobrist key of each position that Polyglot defined and many opening books use.

        The en-passant file belongs to the key only if the capture is legal.
        """
    @overload
    def planes(
        self,
        planes: Literal[12, 17] = 12,
        *,
        dtype: Literal["uint8"] = "uint8",
        perspective: Literal["white", "mover"] = "white",
    ) -> NDArray[np.uint8]: ...
    @overload
    def planes(
        self,
        planes: Literal[12, 17] = 12,
        *,
        dtype: Literal["float32"],
        perspective: Literal["white", "mover"] = "white",
    ) -> NDArray[np.float32]:
        """Return the boards as planes of zeros and ones, of shape (N, 12, 8, 8) or (N, 17, 8, 8).

        The axes after the plane are rank and file, from a1. Planes 0 to 5 have the pawns, knights, bishops, rooks, queens and kings of
        white, planes 6 to 11 those of black. Planes 12 to 15 are full of ones for the rights K, Q, k and q. Plane 16 has the en-passant
        square. With `perspective="mover"`, the side to move comes first, and the board is flipped if black is to move.
        """
    def playouts(self, plies: int, seed: int = 0) -> Positions:
        """Play random legal moves from each position, and return the positions after them.

        All moves have the same probability. A game that ends early stays where it ends. The seed and the number of a position determine
        its moves.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, key: SupportsIndex | slice | ArrayLike, /) -> Positions: ...
    def __iter__(self) -> Iterator[Positions]: ...
    def __add__(self, other: Positions, /) -> Positions: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Device:
    """A device, or a backend without devices."""

    @property
    def id(self) -> str:
        """The text that the argument `device` of a call takes, such as `"opencl:0"`."""
    @property
    def usable(self) -> bool:
        """Whether it can be used."""
    @property
    def reason(self) -> str | None:
        """The reason why it cannot be used."""
    @property
    def backend(self) -> str:
        """The backend: `"opencl"`, `"wgpu"`, `"cpu"` or `"mailbox"`."""
    @property
    def number(self) -> int | None:
        """The number within the backend."""
    @property
    def name(self) -> str | None:
        """The name as its driver gives it."""
    @property
    def kind(self) -> str | None:
        """The kind: `"CPU"`, `"GPU"`, `"integrated GPU"`, `"software device"` or `"other device"`."""
    @property
    def driver(self) -> str | None:
        """The driver, the interface and their versions."""
    @property
    def variant(self) -> str | None:
        """The variant of the code that the backend uses."""
    @property
    def memory(self) -> int | None:
        """The bytes of its memory, if they are known."""

def devices() -> list[Device]:
    """List the devices of all backends, and the reasons why some cannot be used."""

def perft(
    fen: str,
    depth: int,
    device: str = "auto",
    *,
    merge: bool = True,
    memory: int | None = None,
    progress: _Progress | None = None,
) -> int:
    """Count the leaves `depth` plies below a position (a FEN or a name such as `kiwipete`), up to 2^128.

    From depth 5 on, equal positions of a ply are merged, as far as this pays; `merge=False` counts every leaf instead. `memory` limits
    the bytes that merged positions may take.

    Raises:
        PositionError: The FEN is wrong.
        OverflowError: The count exceeds 2^128.
        MemoryError: The merged positions do not fit in `memory`.
        KeyboardInterrupt: Ctrl-C stopped the count; there is no partial count.
    """

def unpack_bulletformat(
    data: bytes | NDArray[np.uint8],
) -> tuple[Positions, NDArray[np.int16], NDArray[np.uint8]]:
    """Read records of bulletformat (`ChessBoard`): positions, scores and results.

    The records show the board to the side to move, so all positions have white to move. Scores (hundredths of a pawn) and results (0
    black wins, 1 draw, 2 white wins) are for white.

    Raises:
        PositionError: A record is not a legal position.
    """

def unpack_marlinformat(
    data: bytes | NDArray[np.uint8], *, castling: bool = True
) -> tuple[Positions, NDArray[np.int16], NDArray[np.uint8], NDArray[np.uint16]]:
    """Read records of marlinformat (`PackedBoard`): positions, scores, results and the numbers of the next moves.

    Scores and results are as in `unpack_bulletformat`. `castling=False` leaves castling rights out, for files of Chess960 games whose
    castling rooks differ.

    Raises:
        PositionError: A record is not a legal position, or has other castling rooks than an earlier one.
    """

def pack_bulletformat(positions: Positions, scores: ArrayLike, results: ArrayLike) -> NDArray[np.uint8]:
    """Write records of bulletformat, of shape (N, 32). Scores and results are for white.

    The records lose whose turn it is, castling rights, en-passant squares and halfmove clocks.

    Raises:
        ValueError: There is not one score and one result for each position, or a number is out of range.
    """

def pack_marlinformat(
    positions: Positions, scores: ArrayLike, results: ArrayLike, fullmoves: ArrayLike | None = None
) -> NDArray[np.uint8]:
    """Write records of marlinformat, of shape (N, 32). Scores and results are for white; the move numbers are 1 by default.

    Raises:
        ValueError: There is not one number of each kind for each position, or a number is out of range.
    """
