//! A card: its stream, cuBLAS, and kernels, which are compiled when they are wanted first.
#![allow(unsafe_code, reason = "a card is driven through the C interface of its driver")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::cublas::CudaBlas;
use cudarc::cublas::sys::cublasSetMathMode;
use cudarc::driver::sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, CudaViewMut, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, ValidAsZeroBits,
};
use cudarc::nvrtc::Ptx;
use emmf::{Error, Result};

use crate::ahead::Codes;
use crate::kernels::Program;
use crate::library::{failed, missing};
use crate::number::Number;

/// Bytes for which nobody is asked.
const FEW: usize = 1 << 24;

/// An NVIDIA card. Clones are the same one.
#[derive(Clone)]
pub struct Card {
    inner: Arc<Inner>,
    /// Bytes that samples may take there.
    most: Option<usize>,
}

struct Inner {
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    blas: CudaBlas,
    /// Compute capability, such as 90.
    arch: usize,
    codes: Codes,
    modules: Mutex<HashMap<Program, Arc<CudaModule>>>,
}

impl std::fmt::Debug for Card {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Card").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl Card {
    /// The card of this number, from 0. Says what is missing where there is none.
    pub fn open(number: usize) -> Result<Self> {
        let name = format!("cuda:{number}");
        if let Some(missing) = missing() {
            return Err(failed(&name, missing));
        }
        let told = |error: &dyn std::fmt::Debug| failed(&name, format!("{error:?}; use the device cpu"));
        let count = count().map_err(|error| told(&error))?;
        if count <= number {
            let why = format!(
                "there {} here",
                if count == 1 { "is 1 card".into() } else { format!("are {count} cards") }
            );
            return Err(failed(&name, why));
        }
        let context = CudaContext::new(number).map_err(|error| told(&error))?;
        // SAFETY: everything of this card happens in one stream, so no event has to order it.
        unsafe { context.disable_event_tracking() };
        let (major, minor) = context.compute_capability().map_err(|error| told(&error))?;
        let stream = context.new_stream().map_err(|error| told(&error))?;
        let blas = CudaBlas::new(stream.clone()).map_err(|error| told(&error))?;
        let arch = usize::try_from(10 * major + minor).unwrap_or(0);
        let (codes, modules) = (Codes::default(), Mutex::default());
        let inner = Inner { name, context, stream, blas, arch, codes, modules };
        Ok(Self { inner: Arc::new(inner), most: None })
    }

    /// Every card that is here. Says what is missing where there is none.
    pub fn all() -> Result<Vec<Self>> {
        let first = Self::open(0)?;
        let others = (1..count().map_err(|error| first.failed(error))?).map(Self::open);
        std::iter::once(Ok(first)).chain(others).collect()
    }

    /// The same, of whose memory dense samples take at most so many bytes: the others stay in this memory and go there in blocks, in
    /// every pass over them. Coefficients and all else that a fit needs come on top. Without a limit samples are on the card if they leave a
    /// fifth of it free.
    #[must_use]
    pub fn holding(self, bytes: impl Into<Option<usize>>) -> Self {
        Self { most: bytes.into(), ..self }
    }

    /// `cuda:` and its number.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// What its maker calls it.
    pub fn model(&self) -> String {
        self.inner.context.name().unwrap_or_default()
    }

    /// The card in a line.
    pub fn about(&self) -> Result<String> {
        let (free, all) = self.inner.context.mem_get_info().map_err(|error| self.failed(error))?;
        let (arch, gigabytes) = (self.inner.arch, |bytes: usize| bytes as f64 / 1e9);
        let (model, free, all) = (self.model(), gigabytes(free), gigabytes(all));
        Ok(format!("{model}, compute capability {}.{}, {free:.1} of {all:.1} GB free", arch / 10, arch % 10))
    }

    /// Bytes that nobody uses.
    pub(crate) fn free(&self) -> Result<usize> {
        Ok(self.inner.context.mem_get_info().map_err(|error| self.failed(error))?.0)
    }

    /// Bytes that samples may take, where that was said.
    pub(crate) fn most_of_samples(&self) -> Option<usize> {
        self.most
    }

    pub(crate) fn arch(&self) -> usize {
        self.inner.arch
    }

    /// Bytes of shared memory that a block may have.
    pub(crate) fn shared_memory(&self) -> Result<usize> {
        let bytes = self.inner.context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        Ok(usize::try_from(bytes.map_err(|error| self.failed(error))?).unwrap_or(0))
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.inner.stream
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.inner.context
    }

    /// cuBLAS for products of these numbers.
    pub(crate) fn blas<T: Number>(&self) -> Result<&CudaBlas> {
        let blas = &self.inner.blas;
        // SAFETY: the handle is alive; products of other numbers that are under way have their own mode.
        let set = unsafe { cublasSetMathMode(*blas.handle(), T::MATH) }.result();
        set.map(|()| blas).map_err(|error| self.failed(error))
    }

    /// What went wrong on this card, as an error of the library.
    pub(crate) fn failed(&self, error: impl std::fmt::Debug) -> Error {
        failed(self.name(), format!("{error:?}"))
    }

    /// The machine code of a program, compiled if it has not been.
    pub(crate) fn code(&self, program: &Program) -> Result<Ptx> {
        self.inner.codes.of(program, self.inner.arch)
    }

