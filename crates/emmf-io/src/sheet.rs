//! A sheet of an Excel file.

use crate::budget::Budget;
use crate::cells::Cell;
use crate::columns::Columns;
use crate::error::{Problem, listed, nearest};
use crate::guarded::guarded;
use crate::inflate::Allowance;
use crate::options::ReadOptions;
use crate::remark::Remark;
use crate::zarr;
use calamine::{CellErrorType, DataRef, Reader, Xlsx, XlsxError};
use std::io::Cursor;
use std::path::Path;

/// Bytes that a byte of unpacked XML can become: texts that cells share are kept, and each has a place of its own.
const WIDENING: u64 = 4;

/// The names of what a zip archive holds; none where it cannot be told.
fn names(bytes: &[u8]) -> Vec<String> {
    let Ok(archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return Vec::new() };
    archive.file_names().flatten().map(std::borrow::Cow::into_owned).collect()
}

/// Whether a zip archive holds a workbook.
pub(crate) fn is_workbook(bytes: &[u8]) -> bool {
    names(bytes).iter().any(|name| name == "xl/workbook.xml")
}

/// Whether a zip archive holds a zarr store.
pub(crate) fn is_store(bytes: &[u8]) -> bool {
    names(bytes).iter().any(|name| zarr::is_mark(name))
}

/// What a zip archive is that holds neither arrays nor sheets that can be read, and what to do instead.
pub(crate) fn foreign(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let names = names(bytes);
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    match () {
        () if has("xl/workbook.bin") => Some(("a binary Excel file (.xlsb)", "save it as .xlsx")),
        () if has("content.xml") => Some(("an OpenDocument file (.ods)", "save it as .xlsx or CSV")),
        () if has("word/document.xml") => Some(("a Word document", "save the table as CSV")),
        () if names.is_empty()
            || names.iter().any(|name| Path::new(name).extension() == Some("npy".as_ref())) =>
        {
            None
        }
        () => Some(("a zip archive without arrays", "unpack it and give the file inside")),
    }
}

/// Reads the first sheet, or the wanted one, and says what other sheets there are.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<(Columns, Vec<Remark>), Problem> {
    guarded("its sheets", || {
        let budget = &options.budget;
        budget.take(Some(unpacked_size(bytes, budget)?.saturating_mul(WIDENING)), "the workbook")?;
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        let sheets = book.sheet_names();
        let name = if let Some(wanted) = &options.variable {
            sheets.iter().find(|name| *name == wanted).ok_or_else(|| unknown(wanted, &sheets))?
        } else {
            let usual = sheets.iter().find(|name| Some(*name) == options.usual.variable.as_ref());
            usual.or(sheets.first()).ok_or(Problem::Empty { rows: 0, cols: 0 })?
        };
        let cells = cells(&mut book, name, budget)?;
        let others: Vec<String> = sheets.iter().filter(|other| *other != name).cloned().collect();
        let said = (!others.is_empty() && options.variable.is_none())
            .then(|| Remark::Part { read: format!("sheet '{name}'"), others });
        Ok((table(cells, options, budget)?, said.into_iter().collect()))
    })
}

/// Where the first sheet holds no numbers, one of the others may be meant.
pub(crate) fn elsewhere(problem: Problem, said: Option<&Remark>) -> Problem {
    match (problem, said) {
        (Problem::OnlyTexts { .. } | Problem::Empty { .. }, Some(Remark::Part { read, others })) => {
            Problem::OtherParts { part: read.clone(), others: listed(others.iter().map(String::as_str)) }
        }
        (problem, _) => problem,
    }
}

/// Bytes of all that is packed, counted by unpacking it: what the archive says of itself is not believed.
fn unpacked_size(bytes: &[u8], budget: &Budget) -> Result<u64, Problem> {
    let bad = |error: zip::result::ZipError| Problem::malformed("the archive", error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    let mut allowance = Allowance::for_input(bytes.len(), budget);
    let mut all = 0;
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).map_err(bad)?;
        let counted = std::io::copy(&mut std::io::Read::take(&mut file, budget.left()), &mut std::io::sink());
        let counted = counted
            .map_err(|error| Problem::malformed("the archive", format!("cannot be unpacked ({error})")))?;
        allowance.spend(Some(counted), "the workbook")?;
        all += counted;
    }
    Ok(all)
}

