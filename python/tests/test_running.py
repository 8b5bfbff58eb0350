"""While a fit runs: callbacks, progress, threads, Ctrl-C."""

import io
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import emmf
from emmf import EMMF, GraphEMMF, Step


def test_callback_sees_every_iteration(X):
    steps = []
    model = EMMF(3, max_iter=12, restarts=2, init="random", callback=steps.append).fit(X)
    assert [(step.restart, step.iteration) for step in steps] == [(r, i) for r in (0, 1) for i in range(1, 13)]
    assert all(isinstance(step, Step) and step.seconds >= 0 for step in steps)
    kept = [step.objective for step in steps if step.restart == 0]
    other = [step.objective for step in steps if step.restart == 1]
    assert list(model.objective_history_) in (kept, other)


def test_callback_runs_in_the_calling_thread_and_ends_the_fit(X):
    seen = []

    def callback(step):
        seen.append(threading.get_ident())
        return step.iteration == 5

    model = EMMF(3, callback=callback).fit(X)
    assert (model.stop_reason_, model.n_iter_) == ("cancelled", 5)
    assert set(seen) == {threading.get_ident()}


def test_an_exception_of_the_callback_gets_out_and_leaves_the_result(X):
    def callback(step):
        if step.iteration == 3:
            raise KeyError("from the callback")

    model = EMMF(3, callback=callback)
    with pytest.raises(KeyError, match="from the callback"):
        model.fit(X)
    assert (model.stop_reason_, model.n_iter_) == ("cancelled", 3)
    assert model.transform(X).shape == (len(X), 3)


def test_a_callback_may_fit(X):
    inner = []
    EMMF(3, max_iter=3, callback=lambda step: inner.append(EMMF(2, max_iter=2).fit(X))).fit(X)
    assert len(inner) == 3


def test_verbose(X, capsys):
    EMMF(3, max_iter=20, verbose=1).fit(X)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "EMMF" in shown.err
    assert "20/20" in shown.err
    assert "max-iter" in shown.err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_every_phase_is_told_on_a_terminal(X, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    GraphEMMF("auto", max_iter=20, verbose=1).fit(X)
    lines = sys.stderr.getvalue().split("\r")
    phases = ["choosing the number of clusters", "looking through the samples", "looking for outliers"]
    phases += ["linking neighbours", "coding the samples"]
    places = [next(at for at, line in enumerate(lines) if phase in line) for phase in phases]
    assert places == sorted(places)
    # Nothing is left of a longer line.
    assert all(len(after) >= len(before.rstrip()) for before, after in itertools.pairwise(lines[1:]))
    assert lines[-1].rstrip("\n ").endswith(("max-iter", "converged"))


def test_a_callback_hears_of_iterations_alone(X):
    steps = []
    EMMF(3, max_iter=4, callback=steps.append).fit(X)
    assert [step.iteration for step in steps] == [1, 2, 3, 4]


def test_two_fits_in_two_threads_overlap(rng):
    """Each fit waits in its third iteration until the other one has come that far, too."""
    X = rng.random((300, 40))
    both = threading.Barrier(2, timeout=60)
    order = []

    def fit(name):
        def callback(step):
            order.append(name)
            if step.iteration == 3:
                both.wait()

        EMMF(4, max_iter=6, callback=callback).fit(X)

    threads = [threading.Thread(target=fit, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not both.broken
    assert sorted(order) == ["a"] * 6 + ["b"] * 6


def test_python_goes_on_while_a_fit_runs(rng):
    """The interpreter is free: another thread counts during a fit that calls nothing back."""
    X = rng.random((3000, 200))
    done, counted = threading.Event(), itertools.count()

    def count():
        while not done.wait(0.001):
            next(counted)

    def counted_during_a_fit():
        before = next(counted)
        EMMF(8, init="random", max_iter=100).fit(X)
        return next(counted) - before - 1

    thread = threading.Thread(target=count)
    thread.start()
    # A busy machine may leave the other thread out now and then; a fit that held the interpreter would do so always.
    found = any(counted_during_a_fit() > 3 for _ in range(50))
    done.set()
    thread.join()
    assert found


INTERRUPTED = """
    import signal, sys, threading, time
    import numpy as np
    from emmf import EMMF

    X = np.random.default_rng(0).random((4000, 300))
    model = EMMF(10, init="random", max_iter=10**6, n_jobs=1)
    times = []

    began = time.process_time()

    def interrupt():
        while time.process_time() - began < 1.0:
            time.sleep(0.001)
        times.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        model.fit(X)
    except KeyboardInterrupt:
        times.append(time.process_time())
    print(times[1] - times[0], model.stop_reason_, model.n_iter_, model.transform(X[:5]).shape)
"""


def test_ctrl_c_stops_at_once_and_leaves_a_usable_state():
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    seconds, stop, iterations, *shape = done.stdout.split()
    assert stop == "cancelled"
    assert int(iterations) > 3
    assert shape == ["(5,", "10)"]
    # Work that was done after the signal, whatever else the machine does: without it there is no end.
    assert 0 <= float(seconds) < 2.0


BROKEN_OFF = """
    import signal, threading, time
    import numpy as np
    from emmf import EMMF, graph

    X = np.random.default_rng(0).random((20000, 300))
    small = EMMF(100, init="random", max_iter=1, n_jobs=1).fit(X[:500])
    times = []

    began = time.process_time()

    def interrupt():
        while time.process_time() - began < 0.5:
            time.sleep(0.001)
        times.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        {work}
        print("it was too fast to be broken off")
    except KeyboardInterrupt:
        print(time.process_time() - times[0])
"""


@pytest.mark.parametrize(
    "work",
    ["EMMF(300, n_jobs=1).fit(X)", "graph.knn_graph(np.tile(X, (4, 1)))", "[small.transform(X) for _ in range(100)]"],
)
def test_ctrl_c_ends_at_once_what_has_nothing_to_show_yet(work):
    command = [sys.executable, "-c", textwrap.dedent(BROKEN_OFF.format(work=work))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # Work that was done after the signal, whatever else the machine does: the whole takes far more.
    assert 0 <= float(done.stdout) < 5.0


@pytest.mark.skipif(os.name != "posix", reason="no such signal")
def test_ctrl_c_that_nobody_catches_ends_the_program():
    code = """
        import numpy as np, emmf
        print("ready", flush=True)
        emmf.EMMF(5, init="random", max_iter=10**6).fit(np.random.default_rng(0).random((2000, 100)))
    """
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.5)
    program.send_signal(signal.SIGINT)
    _, stderr = program.communicate(timeout=60)
    assert "KeyboardInterrupt" in stderr


def test_fits_in_forked_processes(X):
    """A pool of threads that lived before the fork must not be needed after it."""
    EMMF(3, max_iter=5, n_jobs=2).fit(X)
    pid = os.fork()
    if pid == 0:
        model = EMMF(3, max_iter=5, n_jobs=2).fit(X)
        os._exit(0 if np.isfinite(model.components_).all() else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_registered_guarantees_hold(Estimator, X):
    model = Estimator(3, max_iter=40).fit(X)
    history, entry = model.objective_history_, Estimator._entry
    if entry["guarantee"] == "the objective never rises":
        assert (np.diff(history) <= 1e-9 * np.abs(history[:-1]) + 1e-12).all()
    assert entry["name"] in emmf.ESTIMATORS