    /// A kernel of a program, which may use so many bytes of shared memory.
    pub(crate) fn kernel(&self, program: &Program, name: &str, room: usize) -> Result<Kernel> {
        let module = {
            let mut modules = self.inner.modules.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(module) = modules.get(program) {
                module.clone()
            } else {
                let module = self
                    .inner
                    .context
                    .load_module(self.code(program)?)
                    .map_err(|error| self.failed(error))?;
                modules.entry(program.clone()).or_insert(module).clone()
            }
        };
        let function = module.load_function(name).map_err(|error| self.failed(error))?;
        let room = u32::try_from(room).map_err(|error| self.failed(error))?;
        if room > 0 {
            let most = i32::try_from(room).map_err(|error| self.failed(error))?;
            let raised = function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most);
            raised.map_err(|error| self.failed(error))?;
        }
        Ok(Kernel { function, room })
    }

    /// Zeros.
    pub(crate) fn zeros<E: DeviceRepr + ValidAsZeroBits>(&self, len: usize) -> Result<CudaSlice<E>> {
        let bytes = len * size_of::<E>();
        self.room(bytes)?;
        self.inner.stream.alloc_zeros(len.max(1)).map_err(|error| self.refused(bytes, error))
    }

    /// The same numbers on the card.
    pub(crate) fn upload<E: DeviceRepr>(&self, values: &[E]) -> Result<CudaSlice<E>> {
        let bytes = size_of_val(values);
        self.room(bytes)?;
        self.inner.stream.clone_htod(values).map_err(|error| self.refused(bytes, error))
    }

    /// Overwrites the first numbers of a buffer.
    pub(crate) fn put<E: DeviceRepr>(&self, values: &[E], to: &mut CudaViewMut<'_, E>) -> Result<()> {
        self.inner.stream.memcpy_htod(values, to).map_err(|error| self.failed(error))
    }

    /// The numbers of a buffer, after everything before is done; fails where something before failed.
    pub(crate) fn download<E: DeviceRepr>(&self, from: &impl DevicePtr<E>) -> Result<Vec<E>> {
        let values = self.inner.stream.clone_dtoh(from).map_err(|error| self.failed(error))?;
        self.inner.context.check_err().map_err(|error| self.failed(error))?;
        Ok(values)
    }

    pub(crate) fn copy<E>(&self, from: &CudaSlice<E>, to: &mut CudaSlice<E>) -> Result<()> {
        self.inner.stream.memcpy_dtod(from, to).map_err(|error| self.failed(error))
    }

    /// Whether so many bytes are free. A few always are, and to ask takes longer than an iteration of a small problem.
    fn room(&self, bytes: usize) -> Result<()> {
        if bytes < FEW {
            return Ok(());
        }
        let (free, all) = self.inner.context.mem_get_info().map_err(|error| self.failed(error))?;
        if bytes <= free { Ok(()) } else { Err(self.full(bytes, (free, all))) }
    }

    /// Why so many bytes were not to be had.
    fn refused(&self, bytes: usize, error: DriverError) -> Error {
        match self.inner.context.mem_get_info() {
            Ok(memory) if error.0 == CUDA_ERROR_OUT_OF_MEMORY => self.full(bytes, memory),
            _ => self.failed(error),
        }
    }

    /// So many bytes are more than there are.
    fn full(&self, bytes: usize, (free, all): (usize, usize)) -> Error {
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        let why = format!(
            "{:.3} GB more are needed on the card, which has {:.3} GB free of {:.3}; let samples take less of it (--max-device-memory), or use the device cpu",
            gigabytes(bytes),
            gigabytes(free),
            gigabytes(all)
        );
        failed(self.name(), why)
    }
}

/// How many cards are here.
fn count() -> std::result::Result<usize, DriverError> {
    Ok(usize::try_from(CudaContext::device_count()?).unwrap_or(0))
}

/// A kernel and the shared memory that its blocks get.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub(crate) function: CudaFunction,
    room: u32,
}

/// Threads of a block where it does not matter.
pub(crate) const THREADS: usize = 256;

impl Kernel {
    /// So many blocks, and threads of each.
    pub(crate) fn grid(&self, blocks: (usize, usize), threads: usize) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (blocks.0.max(1) as u32, blocks.1.max(1) as u32, 1),
            block_dim: (threads as u32, 1, 1),
            shared_mem_bytes: self.room,
        }
    }

    /// A thread for each of so many items.
    pub(crate) fn for_each(&self, items: usize) -> LaunchConfig {
        self.grid((items.div_ceil(THREADS), 1), THREADS)
    }

    /// A warp for each of so many rows.
    pub(crate) fn for_rows(&self, rows: usize) -> LaunchConfig {
        self.grid((rows.div_ceil(THREADS / 32), 1), THREADS)
    }
}

/// Launches a kernel with arguments of the types that its source declares.
macro_rules! launch {
    ($card:expr, $kernel:expr, $config:expr, [$($argument:expr),* $(,)?]) => {{
        use cudarc::driver::PushKernelArg;
        let config = $config;
        let mut builder = $card.stream().launch_builder(&$kernel.function);
        $(builder.arg($argument);)*
        // SAFETY: the arguments are those that the kernel declares, in its order; buffers are at least as long as the counts among them
        // say, and live until the stream is done, which every download waits for.
        unsafe { builder.launch(config) }.map(|_| ()).map_err(|error| $card.failed(error))
    }};
}

pub(crate) use launch;
