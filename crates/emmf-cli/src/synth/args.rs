//! What `emmf synth` takes.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};

use crate::args::InputArgs;
use crate::values::{JunkName, count, image_shape, seed};

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf synth shapes --out shapes.csv\n  \
    emmf synth texts --out texts.csv\n  \
    emmf synth toy --out -\n  \
    emmf synth rays --samples 1000 -k 5 --outliers 50 --seed 7 --out rays.npz\n  \
    emmf synth outliers yale.mat --count 20 --kind scattered --out yale-with-outliers.mat\n  \
    emmf synth block-noise yale.mat --image 16x16 --block 6 --out occluded.mat")]
pub(crate) struct SynthArgs {
    #[command(subcommand)]
    pub(super) kind: SynthKind,
}

#[derive(Subcommand)]
pub(super) enum SynthKind {
    /// Images of discs, rings, crosses, frames and bars, 16x16, with noise, negatives and scribbles among them; a name
    /// without an extension is a folder for PNG files.
    Shapes(ExampleArgs),
    /// Reviews of restaurants, laptops, hotels and films, and some texts that are not reviews.
    Texts(ExampleArgs),
    /// Counts of 200 genes in five kinds of blood cells, with dying and broken ones among them.
    Cells(ExampleArgs),
    /// Raman spectra of four minerals, with cosmic rays, fluorescence and unknown substances among them.
    Spectra(ExampleArgs),
    /// The paper's toy set: 13 points in the plane, the last three outliers.
    Toy(OutArgs),
    /// The toy set without the outliers.
    ToyClean(OutArgs),
    /// Clusters along random rays, with gross outliers.
    Rays {
        /// Number of samples, not counting the outliers.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 300)]
        samples: usize,
        /// Number of features.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 50)]
        features: usize,
        /// Number of clusters.
        #[arg(short, long, value_parser = count, allow_negative_numbers = true, default_value_t = 3)]
        k: usize,
        /// Number of outliers.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 30)]
        outliers: usize,
        /// Largest noise in an entry; samples have lengths from ½ to 1½.
        #[arg(long, allow_negative_numbers = true, default_value_t = 0.05)]
        noise: f64,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        out: OutArgs,
    },
    /// A data set with outliers added: random vectors in [0, 10σ], where σ is its largest entry, or harder ones.
    Outliers {
        #[command(flatten)]
        input: InputArgs,
        /// How many to add.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
        count: usize,
        /// huge: in [0, 10σ]; scattered: random vectors as long as the median sample; cluster: nearly equal ones; long: samples of
        /// the data, a hundred times as long.
        #[arg(long, value_enum, default_value = "huge")]
        kind: JunkName,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        out: OutArgs,
    },
    /// A data set with some samples of another data set added.
    Foreign {
        #[command(flatten)]
        input: InputArgs,
        /// The other data set.
        #[arg(long, value_name = "DATA")]
        from: PathBuf,
        /// How many to add.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
        count: usize,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        out: OutArgs,
    },
    /// A data set in which some entries of some samples are 0 or the largest entry.
    SaltAndPepper {
        #[command(flatten)]
        input: InputArgs,
        /// How many samples.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
        count: usize,
        /// Share of their entries.
        #[arg(long, value_name = "SHARE", allow_negative_numbers = true, default_value_t = 0.2)]
        share: f64,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        out: OutArgs,
    },
    /// An image data set with a block of noise on some images of every class.
    BlockNoise {
        #[command(flatten)]
        input: InputArgs,
        /// Height and width of the images, such as 16x16; pixels run column by column unless --row-major.
        #[arg(long, value_name = "HxW", value_parser = image_shape)]
        image: (usize, usize),
        /// Pixels run row by row.
        #[arg(long)]
        row_major: bool,
        /// Height and width of the block.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
        block: usize,
        /// Number of images of each class that get one.
        #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 3)]
        per_class: usize,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        out: OutArgs,
    },
}

impl SynthKind {
    /// The file to write.
    pub(super) fn out(&self) -> &Path {
        match self {
            Self::Shapes(args) | Self::Texts(args) | Self::Cells(args) | Self::Spectra(args) => &args.out.out,
            Self::Toy(out)
            | Self::ToyClean(out)
            | Self::Rays { out, .. }
            | Self::Outliers { out, .. }
            | Self::Foreign { out, .. }
            | Self::SaltAndPepper { out, .. }
            | Self::BlockNoise { out, .. } => &out.out,
        }
    }
}

#[derive(ClapArgs)]
pub(super) struct ExampleArgs {
    /// Number of samples, not counting the outliers.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 300)]
    pub(super) samples: usize,
    /// Number of outliers.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 15)]
    pub(super) outliers: usize,
    #[command(flatten)]
    pub(super) seed: SeedArgs,
    #[command(flatten)]
    pub(super) out: OutArgs,
}

#[derive(ClapArgs)]
pub(super) struct OutArgs {
    /// File to write; its extension sets the format: csv, tsv, npy, npz, mat, mtx or parquet; - is CSV on standard
    /// output. npy and mtx have no place for labels: they go to x.labels.csv beside x.npy.
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Print one JSON object about what was written
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(ClapArgs)]
pub(super) struct SeedArgs {
    /// Seed for all random numbers.
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true, default_value_t = 0)]
    pub(super) seed: u64,
}
