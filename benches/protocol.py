"""The runner's end of a measurement: processes that answer one line a round, taking turns."""

import json
import os
import subprocess
import tempfile
import time

# A thread pool spins for a while after its work; the next process should not pay for it.
PAUSE = 0.3


class Failed(Exception):
    """A process that ended, with the last it said."""


class Worker:
    """A process that has made its data and waits for requests."""

    def __init__(self, command, threads=2, **arguments):
        words = [f"{name}={value}" for name, value in (arguments | {"threads": threads}).items()]
        names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(word) for word in command] + words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=os.environ | {name: str(threads) for name in names},
        )
        self._answer()

    def ask(self, **request):
        """One round."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.errors.seek(0)
            last = self.errors.read().strip().splitlines()[-1:] or ["nothing said"]
            raise Failed(f"{' '.join(map(str, self.process.args[1:4]))} ended with {code}: {last[0]}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.errors.close()


class Workers:
    """Several processes by name. One that fails is left out, and `missing` says why."""

    def __init__(self):
        self.running = {}
        self.missing = {}
        self.answers = {}

    def start(self, name, command, **arguments):
        try:
            self.running[name] = Worker(command, **arguments)
            self.answers[name] = []
        except (Failed, OSError) as error:
            self.missing[name] = str(error)

    def rounds(self, count, **request):
        """Every process in turn, `count` times; the answers of each, in order."""
        for _ in range(count):
            for name in list(self.running):
                time.sleep(PAUSE)
                try:
                    self.answers[name].append(self.running[name].ask(**request))
                except Failed as error:
                    self.missing[name] = str(error)
                    del self.running[name]
        return self.answers

    def values(self, field, name):
        """One field of the answers of one process; empty where it failed."""
        return [answer[field] for answer in self.answers.get(name, []) if answer.get(field) is not None]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.running.values():
            worker.close()
