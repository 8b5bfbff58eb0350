//! What follows from other fields: [`Derived`].

use std::borrow::Cow;
use std::sync::OnceLock;

/// A value that follows from the fields beside it, made when it is first needed. All are equal: the fields tell.
#[derive(Debug, Clone)]
pub(crate) struct Derived<V>(OnceLock<V>);

impl<V> Default for Derived<V> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<V> PartialEq for Derived<V> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<V: Clone> Derived<V> {
    /// No one waits for another to make it: both may be on one thread of a pool.
    pub(crate) fn get(&self, make: impl FnOnce() -> V) -> Cow<'_, V> {
        let new = || {
            let value = make();
            drop(self.0.set(value.clone()));
            Cow::Owned(value)
        };
        self.0.get().map_or_else(new, Cow::Borrowed)
    }
}
