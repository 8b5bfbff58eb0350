"""Threads are up to whoever runs the work, not to the model."""

import json

import numpy as np
import pytest

import emmf


class Watched:
    """A model that sees with how many threads it is to work."""

    def __init__(self, model):
        self.model, self.seen = model, []

    def transform(self, x, threads):
        self.seen.append(threads)
        return self.model.transform(x, threads)

    def explain(self, x, threads):
        self.seen.append(threads)
        return self.model.explain(x, threads)


@pytest.fixture
def loaded(X, tmp_path):
    emmf.EMMF(2, max_iter=3, n_jobs=3).fit(X).save(tmp_path / "model.safetensors")
    return emmf.load_model(tmp_path / "model.safetensors")


def test_promise_12_a_model_file_holds_no_threads(loaded, tmp_path):
    assert b"threads" not in (tmp_path / "model.safetensors").read_bytes()
    assert loaded.n_jobs is None


def test_promise_12_n_jobs_counts_when_it_is_used(X, loaded, monkeypatch):
    for model in (emmf.EMMF(2, max_iter=3, n_jobs=3).fit(X), loaded):
        model._model = watched = Watched(model._model)
        for n_jobs in (2, 1):
            model.set_params(n_jobs=n_jobs)
            model.transform(X)
            model.explain(X)
            assert watched.seen == [n_jobs, n_jobs]
            watched.seen.clear()
        model.set_params(n_jobs=None)
        for limit, threads in (("2", 2), ("", None)):
            monkeypatch.setenv("OMP_NUM_THREADS", limit)
            model.transform(X)
            assert watched.seen.pop() == threads


def test_promise_12_absurd_numbers_change_nothing(X, loaded, monkeypatch):
    wanted = loaded.transform(X)
    for absurd in (100_000, 2**40, 10**30):
        assert np.array_equal(loaded.set_params(n_jobs=absurd).transform(X), wanted)
        assert np.array_equal(emmf.EMMF(2, max_iter=3, n_jobs=absurd).fit(X).components_, loaded.components_)
    monkeypatch.setenv("OMP_NUM_THREADS", "9" * 40)
    assert np.array_equal(loaded.set_params(n_jobs=None).transform(X), wanted)


def test_promise_12_a_file_that_asks_for_threads_gets_none(X, loaded, tmp_path):
    path = tmp_path / "model.safetensors"
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, tensors = json.loads(content[8 : 8 + length]), content[8 + length :]
    spec = json.loads(header["__metadata__"]["spec"]) | {"threads": 2**32}
    header["__metadata__"]["spec"] = json.dumps(spec)
    changed = json.dumps(header).encode()
    path.write_bytes(len(changed).to_bytes(8, "little") + changed + tensors)
    again = emmf.load_model(path)
    assert again.n_jobs is None
    assert np.array_equal(again.transform(X), loaded.transform(X))
