//! Kernels compile for cards that they are written for, with or without one.

use emmf_cuda::{architectures, compile_all};

/// The kinds of cards that there are, and as many centroids as registers hold and more.
const ARCHITECTURES: [usize; 5] = [75, 80, 86, 89, 90];
const CENTROIDS: [usize; 3] = [20, 128, 130];

#[test]
fn every_kernel_compiles() {
    let Ok(architectures) = architectures() else {
        eprintln!(
            "SKIPPED: no kernel is compiled, since NVRTC (libnvrtc, the wheel nvidia-cuda-nvrtc) is not here"
        );
        return;
    };
    for arch in ARCHITECTURES {
        assert!(architectures.contains(&arch), "{architectures:?}");
        for c in CENTROIDS {
            let names = compile_all(arch, c).unwrap();
            let wanted = if arch < 80 {
                8
            } else if c > 128 {
                12
            } else {
                22
            };
            assert_eq!(names.len(), wanted, "sm_{arch}, c = {c}: {names:?}");
        }
    }
}
