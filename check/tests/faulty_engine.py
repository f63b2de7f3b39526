"""A chess engine with a planted fault, over the package python-chess.

The engine speaks as much of UCI as a check of its moves needs, with ``go perft N``. Its argument names the fault, or several
faults separated by commas; ``none`` is a right engine:

    python check/tests/faulty_engine.py en-passant-uncovers-rank

Among the faults, ``slow=N`` sets the maximum rate, in leaves per second; without it, the engine counts about 50,000 leaves per
second, as engines written in Python do. Without an argument, it prints the names of all faults. It needs Python 3.10 and the package
``chess``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import chess

FAULTS: dict[str, str] = {
    "none": "No fault.",
    "en-passant-uncovers-rank": "En passant is allowed even if the king is then attacked along the rank that both pawns have left.",
    "castles-through-check": "The king may castle over an attacked square.",
    "castles-out-of-check": "The king may castle while it is in check.",
    "underpromotion-missing": "Promotions to a knight are missing.",
    "captured-rook-keeps-right": "A capture of a rook leaves the rook's castling right.",
    "passed-square-stays": "The en-passant square stays after other moves than double pushes.",
    "double-push-jumps": "A double push jumps over a piece.",
    "leaves-diagonal-pin": "A piece other than a pawn or the king may leave a pin on a diagonal.",
    "double-check-ignored": "In double check, a piece other than the king may end one of the checks.",
    "promotion-to-right-missing": "Promotions by a capture towards file h are missing.",
}


class FaultyBoard(chess.Board):
    """A board whose rules have faults."""

    faults: frozenset[str] = frozenset()
    #: The maximum rate, in leaves per second.
    rate: float = float("inf")

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Generate the moves that this engine takes for legal."""
        # After a move that leaves the king in check, the king is not captured.
        legal = list(super().generate_legal_moves(from_mask, to_mask & ~self.kings))
        yield from (move for move in legal if not self._is_missing(move))
        known = set(legal)
        for move in self._illegal_moves():
            if move not in known:
                known.add(move)
                yield move

    def push(self, move: chess.Move) -> None:
        """Make a move, and leave what the faults leave."""
        rights, passed = self.castling_rights, self.ep_square
        captured = self.piece_at(move.to_square)
        is_king_move = bool(self.kings & chess.BB_SQUARES[move.from_square])
        super().push(move)
        if (
            "captured-rook-keeps-right" in self.faults
            and captured
            and captured.piece_type == chess.ROOK
            and not is_king_move
        ):
            self.castling_rights |= rights & chess.BB_SQUARES[move.to_square]
        if "passed-square-stays" in self.faults and self.ep_square is None and passed is not None:
            pawn = passed + 8 if chess.square_rank(passed) == 2 else passed - 8
            # Without its pawn, the square would let a capture remove any piece, even a king.
            if self.piece_at(pawn) == chess.Piece(chess.PAWN, chess.square_rank(passed) == 2):
                self.ep_square = passed

    def clean_castling_rights(self) -> chess.Bitboard:
        """Return the castling rights; this engine does not look for the rooks of rights that it has kept."""
        if "captured-rook-keeps-right" in self.faults:
            return self.castling_rights
        return super().clean_castling_rights()

    def _is_missing(self, move: chess.Move) -> bool:
        if move.promotion is None:
            return False
        to_right = chess.square_file(move.to_square) > chess.square_file(move.from_square)
        return (
            move.promotion == chess.KNIGHT
            and "underpromotion-missing" in self.faults
            or to_right
            and "promotion-to-right-missing" in self.faults
        )

    def _illegal_moves(self) -> Iterator[chess.Move]:
        """Generate moves that the faults allow; some of them may be legal."""
        if "en-passant-uncovers-rank" in self.faults:
            yield from self._en_passant_off_rank()
        if "castles-through-check" in self.faults or "castles-out-of-check" in self.faults:
            yield from self._attacked_castling()
        if "double-push-jumps" in self.faults:
            yield from self._jumps()
        if "leaves-diagonal-pin" in self.faults:
            yield from self._off_diagonal_pins()
        if "double-check-ignored" in self.faults:
            yield from self._ends_of_one_check()

    def _own_king(self) -> chess.Square:
        king = self.king(self.turn)
        assert king is not None, "a FEN without a king is refused"
        return king

    def _attackers_after(self, move: chess.Move) -> chess.SquareSet:
        """Return the pieces that attack the king of the side to move after its move."""
        turn = self.turn
        after = chess.Board.copy(self, stack=False)
        chess.Board.push(after, move)
        king = after.king(turn)
        assert king is not None, "no move captures a king"
        return after.attackers(not turn, king)

    def _en_passant_off_rank(self) -> Iterator[chess.Move]:
        for move in self.generate_pseudo_legal_ep():
            king_rank = chess.square_rank(self._own_king())
            if all(chess.square_rank(attacker) == king_rank for attacker in self._attackers_after(move)):
                yield move

    def _attacked_castling(self) -> Iterator[chess.Move]:
        king, enemy = self._own_king(), not self.turn
        in_check = bool(self.attackers_mask(enemy, king))
        home = 0 if self.turn == chess.WHITE else 7
        if not self.castling_rights & chess.BB_RANKS[home] or king != chess.square(4, home):
            return
        for rook, target, passed in ((7, 6, 5), (0, 2, 3)):
            rook_square, target_square = chess.square(rook, home), chess.square(target, home)
            free = not chess.between(king, rook_square) & self.occupied
            if not free or not self.castling_rights & chess.BB_SQUARES[rook_square]:
                continue
            through_check = bool(self.attackers_mask(enemy, chess.square(passed, home)))
            if in_check and "castles-out-of-check" not in self.faults:
                continue
            if through_check and "castles-through-check" not in self.faults:
                continue
            if not self.attackers_mask(enemy, target_square):
                to_square = rook_square if self.chess960 else target_square
                yield chess.Move(king, to_square)

    def _jumps(self) -> Iterator[chess.Move]:
        start, up = (1, 8) if self.turn == chess.WHITE else (6, -8)
        pawns = self.pawns & self.occupied_co[self.turn] & chess.BB_RANKS[start]
        for square in chess.scan_forward(pawns):
            over, target = square + up, square + 2 * up
            move = chess.Move(square, target)
            if (
                self.occupied & chess.BB_SQUARES[over]
                and not self.occupied & chess.BB_SQUARES[target]
                and not self._attackers_after(move)
            ):
                yield move

    def _off_diagonal_pins(self) -> Iterator[chess.Move]:
        king = self._own_king()
        pieces = self.occupied_co[self.turn] & ~self.pawns & ~self.kings
        pinned = chess.BB_EMPTY
        for square in chess.scan_forward(pieces):
            line = self.pin_mask(self.turn, square)
            if line != chess.BB_ALL and chess.square_distance(king, square) == abs(
                chess.square_file(king) - chess.square_file(square)
            ) == abs(chess.square_rank(king) - chess.square_rank(square)):
                pinned |= chess.BB_SQUARES[square]
        if not pinned:
            return
        checkers = self.checkers_mask()
        if chess.popcount(checkers) > 1:
            return
        targets = chess.BB_ALL
        if checkers:
            targets = chess.between(king, chess.msb(checkers)) | checkers
        yield from self.generate_pseudo_legal_moves(pinned, targets & ~self.kings)

    def _ends_of_one_check(self) -> Iterator[chess.Move]:
        checkers = self.checkers_mask()
        if chess.popcount(checkers) < 2:
            return
        king = self._own_king()
        targets = checkers
        for checker in chess.scan_forward(checkers):
            targets |= chess.between(king, checker)
        for move in self.generate_pseudo_legal_moves(~self.kings, targets):
            # A piece that is pinned besides stays where it is.
            if self._attackers_after(move).issubset(chess.SquareSet(checkers)):
                yield move

    def leaves(self, depth: int) -> int:
        """Count the leaves at a depth."""
        if depth == 0:
            return 1
        count = 0
        for move in list(self.legal_moves):
            self.push(move)
            count += self.leaves(depth - 1)
            self.pop()
        if depth == 1:
            time.sleep(count / self.rate)
        return count


