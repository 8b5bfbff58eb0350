//! The commands and the arguments of `fit`; other commands define their own.

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand};
use emmf::registry::{METHODS, SetAside};
use emmf_io::Dtype;

use crate::bench::BenchArgs;
use crate::demo::DemoArgs;
use crate::explain::ExplainArgs;
use crate::gaps::MissingArgs;
use crate::graph::GraphArgs;
use crate::grid::Grid;
use crate::look::LookArgs;
use crate::methods::MethodsArgs;
use crate::online::OnlineArgs;
use crate::plot::PlotArgs;
use crate::report::ReportArgs;
use crate::score::ScoreArgs;
use crate::shell::CompletionsArgs;
use crate::synth::SynthArgs;
use crate::transform::TransformArgs;
use crate::values::{
    ChooseName, Clusters, GridByName, InitName, LabelRuleName, NormalizeName, OutliersName, SolverName,
    clusters, count, minutes, name_and_value, seed, size,
};

/// Robust nonnegative matrix factorization: clusters, factors and outlier scores from one fit.
#[derive(Parser)]
#[command(
    name = "emmf",
    version,
    about,
    after_help = "Examples:\n  \
    emmf demo                                  what it does, as a page\n  \
    emmf synth rays --out rays.csv             some data to try it on\n  \
    emmf fit rays.csv -k 3 --out result        clusters and outlier scores in result/samples.csv\n  \
    emmf report result --out page.html         look at them in a browser\n  \
    emmf fit faces/ --image auto --report      a folder of images; the number of clusters is chosen\n  \
    emmf explain result/model.safetensors rays.csv --row 7\n  \
    emmf transform result/model.safetensors new.csv --out coded.csv\n\n\
    Colours follow NO_COLOR and CLICOLOR. \
    Exit code: 0 if all went well, 2 for a mistake in the input, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP. \
    The first of these ends the iterations of a fit, whose result is written; the second ends it at once."
)]
pub(crate) struct Args {
    /// TOML file with options of the command, under their long names; the command line wins over it.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Factorize a matrix: centroids, clusters and outlier scores.
    Fit(Box<FitArgs>),
    /// Code and score new samples with a fitted model.
    Transform(TransformArgs),
    /// Write an interactive page about one or several fits.
    Report(ReportArgs),
    /// Draw a figure of a fit, ready for a paper.
    Plot(PlotArgs),
    /// One sample in terms of a model: coefficients, residual, weight, and the features that do not fit.
    Explain(ExplainArgs),
    /// Compare two labelings: accuracy, NMI (by the geometric mean of the entropies, and by others), ARI, purity.
    Score(ScoreArgs),
    /// Make synthetic or contaminated data.
    Synth(SynthArgs),
    /// List the methods with their references.
    Methods(MethodsArgs),
    /// Run an experiment of many fits, those of the paper among them, and write its tables.
    Bench(BenchArgs),
    /// Run NMF, l2,1-NMF and EMMF on contaminated data and write a page about it.
    Demo(DemoArgs),
    /// Print the completions for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
}

#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// CSV, TSV, NPY, NPZ, MAT, MTX or Parquet file with a sample in each row; - is standard input.
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Column (name, or number from 1, or from the end as -1) or variable with the true classes.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) labels: Option<String>,
    /// Variable of a MAT or NPZ file that holds the matrix.
    #[arg(long, value_name = "NAME")]
    pub(crate) variable: Option<String>,
    /// Whether the first line of a text names the columns [default: detected].
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    pub(crate) header: Option<bool>,
    /// Number type to compute in [default: f32 if the file holds f32, else f64].
    #[arg(long, value_name = "f32|f64")]
    pub(crate) dtype: Option<Dtype>,
}

