"""Starting a program and ending it at a random moment."""

import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
EMMF = str(Path(os.environ.get("EMMF", "target/debug/emmf")).resolve())


class Violation(Exception):
    """An invariant does not hold."""


def hold(condition, what):
    if not condition:
        raise Violation(what)


@dataclass
class Kill:
    """When and how a program ends; a function of its number."""

    number: int
    rng: random.Random
    signal: signal.Signals

    @classmethod
    def of(cls, seed, case, number):
        return cls(number, random.Random(f"{seed}/{case}/{number}"), SIGNALS[number % len(SIGNALS)])

    @property
    def is_handled(self):
        """Whether the program can do something about it."""
        return self.signal != signal.SIGKILL


def emmf(*arguments, cwd):
    """Runs the program to its end, which must be a good one."""
    done = subprocess.run([EMMF, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    hold(done.returncode == 0, f"emmf {' '.join(map(str, arguments))}: {done.returncode} {done.stderr}")


def took(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def killed(command, kill, cwd, seconds, folder=None):
    """Starts a program and ends it somewhere in the `seconds` that it takes, or, every other time, soon after its first
    temporary file is in the folder. Gives the exit code."""
    child = subprocess.Popen(list(map(str, command)), cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if folder and kill.rng.random() < 0.5:
        while child.poll() is None and not leftovers(folder):
            pass
        time.sleep(kill.rng.uniform(0, 0.01))
    else:
        time.sleep(kill.rng.uniform(0, 1.1 * seconds))
    child.send_signal(kill.signal)
    message = child.communicate()[1].decode(errors="replace")
    codes = {0, -kill.signal, 128 + kill.signal}
    hold(child.returncode in codes, f"exit code {child.returncode} after {kill.signal.name}: {message}")
    hold("panicked" not in message, message)
    return child.returncode


def leftovers(folder):
    """Our temporary files and journals in a folder and below."""
    return [path for path in Path(folder).rglob(".emmf-*")]


def contents(folder):
    """All files below a folder, by name."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
