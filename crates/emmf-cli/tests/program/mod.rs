//! Runs the program in a folder of its own.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The files that a fit leaves in its folder.
pub(crate) const RESULTS: [&str; 6] =
    ["centroids.csv", "coefficients.csv", "features.csv", "model.safetensors", "record.json", "samples.csv"];

/// A folder to run the program in.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With `x.csv`: two clusters of samples, their classes and one outlier.
    pub(crate) fn with_data() -> Self {
        let place = Self::new();
        place.write("x.csv", table(&numbers(), true));
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files and folders.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(self.folder.path())
    }

    /// The program with these arguments, separated by blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_emmf"));
        command.args(line.split_whitespace()).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Done {
        Done::new(line, &self.command(line).output().unwrap())
    }

    /// Runs with these bytes as standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: &[u8]) -> Done {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Done::new(line, &child.wait_with_output().unwrap())
    }

    /// Runs and parses the one JSON object that is printed.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        let out = self.run(line).ok();
        assert_eq!(out.lines().count(), 1, "{line}: {out}");
        serde_json::from_str(&out).unwrap()
    }

    /// Runs what must be refused: exit code 2, a message with all `parts`, and no new file.
    pub(crate) fn refuses(&self, line: &str, parts: &[&str]) {
        let before = self.names();
        let done = self.run(line);
        done.refused(parts);
        assert_eq!(self.names(), before, "{line}");
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What a run left behind.
pub(crate) struct Done {
    line: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    pub(crate) fn new(line: &str, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Self { line: line.into(), code: output.status.code(), stdout, stderr }
    }

    /// All went well and quietly; gives what was printed.
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "emmf {}", self.line);
        self.stdout
    }

    /// Exit code 2 and a message on standard error, said once and without a trace of the code.
    pub(crate) fn refused(&self, parts: &[&str]) {
        let (line, message) = (&self.line, &self.stderr);
        assert_eq!(self.code, Some(2), "emmf {line}: {message}");
        assert_eq!(self.stdout, "", "emmf {line}");
        assert!(message.starts_with("error: "), "emmf {line}: {message}");
        for part in parts {
            assert!(message.contains(part), "emmf {line}: '{part}' is not in: {message}");
        }
        for trace in ["panicked", "RUST_BACKTRACE", ".rs:", "unwrap", ".part"] {
            assert!(!message.contains(trace), "emmf {line}: {message}");
        }
        let mut said: Vec<&str> = message.split([':', ';']).map(str::trim).filter(|s| s.len() > 12).collect();
        let count = said.len();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), count, "emmf {line} repeats itself: {message}");
    }
}

/// 24 samples of 5 features in two clusters, and an outlier.
pub(crate) fn numbers() -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| {
        let noise = 0.01 * ((7 * i + 3 * j) % 11) as f64;
        let length = 1.0 + 0.1 * (i % 5) as f64;
        if (j < 2) == (i < 12) { length + noise } else { noise }
    };
    let mut rows: Vec<Vec<f64>> = (0..24).map(|i| (0..5).map(|j| entry(i, j)).collect()).collect();
    rows.push(vec![0.0, 9.0, 0.0, 0.0, 8.0]);
    rows
}

/// As CSV, with the classes `a` and `b` in the last column where wanted.
pub(crate) fn table(rows: &[Vec<f64>], classes: bool) -> String {
    let mut text = String::new();
    if classes {
        text += "f1,f2,f3,f4,f5,class\n";
    }
    for (i, row) in rows.iter().enumerate() {
        let mut fields: Vec<String> = row.iter().map(ToString::to_string).collect();
        if classes {
            fields.push(if i < 12 { "a" } else { "b" }.into());
        }
        text += &(fields.join(",") + "\n");
    }
    text
}

/// The column of a CSV text.
pub(crate) fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|field| field == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

/// The solvers of a method; the one that can be left out where it has its own.
pub(crate) fn solvers(method: &emmf::registry::Entry) -> Vec<String> {
    let solvers = if method.solvers.is_empty() { &[emmf::Solver::Mu][..] } else { method.solvers };
    solvers.iter().map(ToString::to_string).collect()
}
