//! What is most of the library, compiled with it once for each type of numbers.
//!
//! Generic functions are compiled by every crate that calls them. These are reached through [`Real`](crate::Real), whose
//! two types are here.

use std::ops::RangeInclusive;

use super::layers::choose_layers;
use super::online::{Updated, fit_online, update};
use super::rank::choose_rank;
use super::{Given, fit, fit_side, graph_of, start_of};
use crate::choose::{Choice, Seen, choose_k};
use crate::embed::{Layout, Plane, laid_out, plane_of};
use crate::error::Result;
use crate::graph::Graph;
use crate::init::Factors;
use crate::matrix::{Mat, Samples};
use crate::method::SampleSide;
use crate::metrics::silhouettes_of;
use crate::model::{Coded, Fit, Model, judging, outlier_parts, transform};
use crate::outliers::Part;
use crate::spec::Spec;
use crate::threads::Running;

/// The work behind the methods of [`Spec`] and [`Model`] of the same names.
pub trait Compiled: Sized {
    /// See [`Request::fit`](super::Request::fit).
    fn fit(spec: &Spec, x: Samples<'_, Self>, given: Given<'_, Self>) -> Result<Fit<Self>>;

    /// See [`Spec::fit_side`].
    fn fit_side(spec: &Spec, side: &dyn SampleSide<Self>, given: Given<'_, Self>) -> Result<Fit<Self>>;

    /// See [`Spec::fit_online`].
    fn fit_online(
        spec: &Spec,
        x: Samples<'_, Self>,
        given: Given<'_, Self>,
        half_life: Option<f64>,
    ) -> Result<Fit<Self>>;

    /// See [`Model::update`].
    fn update(
        model: &Model<Self>,
        x: Samples<'_, Self>,
        sample_weights: Option<&[f64]>,
        running: &Running<'_>,
    ) -> Result<Updated<Self>>;

    /// See [`Spec::graph_of`].
    fn graph_of(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Graph>;

    /// See [`Spec::start_of`].
    fn start_of(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Factors<Self>>;

    /// See [`Spec::choose_k`].
    fn choose_k(
        spec: &Spec,
        x: Samples<'_, Self>,
        ks: RangeInclusive<usize>,
        seen: Seen<'_>,
        running: &Running<'_>,
    ) -> Result<Choice>;

    /// See [`Spec::choose_rank`].
    fn choose_rank(
        spec: &Spec,
        x: Samples<'_, Self>,
        ks: RangeInclusive<usize>,
        seen: Seen<'_>,
        running: &Running<'_>,
    ) -> Result<Choice>;

    /// See [`Spec::choose_layers`].
    fn choose_layers(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Vec<usize>>;

    /// See [`Model::judging`].
    fn judging(
        model: &Model<Self>,
        x: Samples<'_, Self>,
        counts: &[bool],
        running: &Running<'_>,
    ) -> Result<Model<Self>>;

    /// See [`Model::transform_with`].
    fn transform(model: &Model<Self>, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Coded<Self>>;

    /// See [`Model::outlier_parts`].
    fn outlier_parts(
        model: &Model<Self>,
        x: Samples<'_, Self>,
        running: &Running<'_>,
    ) -> Result<Vec<Vec<Part>>>;

    /// See [`layout`](crate::embed::layout).
    fn layout(fit: &Fit<Self>, x: Samples<'_, Self>, rows: &[usize], running: &Running<'_>)
    -> Result<Layout>;

    /// See [`plane`](crate::embed::plane).
    fn plane(
        model: &Model<Self>,
        v: &Mat<Self>,
        x: Option<Samples<'_, Self>>,
        running: &Running<'_>,
    ) -> Result<Plane>;

    /// See [`silhouettes`](crate::metrics::silhouettes).
    fn silhouettes(
        model: &Model<Self>,
        x: Samples<'_, Self>,
        labels: &[usize],
        running: &Running<'_>,
    ) -> Result<Vec<f64>>;
}

macro_rules! compiled {
    ($($kind:tt)*) => {
        $($kind)* {
            fn fit(spec: &Spec, x: Samples<'_, Self>, given: Given<'_, Self>) -> Result<Fit<Self>> {
                fit(spec, x, given)
            }

            fn fit_side(
                spec: &Spec,
                side: &dyn SampleSide<Self>,
                given: Given<'_, Self>,
            ) -> Result<Fit<Self>> {
                fit_side(spec, side, given)
            }

            fn fit_online(
                spec: &Spec,
                x: Samples<'_, Self>,
                given: Given<'_, Self>,
                half_life: Option<f64>,
            ) -> Result<Fit<Self>> {
                fit_online(spec, x, given, half_life)
            }

            fn update(
                model: &Model<Self>,
                x: Samples<'_, Self>,
                sample_weights: Option<&[f64]>,
                running: &Running<'_>,
            ) -> Result<Updated<Self>> {
                update(model, x, sample_weights, running)
            }

            fn graph_of(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Graph> {
                graph_of(spec, x, running)
            }

            fn start_of(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Factors<Self>> {
                start_of(spec, x, running)
            }

            fn choose_k(
                spec: &Spec,
                x: Samples<'_, Self>,
                ks: RangeInclusive<usize>,
                seen: Seen<'_>,
                running: &Running<'_>,
            ) -> Result<Choice> {
                choose_k(spec, x, &ks, seen, running)
            }

            fn choose_rank(
                spec: &Spec,
                x: Samples<'_, Self>,
                ks: RangeInclusive<usize>,
                seen: Seen<'_>,
                running: &Running<'_>,
            ) -> Result<Choice> {
                choose_rank(spec, x, &ks, seen, running)
            }

            fn choose_layers(spec: &Spec, x: Samples<'_, Self>, running: &Running<'_>) -> Result<Vec<usize>> {
                choose_layers(spec, x, running)
            }

            fn judging(
                model: &Model<Self>,
                x: Samples<'_, Self>,
                counts: &[bool],
                running: &Running<'_>,
            ) -> Result<Model<Self>> {
                judging(model, x, counts, running)
            }

            fn transform(
                model: &Model<Self>,
                x: Samples<'_, Self>,
                running: &Running<'_>,
            ) -> Result<Coded<Self>> {
                transform(model, x, running)
            }

            fn outlier_parts(
                model: &Model<Self>,
                x: Samples<'_, Self>,
                running: &Running<'_>,
            ) -> Result<Vec<Vec<Part>>> {
                outlier_parts(model, x, running)
            }

            fn layout(
                fit: &Fit<Self>,
                x: Samples<'_, Self>,
                rows: &[usize],
                running: &Running<'_>,
            ) -> Result<Layout> {
                laid_out(fit, x, rows, running)
            }

            fn plane(
                model: &Model<Self>,
                v: &Mat<Self>,
                x: Option<Samples<'_, Self>>,
                running: &Running<'_>,
            ) -> Result<Plane> {
                plane_of(model, v, x, running)
            }

            fn silhouettes(
                model: &Model<Self>,
                x: Samples<'_, Self>,
                labels: &[usize],
                running: &Running<'_>,
            ) -> Result<Vec<f64>> {
                silhouettes_of(model, x, labels, running)
            }
        }
    };
}

#[cfg(not(test))]
compiled!(impl Compiled for f32);
#[cfg(not(test))]
compiled!(impl Compiled for f64);

// The tests inside the library fit nothing, so nothing of this is compiled with them.
#[cfg(test)]
compiled!(impl<T: crate::real::Real> Compiled for T);
