//! Tables, plots and pages made from run records.

#![forbid(unsafe_code)]
