"""The peer's end of a measurement: see benches/protocol.py."""

import json
import statistics
import sys
import time


def serve(jobs):
    """Makes the job that the command line names, then answers every line with one line."""
    arguments = dict(word.split("=", 1) for word in sys.argv[2:])
    for name, value in arguments.items():
        if value.isdigit():
            arguments[name] = int(value)
    answers, sys.stdout = sys.stdout, sys.stderr
    answer = jobs[sys.argv[1]](**arguments)
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), file=answers, flush=True)


def repeated(work, repetitions):
    """Median milliseconds of one call, after one that is not counted."""
    work()
    seconds = []
    for _ in range(repetitions):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return 1e3 * statistics.median(seconds)


def by_difference(fit, few, many):
    """Milliseconds of one iteration: what is done once cancels."""
    fit(few)
    seconds = []
    for iterations in (few, many):
        began = time.perf_counter()
        fit(iterations)
        seconds.append(time.perf_counter() - began)
    return 1e3 * (seconds[1] - seconds[0]) / (many - few)
