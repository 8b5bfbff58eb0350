//! `Debug` of what has nothing to show.

/// `Debug` by name alone, for what holds closures, buffers or all samples.
macro_rules! opaque {
    ($([$($parameter:ident),*] $name:ident $(<$($argument:tt),+>)?;)+) => {$(
        impl<$($parameter),*> std::fmt::Debug for $name $(<$($argument),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

pub(crate) use opaque;
