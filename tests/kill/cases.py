"""What is killed, and what must hold afterwards. Each case is made once and then killed as often as wanted; a kill gives
a word for what was found."""

import hashlib
import json
import shutil
import subprocess
import sys

from killing import EMMF, contents, emmf, hold, killed, leftovers, took


class Fit:
    """A fit into a folder with the results of another one: old or new as one, or what there was when it was asked to end."""

    name = "fit"

    def __init__(self, place):
        self.place = place
        emmf("synth", "rays", "--samples", 2000, "--features", 30, "--seed", 1, "--out", "x.npy", cwd=place)
        emmf(*self.line("pnmf", "old"), cwd=place)
        self.seconds = took(lambda: emmf(*self.line("nmf", "new"), cwd=place))
        self.old, self.new = contents(place / "old"), contents(place / "new")

    @staticmethod
    def line(method, out):
        return ["fit", "x.npy", "-k", 4, "--method", method, "--max-iter", 60, "--out", out, "--report", "--quiet"]

    def kill(self, kill):
        out = self.place / "result"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.place / "old", out)
        code = killed([EMMF, *self.line("nmf", "result")], kill, self.place, self.seconds, out)
        if kill.is_handled and code != -kill.signal:
            hold(not leftovers(out), f"left behind: {leftovers(out)}")
        emmf("explain", "result/model.safetensors", "x.npy", "--row", 0, cwd=self.place)
        found = self.judge(contents(out))
        emmf(*self.line("nmf", "result"), cwd=self.place)
        hold(not leftovers(out), f"the next run left {leftovers(out)}")
        hold(self.judge(contents(out)) == "new", "the next run is not the new one")
        return found

    def judge(self, files):
        files = {name: data for name, data in files.items() if not name.endswith(".part")}
        record = json.loads(files["record.json"])
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "record.json"}
        hold(hashes == record["files"], f"the files are not those of the record: {sorted(files)}")
        if record["stop"] == "cancelled":
            return "kept"
        whole = self.old if record["spec"]["method"] == "pnmf" else self.new
        hold(files["model.safetensors"] == whole["model.safetensors"], "the model is neither the old nor the new one")
        return "old" if whole is self.old else "new"


class Resume:
    """A fit with checkpoints, killed up to three times and resumed: the same model and samples as without."""

    name = "resume"

    def __init__(self, place):
        self.place = place
        emmf("synth", "rays", "--samples", 500, "--features", 20, "--seed", 1, "--out", "x.npy", cwd=place)
        self.seconds = took(lambda: emmf(*self.line("whole"), cwd=place))
        self.whole = self.results("whole")

    @staticmethod
    def line(out):
        limits = ["--max-iter", 300, "--tol", 0, "--checkpoint", 0]
        return ["fit", "x.npy", "-k", 4, "--restarts", 2, *limits, "--out", out, "--quiet"]

    def results(self, out):
        return {name: data for name, data in contents(self.place / out).items() if name != "record.json"}

    def next(self):
        stopped = (self.place / "killed" / "checkpoint.safetensors").exists()
        return ["fit", "--resume", "killed"] if stopped else self.line("killed")

    def kill(self, kill):
        out = self.place / "killed"
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(kill.rng.randint(1, 3)):
            killed([EMMF, *self.next()], kill, self.place, self.seconds, out)
        resumed = self.next()[1] == "--resume"
        emmf(*self.next(), cwd=self.place)
        hold(not leftovers(out), f"the next run left {leftovers(out)}")
        hold(self.results("killed") == self.whole, "resumed and uninterrupted results differ")
        return "resumed" if resumed else "made anew"


