"""What moves on a terminal while the program works, and nothing where there is none."""

import os
import pty
import re
import subprocess

import pytest

EMMF = os.environ["EMMF"]
SAMPLES = "reading the samples"
DRAWN = ["drawing the samples", "writing the results"]
FITTED = [SAMPLES, "looking through the samples", "looking for outliers", "linking neighbours", "objective", *DRAWN]
LAYERS = [SAMPLES, "choosing the layers", "objective", *DRAWN]
CODED = [SAMPLES, "coding the samples", "writing the results"]
CALLS = {
    "fit x.csv -k 3 --max-iter 60 --out one": FITTED,
    "fit x.csv -k 2..4 --max-iter 60 --out two --report": ["choosing the number of centroids", *FITTED],
    "fit x.csv --layers auto --max-iter 20 --out deep": LAYERS,
    "transform fitted x.csv --out coded.csv": CODED,
    "report fitted --out page.html": ["reading the fits", "drawing the page"],
    "explain fitted x.csv --row 3": [SAMPLES],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("progress")
    run("synth rays --samples 400 --features 30 -k 3 --outliers 10 --out x.csv", folder)
    run("fit x.csv -k 3 --max-iter 20 --quiet --out fitted", folder)
    return folder


def run(words, folder):
    done = subprocess.run([EMMF, *words.split()], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def on_a_terminal(words, folder):
    """Give what a terminal gets that shows the messages of the program."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen([EMMF, *words.split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert program.wait() == 0, seen
    return seen.decode()


def test_the_time_left_is_that_of_the_iterations(tmp_path):
    run("synth rays --samples 1500 --features 60 -k 30 --out x.csv", tmp_path)
    seen = on_a_terminal("fit x.csv -k 30 --max-iter 60 --out one", tmp_path)
    left = re.findall(r"(\d+)/60 objective \S+ \w+ elapsed, (\d+)([sm]) left", seen)
    assert left, seen[-2000:]
    # Start and graph take seconds, sixty iterations less than one.
    assert max(int(value) * (60 if unit == "m" else 1) for _, value, unit in left) < 20, left


@pytest.mark.parametrize("words", CALLS)
def test_every_phase_is_shown(place, words):
    seen = on_a_terminal(words, place)
    at = [seen.find(phase) for phase in CALLS[words]]
    assert min(at) >= 0, dict(zip(CALLS[words], at, strict=True))


@pytest.mark.parametrize("words", CALLS)
def test_nothing_is_shown_where_nobody_looks(place, words):
    said = run(words, place)
    assert not any(phase in said for phase in CALLS[words]), said
    assert "\x1b" not in said and "elapsed" not in said
