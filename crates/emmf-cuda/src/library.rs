//! Libraries of NVIDIA that are there or not. The bindings panic where one is missing, so everybody asks here first.
#![allow(unsafe_code, reason = "loading a library runs its code")]

use std::sync::OnceLock;

use emmf::Error;

/// The first of the driver, NVRTC and cuBLAS that cannot be loaded, in a sentence that says what to do.
pub fn missing() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        if !is_driver_there() {
            return Some("the NVIDIA driver (libcuda) is not installed; install it, or use the device cpu");
        }
        if !is_compiler_there() {
            return Some(
                "NVRTC (libnvrtc) was not found; install the CUDA toolkit or, for Python, emmf[cuda13], or use the device cpu",
            );
        }
        if !is_cublas_there() {
            return Some(
                "cuBLAS (libcublas) was not found; install the CUDA toolkit or, for Python, emmf[cuda13], or use the device cpu",
            );
        }
        None
    })
}

/// Whether kernels can be compiled, with or without a card.
pub(crate) fn is_compiler_there() -> bool {
    // SAFETY: opens libnvrtc by its name, as the bindings will, and closes it; its initialisers have no other effect.
    unsafe { cudarc::nvrtc::sys::is_culib_present() }
}

fn is_driver_there() -> bool {
    // SAFETY: opens libcuda by its name, as the bindings will, and closes it; its initialisers have no other effect.
    unsafe { cudarc::driver::sys::is_culib_present() }
}

fn is_cublas_there() -> bool {
    // SAFETY: opens libcublas by its name, as the bindings will, and closes it; its initialisers have no other effect.
    unsafe { cudarc::cublas::sys::is_culib_present() }
}

/// An error of a device of this name.
pub(crate) fn failed(device: &str, why: impl std::fmt::Display) -> Error {
    Error::Device { device: device.to_owned(), why: why.to_string() }
}