class Bench:
    """An experiment, killed up to three times and resumed: the same bytes as without."""

    name = "bench"

    def __init__(self, place):
        self.place = place
        emmf("synth", "rays", "--samples", 80, "--features", 8, "--seed", 1, "--out", "rays.npz", cwd=place)
        (place / "mine.toml").write_text(
            'name = "mine"\ntitle = "Mine"\ndata = ["rays.npz"]\nseeds = 6\nmax_iter = 60\n'
            + "".join(f'[[method]]\nlabel = "{m}"\nspec = {{ method = "{m}" }}\n' for m in ("emmf", "nmf"))
        )
        self.seconds = took(lambda: emmf(*self.line("whole"), cwd=place))
        self.whole = contents(place / "whole")

    @staticmethod
    def line(out):
        return ["bench", "mine.toml", "--out", out, "--quiet", "--resume", "--jobs", 2]

    def kill(self, kill):
        out = self.place / "killed"
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(kill.rng.randint(1, 3)):
            code = killed([EMMF, *self.line("killed")], kill, self.place, self.seconds, out)
            if kill.is_handled and code != -kill.signal:
                hold(not leftovers(out), f"left behind: {leftovers(out)}")
        emmf(*self.line("killed"), cwd=self.place)
        hold(not leftovers(out), f"the next run left {leftovers(out)}")
        hold(contents(out) == self.whole, "resumed and uninterrupted results differ")
        return "same bytes"


class Single:
    """A command that replaces one or two files: old or new as one."""

    def kill(self, kill):
        out = self.place / "result"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.place / "old", out)
        code = killed([EMMF, *self.line("result")], kill, self.place, self.seconds, out)
        if kill.is_handled and code != -kill.signal:
            hold(not leftovers(out), f"left behind: {leftovers(out)}")
        # Any write into the folder puts it in order.
        emmf("synth", "toy", "--out", "result/toy.csv", cwd=self.place)
        (out / "toy.csv").unlink()
        files = contents(out)
        hold(files in (self.old, self.new), f"neither old nor new: {sorted(files)}")
        return "old" if files == self.old else "new"

    def prepare(self):
        for out in ("old", "new"):
            (self.place / out).mkdir()
        self.seconds = took(lambda: emmf(*self.line("new"), cwd=self.place))
        self.new = contents(self.place / "new")
        for name in self.new:
            (self.place / "old" / name).write_text("old")
        self.old = contents(self.place / "old")


class Report(Single):
    """A page over an older one."""

    name = "report"

    def __init__(self, place):
        self.place = place
        emmf("synth", "rays", "--samples", 3000, "--features", 20, "--out", "x.npz", cwd=place)
        emmf("fit", "x.npz", "-k", 3, "--max-iter", 5, "--out", "fitted", "--quiet", cwd=place)
        self.prepare()

    @staticmethod
    def line(out):
        return ["report", "fitted", "--out", f"{out}/page.html"]


class Synth(Single):
    """Data with their labels in a file beside them."""

    name = "synth"

    def __init__(self, place):
        self.place = place
        self.prepare()

    @staticmethod
    def line(out):
        return ["synth", "rays", "--samples", 20000, "--features", 20, "--seed", 3, "--out", f"{out}/x.npy"]


class Save:
    """Python's save over an older model. Python itself decides about signals; the next save puts the folder in order."""

    name = "save"
    script = (
        "import sys, emmf\n"
        "model = emmf.load_model(sys.argv[1])\n"
        "for _ in range(int(sys.argv[3])): model.save(sys.argv[2])\n"
    )

    def __init__(self, place):
        self.place = place
        emmf("synth", "rays", "--samples", 60, "--features", 3000, "--out", "x.npz", cwd=place)
        models = []
        for seed in (1, 2):
            out = f"fit{seed}"
            emmf("fit", "x.npz", "-k", 9, "--seed", seed, "--max-iter", 2, "--out", out, "--quiet", cwd=place)
            again = [sys.executable, "-c", self.script, f"{out}/model.safetensors", f"{out}.safetensors", "1"]
            self.seconds = took(lambda again=again: self.run(again))
            models.append((place / f"{out}.safetensors").read_bytes())
        self.old, self.new = models

    def run(self, command):
        done = subprocess.run(command, cwd=self.place, capture_output=True, text=True)
        hold(done.returncode == 0, done.stderr)

    def kill(self, kill):
        out = self.place / "result"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        path = out / "model.safetensors"
        path.write_bytes(self.old)
        save = [sys.executable, "-c", self.script, "fit2/model.safetensors", "result/model.safetensors"]
        killed([*save, "20"], kill, self.place, self.seconds, out)
        found = path.read_bytes()
        hold(found in (self.old, self.new), "neither old nor new")
        self.run([*save, "1"])
        hold(not leftovers(out), f"the next save left {leftovers(out)}")
        return "old" if found == self.old else "new"


CASES = {case.name: case for case in (Fit, Resume, Bench, Report, Synth, Save)}
