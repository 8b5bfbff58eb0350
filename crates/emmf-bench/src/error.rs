//! What can go wrong with an experiment.

use std::path::PathBuf;

use crate::limits::TooLarge;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is not an experiment.
    #[error("{name}: {why}")]
    Experiment {
        /// The file, or the name of the experiment.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A data set cannot be used.
    #[error("{name}: {why}")]
    Set {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The results of an earlier call cannot be used.
    #[error("{}: {why}; move the file away to start over", .file.display())]
    Results {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another program writes to the results.
    #[error("{}: another emmf bench is writing to it; wait, or choose another folder", .file.display())]
    Busy {
        /// The file.
        file: PathBuf,
    },
    /// It asks for more than the machine can hold.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A run that failed.
    #[error("{run}: {why}")]
    Run {
        /// Which one.
        run: String,
        /// Why.
        why: String,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] emmf_io::Error),
}
