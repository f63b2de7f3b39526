"""Compares moves, status and children with python-chess on 20,000 random positions, Chess960 included."""

import random

import chess
import chess.pgn
import chess.polyglot
import kogge
import numpy as np
import pytest
from kogge import Positions, Status


def groups(boards: list[chess.Board]) -> list[tuple[list[chess.Board], Positions]]:
    """Return the boards in groups with the same rules."""
    found = Positions.groups_from_fens([board.shredder_fen() if board.chess960 else board.fen() for board in boards])
    return [([boards[index] for index in indices], positions) for indices, positions in found]


@pytest.fixture(scope="session")
def all_groups(orthodox, fischer) -> list[tuple[list[chess.Board], Positions]]:
    # Positions of Chess960 without castling rights may fall into any group, because their castling rules affect only the notation.
    return [*groups(orthodox), *groups(fischer)]


def test_there_are_enough_positions(all_groups):
    assert sum(len(positions) for _, positions in all_groups) == 20_000
    assert len(all_groups) > 10
    kinds = {board.chess960 for boards, _ in all_groups for board in boards}
    assert kinds == {False, True}


def test_moves(all_groups):
    castlings = promotions = captures_en_passant = 0
    for boards, positions in all_groups:
        for board, moves in zip(boards, positions.moves(), strict=True):
            assert sorted(moves) == sorted(move.uci() for move in board.legal_moves), board.fen()
            castlings += sum(board.is_castling(move) for move in board.legal_moves)
            promotions += sum(move.promotion is not None for move in board.legal_moves)
            captures_en_passant += board.has_legal_en_passant()
    assert castlings > 300 and promotions > 500 and captures_en_passant > 50


def test_san(all_groups):
    for boards, positions in all_groups:
        for board, uci, san in zip(boards, positions.moves(), positions.moves("san"), strict=True):
            assert san == [board.san(board.parse_uci(text)) for text in uci], board.fen()


def test_polyglot_keys(all_groups):
    for boards, positions in all_groups:
        expected = []
        for board in boards:
            board = board.copy(stack=False)
            # Both programs then know the same squares; kogge keeps a square only if the capture is legal.
            board.ep_square = board.ep_square if board.has_legal_en_passant() else None
            expected.append(chess.polyglot.zobrist_hash(board))
        assert positions.polyglot_keys().tolist() == expected


def test_games_to_their_end(tmp_path):
    choose = random.Random(5)
    games, expected, results = [], [], []
    for number in range(200):
        fischer = number % 2 == 1
        board = chess.Board.from_chess960_pos(518 if number % 4 == 1 else choose.randrange(960)) if fischer else chess.Board()
        if fischer and number % 4 == 3:
            # One array has one rule for castling, so only rooks on files a and h castle.
            board.set_castling_fen("-")
        game = chess.pgn.Game.from_board(board)
        game.headers["White"] = 'A "quoted" \\ name'
        node = game
        expected.append(board.copy(stack=False))
        while not board.is_game_over(claim_draw=False):
            if choose.random() < 0.1:
                node.add_variation(choose.choice(list(board.legal_moves)), comment="a (variation) 1-0")
            move = choose.choice(list(board.legal_moves))
            node = node.add_main_variation(move)
            if choose.random() < 0.1:
                node.comment = "[%clk 0:01:00] good; 12. e4"
                node.nags = {chess.pgn.NAG_GOOD_MOVE, 140}
            board.push(move)
            expected.append(board.copy(stack=False))
        game.headers["Result"] = board.result()
        games.append(str(game))
        results.append({"1-0": 2, "0-1": 0, "1/2-1/2": 1}[board.result()])
    path = tmp_path / "games.pgn"
    path.write_text("\n\n".join(games), encoding="utf-8")
    positions, offsets, found = Positions.from_pgn(path)
    assert len(offsets) == 201 and offsets[-1] == len(positions) == len(expected)
    assert found.tolist() == results and set(results) == {0, 1, 2}
    for board, fen in zip(expected, positions.to_fens(), strict=True):
        assert board.fen(en_passant="legal").split()[:2] == fen.split()[:2]
    # The last positions end the games, but for repetitions, which an array does not know.
    last = positions[offsets[1:] - 1]
    ended = last.status() != Status.ONGOING
    boards = [expected[end - 1] for end in offsets[1:]]
    for board, over in zip(boards, ended, strict=True):
        assert over or board.halfmove_clock >= 8
    assert ended.sum() > 50


