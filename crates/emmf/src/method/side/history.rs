//! The orders that made a side what it is, so that one that is lost can be made again: [`History`].

use serde::{Deserialize, Serialize};

use super::Order;
use crate::real::Real;

/// Orders that a [`Server`](super::Server) must obey, one after the other, to be where others are that obeyed all of them. Of an iteration
/// the step of V is kept, not the sums that were asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct History<T> {
    orders: Vec<(u64, Order<T>)>,
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self { orders: Vec::new() }
    }
}

impl<T: Real> History<T> {
    /// Takes note of an order to side `number` that all have obeyed.
    pub fn record(&mut self, number: u64, order: &Order<T>) {
        match order {
            Order::Lengths
            | Order::Drawn(_)
            | Order::Rows(_)
            | Order::Column(_)
            | Order::Pull(None)
            | Order::LookAtEntries { .. } => {
                return;
            }
            Order::Layers(order) if order.only_asks() => return,
            Order::SweepEntries { sweep, .. } if !sweep.changes() => return,
            Order::Drop | Order::IntoTall | Order::Leave { .. } => {
                let begun = |kept: &Order<T>| matches!(kept, Order::Another(new) if *new == number);
                self.orders.retain(|(of, kept)| *of != number && !begun(kept));
                return;
            }
            // Measured against points anew: what was measured before is of no use. Nor is it once V begins.
            Order::Nearest { look, .. } if look.before == 0 => self.forget(number, is_nearest),
            Order::Begin(_) | Order::BeginNearest(_) | Order::BeginRandom(_) => {
                self.forget(number, is_nearest);
            }
            Order::Movement => self.forget(number, |order| matches!(order, Order::Movement)),
            Order::Pull(Some(_)) => {
                self.forget(number, |order| matches!(order, Order::Pull(_)));
                self.forget_weights(number);
            }
            _ => {}
        }
        self.orders.push((number, order.clone()));
    }

    /// The orders, each with the side that it went to.
    pub fn orders(&self) -> &[(u64, Order<T>)] {
        &self.orders
    }

    fn forget(&mut self, number: u64, is_over: impl Fn(&Order<T>) -> bool) {
        self.orders.retain(|(of, order)| *of != number || !is_over(order));
    }

    /// Only the last weights are left.
    fn forget_weights(&mut self, number: u64) {
        let is_weighing =
            |(of, order): &(u64, Order<T>)| *of == number && matches!(order, Order::Weigh { .. });
        let last = self.orders.iter().rposition(is_weighing);
        let mut at = 0;
        self.orders.retain(|kept| {
            at += 1;
            !is_weighing(kept) || Some(at - 1) == last
        });
    }
}

fn is_nearest<T>(order: &Order<T>) -> bool {
    matches!(order, Order::Nearest { .. })
}
