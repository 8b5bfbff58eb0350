//! Reading and writing matrices, models and run records.

#![forbid(unsafe_code)]