def test_counts(all_groups):
    for boards, positions in all_groups:
        assert positions.count().tolist() == [board.legal_moves.count() for board in boards]


def test_children(all_groups):
    for boards, positions in all_groups:
        children, offsets = positions.expand()
        expected = []
        for board, moves in zip(boards, positions.moves(), strict=True):
            for name in moves:
                board.push_uci(name)
                expected.append(words_of(board, positions.rules.castling))
                board.pop()
        assert offsets[-1] == len(expected) and np.array_equal(np.diff(offsets), positions.count())
        assert np.array_equal(children.words, np.array(expected, dtype=np.uint64).reshape(-1, 6))
        assert Positions(children.words, positions.rules) == children


def words_of(board: chess.Board, castling: str) -> list[int]:
    """Return the six words of the format quad48, as the documentation of kogge describes it."""
    rights = board.clean_castling_rights()
    squares = [chess.parse_square(file.lower() + rank) for file, rank in zip(castling, "1188", strict=True)]
    state = int(board.turn == chess.BLACK)
    for right, square in enumerate(squares):
        state |= (rights >> square & 1) << right + 1
    if board.ep_square is not None and board.has_legal_en_passant():
        state |= (board.ep_square & 7) << 5 | 1 << 8
    state |= min(board.halfmove_clock, 127) << 9
    return [
        board.occupied_co[chess.WHITE],
        board.pawns | state & 0xFF | state >> 8 << 56,
        board.knights,
        board.bishops | board.queens,
        board.rooks | board.queens,
        board.kings,
    ]


def fen_of(board: chess.Board) -> str:
    """Return the FEN as kogge writes it, without the move number; kogge keeps clocks up to 127."""
    text = board.shredder_fen() if board.chess960 else board.fen()
    *fields, clock, _ = text.split()
    return " ".join([*fields, str(min(int(clock), 127))])


def test_status(all_groups):
    seen = set()
    for boards, positions in all_groups:
        expected = []
        for board in boards:
            if board.is_checkmate():
                expected.append(Status.CHECKMATE)
            elif board.is_stalemate():
                expected.append(Status.STALEMATE)
            elif board.is_insufficient_material():
                expected.append(Status.INSUFFICIENT_MATERIAL)
            elif board.halfmove_clock >= 100:
                expected.append(Status.FIFTY_MOVES)
            else:
                expected.append(Status.ONGOING)
        assert positions.status().tolist() == expected
        seen.update(expected)
    assert {Status.ONGOING, Status.CHECKMATE, Status.INSUFFICIENT_MATERIAL} <= seen


def test_status_of_known_positions():
    for fen, status in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Status.CHECKMATE),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", Status.STALEMATE),
        ("k7/8/1K6/8/8/8/8/8 b - - 0 1", Status.INSUFFICIENT_MATERIAL),
        ("k7/8/1K6/8/8/8/8/N7 b - - 0 1", Status.INSUFFICIENT_MATERIAL),
        ("k7/8/1K6/8/8/8/8/B1B5 b - - 0 1", Status.INSUFFICIENT_MATERIAL),
        ("k7/8/1K6/8/8/8/8/BB6 b - - 0 1", Status.ONGOING),
        ("k7/8/1K6/8/8/8/8/NB6 b - - 0 1", Status.ONGOING),
        ("k7/8/1K6/8/8/8/8/NN6 b - - 0 1", Status.ONGOING),
        ("k7/8/1K6/8/8/8/8/R7 b - - 99 1", Status.ONGOING),
        ("k7/8/1K6/8/8/8/8/R7 b - - 100 1", Status.FIFTY_MOVES),
    ]:
        assert Positions.from_fens([fen]).status().tolist() == [status], fen
        assert chess.Board(fen).is_insufficient_material() == (status == Status.INSUFFICIENT_MATERIAL), fen


