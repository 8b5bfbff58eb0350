"""Kills commands at random moments and checks what they leave; see `make kill`.

Variables: RUNS (kills of each case, 100), SEED (0), ONLY (cases, separated by commas), FROM (first kill, to repeat one).
A kill is a function of seed, case and number, but for what the machine adds.
"""

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from cases import CASES
from killing import EMMF, Kill, Violation


def run(case, seed, numbers):
    """All kills of a case: what was found, by signal, and the violations."""
    found, violations = Counter(), []
    with tempfile.TemporaryDirectory(prefix="kill-") as place:
        made = CASES[case](Path(place))
        for number in numbers:
            kill = Kill.of(seed, case, number)
            try:
                found[made.kill(kill), kill.signal.name] += 1
            except Violation as violation:
                found["VIOLATION", kill.signal.name] += 1
                violations.append(f"{case} {number} (SEED={seed} ONLY={case} FROM={number} RUNS=1): {violation}")
    return found, violations


def main():
    seed = int(os.environ.get("SEED", 0))
    first = int(os.environ.get("FROM", 0))
    numbers = range(first, first + int(os.environ.get("RUNS", 100)))
    cases = os.environ.get("ONLY", ",".join(CASES)).split(",")
    if not Path(EMMF).is_file():
        sys.exit(f"{EMMF} is not there; build the program, or name it by the variable EMMF")
    everything = []
    print(f"{'case':8}{'found':14}{'KILL':>6}{'TERM':>6}{'HUP':>6}{'INT':>6}")
    for case in cases:
        found, violations = run(case, seed, numbers)
        for word in sorted({word for word, _ in found}):
            counts = "".join(f"{found[word, name]:6}" for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"))
            print(f"{case:8}{word:14}{counts}", flush=True)
        everything += violations
    print(*everything, sep="\n")
    print(f"{len(everything)} violations in {len(cases) * len(numbers)} kills")
    return 1 if everything else 0


if __name__ == "__main__":
    sys.exit(main())
