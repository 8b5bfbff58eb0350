"""What a fit tells while it runs: a step for the callback, a line for the user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

# Seconds between two looks at the progress: more often than the eye can follow is of no use.
INTERVAL = 0.1
WIDTH = 24
# What a fit does before and after its iterations.
PHASES = {
    "Prepare": "looking through the samples",
    "Screen": "looking for outliers",
    "Graph": "linking neighbours",
    "Start": "preparing the start",
    "Code": "coding the samples",
}


class Step(NamedTuple):
    """What a callback gets after an iteration.

    Attributes
    ----------
    restart : int
        The restart, from 0.
    iteration : int
        The iteration, from 1.
    objective : float
        The objective after it.
    seconds : float
        Time since this restart began to iterate.
    """

    restart: int
    iteration: int
    objective: float
    seconds: float


class Progress:
    """A line on standard error, or in a notebook, that names every phase and grows with the iterations."""

    def __init__(self, name: str, restarts: int, max_iter: int) -> None:
        self.name, self.restarts, self.max_iter = name, restarts, max_iter
        in_notebook = _in_notebook()
        # A notebook shows what goes to standard error on red ground, as if it were a mistake.
        self.out = sys.stdout if in_notebook else sys.stderr
        # Elsewhere, in a file for instance, a line that is written again and again would be a mess.
        self.live = self.out.isatty() or in_notebook
        self.shown = 0

    def show(self, step: Step) -> None:
        """Write the line anew."""
        self._write(self.line(step))

    def phase(self, doing: str) -> None:
        """Tell what is done beside iterations."""
        self._write(f"{self.name}: {PHASES.get(doing, doing)}")

    def end(self, step: Step, why: str) -> None:
        """Write the line for the last time."""
        line = f"{self.line(step)}, {why}"
        self.out.write(("\r" + line.ljust(self.shown) if self.live else line) + "\n")
        self.out.flush()

    def _write(self, line: str) -> None:
        """Write a line over the one before."""
        if self.live:
            self.out.write("\r" + line.ljust(self.shown))
            self.out.flush()
            self.shown = len(line)

    def line(self, step: Step) -> str:
        """Tell how far it is."""
        done = step.iteration / self.max_iter
        bar = "█" * round(WIDTH * done) + "░" * (WIDTH - round(WIDTH * done))
        restart = f" restart {step.restart + 1}/{self.restarts}" if self.restarts > 1 else ""
        count = f"{step.iteration}/{self.max_iter}"
        return f"{self.name}{restart} {bar} {count}  {step.seconds:.1f} s  objective {step.objective:.6e}"


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # The shell of a terminal has no kernel behind it.
    return getattr(shell, "kernel", None) is not None


def watcher(
    callback: Callable[[Step], Any] | None, progress: Progress | None
) -> tuple[Callable[..., bool], Callable[[str], None], float] | None:
    """Join callback and progress to what the compiled half calls: with a step (so many seconds apart), with a phase."""
    if callback is None and progress is None:
        return None

    def look(*values: Any) -> bool:
        step = Step(*values)
        if progress is not None:
            progress.show(step)
        return callback is not None and callback(step) is True

    def phase(doing: str) -> None:
        if progress is not None:
            progress.phase(doing)

    return look, phase, INTERVAL if callback is None else 0.0
