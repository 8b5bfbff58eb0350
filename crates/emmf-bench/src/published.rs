//! The numbers of the paper's tables.

use std::collections::HashMap;

/// table, metric, method, column, value.
const TABLES: &str = include_str!("published.csv");

/// The values of one table by metric, method and column.
pub(crate) fn table(name: &str) -> HashMap<(String, String, String), f64> {
    let mut lines = csv::Reader::from_reader(TABLES.as_bytes());
    let values = lines.records().flatten().filter(|line| line.get(0) == Some(name));
    values
        .filter_map(|line| {
            let text = |at: usize| line.get(at).map(ToOwned::to_owned);
            Some(((text(1)?, text(2)?, text(3)?), line.get(4)?.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn every_table_is_whole() {
        assert_eq!(["table2", "table3", "table4"].map(|name| table(name).len()), [112, 112, 56]);
        let key = ("ACC".to_owned(), "EMMF".to_owned(), "JAFFE".to_owned());
        assert_eq!(table("table2")[&key], 0.9423);
    }
}
