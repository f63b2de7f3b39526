"""Runs the programs of the page docs/python.md, and checks its types and the package's stubs."""

import re
import subprocess
import sys
from pathlib import Path

import kogge
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


def test_the_page_has_programs():
    assert len(PROGRAMS) == 8


@pytest.mark.parametrize("program", PROGRAMS, ids=range(1, 1 + len(PROGRAMS)))
def test_programs_run(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, PAGE.name, "exec"), {"__name__": "program"})


def test_programs_have_the_types_of_the_stubs(tmp_path):
    files = []
    for number, program in enumerate(PROGRAMS):
        files.append(tmp_path / f"program{number}.py")
        files[-1].write_text(program)
    run([sys.executable, "-m", "mypy", "--check-untyped-defs", *files], tmp_path)


def test_stubs_and_library_agree(tmp_path):
    run([sys.executable, "-m", "mypy.stubtest", "kogge"], tmp_path)


def test_everything_is_documented():
    for name in kogge.__all__:
        assert name == "__version__" or name == "START" or getattr(kogge, name).__doc__, name
    for name, member in vars(kogge.Positions).items():
        assert name.startswith("_") or member.__doc__ or name in ("rules", "format", "words"), name


def run(command, folder):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
