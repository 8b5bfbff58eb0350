"""`make callgrind`: instructions of every inner kernel beside benches/instructions.txt.

Fails where a kernel needs over 5 % more than there; RENEW=1 writes the file anew, ONLY=name,name takes these kernels
alone. A kernel's count is the difference of a run with three calls and one with one call, so that start-up and data
cancel. Valgrind knows no AVX-512: what is counted is the AVX2 code. The profiles stay in target/bench/callgrind for
callgrind_annotate.
"""

import os
import re
import shutil
import subprocess
import sys

from environment import ROOT, TARGET, built

BASELINE = ROOT / "benches" / "instructions.txt"
GROWTH = 1.05


def compiler():
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.split()[1]


def instructions(program, name, calls):
    profile = TARGET / "callgrind" / f"{name}.{calls}.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", program, name, str(calls)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{name}: valgrind ended with {done.returncode}\n{done.stderr[-2000:]}")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def baseline():
    if not BASELINE.exists():
        return None, {}
    lines = [line.split() for line in BASELINE.read_text().splitlines()]
    counts = {words[0]: int(words[1].replace(",", "")) for words in lines if words and words[0] != "#"}
    return lines[0][-1], counts


def write(counts):
    head = f"# Instructions of one call, by `make callgrind RENEW=1`, with rustc {compiler()}"
    BASELINE.write_text("\n".join([head] + [f"{name:24}{count:>16,}" for name, count in counts.items()]) + "\n")


def main():
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is not installed; apt-get install valgrind")
    program = built("emmf", "bench", "instructions")
    (TARGET / "callgrind").mkdir(parents=True, exist_ok=True)
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    names = [name for name in names if not only or name in only]
    made_by, known = baseline()
    if made_by not in (None, compiler()):
        print(f"the baseline was made with rustc {made_by}, this is {compiler()}: RENEW=1 may be due", file=sys.stderr)
    counts, grown = {}, []
    for name in names:
        counts[name] = (instructions(program, name, 3) - instructions(program, name, 1)) // 2
        share = counts[name] / known[name] if name in known else None
        print(f"{name:24}{counts[name]:>16,}  {'new' if share is None else f'{share:.3f} of the baseline'}", flush=True)
        grown += [name] if share is None or share > GROWTH else []
    if os.environ.get("RENEW", "") not in ("", "0"):
        write(known | counts if only else counts)
    elif grown:
        raise SystemExit(f"over {GROWTH - 1:.0%} more than the baseline, or not in it: {', '.join(grown)}")


if __name__ == "__main__":
    main()