class Engine:
    """An engine and its position."""

    def __init__(self, faults: frozenset[str], rate: float) -> None:
        """Make an engine with these faults, at the start position. It counts at most ``rate`` leaves per second."""
        self.faults = faults
        self.rate = rate
        self.chess960 = False
        self.board: FaultyBoard | None = self._new_board(chess.STARTING_FEN)

    def _new_board(self, fen: str) -> FaultyBoard | None:
        try:
            board = FaultyBoard(fen, chess960=self.chess960)
        except ValueError:
            return None
        board.faults = self.faults
        board.rate = self.rate
        if board.king(chess.WHITE) is None or board.king(chess.BLACK) is None:
            return None
        return board

    def set_position(self, words: list[str]) -> None:
        """Set the position. Moves from the first illegal one on are ignored."""
        end = words.index("moves") if "moves" in words else len(words)
        if words[:1] == ["startpos"]:
            self.board = self._new_board(chess.STARTING_FEN)
        elif words[:1] == ["fen"]:
            self.board = self._new_board(" ".join(words[1:end]))
        for word in words[end + 1 :]:
            by_text = {} if self.board is None else {self.board.uci(move): move for move in self.board.legal_moves}
            if self.board is None or word not in by_text:
                return
            self.board.push(by_text[word])

    def divide(self, depth: int) -> None:
        """Print the leaves below each move, and their sum."""
        if self.board is None:
            print("info string there is no position", flush=True)
            return
        total = 1 if depth == 0 else 0
        for move in list(self.board.legal_moves) if depth > 0 else []:
            text = self.board.uci(move)
            self.board.push(move)
            count = self.board.leaves(depth - 1)
            self.board.pop()
            total += count
            print(f"{text}: {count}", flush=True)
        print(f"\nNodes searched: {total}\n", flush=True)

    def obey(self, line: str) -> bool:
        """Obey a command, and return whether the engine goes on."""
        match line.split():
            case ["uci"]:
                print("id name Faulty python-chess\nid author kogge")
                print("option name UCI_Chess960 type check default false\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["setoption", "name", "UCI_Chess960", "value", value]:
                self.chess960 = value == "true"
            case ["position", *words]:
                self.set_position(words)
            case ["go", "perft", depth] if depth.isdecimal():
                self.divide(int(depth))
            case ["quit"]:
                return False
            case [] | ["ucinewgame"] | ["setoption", *_] | ["stop"]:
                pass
            case _:
                print(f"Unknown command: '{line}'", flush=True)
        return True


def main() -> int:
    """Be the engine with the faults that the argument names."""
    names = sys.argv[1].split(",") if len(sys.argv) == 2 else []
    rates = [name.removeprefix("slow=") for name in names if name.startswith("slow=")]
    faults = frozenset(name for name in names if not name.startswith("slow="))
    is_rate = all(rate.isdecimal() and int(rate) > 0 for rate in rates)
    if not names or not faults <= FAULTS.keys() or not is_rate:
        print(f"usage: {sys.argv[0]} FAULT,...[,slow=N]; the faults are:", file=sys.stderr)
        for name, sentence in FAULTS.items():
            print(f"  {name:27} {sentence}", file=sys.stderr)
        return 2
    engine = Engine(faults, float(rates[-1]) if rates else float("inf"))
    for line in sys.stdin:
        if not engine.obey(line.strip()):
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
