//! The layers of the library: a module uses those below it, never those above; one file names the library
//! behind the matrix products; public signatures name no library at all.
#![expect(clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up. Modules of one line do not use each other.
const LAYERS: &[&[&str]] = &[
    &["derived", "error", "opaque", "real"],
    &["cancel", "checkpoint"],
    &["threads"],
    &["matrix"],
    &["data"],
    &["graph"],
    &["preprocess"],
    &["spec"],
    &["init"],
    &["loss"],
    &["method"],
    &["iterate"],
    &["outliers"],
    &["model"],
    &["embed", "metrics", "synth"],
    &["registry"],
    &["choose", "memory"],
    &["fit"],
    &["linfa"],
];

/// What must look upwards: the two types of numbers carry the entry points, so that these are compiled once.
const UPWARDS: &[(&str, &str)] = &[("real", "fit")];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file as (path below src, module, code without comments).
fn sources() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let module = name.split(['/', '.']).next().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        (name, module, code.collect::<Vec<_>>().join("\n"))
    };
    paths.into_iter().map(read).collect()
}

fn layer(module: &str) -> usize {
    LAYERS.iter().position(|layer| layer.contains(&module)).unwrap_or_else(|| {
        panic!("the module '{module}' has no layer: give it one in tests/all/layers.rs and in the design")
    })
}

/// The modules that code names after `crate::`, also inside braces.
fn uses(code: &str) -> Vec<String> {
    let name = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0_usize;
            let mut item = String::new();
            for c in list.chars() {
                match c {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => found.push(name(std::mem::take(&mut item).trim())),
                    c if depth == 0 => item.push(c),
                    _ => {}
                }
            }
            found.push(name(item.trim()));
        } else {
            found.push(name(rest));
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

#[test]
fn modules_use_only_those_below() {
    let mut edges = 0;
    for (file, module, code) in sources().into_iter().filter(|(file, ..)| file != "lib.rs") {
        for used in uses(&code).into_iter().filter(|used| *used != module) {
            edges += 1;
            let upwards = UPWARDS.contains(&(&*module, &*used));
            assert!(
                upwards || layer(&used) < layer(&module),
                "{file} uses crate::{used}, which is not below {module}"
            );
        }
    }
    assert!(edges > 30, "the reader of `use` lines sees nothing");
}

#[test]
fn the_reader_sees_all_forms() {
    assert_eq!(uses("use crate::data::{Data, gram};\nuse crate::error::Result;"), ["data", "error"]);
    assert_eq!(uses("use crate::{fit, init::{self, X}, model};"), ["fit", "init", "model"]);
    assert_eq!(uses("let x = crate::fit::f();"), ["fit"]);
}

/// `lib.rs` only declares and re-exports.
#[test]
fn lib_has_no_code() {
    let (_, _, code) = sources().into_iter().find(|(file, ..)| file == "lib.rs").unwrap();
    for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let known = ["pub mod ", "mod ", "pub use ", "#![", "}", "pub(crate) mod "];
        let inside_a_list = line.ends_with(',') || line.ends_with("};");
        assert!(known.iter().any(|start| line.starts_with(start)) || inside_a_list, "lib.rs: {line}");
    }
}

#[test]
fn public_signatures_name_no_library() {
    for (file, _, code) in sources() {
        for (at, _) in code.match_indices("pub fn ") {
            let signature = code[at..].split(['{', ';']).next().unwrap_or_default();
            for library in ["rayon", "ThreadPool", "ParallelIterator"] {
                assert!(!signature.contains(library), "{file}: {signature}");
            }
        }
    }
}
