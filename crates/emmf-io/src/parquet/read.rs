//! A Parquet table as a matrix with labels and names.

use super::columns::{Kind, Values, damaged, read_column, unusable};
use super::pages::check_pages;
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, text_bytes};
use crate::error::{Problem, listed, nearest, shortened};
use crate::guarded::guarded;
use crate::inflate::Allowance;
use crate::options::{LABEL_VARIABLES, ReadOptions, find_column, is_label_column};
use crate::stream::COLUMN;
use bytes::Bytes;
use emmf::{Mat, Real};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use std::borrow::Cow;

/// Columns that pandas adds to keep an index; they are no features.
const INDEX: &str = "__index_level_";

/// Reads the matrix, the labels and the names.
pub(crate) fn read(bytes: Cow<'_, [u8]>, options: &ReadOptions) -> Result<Dataset, Problem> {
    guarded(|| Table::of(bytes, &options.budget)?.into_dataset(options))
}

/// Reads the labels alone.
pub(crate) fn read_labels(
    bytes: Cow<'_, [u8]>,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    guarded(|| {
        let table = Table::of(bytes, budget)?;
        let usual = |name: &&String| LABEL_VARIABLES.iter().any(|usual| name.eq_ignore_ascii_case(usual));
        let by_name = wanted.or_else(|| table.names.iter().find(usual).map(String::as_str));
        let at = table.find_labels(by_name)?.or((table.names.len() == 1).then_some(0));
        let at = at.ok_or_else(|| Problem::Ambiguous {
            kind: "column with the labels",
            available: table.listed_names(),
            option: "--labels NAME",
        })?;
        table.labels(at, budget)
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

/// What the columns of a table are for.
pub(super) struct Roles {
    pub(super) features: Vec<usize>,
    pub(super) labels: Option<usize>,
    /// The type that the features get when nothing else is asked for.
    pub(super) natural: Dtype,
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

    /// Which columns are features and which one holds the labels.
    pub(super) fn roles(&self, options: &ReadOptions) -> Result<Roles, Problem> {
        let labels = self.find_labels(options.labels.as_deref())?;
        let features: Vec<usize> = (0..self.columns.len())
            .filter(|&at| Some(at) != labels && !self.names[at].starts_with(INDEX))
            .collect();
        self.check_features(&features)?;
        let single =
            !features.is_empty() && features.iter().all(|&at| Kind::of(&self.columns[at]) == Kind::F32);
        Ok(Roles { features, labels, natural: if single { Dtype::F32 } else { Dtype::F64 } })
    }

    fn into_dataset(self, options: &ReadOptions) -> Result<Dataset, Problem> {
        let Roles { features, labels, natural } = self.roles(options)?;
        let x = match options.dtype.unwrap_or(natural) {
            Dtype::F32 => self.matrix::<f32>(&features, options)?.into(),
            Dtype::F64 => self.matrix::<f64>(&features, options)?.into(),
        };
        let labels = labels.map(|at| self.labels(at, &options.budget)).transpose()?;
        let columns = Some(self.names_of(&features));
        Dataset { x, labels, columns }.checked()
    }

    /// The wanted column, one of a usual name, or the only one with text.
    fn find_labels(&self, wanted: Option<&str>) -> Result<Option<usize>, Problem> {
        if let Some(wanted) = wanted {
            let found = find_column(wanted, Some(&self.names), self.names.len());
            return found.map(Some).ok_or_else(|| Problem::NoSuchColumn {
                wanted: wanted.into(),
                nearest: nearest(wanted, self.names.iter().map(String::as_str)),
                available: self.listed_names(),
            });
        }
        let usual = self.names.iter().position(|name| is_label_column(name));
        let is_text =
            |&at: &usize| Kind::of(&self.columns[at]) == Kind::Text && !self.names[at].starts_with(INDEX);
        let mut texts = (0..self.columns.len()).filter(is_text);
        let only = texts.next().filter(|_| texts.next().is_none());
        Ok(usual.or(only))
    }

    fn check_features(&self, features: &[usize]) -> Result<(), Problem> {
        let of_kind =
            |kind: Kind| features.iter().copied().filter(move |&at| Kind::of(&self.columns[at]) == kind);
        if let Some(at) = of_kind(Kind::Other).next() {
            return Err(unusable(&self.names[at]));
        }
        if of_kind(Kind::Text).next().is_some() {
            let names = of_kind(Kind::Text).map(|at| self.names[at].as_str());
            return Err(Problem::unsupported(
                format!("text in the columns {}", listed(names)),
                "choose the one with the labels with --labels NAME and remove the others",
            ));
        }
        Ok(())
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
