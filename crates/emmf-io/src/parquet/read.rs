//! A Parquet table as a matrix with labels and names.

use super::columns::{Kind, Values, damaged, read_column, unusable};
use super::pages::check_pages;
use crate::advice::Setting;
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, Numbers, all_different, text_bytes};
use crate::error::{Problem, listed, shortened};
use crate::guarded::guarded;
use crate::inflate::Allowance;
use crate::options::{LABEL_VARIABLES, ReadOptions, find_column, is_label_column};
use crate::roles::{self, Progress, Roles, no_such_column, whole};
use crate::roles_of_texts::TextRoles;
use crate::stream::COLUMN;
use crate::texts::Texts;
use bytes::Bytes;
use emmf::{Mat, Real};
use parquet::basic::Type;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use std::borrow::Cow;

/// Reads the matrix, the labels and the names.
pub(crate) fn read(bytes: Cow<'_, [u8]>, options: &ReadOptions) -> Result<Dataset, Problem> {
    guarded("its pages", || Table::of(bytes, &options.budget)?.into_dataset(options))
}

/// Reads the labels alone.
pub(crate) fn read_labels(
    bytes: Cow<'_, [u8]>,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    guarded("its pages", || {
        let table = Table::of(bytes, budget)?;
        let usual = |name: &&String| LABEL_VARIABLES.iter().any(|usual| name.eq_ignore_ascii_case(usual));
        let by_name = wanted.or_else(|| table.names.iter().find(usual).map(String::as_str));
        let at = table.find_labels(by_name)?.or((table.names.len() == 1).then_some(0));
        let at = at.ok_or_else(|| Problem::Ambiguous {
            kind: "column with the labels",
            available: table.listed_names(),
            setting: Setting::Labels,
        })?;
        table.labels(at, budget)
    })
}

/// Reads a column of texts, with the labels, and the names where they are wanted.
pub(crate) fn read_texts(
    bytes: Cow<'_, [u8]>,
    column: &str,
    options: &ReadOptions,
) -> Result<Texts, Problem> {
    guarded("its pages", || {
        let table = Table::of(bytes, &options.budget)?;
        let roles = TextRoles::of(column, (Some(&table.names), table.names.len(), true), options)?;
        let strings = |at| table.labels(at, &options.budget);
        let found = Texts {
            all: strings(roles.texts)?,
            labels: roles.labels.map(strings).transpose()?,
            names: roles.names.map(strings).transpose()?,
            remark: None,
        };
        roles.settled(found, Some(&table.names), &options.budget)
    })
}

/// Checks that the pieces of the columns lie inside the file.
fn check_chunks(metadata: &ParquetMetaData, length: usize) -> Result<(), Problem> {
    for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        let size = chunk.compressed_size();
        let end = u64::try_from(start).ok().zip(u64::try_from(size).ok()).and_then(|(a, b)| a.checked_add(b));
        if end.is_none_or(|end| end > length as u64) {
            let place = format!("column '{}'", shortened(&chunk.column_path().string()));
            return Err(Problem::malformed(place, format!("{size} bytes at {start} are not in the file")));
        }
    }
    Ok(())
}

/// A table in memory or in a file.
pub(super) struct Table<R: ChunkReader> {
    file: SerializedFileReader<R>,
    columns: Vec<ColumnDescPtr>,
    names: Vec<String>,
    rows: usize,
}

impl Table<Bytes> {
    fn of(bytes: Cow<'_, [u8]>, budget: &Budget) -> Result<Self, Problem> {
        let length = bytes.len();
        Self::open(Bytes::from(bytes.into_owned()), length, budget)
    }
}

