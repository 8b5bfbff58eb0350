"""`make bench`: measures every section, keeps what it found in target/bench, and writes docs/benchmarks.md.

Variables: QUICK=1 (small and few, written to target/bench/quick.md), ONLY=section,section, ROUNDS=n,
SWEEPS=1,2,4 (inner sweeps of HALS to try), BENCH_PYTHON and BENCH_NIMFA_PYTHON (interpreters to use),
EMMF_DATA (folder with the data sets of the paper).
"""

import json
import os
import sys
import time
import traceback
from dataclasses import dataclass

import environment
import page
import sections
from busy import Meter
from environment import ROOT, TARGET, Environment


@dataclass
class Options:
    """What the variables say."""

    quick: bool
    rounds: int
    sweeps: list

    def command(self, section):
        """What makes the section's figures again."""
        quick = "QUICK=1 " if self.quick else ""
        sweeps = f" SWEEPS={','.join(map(str, self.sweeps))}" if section == "solution" and self.sweeps else ""
        return f"make bench {quick}ONLY={section} ROUNDS={self.rounds}{sweeps}"


def options():
    quick = os.environ.get("QUICK", "") not in ("", "0")
    rounds = int(os.environ.get("ROUNDS") or (2 if quick else 5))
    sweeps = [int(word) for word in (os.environ.get("SWEEPS") or "").split(",") if word]
    return Options(quick, rounds, sweeps)


def chosen():
    only = [name for name in os.environ.get("ONLY", "").replace(" ", "").split(",") if name]
    unknown = sorted(set(only) - set(sections.ALL))
    if unknown:
        raise SystemExit(f"ONLY={','.join(unknown)}: there are {', '.join(sections.ALL)}")
    return only or list(sections.ALL)


def measure(name, env, opts):
    """The section's figures with all that one must know about them, or why there are none."""
    about = {"command": opts.command(name), "rounds": opts.rounds, "machine": environment.machine()}
    with Meter() as meter:
        try:
            found = sections.ALL[name].measure(env, opts)
        except Exception as error:
            traceback.print_exc()
            return about | {"failed": f"{type(error).__name__}: {error}"}
    return about | {"found": found, "others": meter.others, "seconds": meter.seconds}


def main():
    opts, names = options(), chosen()
    env = Environment()
    if "streaming" in names:
        env.program()  # built before the clock runs
    results = TARGET / ("quick" if opts.quick else "full")
    results.mkdir(exist_ok=True)
    out = TARGET / "quick.md" if opts.quick else ROOT / "docs" / "benchmarks.md"
    versions, failed = env.versions(), []
    for name in names:
        began = time.monotonic()
        result = measure(name, env, opts) | {"versions": versions}
        failed += [name] if "failed" in result else []
        (results / f"{name}.json").write_text(json.dumps(result, indent=1))
        page.write(out, results)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(out.read_text())
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
