"""Plays games on a clock between kogge and other engines, and looks for illegal moves, crashes, and losses on time.

    pip install chess
    python search/games/play.py --games 1000 --concurrency 2 --out games.jsonl \
        --kogge "target/release/kogge uci" "stockfish UCI_Elo=2200" "gnuchess --uci"

An opponent is a command with arguments, then its options as NAME=VALUE. All engines get one thread and 16 MiB, if they have
these options. The games begin from random balanced openings of eight plies, each played with both colours against the same
opponent. The clock is the runner's, without any margin: who uses more than is left loses. The moves are checked by
python-chess. Each game is one line of JSON; an interrupted run continues where it stopped.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import shlex
import threading
import time

import chess
import chess.engine

OPENING_PLIES = 8
"""The length of an opening."""

BALANCED = 80
"""The greatest advantage after an opening, in hundredths of a pawn."""

LONGEST = 400
"""The number of plies after which a game is drawn."""

PATIENCE = 20
"""Seconds that a frozen engine gets beyond its clock."""


class Player:
    """A running engine."""

    def __init__(self, text):
        words = shlex.split(text)
        options = [word for word in words if "=" in word and not word.startswith("-")]
        self.name = text
        self.engine = chess.engine.SimpleEngine.popen_uci([word for word in words if word not in options], timeout=PATIENCE)
        wanted = {"Threads": 1, "Hash": 16} | dict(option.split("=", 1) for option in options)
        if "UCI_Elo" in wanted:
            wanted["UCI_LimitStrength"] = True
        self.engine.configure({name: value for name, value in wanted.items() if name in self.engine.options})

    def close(self):
        """Ends the engine, also a frozen one."""
        try:
            self.engine.quit()
        except Exception:
            self.engine.close()


def opening(kogge, seed):
    """Returns a random opening that kogge calls balanced."""
    chance = random.Random(seed)
    while True:
        board = chess.Board()
        while board.ply() < OPENING_PLIES and not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
        if board.is_game_over():
            continue
        score = kogge.engine.analyse(board, chess.engine.Limit(depth=8), game=object())["score"].relative
        if not score.is_mate() and abs(score.score()) <= BALANCED:
            return board


def fault(error):
    """Names what an engine did wrong."""
    if isinstance(error, chess.engine.EngineTerminatedError):
        return "crash"
    return "frozen" if isinstance(error, TimeoutError) else "illegal move"


def play(kogge, opponent, board, kogge_is_white, seconds, increment):
    """Plays a game and returns a report, whose result is kogge's."""
    players = {kogge_is_white: kogge, not kogge_is_white: opponent}
    clock = {color: seconds for color in chess.COLORS}
    report = {"opponent": opponent.name, "fen": board.fen(), "white": kogge_is_white, "moves": 0, "slowest": 0.0}
    report |= {"least": seconds, "fault": None}
    game = object()
    start_ply = board.ply()
    while not board.is_game_over(claim_draw=True) and board.ply() - start_ply < LONGEST:
        color = board.turn
        limit = chess.engine.Limit(
            white_clock=clock[chess.WHITE], black_clock=clock[chess.BLACK], white_inc=increment, black_inc=increment
        )
        began = time.perf_counter()
        wrong = None
        try:
            move = players[color].engine.play(board, limit, game=game).move
            wrong = None if move in board.legal_moves else "illegal move"
        except (chess.engine.EngineError, TimeoutError) as error:
            wrong = fault(error)
        taken = time.perf_counter() - began
        clock[color] -= taken
        if color == kogge_is_white:
            report["moves"] += 1
            report["slowest"] = max(report["slowest"], taken)
            report["least"] = min(report["least"], clock[color])
        if wrong is None and clock[color] < 0:
            wrong = "time"
        if wrong is not None:
            by_kogge = color == kogge_is_white
            report["fault"] = {"by": "kogge" if by_kogge else "opponent", "what": wrong, "fen": board.fen()}
            return report | {"result": 0.0 if by_kogge else 1.0, "clock": clock[kogge_is_white]}
        clock[color] += increment
        board.push(move)
    outcome = board.outcome(claim_draw=True)
    winner = outcome.winner if outcome else None
    result = 0.5 if winner is None else float(winner == kogge_is_white)
    return report | {"result": result, "clock": clock[kogge_is_white]}


def summary(games):
    """Prints a table of opponents, and the faults."""
    by_opponent = collections.defaultdict(list)
    for game in games:
        by_opponent[game["opponent"]].append(game)
    for name, played in by_opponent.items():
        won, drawn, lost = (sum(game["result"] == result for game in played) for result in (1.0, 0.5, 0.0))
        share = min(max((won + drawn / 2) / len(played), 1e-3), 1 - 1e-3)
        elo = -400 * math.log10(1 / share - 1)
        print(f"{name}: {len(played)} games, {won} won, {drawn} drawn, {lost} lost, Elo {elo:+.0f}")
    if games:
        moves = sum(game["moves"] for game in games)
        slowest = max(game["slowest"] for game in games)
        least = min(game["least"] for game in games)
        print(f"{len(games)} games, {moves} moves of kogge, slowest {slowest:.3f} s, least clock {least:.3f} s")
    faults = collections.Counter((game["fault"]["by"], game["fault"]["what"]) for game in games if game["fault"])
    print("faults:", dict(faults) or "none")


def main():
    """Plays the games that are not in the file yet, and prints a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("opponents", nargs="+", metavar="OPPONENT", help="a command, then options as NAME=VALUE")
    parser.add_argument("--kogge", default="target/release/kogge uci", help="the command of kogge")
    parser.add_argument("--games", type=int, default=1000, help="the number of games")
    parser.add_argument("--concurrency", type=int, default=2, help="the number of games at a time")
    parser.add_argument("--seconds", type=float, default=2.0, help="the time of each side")
    parser.add_argument("--increment", type=float, default=0.02, help="seconds for each move")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("games.jsonl"), help="the file of games")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no game after this time")
    settings = parser.parse_args()
    games = [json.loads(line) for line in settings.out.read_text().splitlines()] if settings.out.exists() else []
    done = {game["number"] for game in games}
    writing = threading.Lock()
    deadline = time.monotonic() + 60 * settings.minutes

    def run(number):
        if time.monotonic() > deadline:
            return
        pair = number // 2
        kogge = Player(settings.kogge)
        opponent = Player(settings.opponents[pair % len(settings.opponents)])
        board = opening(kogge, pair)
        game = play(kogge, opponent, board, number % 2 == 0, settings.seconds, settings.increment)
        for player in (kogge, opponent):
            player.close()
        with writing, settings.out.open("a") as file:
            game["number"] = number
            games.append(game)
            file.write(json.dumps(game) + "\n")

    with concurrent.futures.ThreadPoolExecutor(settings.concurrency) as pool:
        for job in [pool.submit(run, number) for number in range(settings.games) if number not in done]:
            job.result()
    summary(games)


if __name__ == "__main__":
    main()
