//! Layers over samples in shards and in other processes.

use serde::{Deserialize, Serialize};

use super::{Crossed, LayerPull, LayerSide, LayerSweep, OfLayers};
use crate::error::{Error, Result};
use crate::loss::{Loss, LossSpec, Stats};
use crate::matrix::Mat;
use crate::method::deep::Stack;
use crate::method::side::remote::summed;
use crate::method::side::{Answer, Finish, Lengths, Order, Remote, SampleSide, Shards, Tree, Weighed};
use crate::real::Real;
use crate::spec::LabelRule;

/// What a side is to do with layers, see [`LayerSide`]. `shares` are B of every layer above the first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named after the functions of the trait and their parameters")]
pub enum LayerOrder<T> {
    Nodes { u: Mat<T>, rule: LabelRule },
    Begin { shares: Vec<Mat<f64>> },
    Pull { shares: Vec<Mat<f64>>, factors: Vec<f64> },
    Cross { u: Mat<T>, shares: Vec<Mat<f64>>, factors: Vec<f64> },
    Sweep { u: Mat<T>, g: Mat<T>, shares: Vec<Mat<f64>>, sweep: LayerSweep },
    Weigh { losses: Vec<LossSpec>, stats: Vec<Stats> },
    ScaleColumns(Vec<f64>),
    Finish { u: Mat<T>, shares: Vec<Mat<f64>>, finish: Finish },
}

impl<T> LayerOrder<T> {
    /// Whether it brings back more than that it was obeyed.
    pub(in crate::method::side) fn asks(&self) -> bool {
        !matches!(self, Self::Begin { .. } | Self::ScaleColumns(_))
    }

    /// Whether nothing is left of it where the samples are.
    pub(in crate::method::side) fn only_asks(&self) -> bool {
        matches!(self, Self::Nodes { .. } | Self::Pull { .. })
    }
}

/// Does what a side is told.
pub(in crate::method::side) fn obey<T: Real>(
    side: &mut dyn LayerSide<T>,
    order: LayerOrder<T>,
) -> Result<Answer<T>> {
    match order {
        LayerOrder::Nodes { u, rule } => return Ok(Answer::Nodes(side.nodes(&u, rule)?)),
        LayerOrder::Begin { shares } => side.begin_layers(&Stack::of(shares)?)?,
        LayerOrder::ScaleColumns(by) => side.scale_columns(&by)?,
        LayerOrder::Pull { shares, factors } => {
            let stack = Stack::of(shares)?;
            return summed(Answer::LayerPull, |out| side.pull_layers(&stack, &factors, out));
        }
        LayerOrder::Cross { u, shares, factors } => {
            let stack = Stack::of(shares)?;
            return summed(Answer::Crossed, |out| side.cross_layers(&u, &stack, &factors, out));
        }
        LayerOrder::Sweep { u, g, shares, sweep } => {
            let stack = Stack::of(shares)?;
            return summed(Answer::LayerStats, |out| side.sweep_layers((&u, &g), &stack, &sweep, out));
        }
        LayerOrder::Weigh { losses, stats } => {
            let losses: Vec<Box<dyn Loss>> = losses.into_iter().map(LossSpec::make).collect();
            let losses: Vec<&dyn Loss> = losses.iter().map(|loss| &**loss).collect();
            return summed(Answer::LayerWeighed, |out| side.weigh_layers(&losses, &stats, out));
        }
        LayerOrder::Finish { u, shares, finish } => {
            let stack = Stack::of(shares)?;
            return summed(Answer::LayerStats, |out| side.finish_layers(&u, &stack, &finish, out));
        }
    }
    Ok(Answer::Done)
}

/// The answer must be of the kind that was asked for.
macro_rules! ask {
    ($self:ident, $order:expr, $kind:ident) => {
        match $self.ask(Order::Layers($order))? {
            Answer::$kind(found) => found,
            _ => return Err(Error::param("the answer", "another one", stringify!($kind))),
        }
    };
}

