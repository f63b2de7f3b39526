"""Random positions for the tests, by python-chess alone."""

import random

import chess
import pytest
from hypothesis import settings

# A busy machine may be slow, and a failure for that reason proves nothing.
settings.register_profile("kogge", deadline=None)
settings.load_profile("kogge")


def random_boards(count: int, seed: int, chess960: bool) -> list[chess.Board]:
    """Return boards from random games that begin at random plies and prefer captures, checks and rare moves now and then."""
    choose = random.Random(seed)
    boards: list[chess.Board] = []
    while len(boards) < count:
        if choose.random() < 0.2:
            board = endgame(choose, chess960)
        else:
            board = chess.Board.from_chess960_pos(choose.randrange(960)) if chess960 else chess.Board()
        for _ in range(choose.randrange(10, 160)):
            moves = list(board.legal_moves)
            boards.append(board.copy(stack=False))
            if not moves or board.halfmove_clock > 120:
                break
            rare = [move for move in moves if move.promotion or board.is_castling(move) or board.is_en_passant(move)]
            board.push(choose.choice(rare if rare and choose.random() < 0.3 else moves))
    choose.shuffle(boards)
    return boards[:count]


def endgame(choose: random.Random, chess960: bool) -> chess.Board:
    """Return a legal position with few pieces on random squares."""
    while True:
        board = chess.Board(None, chess960=chess960)
        pieces = ["K", "k", *choose.choices("PpNnBbRQ", k=choose.randrange(1, 4))]
        for square, piece in zip(choose.sample(chess.SQUARES, len(pieces)), pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = choose.random() < 0.5
        board.halfmove_clock = choose.randrange(100)
        if board.is_valid():
            return board


@pytest.fixture(scope="session")
def orthodox() -> list[chess.Board]:
    """12,000 positions of orthodox chess."""
    return random_boards(12_000, seed=1, chess960=False)


@pytest.fixture(scope="session")
def fischer() -> list[chess.Board]:
    """8,000 positions of Chess960."""
    return random_boards(8_000, seed=2, chess960=True)