impl<R: ChunkReader + 'static> Table<R> {
    /// The table in a file of so many bytes.
    pub(super) fn open(reader: R, length: usize, budget: &Budget) -> Result<Self, Problem> {
        let footer = || damaged("the Parquet footer");
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&reader).map_err(footer())?;
        check_chunks(&metadata, length)?;
        check_pages(&metadata, &reader, budget)?;
        let file = SerializedFileReader::new(reader).map_err(footer())?;
        let mut groups = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).ok());
        let rows = groups.try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
        let columns = metadata.file_metadata().schema_descr().columns().to_vec();
        let entries = rows.and_then(|rows| rows.checked_mul(8)?.checked_mul(columns.len() as u64));
        Allowance::for_input(length, budget).spend(entries, "the table")?;
        let rows = rows.and_then(|rows| usize::try_from(rows).ok()).unwrap_or(0);
        let names = columns.iter().map(|column| column.path().string()).collect();
        Ok(Self { file, columns, names, rows })
    }

    fn listed_names(&self) -> String {
        listed(self.names.iter().map(String::as_str))
    }

    /// The names of these columns.
    pub(super) fn names_of(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&at| self.names[at].clone()).collect()
    }

    /// What the columns are for, and the type that the features get when nothing else is asked for.
    pub(super) fn roles(&self, options: &ReadOptions) -> Result<(Roles, Dtype), Problem> {
        let kinds = self.kinds(&options.budget)?;
        let table = roles::Table { names: Some(&self.names), kinds: &kinds };
        let roles = table.roles(&table.with_index(options))?;
        let features = &roles.features;
        if let Some(&at) = features.iter().find(|&&at| !kinds[at].is_numeric()) {
            return Err(unusable(&self.names[at]));
        }
        let single =
            !features.is_empty() && features.iter().all(|&at| Kind::of(&self.columns[at]) == Kind::F32);
        Ok((roles, if single { Dtype::F32 } else { Dtype::F64 }))
    }

    fn kinds(&self, budget: &Budget) -> Result<Vec<roles::Kind>, Problem> {
        let of = |column: &ColumnDescPtr| match Kind::of(column) {
            Kind::Text => roles::Kind::Texts,
            Kind::Other => roles::Kind::Other,
            _ => roles::Kind::Numbers,
        };
        let mut kinds: Vec<roles::Kind> = self.columns.iter().map(of).collect();
        if matches!(kinds.first(), Some(roles::Kind::Numbers)) {
            kinds[0] = self.progress(budget)?;
        }
        // Of columns in several parts only the first is looked at: texts may be long.
        let is_short = self.file.metadata().num_row_groups() < 2;
        for (at, kind) in kinds.iter_mut().enumerate().filter(|(at, _)| *at == 0 || is_short) {
            if *kind == roles::Kind::Texts && all_different(&self.labels(at, &budget.fork())?) {
                *kind = roles::Kind::Names;
            }
        }
        Ok(kinds)
    }

    /// What the first column of numbers does from row to row.
    fn progress(&self, budget: &Budget) -> Result<roles::Kind, Problem> {
        if !matches!(self.columns[0].physical_type(), Type::INT32 | Type::INT64) {
            return Ok(roles::Kind::Numbers);
        }
        let mut progress = Progress::of(self.names.first().map(String::as_str));
        let mut goes_on = true;
        self.for_each_group(|group, first, rows| {
            if !goes_on {
                return Ok(());
            }
            // A gap is no count, and is told when the column is read.
            let values = self.reals((group, 0), (first, rows), true).unwrap_or_else(|_| vec![f64::NAN]);
            for value in values {
                goes_on = goes_on && progress.add(whole(value), budget)?;
            }
            Ok(())
        })?;
        Ok(progress.kind())
    }

    fn into_dataset(self, options: &ReadOptions) -> Result<Dataset, Problem> {
        let (Roles { features, labels, names, remarks }, natural) = self.roles(options)?;
        let x = match options.dtype.unwrap_or(natural) {
            Dtype::F32 => Numbers::from(self.matrix::<f32>(&features, options)?),
            Dtype::F64 => self.matrix::<f64>(&features, options)?.into(),
        };
        let labels = labels.map(|at| self.labels(at, &options.budget)).transpose()?;
        let names = names.map(|at| self.labels(at, &options.budget)).transpose()?;
        let columns = Some(self.names_of(&features));
        Dataset { names, remarks, ..Dataset::new(x, labels, columns) }.checked()
    }

    fn find(&self, wanted: &str) -> Result<usize, Problem> {
        find_column(wanted, Some(&self.names), self.names.len())
            .ok_or_else(|| no_such_column(wanted, Some(&self.names), self.names.len()))
    }

    /// The wanted column, or one of a usual name.
    fn find_labels(&self, wanted: Option<&str>) -> Result<Option<usize>, Problem> {
        match wanted {
            Some(wanted) => self.find(wanted).map(Some),
            None => Ok(self.names.iter().position(|name| is_label_column(name))),
        }
    }

    fn matrix<T: Real>(&self, features: &[usize], options: &ReadOptions) -> Result<Mat<T>, Problem> {
        if self.rows == 0 || features.is_empty() {
            return Err(Problem::Empty { rows: self.rows, cols: features.len() });
        }
        // Grown group by group: the footer may announce rows that are not there.
        let mut data: Vec<T> = Vec::new();
        self.for_each_group(|group, first, rows| {
            let (offset, width) = (data.len(), features.len());
            options.budget.grow(&mut data, rows.checked_mul(width), "the matrix")?;
            // One column while it is read.
            let within = options.budget.fork();
            within.take((rows as u64).checked_mul(COLUMN), "a column")?;
            for (j, &at) in features.iter().enumerate() {
                let reals = self.reals((group, at), (first, rows), options.missing)?;
                if j == 0 {
                    data.resize(offset + rows * width, T::ZERO);
                }
                let column = data[offset + j..].iter_mut().step_by(width);
                column.zip(reals).for_each(|(entry, value)| *entry = T::from_f64(value));
            }
            Ok(())
        })?;
        Ok(Mat::from_vec(data, self.rows, features.len())?)
    }

    /// Samples.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The numbers of a feature in a row group, see [`Self::values`].
    pub(super) fn reals(
        &self,
        (group, at): (usize, usize),
        rows: (usize, usize),
        missing: bool,
    ) -> Result<Vec<f64>, Problem> {
        self.values((group, at), rows, missing)?.into_reals().ok_or_else(|| unusable(&self.names[at]))
    }

    pub(super) fn labels(&self, at: usize, budget: &Budget) -> Result<Vec<String>, Problem> {
        let mut labels = Vec::new();
        self.for_each_group(|group, first, rows| {
            budget.take((rows as u64).checked_mul(text_bytes("")), "the labels")?;
            let found = self.values((group, at), (first, rows), false)?.into_labels();
            budget.take(Some(found.iter().map(|label| label.len() as u64).sum()), "the labels")?;
            labels.extend(found);
            Ok(())
        })?;
        Ok(labels)
    }

    /// Calls `visit(group, first row, rows)` for every row group.
    pub(super) fn for_each_group(
        &self,
        mut visit: impl FnMut(usize, usize, usize) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut first = 0;
        for (at, group) in self.file.metadata().row_groups().iter().enumerate() {
            let rows = usize::try_from(group.num_rows()).unwrap_or(0);
            visit(at, first, rows)?;
            first += rows;
        }
        Ok(())
    }

    fn values(
        &self,
        (group, at): (usize, usize),
        rows: (usize, usize),
        missing: bool,
    ) -> Result<Values, Problem> {
        let column = &self.columns[at];
        let place = format!("column '{}'", self.names[at]);
        let group = self.file.get_row_group(group).map_err(damaged(&place))?;
        let reader = group.get_column_reader(at).map_err(damaged(&place))?;
        read_column(reader, column, rows, missing)
    }
}