#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  \
    emmf fit faces.mat -k 15 --out result\n  \
    emmf fit faces/ -k 2..20 --image auto --out result --report\n  \
    emmf fit reviews.csv --text review -k 8 --report=reviews.html\n  \
    emmf fit counts.npz -k 20 --normalize tfidf,unit --method l21-nmf --json\n  \
    emmf fit faces.mat -k 15 --method g-emmf --neighbors 7\n  \
    emmf fit faces.mat -k 15 --method l21-nmf --graph knn --lambda 100\n  \
    emmf fit faces.mat -k 15 --method g-emmf --grid lambda=1e1,1e3,1e5\n  \
    emmf fit large.npy -k 50 --out result --checkpoint 10; emmf fit --resume result\n  \
    cat table.csv | emmf fit - -k 3 --labels class --init trimmed --normalize clip\n  \
    sensor | emmf fit - -k 5 --batch 1000 --half-life 100000 --out live --json\n  \
    emmf fit --update live/model.safetensors tuesday.csv")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    #[command(flatten)]
    pub(crate) gaps: MissingArgs,
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    #[command(flatten)]
    pub(crate) online: OnlineArgs,
    /// Number of centroids, which is the number of clusters; auto or a range as 2..20 chooses it, as --choose says.
    #[arg(short, long, value_name = "K|auto|LOW..HIGH", value_parser = clusters, allow_negative_numbers = true, default_value = "auto")]
    pub(crate) k: Clusters,
    /// What -k auto or a range asks for: clusters is the largest number for which random halves of the data agree, or, where they
    /// do not, that of the communities of their graph, at which the fit starts; rank is the least number of centroids that
    /// explains values which it has not seen as well as any, for topics and signatures.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "clusters")]
    pub(crate) choose: ChooseName,
    /// Method; `emmf methods` lists them [default: g-emmf, clusters along a graph; emmf, without one, where values are missing,
    /// samples are read in blocks, or --solver or --exponent is given].
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Parameter of the method, by name.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, f64)>,
    /// Try these values of a parameter of the method and keep the best fit.
    #[arg(long, value_name = "NAME=VALUE,VALUE,…", value_parser = Grid::parse)]
    pub(crate) grid: Option<Grid>,
    /// What makes a fit of the grid the best.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "modularity", requires = "grid")]
    pub(crate) grid_by: GridByName,
    /// How a factor is moved: multiplicative update or coordinate descent [default: hals with nmf, else mu].
    #[arg(long, value_name = "SOLVER", value_enum)]
    pub(crate) solver: Option<SolverName>,
    /// Exponent of the multiplicative update, in (0, 1] [default: the method's published one].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) exponent: Option<f64>,
    /// Inner sweeps of the hals solver.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 4)]
    pub(crate) sweeps: usize,
    /// Where the factors start [default: graph, the clusters along it, where one is followed; nndsvd with nmf; else kmeans].
    #[arg(long, value_name = "START", value_enum)]
    pub(crate) init: Option<InitName>,
    /// NPZ or MAT file with factors to start from instead: U (features × k) and V (samples × k).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["init", "init_restarts"])]
    pub(crate) start: Option<PathBuf>,
    /// k-means runs of the start, of which the best is taken [default: 10; as published 1].
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) init_restarts: Option<usize>,
    #[arg(long, value_name = "WHAT", value_enum, help = outliers_help())]
    pub(crate) outliers: Option<OutliersName>,
    /// The method as its authors published it: no sample is set aside, one run of k-means is the start, a graph is that of
    /// the nearest neighbours, and factors move by the multiplicative update for all iterations.
    #[arg(long, conflicts_with = "outliers")]
    pub(crate) as_published: bool,
    /// Share of the samples whose scores make them outliers [default: those with a score above 3.5]. Samples that were set
    /// aside are outliers in any case.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) contamination: Option<f64>,
    /// Preprocessing, in this order, separated by commas [default: none; tfidf,unit for texts].
    #[arg(long, value_name = "STEPS", value_enum, value_delimiter = ',')]
    pub(crate) normalize: Vec<NormalizeName>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Independent fits, of which the one with the lowest objective is kept.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 1)]
    pub(crate) restarts: usize,
    /// At most this many iterations.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 500)]
    pub(crate) max_iter: usize,
    /// Stop when the objective (with a graph: the coefficients) changes by less than this share; 0 never does [default: 1e-6
    /// with nmf, else 0].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) tol: Option<f64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// ε of smoothed residuals [default: 1e-10 of the mean sample norm; for l1-nmf and l12-squared-nmf 0.05 of the
    /// mean entry].
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<f64>,
    /// Threads [default: one for each core]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// How labels are read off: the largest coefficient as it is, or with centroids of unit length, k-means on what the samples
    /// are made of (coefficients times the lengths of the centroids, as directions) or on the coefficients as they are, or the
    /// components of the graph that lsnmf learns [default: the method's way, kmeans for weighted samples without a graph].
    #[arg(long, value_name = "RULE", value_enum)]
    pub(crate) label_rule: Option<LabelRuleName>,
    /// Number of clusters that k-means makes of the coefficients [default: one for each centroid].
    #[arg(long, value_name = "C", value_parser = count, allow_negative_numbers = true)]
    pub(crate) clusters: Option<usize>,
    /// File with one number a sample: how often it counts in the loss. A graph counts each once.
    #[arg(long, value_name = "FILE")]
    pub(crate) sample_weights: Option<PathBuf>,
    /// Memory to stay within, for example 2GB: larger NPY and Parquet files are read in blocks of samples.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Keep a checkpoint in the folder of --out every so many minutes, and when a signal or the time limit ends the fit, so
    /// that --resume can go on from there.
    #[arg(long, value_name = "MINUTES", value_parser = minutes, requires = "out", allow_negative_numbers = true)]
    pub(crate) checkpoint: Option<f64>,
    /// Go on with the fit that was stopped in this folder, from its last checkpoint; all else comes from the call that was
    /// stopped. The result is that of a fit that was never stopped.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// The words of the call, but for --resume.
    #[arg(skip)]
    pub(crate) words: Vec<String>,
    /// Folder for model.safetensors, samples.csv, record.json, and imputed.npy where values are missing. No other fit can
    /// write to it meanwhile; what an earlier fit left there is replaced as a whole.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write an interactive page about the fit: FILE, or report.html in the folder of --out, or report.html.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "not given, given without a name, given with one")]
    pub(crate) report: Option<Option<PathBuf>>,
    /// Print one JSON object instead of a summary.
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn outliers_help() -> String {
    let default = METHODS.iter().filter(|entry| entry.facts.set_aside == SetAside::Default);
    let names: Vec<_> = default.map(|entry| entry.name).collect();
    format!(
        "What is done about samples that clearly do not belong to the others: set aside, so that start and fit see the \
         others only (they still get a cluster and a score), or kept [default: set-aside with {}, else keep]",
        names.join(" and ")
    )
}
