//! Kernels from source by NVRTC, which needs no driver and no card.
#![allow(unsafe_code, reason = "NVRTC is called through its C interface")]

use std::ffi::{CStr, CString, c_char};

use cudarc::nvrtc::{result, sys};
use emmf::{Error, Result};
use rayon::prelude::*;

use crate::kernels::{Program, Shape};
use crate::library::{failed, is_compiler_there};

/// A program in the making, which is given back to NVRTC at the end.
struct Source(sys::nvrtcProgram);

impl Drop for Source {
    fn drop(&mut self) {
        // SAFETY: the program was made by `create_program` and is destroyed only here. That it failed has no consequence.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

/// The machine code of this program for cards of compute capability `arch`, such as 90. Not PTX: a driver that is older than NVRTC would
/// refuse it.
pub(crate) fn compile(program: &Program, arch: usize) -> Result<Vec<u8>> {
    let told = |why: &dyn std::fmt::Display| failed("NVRTC", why);
    if !is_compiler_there() {
        return Err(told(&"libnvrtc was not found"));
    }
    let text = CString::new(program.source()).map_err(|error| told(&error))?;
    let source =
        Source(result::create_program(&text, Some(c"emmf.cu")).map_err(|error| told(&format!("{error:?}")))?);
    let mut options = program.options();
    options.push(format!("--gpu-architecture=sm_{arch}"));
    // SAFETY: the program is alive, and the options are strings without zeros.
    if unsafe { result::compile_program(source.0, &options) }.is_err() {
        // SAFETY: the program is alive; the log ends with a zero.
        let log = unsafe { result::get_program_log(source.0) }.unwrap_or_default();
        return Err(told(&format!("kernels do not compile for sm_{arch}: {}", text_of(&log))));
    }
    machine_code(&source).map_err(|error| told(&format!("{error:?}")))
}

fn machine_code(source: &Source) -> std::result::Result<Vec<u8>, result::NvrtcError> {
    let mut size = 0;
    // SAFETY: the program is alive and compiled, `size` is written to.
    unsafe { sys::nvrtcGetCUBINSize(source.0, &raw mut size) }.result()?;
    let mut code = vec![0_u8; size];
    // SAFETY: the buffer has as many bytes as NVRTC said.
    unsafe { sys::nvrtcGetCUBIN(source.0, code.as_mut_ptr().cast::<c_char>()) }.result()?;
    Ok(code)
}

fn text_of(log: &[c_char]) -> String {
    let bytes: Vec<u8> = log.iter().map(|&byte| byte.cast_unsigned()).collect();
    CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The compute capabilities, such as 70, for which this NVRTC can compile, those up to 90 that kernels are written for.
pub fn architectures() -> Result<Vec<usize>> {
    if !is_compiler_there() {
        return Err(failed("NVRTC", "libnvrtc was not found"));
    }
    let mut count = 0;
    // SAFETY: writes one number.
    let counted = unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result();
    let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the buffer has as many numbers as NVRTC said.
    let listed = counted.and_then(|()| unsafe { sys::nvrtcGetSupportedArchs(all.as_mut_ptr()) }.result());
    listed.map_err(|error| failed("NVRTC", format!("{error:?}")))?;
    Ok(all
        .into_iter()
        .filter_map(|arch| usize::try_from(arch).ok())
        .filter(|arch| (70..=90).contains(arch))
        .collect())
}

/// Compiles every kernel for this compute capability and so many centroids; the names of the programs.
pub fn compile_all(arch: usize, c: usize) -> Result<Vec<String>> {
    let every = Program::every(Shape::new(c), arch);
    every
        .into_par_iter()
        .map(|program| compile(&program, arch).map(|_| program.name()))
        .collect::<std::result::Result<_, Error>>()
}
