"""Libraries of NVIDIA that came with wheels, found before the library looks for them."""

from __future__ import annotations

LIBRARIES = ("nvrtc", "cublas")


def found_libraries(device: str) -> str:
    """Give the device, with its libraries loaded where ``cuda-pathfinder`` finds them."""
    if device != "cpu":
        try:
            from cuda.pathfinder import load_nvidia_dynamic_lib
        except ImportError:
            # Those of the system are found without it.
            return device
        for name in LIBRARIES:
            try:
                load_nvidia_dynamic_lib(name)
            except Exception:  # Whatever is missing, the library says so in a sentence.
                break
    return device
