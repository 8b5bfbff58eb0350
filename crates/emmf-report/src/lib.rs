//! Tables, plots and pages made from run records.
