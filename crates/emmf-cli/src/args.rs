//! The commands and the arguments of `fit`; other commands define their own.

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand};
use emmf::registry::{METHODS, SetAside};
use emmf_cuda::Choice as Device;
use emmf_io::Dtype;

use crate::bench::BenchArgs;
use crate::demo::DemoArgs;
use crate::device::DeviceArgs;
use crate::explain::ExplainArgs;
use crate::gaps::MissingArgs;
use crate::graph::GraphArgs;
use crate::grid::Grid;
use crate::look::LookArgs;
use crate::methods::MethodsArgs;
use crate::offered::{Offered, OwnParam};
use crate::online::OnlineArgs;
use crate::plot::PlotArgs;
use crate::report::ReportArgs;
use crate::score::ScoreArgs;
use crate::shell::{CompletionsArgs, ManArgs};
use crate::synth::SynthArgs;
use crate::transform::TransformArgs;
use crate::values::{
    ChooseName, Clusters, GridByName, InitName, LabelRuleName, Layers, NormalizeName, OutliersName,
    SolverName, TableName, clusters, count, layers, minutes, seed, separator, size,
};

/// Robust nonnegative matrix factorization: clusters, factors and outlier scores from one fit.
#[derive(Parser)]
#[command(
    name = "emmf",
    version,
    about,
    after_help = "Examples:\n  \
    emmf demo                                  see what it does, as a page\n  \
    emmf synth rays --out rays.csv             some data to try it on\n  \
    emmf fit rays.csv -k 3 --out result        clusters and outlier scores in result/samples.csv\n  \
    emmf report result --out page.html         look at them in a browser\n  \
    emmf fit faces/ --image auto --report      a folder of images; chooses the number of clusters\n  \
    emmf explain result rays.csv --row 7       why is this sample an outlier?\n  \
    emmf transform result new.csv --out coded.csv\n\n\
    Colours follow NO_COLOR and CLICOLOR. \
    Exit code: 0 on success, 2 for bad input, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP. \
    The first signal ends the iterations of a fit and its result is written; the second ends it at once."
)]
pub(crate) struct Args {
    /// TOML file with options
    ///
    /// The options of the command by their long names; options on the command line take precedence.
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
    /// Show one sample in terms of a model: coefficients, residual, weight, and the features that fit worst.
    Explain(ExplainArgs),
    /// Compare two labelings: accuracy, NMI (over the geometric mean of the entropies, and others), ARI, purity.
    Score(ScoreArgs),
    /// Make synthetic or contaminated data.
    Synth(SynthArgs),
    /// List the methods with their references.
    Methods(MethodsArgs),
    /// Run an experiment of many fits, such as those of the paper, and write its tables.
    Bench(BenchArgs),
    /// Run NMF, l2,1-NMF and EMMF on contaminated data and write a page about the results.
    Demo(DemoArgs),
    /// Show which cards --device can use, or what is missing
    Device(DeviceArgs),
    /// Print the completions for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for every command
    Man(ManArgs),
}

/// Headings of the help, in the order in which they are shown.
pub(crate) mod heading {
    pub(crate) const DATA: &str = "Data";
    pub(crate) const TEXTS: &str = "Texts";
    pub(crate) const OUTLIERS: &str = "Outliers";
    pub(crate) const GRAPH: &str = "Graph";
    pub(crate) const BATCHES: &str = "Batches";
    pub(crate) const SOLVER: &str = "Solver";
    pub(crate) const EXPERT: &str = "Expert";
}

