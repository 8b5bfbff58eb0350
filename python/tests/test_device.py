"""Where a fit runs is up to whoever runs it."""

import pytest

import emmf
from emmf._cuda import found_libraries


def test_a_device_that_cannot_be_is_refused(X):
    with pytest.raises(ValueError, match="cuda:N"):
        emmf.EMMF(2, device="gpu").fit(X)
    with pytest.raises(RuntimeError, match="cuda:4096 cannot be used"):
        emmf.EMMF(2, device="cuda:4096").fit(X)
    # What a card cannot do is said, and not done elsewhere.
    with pytest.raises(ValueError, match="device is cuda:0, but must be cpu with g-emmf"):
        emmf.GraphEMMF(2, device="cuda").fit(X)


def test_batches_name_the_processor(X):
    """A card that was named is not left out silently, at the first batch or a later one."""
    with pytest.raises(ValueError, match="device is 'cuda', but partial_fit learns on the processor"):
        emmf.EMMF(2, device="cuda").partial_fit(X)
    learned = emmf.EMMF(2, device="auto").partial_fit(X)
    with pytest.raises(ValueError, match="partial_fit learns on the processor"):
        learned.set_params(device="cuda:1").partial_fit(X)


def test_memory_of_a_card_is_a_number_of_bytes(X):
    """It changes nothing where there is no card."""
    limited = emmf.EMMF(2, max_iter=5, max_device_memory=1_000_000).fit(X)
    assert (limited.labels_ == emmf.EMMF(2, max_iter=5).fit(X).labels_).all()
    for wrong in (0, -1, "8GB"):
        with pytest.raises(ValueError, match="max_device_memory"):
            emmf.EMMF(2, max_device_memory=wrong).fit(X)


def test_small_data_stay_on_the_processor(X):
    auto, cpu = (emmf.EMMF(2, device=device, max_iter=5).fit(X) for device in ("auto", "cpu"))
    assert (auto.labels_ == cpu.labels_).all()
    assert (auto.components_ == cpu.components_).all()


def test_libraries_are_looked_for_where_they_may_be_needed():
    for device in ("cpu", "auto", "cuda", "cuda:1"):
        assert found_libraries(device) == device
