//! The module `emmf._emmf` of the Python package `emmf`: a thin mapping of the library, with arrays that come in
//! borrowed and go out moved.

#![forbid(unsafe_code)]
#![expect(clippy::needless_pass_by_value, reason = "what comes from Python comes by value")]

mod arrays;
mod choose;
mod datasets;
mod door;
mod elsewhere;
mod errors;
mod fit;
mod graph;
mod held;
mod layers;
mod metrics;
mod model;
mod outliers;
mod plane;
mod registry;
mod report;
mod rows;
mod samples;
mod shard;
mod watched;

/// The compiled half of the package.
#[pyo3::pymodule]
mod _emmf {
    #[pymodule_export]
    use super::choose::{choose, choose_layers, most_variable};
    #[pymodule_export]
    use super::datasets::{add_block_noise, add_outliers, example, example_texts, rays, toy};
    #[pymodule_export]
    use super::elsewhere::{Said, fit_elsewhere};
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::graph::graph_of;
    #[pymodule_export]
    use super::metrics::{agreement, effect, precision_at, roc_auc};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::outliers::{outliers, threshold_for};
    #[pymodule_export]
    use super::plane::plane;
    #[pymodule_export]
    use super::registry::{defaults, graph_params, layer_params, methods, penalty_params};
    #[pymodule_export]
    use super::report::report;
    #[pymodule_export]
    use super::shard::{Shard, cut, join, some_samples};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    const THRESHOLD: f64 = emmf::outliers::THRESHOLD;
}
