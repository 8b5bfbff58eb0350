//! Kernels are compiled once, and while samples are on their way to the card: that takes a few seconds of a processor.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};

use cudarc::nvrtc::Ptx;
use emmf::Result;

use crate::card::Card;
use crate::compile::compile;
use crate::kernels::Program;

/// The code of a program, once it is there.
type Cell = OnceLock<Option<Vec<u8>>>;

/// Machine code by program, made by whoever wants it first; others wait for it. There is none where a program did not compile.
#[derive(Default)]
pub(crate) struct Codes {
    cells: Mutex<HashMap<Program, Arc<Cell>>>,
}

impl Codes {
    /// The code of a program for this compute capability.
    pub(crate) fn of(&self, program: &Program, arch: usize) -> Result<Ptx> {
        let cell = {
            let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
            cells.entry(program.clone()).or_default().clone()
        };
        match cell.get_or_init(|| compile(program, arch).ok()) {
            Some(code) => Ok(Ptx::from_binary(code.clone())),
            // Once more, to say why.
            None => compile(program, arch).map(Ptx::from_binary),
        }
    }
}

/// A thread that compiles programs. It has ended when this has.
pub(crate) struct Ahead {
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Begins with these. Without a thread they are compiled when they are wanted.
    pub(crate) fn begin(card: &Card, programs: Vec<Program>) -> Self {
        let card = card.clone();
        // What does not compile is said by whoever wants it.
        let work = move || programs.iter().for_each(|program| drop(card.code(program)));
        Self { thread: Builder::new().spawn(work).ok() }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // NVRTC must not be at work when the program ends.
        if let Some(thread) = self.thread.take() {
            // What it could not do is done again by whoever wants it.
            let _ = thread.join();
        }
    }
}
