//! The sample side of emmf on an NVIDIA card: X, V, residuals and weights live there, U and sums with the loop.
//!
//! Everything is looked for when it is asked for: the driver, cuBLAS and NVRTC are loaded at run time, and what is missing is an
//! error in one sentence. [`Card`] is a [`Device`](emmf::Device) for a fit; [`Choice`] is what users say.
//!
//! ```no_run
//! use emmf::{Spec, synth};
//! use emmf_cuda::Card;
//!
//! let data = synth::rays_with_outliers::<f32>(&synth::Rays::default())?;
//! let card = Card::open(0)?;
//! let fit = Spec::emmf(3).on(&data.x).device(&card).fit()?;
//! # Ok::<(), emmf::Error>(())
//! ```

#![warn(missing_debug_implementations)]
#![warn(clippy::undocumented_unsafe_blocks)]

mod ahead;
mod blocks;
mod card;
mod choice;
mod compile;
mod engine;
mod floor;
mod kept;
mod kernels;
mod library;
mod loaded;
mod number;
mod orders;
mod plain;
mod products;
mod room;
mod side;
mod sparse;
mod state;
mod sums;
mod tensor;

pub use card::Card;
pub use choice::Choice;
pub use compile::{architectures, compile_all};
pub use engine::Engine;
pub use floor::Floor;
pub use library::missing;
pub use side::Side;