impl<T: Real> LayerSide<T> for Remote<'_, T> {
    fn nodes(&mut self, u: &Mat<T>, rule: LabelRule) -> Result<Vec<usize>> {
        Ok(ask!(self, LayerOrder::Nodes { u: u.clone(), rule }, Nodes))
    }

    fn begin_layers(&mut self, stack: &Stack<T>) -> Result<()> {
        self.ask(Order::Layers(LayerOrder::Begin { shares: stack.b.clone() })).map(|_| ())
    }

    fn pull_layers(&mut self, stack: &Stack<T>, factors: &[f64], out: &mut Tree<LayerPull<T>>) -> Result<()> {
        let (shares, factors) = (stack.b.clone(), factors.to_vec());
        out.take(&mut ask!(self, LayerOrder::Pull { shares, factors }, LayerPull));
        Ok(())
    }

    fn cross_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        factors: &[f64],
        out: &mut Tree<Crossed>,
    ) -> Result<()> {
        let (shares, factors) = (stack.b.clone(), factors.to_vec());
        out.take(&mut ask!(self, LayerOrder::Cross { u: u.clone(), shares, factors }, Crossed));
        Ok(())
    }

    fn sweep_layers(
        &mut self,
        (u, g): (&Mat<T>, &Mat<T>),
        stack: &Stack<T>,
        sweep: &LayerSweep,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        let (u, g, shares, sweep) = (u.clone(), g.clone(), stack.b.clone(), sweep.clone());
        out.take(&mut ask!(self, LayerOrder::Sweep { u, g, shares, sweep }, LayerStats));
        Ok(())
    }

    fn weigh_layers(
        &mut self,
        losses: &[&dyn Loss],
        stats: &[Stats],
        out: &mut Tree<OfLayers<Weighed>>,
    ) -> Result<()> {
        let must = "one of those in the registry, for samples in another process";
        let spec =
            |loss: &&dyn Loss| loss.spec().ok_or_else(|| Error::param("the loss", "one of your own", must));
        let losses = losses.iter().map(spec).collect::<Result<Vec<_>>>()?;
        out.take(&mut ask!(self, LayerOrder::Weigh { losses, stats: stats.to_vec() }, LayerWeighed));
        Ok(())
    }

    fn scale_columns(&mut self, by: &[f64]) -> Result<()> {
        self.ask(Order::Layers(LayerOrder::ScaleColumns(by.to_vec()))).map(|_| ())
    }

    fn finish_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        finish: &Finish,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        let (u, shares, finish) = (u.clone(), stack.b.clone(), finish.clone());
        out.take(&mut ask!(self, LayerOrder::Finish { u, shares, finish }, LayerStats));
        Ok(())
    }
}

impl<T: Real> LayerSide<T> for Shards<'_, T> {
    fn nodes(&mut self, u: &Mat<T>, rule: LabelRule) -> Result<Vec<usize>> {
        let nodes = |side: &mut Box<dyn SampleSide<T> + '_>| side.layers()?.nodes(u, rule);
        Ok(self.sides.iter_mut().map(nodes).collect::<Result<Vec<_>>>()?.concat())
    }

    fn begin_layers(&mut self, stack: &Stack<T>) -> Result<()> {
        self.order(&mut Tree::<Lengths>::default(), |side, _| side.layers()?.begin_layers(stack))
    }

    fn pull_layers(&mut self, stack: &Stack<T>, factors: &[f64], out: &mut Tree<LayerPull<T>>) -> Result<()> {
        self.order(out, |side, out| side.layers()?.pull_layers(stack, factors, out))
    }

    fn cross_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        factors: &[f64],
        out: &mut Tree<Crossed>,
    ) -> Result<()> {
        self.order(out, |side, out| side.layers()?.cross_layers(u, stack, factors, out))
    }

    fn sweep_layers(
        &mut self,
        centroids: (&Mat<T>, &Mat<T>),
        stack: &Stack<T>,
        sweep: &LayerSweep,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        self.order(out, |side, out| side.layers()?.sweep_layers(centroids, stack, sweep, out))
    }

    fn weigh_layers(
        &mut self,
        losses: &[&dyn Loss],
        stats: &[Stats],
        out: &mut Tree<OfLayers<Weighed>>,
    ) -> Result<()> {
        self.order(out, |side, out| side.layers()?.weigh_layers(losses, stats, out))
    }

    fn scale_columns(&mut self, by: &[f64]) -> Result<()> {
        self.order(&mut Tree::<Lengths>::default(), |side, _| side.layers()?.scale_columns(by))
    }

    fn finish_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        finish: &Finish,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        self.order(out, |side, out| side.layers()?.finish_layers(u, stack, finish, out))
    }
}
