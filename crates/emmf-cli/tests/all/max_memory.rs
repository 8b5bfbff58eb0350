//! `--max-memory`: files that do not fit are read in blocks of samples, with the same result; and it holds.
#![expect(
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may panic, and says what it skips"
)]

use crate::program;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use emmf_io::{Dataset, write};
use program::{Done, Place, column};

/// Samples and features: 16 MB in all, and such that what each sample takes beside its numbers is most of what a fit takes.
const LONG: (usize, usize) = (19_900, 200);
const MANY: (usize, usize) = (29_900, 40);

/// Clusters.
fn place((samples, features): (usize, usize)) -> Place {
    let place = Place::new();
    let rays = emmf::synth::Rays { samples, features, outliers: 100, ..Default::default() };
    let x = emmf::synth::rays_with_outliers::<f32>(&rays).unwrap().x;
    write(&place.path("x.npy"), &Dataset::new(x, None, None)).unwrap();
    place
}

#[test]
fn the_result_is_the_one_of_a_fit_in_memory() {
    let place = place(LONG);
    let fit = "fit x.npy -k 3 --max-iter 5 --init-restarts 2 --quiet --out";
    place.run(&format!("{fit} whole --method emmf")).ok();
    // In blocks that is the default.
    let limit = announced(&place, &format!("{fit} blocks")) + 1;
    place.run(&format!("{fit} blocks --max-memory {limit}MB")).ok();
    let [whole, blocks] = ["whole", "blocks"].map(|folder| place.read(&format!("{folder}/samples.csv")));
    assert_eq!(column(&whole, "label"), column(&blocks, "label"));
    let pairs = column(&whole, "residual").into_iter().zip(column(&blocks, "residual"));
    pairs
        .enumerate()
        .for_each(|(row, (a, b))| assert!((a - b).abs() <= 1e-5 * a, "{row}: {a}, in blocks {b}"));
    let transform = "transform whole/model.safetensors x.npy --out";
    place.run(&format!("{transform} a.csv")).ok();
    place.run(&format!("{transform} b.csv --max-memory {limit}MB")).ok();
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
}

#[test]
fn too_little_memory_is_said_before_anything_is_read() {
    let place = place(LONG);
    place.refuses("fit x.npy -k 3 --max-memory 20MB", &["x.npy", "--max-memory is 20 MB", "smaller k"]);
    place.refuses("fit x.npy -k 3 --max-memory lots", &["2GB"]);
    place.refuses("fit - -k 3 --max-memory 1GB", &["--max-memory needs a file", "standard input"]);
    place.write("x.csv", "1,2\n".repeat(1000));
    place.refuses("fit x.csv -k 2 --max-memory 1kB", &["x.csv", ".npy or .parquet"]);
}

/// Nobody is advised to use a type that is used already.
#[test]
fn promise_11_no_advice_that_is_followed_already() {
    let place = place(LONG);
    let said = |dtype: &str| place.run(&format!("fit x.npy -k 3 --max-memory 20MB {dtype}")).stderr;
    assert!(!said("").contains("--dtype"), "{}", said(""));
    assert!(said("--dtype f64").contains("--dtype f32"), "{}", said("--dtype f64"));
}

/// Runs the program and polls the peak of its memory, which the system keeps, until it ends. Where
/// the system does not tell, this is 0, said aloud.
fn watched(place: &Place, line: &str) -> (Done, u64) {
    let mut child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let [status, exe] = ["status", "exe"].map(|file| format!("/proc/{}/{file}", child.id()));
    let program = Path::new(env!("CARGO_BIN_EXE_emmf")).canonicalize().unwrap();
    if !Path::new(&status).exists() {
        eprintln!("SKIPPED: this system does not tell how much memory a program takes");
    }
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        // For a moment the child still has the memory of this process.
        let is_program = std::fs::read_link(&exe).is_ok_and(|exe| exe == program);
        let status =
            if is_program { std::fs::read_to_string(&status).unwrap_or_default() } else { String::new() };
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = most.and_then(|most| most.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    (Done::new(line, &child.wait_with_output().unwrap()), peak)
}

/// The megabytes that the program says a fit takes.
fn announced(place: &Place, line: &str) -> u64 {
    let said = place.run(&format!("{line} --max-memory 23MB")).stderr;
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "takes").unwrap_or_else(|| panic!("{line}: {said}"));
    words[at + 1].parse().unwrap()
}

/// With as little as the program says that it takes.
#[test]
fn promise_11_the_limit_holds_for_every_start() {
    let place = place(MANY);
    for options in ["--init kmeans", "--init trimmed", "--init random", "--init nndsvd", "--solver hals"] {
        // Two runs of k-means: one is made while the other is kept.
        let line = format!("fit x.npy -k 24 --max-iter 3 --init-restarts 2 --quiet --threads 2 {options}");
        let limit = announced(&place, &line) + 1;
        let (done, peak) = watched(&place, &format!("{line} --max-memory {limit}MB"));
        done.ok();
        assert!(peak <= limit * 1_000_000, "{line}: {peak} bytes of {limit} MB");
    }
}

