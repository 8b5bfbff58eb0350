//! Runs one inner kernel a number of times, for `benches/callgrind.py` to count its instructions:
//! `instructions NAME TIMES`; without a name it lists them.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, and may panic")]

mod kernel;

fn main() {
    let pool = kernel::one_thread();
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [name, times] = &words[..] {
        let times: usize = times.parse().expect("a number of times");
        let (_, make) = kernel::all().into_iter().find(|(known, _)| known == name).expect("a known kernel");
        let mut run = make();
        (0..times).for_each(|_| run());
    } else {
        kernel::all().iter().for_each(|(name, _)| println!("{name}"));
    }
    drop(pool);
}
