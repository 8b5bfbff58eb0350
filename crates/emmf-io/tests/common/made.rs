//! Files of formats that this crate reads and does not write, with a matrix of many small whole numbers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The entry in row i, column j.
pub(crate) fn entry(i: usize, j: usize) -> f64 {
    ((i * 7 + j * 3) % 5) as f64
}

/// `x.csv.gz`, `x.csv.bz2`, `x.jsonl`, `x.h5`, `x.xlsx` and `x.zip`, a zarr store, each of this many rows and columns, with labels where they have a
/// place.
pub(crate) fn files(folder: &Path, (rows, cols): (usize, usize)) -> Vec<PathBuf> {
    let made = [
        ("x.csv.gz", gzip(&csv(rows, cols))),
        ("x.csv.bz2", bzip2(&csv(rows, cols))),
        ("x.jsonl", json(rows, cols).into_bytes()),
        ("x.h5", hdf5(rows, cols)),
        ("x.xlsx", sheet(rows, cols)),
        ("x.zip", zarr(rows, cols)),
    ];
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    made.into_iter().map(write).collect()
}

fn csv(rows: usize, cols: usize) -> String {
    let header: Vec<String> = (0..cols).map(|j| format!("f{j}")).collect();
    let mut text = header.join(",") + ",label\n";
    for i in 0..rows {
        (0..cols).for_each(|j| write!(text, "{},", entry(i, j)).unwrap());
        writeln!(text, "class {}", i % 7).unwrap();
    }
    text
}

fn gzip(text: &str) -> Vec<u8> {
    gzip_bytes(text.as_bytes())
}

fn gzip_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn bzip2(text: &str) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn json(rows: usize, cols: usize) -> String {
    let mut text = String::new();
    for i in 0..rows {
        let fields: Vec<String> = (0..cols).map(|j| format!("\"f{j}\":{}", entry(i, j))).collect();
        writeln!(text, "{{{},\"label\":\"class {}\"}}", fields.join(","), i % 7).unwrap();
    }
    text
}

fn hdf5(rows: usize, cols: usize) -> Vec<u8> {
    let values: Vec<f64> = (0..rows * cols).map(|at| entry(at / cols, at % cols)).collect();
    let labels: Vec<String> = (0..rows).map(|i| format!("class {}", i % 7)).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut file = hdf5_pure::FileBuilder::new();
    let chunks = [rows.min(500) as u64, cols as u64];
    file.create_dataset("X")
        .with_f64_data(&values)
        .with_shape(&[rows as u64, cols as u64])
        .with_chunks(&chunks)
        .with_deflate(1);
    file.create_dataset("labels").with_vlen_strings(&labels);
    file.finish().unwrap()
}

fn zarr(rows: usize, cols: usize) -> Vec<u8> {
    let described = |shape: &str, chunks: &str, dtype: &str, filters: &str| {
        format!(
            "{{\"zarr_format\": 2, \"shape\": {shape}, \"chunks\": {chunks}, \"dtype\": \"{dtype}\", \"order\": \"C\", \
             \"fill_value\": 0, \"compressor\": {{\"id\": \"gzip\"}}, \"filters\": {filters}}}"
        )
    };
    let most = rows.min(500);
    let texts = "[{\"id\": \"vlen-utf8\"}]";
    let mut files = vec![
        (".zgroup".to_owned(), b"{\"zarr_format\": 2}".to_vec()),
        (
            "X/.zarray".into(),
            described(&format!("[{rows}, {cols}]"), &format!("[{most}, {cols}]"), "|u1", "null").into(),
        ),
        ("labels/.zarray".into(), described(&format!("[{rows}]"), &format!("[{most}]"), "|O", texts).into()),
    ];
    for (at, first) in (0..rows).step_by(most).enumerate() {
        let values: Vec<u8> =
            (first..first + most).flat_map(|i| (0..cols).map(move |j| entry(i, j) as u8)).collect();
        files.push((format!("X/{at}.0"), gzip_bytes(&values)));
        let mut labels = (most as u32).to_le_bytes().to_vec();
        for i in first..first + most {
            let label = format!("class {}", i % 7);
            labels.extend((label.len() as u32).to_le_bytes());
            labels.extend(label.as_bytes());
        }
        files.push((format!("labels/{at}"), gzip_bytes(&labels)));
    }
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn sheet(rows: usize, cols: usize) -> Vec<u8> {
    let place = |i: usize, j: usize| {
        let tens = if j >= 26 { char::from(b'A' + (j / 26 - 1) as u8).to_string() } else { String::new() };
        format!("{tens}{}{}", char::from(b'A' + (j % 26) as u8), i + 1)
    };
    let text = |i: usize, j: usize, text: String| {
        format!("<c r=\"{}\" t=\"inlineStr\"><is><t>{text}</t></is></c>", place(i, j))
    };
    let mut cells = String::from("<row r=\"1\">");
    (0..cols).for_each(|j| cells += &text(0, j, format!("f{j}")));
    cells += &(text(0, cols, "label".into()) + "</row>");
    for i in 0..rows {
        write!(cells, "<row r=\"{}\">", i + 2).unwrap();
        (0..cols)
            .for_each(|j| write!(cells, "<c r=\"{}\"><v>{}</v></c>", place(i + 1, j), entry(i, j)).unwrap());
        cells += &(text(i + 1, cols, format!("class {}", i % 7)) + "</row>");
    }
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let linked = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let parts = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{linked}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{linked}\"><sheets><sheet name=\"data\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{linked}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{cells}</sheetData></worksheet>"),
        ),
    ];
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
