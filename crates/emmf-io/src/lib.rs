//! Reading and writing matrices, models and run records.
