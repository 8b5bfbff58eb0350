//! A full disk: exit code 2, a clear message, nothing half-written, older files as they were.
#![cfg(target_os = "linux")]

use crate::program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use program::{Place, names_in};

/// A file system of 64 KiB, which is taken away in the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn new(folder: PathBuf) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&folder);
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    names_in(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let place = Place::new();
    let Some(disk) = SmallDisk::new(place.path("disk")) else {
        println!("skipped: a small file system cannot be mounted here");
        return;
    };
    // The model alone is too large; the model fits and the record does not.
    place.run("synth rays --samples 40 --features 3000 --outliers 2 --out wide.npz").ok();
    place.run("synth rays --samples 2000 --features 4 --outliers 2 --out tall.npz").ok();
    for data in ["wide.npz", "tall.npz"] {
        let line = format!("fit {data} -k 3 --max-iter 2 --out disk/new --json");
        place.run(&line).refused(&["disk/new", "No space left", "free some space"]);
        assert!(names_in(&disk.0).is_empty(), "{data}: {:?}", names_in(&disk.0));
    }
    place.run("synth rays --samples 20 --features 3 --outliers 2 --out small.npz").ok();
    place.run("fit small.npz -k 2 --max-iter 2 --out disk").ok();
    let before = contents(&disk.0);
    assert_eq!(before.len(), 6);
    for data in ["wide.npz", "tall.npz"] {
        let line = format!("fit {data} -k 3 --max-iter 2 --out disk --json");
        place.run(&line).refused(&["disk/", "No space left", "free some space"]);
        assert_eq!(contents(&disk.0), before, "{data}");
    }
    place.run("fit tall.npz -k 3 --max-iter 2 --out result").ok();
    for line in [
        "transform result/model.safetensors tall.npz --out disk/t.csv",
        "synth rays --samples 2000 --out disk/t.tsv",
        "synth rays --samples 2000 --out disk/t.npy",
        "synth rays --samples 2000 --out disk/t.npz",
        "synth rays --samples 2000 --out disk/t.mat",
        "synth rays --samples 2000 --out disk/t.mtx",
        "synth rays --samples 2000 --out disk/t.parquet",
        "demo --out disk/demo",
    ] {
        place.run(line).refused(&["disk/", "No space left", "free some space"]);
    }
    fs::remove_dir(disk.0.join("demo")).ok();
    assert_eq!(contents(&disk.0), before);
}
