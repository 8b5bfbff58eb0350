//! Kernels compile for cards that they are written for, with or without one.

use emmf_cuda::{architectures, compile_all};

/// The oldest and the newest; `emmf device --compile` takes all of them.
#[test]
fn every_kernel_compiles() {
    let Ok(architectures) = architectures() else {
        eprintln!(
            "SKIPPED: no kernel is compiled, since NVRTC (libnvrtc, the wheel nvidia-cuda-nvrtc) is not here"
        );
        return;
    };
    let oldest = architectures.iter().min().copied().unwrap();
    for (arch, programs) in [(oldest, 8), (90, 22)] {
        assert!(architectures.contains(&arch), "{architectures:?}");
        let names = compile_all(arch, 3).unwrap();
        assert!(names.len() >= programs, "sm_{arch}: {names:?}");
    }
    // More columns than registers hold.
    assert_eq!(compile_all(90, 130).unwrap().len(), 12);
}
