"""What a measurement needs: interpreters with the peers, our programs, and a description of the machine."""

import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "bench"
PEERS = ROOT / "benches" / "peers"


def interpreter(variable, name, requirements):
    """The interpreter that the variable names, else a virtual environment of that name; or why there is none."""
    given = os.environ.get(variable)
    if given:
        return given, None
    folder = TARGET / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists() and ready.stat().st_mtime > requirements.stat().st_mtime:
        return str(python), None
    print(f"making {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    ready.touch()
    return str(python), None


def built(package, kind, name, *features):
    """Builds a program with the settings of a release and gives its path."""
    command = ["cargo", "bench", "--no-run"] if kind == "bench" else ["cargo", "build", "--release"]
    command += [f"--features={feature}" for feature in features]
    command += ["--package", package, f"--{kind}", name, "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    programs = [m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == name]
    return programs[-1]


class Environment:
    """How each program is called, and where files go."""

    def __init__(self):
        TARGET.mkdir(parents=True, exist_ok=True)
        self.data = TARGET / "data"
        self.data.mkdir(exist_ok=True)
        self.real_data = Path(os.environ.get("EMMF_DATA") or ROOT.parent / "shared" / "data")
        python, why = interpreter("BENCH_PYTHON", "peers", ROOT / "benches" / "requirements.txt")
        if python is None:
            raise SystemExit(f"the peers could not be installed ({why}); set BENCH_PYTHON to an interpreter")
        self.python = python
        self.nimfa, self.why_no_nimfa = interpreter(
            "BENCH_NIMFA_PYTHON", "nimfa", ROOT / "benches" / "requirements-nimfa.txt"
        )
        self.measure = built("emmf", "bench", "measure", "peers")

    def ours(self, job):
        return [self.measure, job]

    def peer(self, name, job):
        """numpy_blas, torch_mkl, sklearn_nmf or nimfa_nmf."""
        return [self.nimfa if name == "nimfa_nmf" else self.python, PEERS / f"{name}.py", job]

    def program(self):
        """The command-line program."""
        return built("emmf-cli", "bin", "emmf")

    def scratch(self, name):
        return str(self.data / name)

    def script(self, code, *words):
        """Runs a few lines of Python where the peers are installed."""
        done = subprocess.run([self.python, "-c", code, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return done.stdout

    def versions(self):
        """Name and version of everything that takes part."""
        code = """
import numpy, scipy, sklearn, torch, json
info = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
config = torch.__config__.show().splitlines()
mkl = [line.split("oneAPI Math Kernel Library Version ")[-1].split()[0] for line in config if "Math Kernel" in line]
print(json.dumps({"numpy": numpy.__version__ + " with " + info["name"] + " " + info["version"],
  "SciPy": scipy.__version__, "scikit-learn": sklearn.__version__,
  "torch": torch.__version__ + (" with MKL " + mkl[0] if mkl else "")}))"""
        found = json.loads(self.script(code))
        if self.nimfa:
            code = "import nimfa, numpy; print(nimfa.__version__, 'on numpy', numpy.__version__)"
            done = subprocess.run([self.nimfa, "-c", code], capture_output=True, text=True)
            found["nimfa"] = done.stdout.strip() or "does not start"
        rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.split()
        lock = (ROOT / "Cargo.lock").read_text()
        faer = lock.split('name = "faer"\nversion = "')[1].split('"')[0]
        return found | {"rustc": rustc[1], "faer": faer, "Python": platform.python_version()}


def machine():
    """The processor in a line."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    field = lambda name: next(line.split(":")[1].strip() for line in lines if line.startswith(name))
    wide = "AVX-512" if " avx512f" in field("flags") else "AVX2" if " avx2" in field("flags") else "SSE"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    cache = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
    cache = cache.read_text().strip() if cache.exists() else "no"
    model = f"{field('model name')} (family {field('cpu family')}, model {field('model')}, {wide})"
    return f"{os.cpu_count()} cores of {model}, {cache} of last-level cache, {memory:.0f} GB of memory"


def has_r():
    """Whether RcppML can be measured, or why not."""
    if not shutil.which("Rscript"):
        return "R is not installed"
    done = subprocess.run(["Rscript", "-e", "library(RcppML)"], capture_output=True)
    return None if done.returncode == 0 else "R has no RcppML"