/// 50 MB of ones and zeros in 50 kB, which are 400 MB as numbers.
fn widening(place: &Place) {
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (50000, 1000), }\n";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    (0..50_000).for_each(|i| array.extend([u8::from(i % 7 == 0); 1000]));
    let mut archive = zip::ZipWriter::new(std::fs::File::create(place.path("widen.npz")).unwrap());
    archive.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(&array).unwrap();
    archive.finish().unwrap();
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&matlab_matrix(50_000, 1000)).unwrap();
    let packed = packer.finish().unwrap();
    let mut file = vec![b' '; 124];
    file.extend(*b"\x00\x01IM");
    file.extend([15_u32.to_le_bytes(), (packed.len() as u32).to_le_bytes()].concat());
    file.extend(packed);
    place.write("widen.mat", file);
}

/// A variable X of doubles that are stored as bytes.
fn matlab_matrix(rows: u32, cols: u32) -> Vec<u8> {
    let element = |kind: u32, data: &[u8]| {
        let mut bytes = [kind.to_le_bytes(), (data.len() as u32).to_le_bytes()].concat();
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    };
    let words = |words: [u32; 2]| words.map(u32::to_le_bytes).concat();
    let entries: Vec<u8> = (0..rows * cols).map(|at| u8::from(at % 7 == 0)).collect();
    let parts = [
        element(6, &words([6, 0])),
        element(5, &words([rows, cols])),
        element(1, b"X"),
        element(2, &entries),
    ];
    element(14, &parts.concat())
}

#[test]
fn promise_11_the_limit_holds_for_packed_files() {
    let place = Place::new();
    widening(&place);
    place.run("synth rays --samples 50 --features 1000 --out rays.csv").ok();
    place.run("fit rays.csv -k 2 --max-iter 2 --out result").ok();
    let commands = [
        "fit FILE -k 2",
        "transform result/model.safetensors FILE --out -",
        "explain result/model.safetensors FILE --row 1",
    ];
    for (line, file) in commands.iter().flat_map(|line| ["widen.npz", "widen.mat"].map(|file| (line, file))) {
        let line = format!("{} --max-memory 100MB", line.replace("FILE", file));
        let (done, peak) = watched(&place, &line);
        done.refused(&[file, "--max-memory", ".npy or .parquet"]);
        assert!(peak < 100_000_000, "{line}: {peak}");
    }
    let (done, peak) = watched(&place, "score widen.npz widen.mat --max-memory 30MB");
    done.refused(&["widen.npz", "--max-memory"]);
    assert!(peak < 30_000_000, "score: {peak}");
}

/// Where the system gives no more, that is a sentence, not an abort.
#[cfg(target_os = "linux")]
#[test]
fn promise_11_running_out_of_memory_is_a_sentence() {
    let place = Place::new();
    widening(&place);
    // A file with a hole: 8 GB that take no room on the disk.
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000), }\n";
    let mut hole = b"\x93NUMPY\x01\x00".to_vec();
    hole.extend((header.len() as u16).to_le_bytes());
    hole.extend(header.as_bytes());
    place.write("hole.npy", &hole);
    let file = std::fs::OpenOptions::new().write(true).open(place.path("hole.npy")).unwrap();
    file.set_len(hole.len() as u64 + 8_000_000_000).unwrap();
    std::fs::create_dir(place.path("images")).unwrap();
    place.write("images/a.pgm", [b"P5\n2 2\n255\n".as_slice(), &[7; 4]].concat());
    for (line, said) in [
        ("fit widen.npz -k 2", ["widen.npz", "--max-memory"]),
        ("fit widen.mat -k 2", ["widen.mat", "--max-memory"]),
        ("fit hole.npy -k 2", ["hole.npy", "--max-memory"]),
        ("fit images -k 2 --resize 20000x20000", ["a.pgm", "--max-memory"]),
        ("fit images -k 2 --resize 99999999x99999999", ["99999999x99999999", "20000"]),
        ("fit images -k 2 --resize 4294967297x1", ["4294967297x1", "20000"]),
    ] {
        let program = env!("CARGO_BIN_EXE_emmf");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("ulimit -v 300000; exec '{program}' {line}")]).current_dir(place.path(""));
        Done::new(line, &shell.output().unwrap()).refused(&said);
    }
}

/// A fit that no memory holds is refused before it starts.
#[test]
fn promise_11_factors_beyond_all_memory() {
    let place = Place::new();
    let line = |i: usize| format!("{} {}\n", i % 17, i % 5);
    place.write("x.csv", (0..400_000).map(line).collect::<String>());
    place.refuses("fit x.csv -k 399999", &["this machine has", "smaller k"]);
    place.refuses("fit x.csv -k 2 --method lsnmf --param centroids=300000", &["this machine has", "x.csv"]);
}
