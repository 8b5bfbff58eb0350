//! Matrix Market: coordinates of a sparse matrix, or a dense array column by column, as text.

use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers};
use crate::error::{Problem, shortened};
use crate::sparse::check_plausible;
use emmf::{Csr, Mat, Real};

/// Reads a matrix.
pub(crate) fn read(bytes: &[u8], (dtype, budget): (Option<Dtype>, &Budget)) -> Result<Numbers, Problem> {
    let text = str::from_utf8(bytes).map_err(|e| {
        Problem::malformed(format!("byte {}", e.valid_up_to()), "a Matrix Market file is plain text")
    })?;
    let mut lines = Lines { lines: text.lines(), line: 0 };
    let header = Header::parse(&mut lines)?;
    Ok(match (header.sparse, dtype.unwrap_or(Dtype::F64)) {
        (true, Dtype::F32) => header.coordinates::<f32>((lines, bytes.len()), budget)?.into(),
        (true, Dtype::F64) => header.coordinates::<f64>((lines, bytes.len()), budget)?.into(),
        (false, Dtype::F32) => header.array::<f32>((lines, bytes.len()), budget)?.into(),
        (false, Dtype::F64) => header.array::<f64>((lines, bytes.len()), budget)?.into(),
    })
}

/// Lines that are neither blank nor comments, counted from 1.
struct Lines<'t> {
    lines: std::str::Lines<'t>,
    line: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<&'t str> {
        loop {
            self.line += 1;
            let line = self.lines.next()?.trim();
            if !line.is_empty() && !line.starts_with('%') {
                return Some(line);
            }
        }
    }

    fn bad(&self, why: impl Into<String>) -> Problem {
        Problem::malformed(format!("line {}", self.line), why)
    }

    fn number(&self, field: &str) -> Result<f64, Problem> {
        field.parse().map_err(|_| self.bad(format!("'{}' is not a number", shortened(field))))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

struct Header {
    sparse: bool,
    pattern: bool,
    symmetry: Symmetry,
    rows: usize,
    cols: usize,
    entries: usize,
}

impl Header {
    fn parse(lines: &mut Lines<'_>) -> Result<Self, Problem> {
        lines.line = 1;
        let banner = lines.lines.next().unwrap_or("").to_ascii_lowercase();
        let words: Vec<&str> = banner.split_ascii_whitespace().collect();
        let &["%%matrixmarket", "matrix", format, field, symmetry] = &words[..] else {
            return Err(lines.bad("the first line must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'"));
        };
        let save = "save the matrix as real or integer, general or symmetric";
        let sparse = match format {
            "coordinate" => true,
            "array" => false,
            other => return Err(Problem::unsupported(format!("the format '{}'", shortened(other)), save)),
        };
        let pattern = match field {
            "real" | "integer" | "double" | "unsigned-integer" => false,
            "pattern" if sparse => true,
            other => return Err(Problem::unsupported(format!("the field '{}'", shortened(other)), save)),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return Err(Problem::unsupported(format!("the symmetry '{}'", shortened(other)), save)),
        };
        let (rows, cols, entries) = sizes(lines, sparse)?;
        if symmetry != Symmetry::General && rows != cols {
            return Err(lines.bad("a symmetric matrix must be square"));
        }
        Ok(Self { sparse, pattern, symmetry, rows, cols, entries })
    }

    fn coordinates<T: Real>(
        &self,
        (mut lines, bytes): (Lines<'_>, usize),
        budget: &Budget,
    ) -> Result<Csr<T>, Problem> {
        // An entry takes four bytes at least; those of a symmetric matrix stand for two.
        let entries = self.entries.min(bytes / 4 + 1);
        let written = if self.symmetry == Symmetry::General { entries } else { entries.saturating_mul(2) };
        let mut triplets = budget.room(Some(written), "the entries")?;
        let mut found = 0;
        while let Some(line) = lines.next() {
            let (i, j, value) = self.entry(line, &lines)?;
            found += 1;
            if found > self.entries {
                return Err(lines.bad(format!("more than the {} announced entries", self.entries)));
            }
            triplets.push((i, j, T::from_f64(value)));
            match self.symmetry {
                Symmetry::Symmetric if i != j => triplets.push((j, i, T::from_f64(value))),
                Symmetry::Skew if i != j => triplets.push((j, i, T::from_f64(-value))),
                _ => {}
            }
        }
        if found < self.entries {
            return Err(lines.bad(format!("only {found} of the {} announced entries", self.entries)));
        }
        check_plausible((self.rows, self.cols), triplets.len(), budget)?;
        Ok(Csr::from_triplets((self.rows, self.cols), triplets)?)
    }

    /// Row and column from 0, and the value.
    fn entry(&self, line: &str, lines: &Lines<'_>) -> Result<(usize, usize, f64), Problem> {
        let mut fields = line.split_ascii_whitespace();
        let mut index = |size: usize| {
            let number = fields.next().and_then(|field| field.parse::<usize>().ok());
            number.filter(|&n| (1..=size).contains(&n)).map(|n| n - 1)
        };
        let place = (index(self.rows), index(self.cols));
        let (Some(i), Some(j)) = place else {
            let size = format!("{}x{}", self.rows, self.cols);
            return Err(lines
                .bad(format!("'{}' must be row, column (from 1, within {size}), value", shortened(line))));
        };
        let value = match fields.next() {
            _ if self.pattern => 1.0,
            Some(field) => lines.number(field)?,
            None => return Err(lines.bad("the value is missing")),
        };
        Ok((i, j, value))
    }

    fn array<T: Real>(
        &self,
        (mut lines, bytes): (Lines<'_>, usize),
        budget: &Budget,
    ) -> Result<Mat<T>, Problem> {
        let (rows, cols) = (self.rows, self.cols);
        let first = |j: usize| match self.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => j,
            Symmetry::Skew => j + 1,
        };
        // Each number takes two bytes at least; half of a symmetric matrix is not written.
        if rows.checked_mul(cols).is_none_or(|n| n / 2 > bytes) {
            return Err(
                lines.bad(format!("{rows}x{cols} entries are announced, more than the file can hold"))
            );
        }
        if rows == 0 || cols == 0 {
            return Err(Problem::Empty { rows, cols });
        }
        let mut x = budget.zeros((rows, cols), "the matrix")?;
        for j in 0..cols {
            for i in first(j)..rows {
                let line =
                    lines.next().ok_or_else(|| Problem::malformed("the end", "entries are missing"))?;
                let value = lines.number(line)?;
                x[(i, j)] = T::from_f64(value);
                match self.symmetry {
                    Symmetry::General => {}
                    Symmetry::Symmetric => x[(j, i)] = T::from_f64(value),
                    Symmetry::Skew => x[(j, i)] = T::from_f64(-value),
                }
            }
        }
        match lines.next() {
            None => Ok(x),
            Some(_) => Err(lines.bad(format!("more than the {rows}x{cols} announced entries"))),
        }
    }
}

/// Rows, columns and, of a sparse matrix, entries.
fn sizes(lines: &mut Lines<'_>, sparse: bool) -> Result<(usize, usize, usize), Problem> {
    let line = lines.next().unwrap_or("");
    let sizes: Option<Vec<usize>> = line.split_ascii_whitespace().map(|size| size.parse().ok()).collect();
    match (sparse, sizes.as_deref()) {
        (true, Some(&[rows, cols, entries])) => Ok((rows, cols, entries)),
        (false, Some(&[rows, cols])) => Ok((rows, cols, 0)),
        _ => Err(lines.bad(format!("'{}' must be the rows and columns (and entries)", shortened(line)))),
    }
}