fn unknown(wanted: &str, sheets: &[String]) -> Problem {
    Problem::NoSuchVariable {
        kind: "sheet",
        wanted: wanted.into(),
        nearest: nearest(wanted, sheets.iter().map(String::as_str)),
        available: listed(sheets.iter().map(String::as_str)),
    }
}

fn damaged(error: &XlsxError) -> Problem {
    Problem::malformed("the workbook", error.to_string())
}

/// A cell with its row and its column.
type Placed = ((u32, u32), Cell);

/// The cells that are not empty, with their rows and columns.
fn cells(book: &mut Xlsx<Cursor<&[u8]>>, name: &str, budget: &Budget) -> Result<Vec<Placed>, Problem> {
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| damaged(&error))?;
    let mut cells = Vec::new();
    while let Some(found) = reader.next_cell().map_err(|error| damaged(&error))? {
        let cell = match found.get_value() {
            DataRef::Empty => continue,
            DataRef::Int(value) => Cell::Number(*value as f64),
            DataRef::Float(value) => Cell::Number(*value),
            DataRef::Bool(value) => Cell::Number(f64::from(u8::from(*value))),
            DataRef::String(text) => Cell::Text(text.clone()),
            DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
            DataRef::DateTime(_) | DataRef::DateTimeIso(_) | DataRef::DurationIso(_) => Cell::Other("a date"),
            // What Excel makes of a value that is not there.
            DataRef::Error(CellErrorType::NA) => Cell::Text("#N/A".into()),
            DataRef::Error(_) => Cell::Other("a formula error"),
        };
        let blank = matches!(&cell, Cell::Text(text) if text.trim().is_empty());
        if !blank {
            // Once here and once in the table.
            budget.take(Some(2 * (cell.bytes() + 8)), "the sheet")?;
            cells.push((found.get_position(), cell));
        }
    }
    Ok(cells)
}

/// The rectangle that the cells are in, its first row the names unless it holds a number.
fn table(cells: Vec<Placed>, options: &ReadOptions, budget: &Budget) -> Result<Columns, Problem> {
    let span = |places: &mut dyn Iterator<Item = u32>| {
        places.fold(None, |span: Option<(u32, u32)>, at| {
            Some(span.map_or((at, at), |(low, high)| (low.min(at), high.max(at))))
        })
    };
    let rows = span(&mut cells.iter().map(|((row, _), _)| *row));
    let columns = span(&mut cells.iter().map(|((_, column), _)| *column));
    let (Some((top, bottom)), Some((left, right))) = (rows, columns) else {
        return Err(Problem::Empty { rows: 0, cols: 0 });
    };
    let (height, width) = ((bottom - top) as usize + 1, (right - left) as usize + 1);
    let bytes =
        (height as u64).checked_mul(width as u64).and_then(|all| all.checked_mul(size_of::<Cell>() as u64));
    budget.take(bytes, "the sheet")?;
    let mut grid: Vec<Vec<Cell>> = (0..width).map(|_| vec![Cell::Gap; height]).collect();
    for ((row, column), cell) in cells {
        grid[(column - left) as usize][(row - top) as usize] = cell;
    }
    let is_name = |cells: &Vec<Cell>| matches!(cells[0], Cell::Text(_) | Cell::Gap);
    let some_name = grid.iter().any(|cells| matches!(cells[0], Cell::Text(_)));
    let header = options.header.unwrap_or_else(|| some_name && grid.iter().all(is_name));
    let names = header.then(|| grid.iter_mut().map(|cells| name(cells.remove(0))).collect());
    Ok(Columns::of_cells(names, grid, top as usize + 1 + usize::from(header)))
}

fn name(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text.trim().to_owned(),
        Cell::Number(value) => value.to_string(),
        Cell::Gap | Cell::Other(_) => String::new(),
    }
}