def test_checkers(all_groups):
    for boards, positions in all_groups:
        assert positions.checkers().tolist() == [int(board.checkers()) for board in boards]


def test_play(all_groups):
    choose = np.random.default_rng(3)
    for boards, positions in all_groups:
        moving = np.flatnonzero(positions.count())
        positions = positions[moving]
        codes, offsets = positions.moves("codes")
        indices, _ = positions.moves("indices")
        children, _ = positions.expand()
        names = positions.moves()
        picked = offsets[:-1] + choose.integers(0, np.diff(offsets))
        assert positions.play(codes[picked]) == children[picked]
        texts = [names[index][number] for index, number in enumerate(picked - offsets[:-1])]
        assert positions.play(texts) == children[picked]
        to_queen = [index for index, text in enumerate(texts) if text[4:] in ("", "q")]
        assert positions[to_queen].play(indices[picked[to_queen]]) == children[picked[to_queen]]
        san = [boards[board].san(chess.Move.from_uci(text)) for board, text in zip(moving, texts, strict=True)]
        assert positions.play(san) == children[picked]


def test_masks_and_indices_agree(all_groups):
    for _, positions in all_groups[:10]:
        mask = positions.moves("mask")
        indices, offsets = positions.moves("indices")
        assert mask.shape == (len(positions), 4096) and mask.dtype == np.bool_
        expected = np.zeros_like(mask)
        expected[np.repeat(np.arange(len(positions)), np.diff(offsets)), indices] = True
        assert np.array_equal(mask, expected)
        names = [name for line in positions.moves() for name in line]
        squares = [chess.parse_square(name[:2]) * 64 + chess.parse_square(name[2:4]) for name in names]
        assert squares == indices.tolist()


def test_boards(all_groups):
    for boards, positions in all_groups:
        assert Positions.from_boards(boards, positions.rules) == positions
        for board, again in zip(boards, positions.to_boards(), strict=True):
            assert fen_of(board) == fen_of(again)


def test_fens(all_groups):
    for boards, positions in all_groups:
        for board, fen in zip(boards, positions.to_fens(), strict=True):
            expected = board.shredder_fen() if positions.rules.chess960 else board.fen()
            assert fen.split()[:4] == expected.split()[:4]


def test_planes(all_groups):
    for boards, positions in all_groups[:10]:
        for perspective in ["white", "mover"]:
            planes = positions.planes(17, dtype="float32", perspective=perspective)
            assert planes.dtype == np.float32
            assert np.array_equal(planes[:, :12], positions.planes(perspective=perspective))
            for board, found in zip(boards, planes, strict=True):
                assert np.array_equal(found, expected_planes(board, perspective)), board.fen()


def expected_planes(board: chess.Board, perspective: str) -> np.ndarray:
    flips = perspective == "mover" and board.turn == chess.BLACK
    planes = np.zeros((17, 8, 8), dtype=np.float32)
    colors = [chess.BLACK, chess.WHITE] if flips else [chess.WHITE, chess.BLACK]

    def mark(plane: int, square: int) -> None:
        square = chess.square_mirror(square) if flips else square
        planes[plane, square // 8, square % 8] = 1

    for number, color in enumerate(colors):
        for piece in chess.PIECE_TYPES:
            for square in board.pieces(piece, color):
                mark(6 * number + piece - 1, square)
        planes[12 + 2 * number] = board.has_kingside_castling_rights(color)
        planes[13 + 2 * number] = board.has_queenside_castling_rights(color)
    if board.has_legal_en_passant():
        mark(16, board.ep_square)
    return planes


def test_perft_of_random_positions(orthodox):
    boards = orthodox[:40]
    positions = Positions.from_boards(boards)

    def count(board: chess.Board, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += count(board, depth - 1)
            board.pop()
        return total

    assert positions.perft(2).tolist() == [count(board, 2) for board in boards]
    assert positions[:4].perft(3).tolist() == [count(board, 3) for board in boards[:4]]
    assert kogge.perft(boards[0].fen(), 3) == count(boards[0], 3)
