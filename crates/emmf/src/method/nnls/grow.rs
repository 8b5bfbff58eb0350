//! One row of nonnegative least squares, slowly and surely.

use super::systems::Systems;
use super::{Role, Way, subtract};
use crate::matrix::Mat;

/// ½·a·G·aᵀ − p·aᵀ over a ≥ 0, by active sets (Lawson and Hanson 1974): one coordinate more at a time, the steepest, never
/// leaving a ≥ 0. Every step descends, also where centroids depend on each other.
pub(super) struct Growth<'a> {
    pub(super) g: &'a Mat<f64>,
    pub(super) p: &'a [f64],
    /// Slopes up to this one are rounding.
    pub(super) flat: f64,
    pub(super) roles: &'a mut [Role],
    pub(super) systems: &'a mut Systems,
}

impl Growth<'_> {
    pub(super) fn grow(mut self, a: &mut [f64]) {
        self.roles.fill(Role::Zero);
        a.fill(0.0);
        // The bound only guards against rounding that makes it cycle.
        for _ in 0..10 + 10 * a.len() {
            let slopes = self.slopes(a);
            let idle = (0..a.len()).filter(|&k| self.roles[k] == Role::Zero).map(|k| (slopes[k], k));
            let Some((steepest, k)) = idle.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if steepest <= self.flat {
                break;
            }
            self.roles[k] = Role::Free;
            let mut next = self.solve();
            if next[k] <= 0.0 {
                // Too close to the others to gain anything.
                self.roles[k] = Role::Dependent;
                continue;
            }
            let dependent = self.roles.iter_mut().filter(|role| **role == Role::Dependent);
            dependent.for_each(|role| *role = Role::Zero);
            self.stay_inside(a, &mut next);
            a.copy_from_slice(&next);
        }
    }

    /// Goes from `a` towards `next` as far as a ≥ 0 allows, drops the coordinate that is zero there, and so on until
    /// the solution is positive.
    fn stay_inside(&mut self, a: &mut [f64], next: &mut Vec<f64>) {
        loop {
            let leaving = (0..a.len()).filter(|&k| self.roles[k] == Role::Free && next[k] <= 0.0);
            let reach = leaving.map(|k| (a[k] / (a[k] - next[k]).max(f64::MIN_POSITIVE), k));
            let Some((reach, first)) = reach.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            a.iter_mut().zip(&*next).for_each(|(a, next)| *a = (*a + reach * (next - *a)).max(0.0));
            (a[first], self.roles[first]) = (0.0, Role::Zero);
            *next = self.solve();
        }
    }

    /// ∂/∂a, downwards: p − a·G.
    fn slopes(&self, a: &[f64]) -> Vec<f64> {
        let mut slopes = self.p.to_vec();
        for (k, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            subtract(&mut slopes, a, self.g.row(k));
        }
        slopes
    }

    /// a·G = p over the free coordinates; the others are zero.
    fn solve(&mut self) -> Vec<f64> {
        let mut a = vec![0.0; self.p.len()];
        let way = Way { over: Role::Free, k: self.g, b: self.p };
        self.systems.solve(&way, &[0], self.roles, &mut a);
        a
    }
}