#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// File or folder with one sample per row; - is standard input
    ///
    /// CSV, TSV and other text, Excel (.xlsx), JSON lines, Parquet, NPY, NPZ, MATLAB, Matrix Market, HDF5
    /// (.h5ad, .h5, .loom, 10x), each also as .gz, .bz2 or .zst; a 10x folder; a folder of images or of .txt files.
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Column or variable with the true classes
    ///
    /// A name, or a number counted from 1, or from the end as -1. The clusters are compared with the classes; the fit does not see them.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = heading::DATA)]
    pub(crate) labels: Option<String>,
    /// Column with the names of the samples
    ///
    /// [default: the first column, if its texts all differ or it counts the rows]
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, help_heading = heading::DATA)]
    pub(crate) id: Option<String>,
    /// Columns to use as features: names, numbers, 'gene_*'
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true, help_heading = heading::DATA)]
    pub(crate) columns: Vec<String>,
    /// Columns to leave out: names, numbers or patterns
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true, help_heading = heading::DATA)]
    pub(crate) drop: Vec<String>,
    /// Rows are features and columns are samples
    #[arg(long, help_heading = heading::DATA)]
    pub(crate) transpose: bool,
    /// Variable, layer or sheet that holds the matrix
    ///
    /// In a MAT, NPZ or HDF5 file, the variable or dataset; in AnnData, the layer; in an Excel file, the sheet.
    #[arg(long, value_name = "NAME", help_heading = heading::DATA)]
    pub(crate) variable: Option<String>,
    /// Whether the first line of a text file names the columns [default: detected]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, hide_short_help = true, help_heading = heading::DATA)]
    pub(crate) header: Option<bool>,
    /// Field separator of a text file: a character, or tab or space [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = separator, hide_short_help = true, help_heading = heading::DATA)]
    pub(crate) separator: Option<char>,
    /// Decimal mark of a text file: . or , [default: detected]
    #[arg(long, value_name = "CHAR", hide_short_help = true, help_heading = heading::DATA)]
    pub(crate) decimal: Option<char>,
    /// Number type to compute in [default: f32 if the file holds f32, else f64]
    #[arg(long, value_name = "f32|f64", hide_short_help = true, help_heading = heading::DATA)]
    pub(crate) dtype: Option<Dtype>,
}

