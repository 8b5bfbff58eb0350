//! Connected components.

use super::Graph;

impl Graph {
    /// The component of every sample, numbered from 0 in the order of their first samples.
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; self.nodes()];
        let (mut count, mut open) = (0, Vec::new());
        for first in 0..self.nodes() {
            if component[first] != u32::MAX {
                continue;
            }
            component[first] = count;
            open.push(first);
            while let Some(i) = open.pop() {
                for &j in self.row(i).0 {
                    if component[j as usize] == u32::MAX {
                        component[j as usize] = count;
                        open.push(j as usize);
                    }
                }
            }
            count += 1;
        }
        component
    }
}