#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  \
    emmf fit cells.h5ad -k 12 --labels cell_type --out result --report\n  \
    emmf fit reviews.jsonl --text review -k 8 --out result --report\n  \
    emmf fit export.xlsx --id customer --drop 'note*' --out result\n  \
    emmf fit faces/ -k 2..20 --image auto --report\n\n\
    --help lists all options: outliers, graph, solver, expert.",
    after_long_help = "Examples:\n  \
    emmf fit cells.h5ad -k 12 --labels cell_type --out result --report\n  \
    emmf fit export.xlsx --id customer --drop 'note*' --out result\n  \
    emmf fit faces/ -k 2..20 --image auto --out result --report\n  \
    emmf fit reviews.jsonl --text review -k 8 --report=reviews.html\n  \
    emmf fit faces.mat --layers 60,20 --out result --report\n  \
    emmf fit counts.npz -k 20 --normalize tfidf,unit --method l21-nmf --json\n  \
    emmf fit faces.mat -k 15 --method g-emmf --neighbours 7\n  \
    emmf fit faces.mat -k 15 --method l21-nmf --graph knn --lambda 100\n  \
    emmf fit faces.mat -k 15 --method g-emmf --grid lambda=1e1,1e3,1e5\n  \
    emmf fit large.npy -k 50 --out result --checkpoint 10; emmf fit --resume result\n  \
    cat table.csv | emmf fit - -k 3 --labels class --init trimmed --normalize clip\n  \
    sensor | emmf fit - -k 5 --batch 1000 --half-life 100000 --out live --json\n  \
    emmf fit --update live tuesday.csv"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct FitArgs {
    /// Number of clusters, auto, or a range such as 2..20
    ///
    /// This is also the number of centroids. With auto or a range it is chosen as --choose says.
    #[arg(short, long, value_name = "K", value_parser = clusters, allow_negative_numbers = true, default_value = "auto")]
    pub(crate) k: Clusters,
    /// Method; `emmf methods` lists them [default: g-emmf]
    ///
    /// g-emmf finds clusters along a graph. If values are missing, samples are read in blocks, or --solver or --exponent is
    /// given, the default is emmf, which uses no graph.
    #[arg(long, value_name = "NAME", value_parser = Offered::methods(), hide_possible_values = true)]
    pub(crate) method: Option<String>,
    /// Widths of layers, from the bottom up, such as 60,20, or auto
    ///
    /// Deep EMMF: every layer has its own centroids, and its nodes are merged along a graph into the nodes of the next layer, which
    /// makes a tree. Replaces -k. auto takes the communities of the graph at several resolutions. With --param merge=0 every node
    /// has a share in each node of the layer above.
    #[arg(long, value_name = "LIST", value_parser = layers, conflicts_with = "k")]
    pub(crate) layers: Option<Layers>,
    /// Folder for the results
    ///
    /// samples.csv, coefficients.csv, centroids.csv, features.csv, model.safetensors, record.json, imputed.npy if
    /// values are missing, and tree.json, tree.csv and tree.nwk with layers. No other fit can write to it at the same time; the results of an earlier fit are replaced as a whole.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write an interactive page, report.html in --out or FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "not given, given without a name, given with one")]
    pub(crate) report: Option<Option<PathBuf>>,
    /// Tables in --out: csv, parquet, npy, h5ad or none
    ///
    /// How coefficients and centroids are written; several formats are separated by commas. h5ad is a copy of an .h5ad file with the results in obs, obsm and varm
    /// [default: csv, up to ten million numbers; also h5ad if DATA is .h5ad].
    #[arg(
        long,
        value_name = "FORMATS",
        value_enum,
        value_delimiter = ',',
        requires = "out",
        hide_possible_values = true
    )]
    pub(crate) write: Vec<TableName>,
    /// Seed for all random numbers
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar and no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Preprocessing steps, in order, separated by commas
    ///
    /// [default: none; tfidf,unit for texts]
    #[arg(long, value_name = "STEPS", value_enum, value_delimiter = ',', help_heading = heading::DATA)]
    pub(crate) normalize: Vec<NormalizeName>,
    /// Keep the N features that vary most, such as 2000 genes
    ///
    /// Features are ranked by their dispersion relative to features of about the same mean, before --normalize. The model keeps their names.
    #[arg(long, value_name = "N", value_parser = count, help_heading = heading::DATA)]
    pub(crate) top_features: Option<usize>,
    #[command(flatten)]
    pub(crate) gaps: MissingArgs,
    /// File with one number per sample: how often it counts
    ///
    /// The weights apply to the loss; a graph counts each sample once.
    #[arg(long, value_name = "FILE", help_heading = heading::DATA, hide_short_help = true)]
    pub(crate) sample_weights: Option<PathBuf>,
    /// Memory limit, such as 2GB
    ///
    /// Larger NPY and Parquet files are read in blocks of samples.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = heading::DATA, hide_short_help = true)]
    pub(crate) max_memory: Option<u64>,
    #[arg(long, value_name = "WHAT", value_enum, help = "Set outliers aside, or keep them", long_help = outliers_help(),
        help_heading = heading::OUTLIERS, hide_short_help = true)]
    pub(crate) outliers: Option<OutliersName>,
    /// Share of the samples to call outliers [default: those with a score above 3.5]
    ///
    /// Samples that were set aside are outliers in any case.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = heading::OUTLIERS, hide_short_help = true)]
    pub(crate) contamination: Option<f64>,
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    #[command(flatten)]
    pub(crate) online: OnlineArgs,
    /// How a factor is updated [default: hals with nmf, otherwise mu]
    ///
    /// mu is the multiplicative update, hals is coordinate descent.
    #[arg(long, value_name = "SOLVER", value_enum, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) solver: Option<SolverName>,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 500,
        help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) max_iter: usize,
    /// Stop when the relative change of the objective is below T [default: 1e-4 with a graph, 1e-6 with nmf, otherwise 0]
    ///
    /// With a graph, the change of the coefficients counts instead. 0 runs all iterations, as --as-published does.
    #[arg(long, value_name = "T", allow_negative_numbers = true, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) tol: Option<f64>,
    /// Stop after this many seconds
    ///
    /// The result is what there is then, at least one iteration. Outliers are not looked for, a graph is not chosen among
    /// several and the start is simpler where there is no time for more; -k auto takes at most half of it. Where there is no
    /// graph in time, the default goes on as emmf; a method that was named and needs one fails.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) time_limit: Option<f64>,
    /// How the factors start [default: graph if one is used, nndsvd with nmf, otherwise kmeans]
    ///
    /// graph starts from the clusters along the graph, if one is used.
    #[arg(long, value_name = "START", value_enum, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) init: Option<InitName>,
    /// Number of k-means runs for the start, of which the best is used [default: 10; 1 with --as-published]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) init_restarts: Option<usize>,
    /// NPZ or MAT file with factors to start from: U (features × k) and V (samples × k)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["init", "init_restarts"], help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) start: Option<PathBuf>,
    /// Number of independent fits, of which the one with the best objective is kept
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 1,
        help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) restarts: usize,
    /// Make the model of what the --restarts agree on, instead of keeping the best
    ///
    /// Components are matched between restarts and averaged; restarts that are far from the others are set aside, and every component
    /// gets a stability from 0 to 1. The default method is then emmf: with a graph there is no consensus.
    #[arg(long, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) consensus: bool,
    /// Number of threads; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) threads: Option<usize>,
    /// Where the iterations run: cpu, cuda, cuda:1 (the second card) or auto
    ///
    /// auto uses a card if there is one, the method can run on it and the work is large enough to benefit.
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu, help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) device: Device,
    /// Memory of the card that the data may take, such as 8GB [default: all but a fifth of what is free]
    ///
    /// Dense data that need more go to the card in blocks, in every pass over them. The factors and all else come on top.
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "device", help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) max_device_memory: Option<u64>,
    /// Save a checkpoint in --out every MINUTES minutes
    ///
    /// Also when a signal or the time limit ends the fit, so that --resume can continue from there.
    #[arg(long, value_name = "MINUTES", value_parser = minutes, requires = "out", allow_negative_numbers = true,
        help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) checkpoint: Option<f64>,
    /// Continue the fit that was stopped in this folder
    ///
    /// It starts from its last checkpoint, with the options of the call that was stopped. The result is the same as if the fit
    /// had never been stopped.
    #[arg(long, value_name = "FOLDER", help_heading = heading::SOLVER, hide_short_help = true)]
    pub(crate) resume: Option<PathBuf>,
    /// What -k auto or a range looks for
    ///
    /// clusters is the largest number for which random halves of the data agree. If they do not, or if twice as many communities of the
    /// graph are also those of half of the samples, it is the number of communities, from which the fit then starts. rank is the
    /// smallest number of centroids that explains held-out values as well as any other, for topics and signatures.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "clusters", help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) choose: ChooseName,
    /// Parameter of the method, by name
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = OwnParam, hide_possible_values = true, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) params: Vec<(String, f64)>,
    /// Try these values of a parameter of the method and keep the best fit
    #[arg(long, value_name = "NAME=VALUE,VALUE,…", value_parser = Grid::parse, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) grid: Option<Grid>,
    /// How the best fit of the grid is chosen
    #[arg(long, value_name = "WHAT", value_enum, default_value = "modularity", requires = "grid", help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) grid_by: GridByName,
    /// Exponent of the multiplicative update, in (0, 1] [default: the method's published one]
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) exponent: Option<f64>,
    /// Inner sweeps of the hals solver
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 4,
        help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) sweeps: usize,
    /// ε of smoothed residuals [default: 1e-10 times the mean sample norm]
    ///
    /// For l1-nmf and l12-squared-nmf, 0.05 times the mean entry.
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) epsilon: Option<f64>,
    /// How labels are read off the coefficients [default: depends on the method]
    ///
    /// largest takes the largest coefficient as it is, unit the largest after scaling the centroids to unit length; kmeans runs
    /// k-means on the directions of the coefficients times the lengths of the centroids, kmeans-raw on the coefficients as they
    /// are; components takes the components of the graph that lsnmf learns. Methods that weight samples use kmeans unless there is a graph.
    #[arg(long, value_name = "RULE", value_enum, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) label_rule: Option<LabelRuleName>,
    /// Number of clusters that k-means makes of the coefficients [default: one per centroid]
    #[arg(long, value_name = "C", value_parser = count, allow_negative_numbers = true, help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) clusters: Option<usize>,
    /// Run the method as its authors published it
    ///
    /// No sample is set aside, the start is one run of k-means, a graph is that of the nearest neighbours, and the factors are
    /// updated multiplicatively for all iterations.
    #[arg(long, conflicts_with = "outliers", help_heading = heading::EXPERT, hide_short_help = true)]
    pub(crate) as_published: bool,
    /// The words of the call, but for --resume.
    #[arg(skip)]
    pub(crate) words: Vec<String>,
}

fn outliers_help() -> String {
    let default = METHODS.iter().filter(|entry| entry.facts.set_aside == SetAside::Default);
    let names: Vec<_> = default.map(|entry| entry.name).collect();
    format!(
        "What to do with samples that clearly do not belong to the others: set them aside, so that start and \
         fit see only the others (they still get a cluster and a score), or keep them \
         [default: set-aside with {}, otherwise keep]",
        names.join(" and ")
    )
}
