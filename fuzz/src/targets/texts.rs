//! Texts as counts of words: a column of a table, or a folder of files.

use std::fs;
use std::io;

use emmf_io::{FolderKind, FolderOptions, read_folder, read_texts};

use super::table::{Table, sound};
use crate::case::{Case, Verdict, refused};
use crate::seeds::{Seed, folder};
use crate::{Random, mutate};

const TABLES: [&str; 4] = [
    "text,label\nthe cat sat,a\nthe dog ran,b\na cat ran fast,a\n",
    "id\ttext\n1\twords in tabs\n2\tmore words\n",
    "text\n\"a, quoted; text\"\n\"two\nlines\"\n",
    "text;n\nΣΊΣΥΦΟΣ straße İstanbul ﬁ;3\n\u{fffd}\u{1f600} x1;4\n",
];

/// A table of texts, or two files of a folder.
struct Texts {
    file: Table,
    column: Option<&'static str>,
    vocabulary: Option<Vec<String>>,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let seeds = TABLES.map(|text| Seed { name: "x.csv".into(), bytes: text.as_bytes().to_vec() });
    let bytes = mutate::mutated(&random.choose(&seeds).bytes, &random.choose(&seeds).bytes, random);
    let file = Table::new("x.csv", bytes, random);
    let column = random.pick(&[Some("text"), Some("text"), Some("1"), Some("-1"), Some("nothing"), None]);
    let words = ["cat", "cat", "", "words"].map(String::from).to_vec();
    let vocabulary = random.one_in(3).then(|| words[random.below(2)..].to_vec());
    Box::new(Texts { file, column, vocabulary })
}

impl Texts {
    fn read(&self) -> io::Result<Result<emmf_io::Dataset, emmf_io::Error>> {
        let vocabulary = self.vocabulary.as_deref();
        let Some(column) = self.column else {
            let texts = folder().join("texts");
            fs::create_dir_all(&texts)?;
            let (first, second) = self.file.bytes.split_at(self.file.bytes.len() / 2);
            fs::write(texts.join("a.txt"), first)?;
            fs::write(texts.join("b.txt"), second)?;
            let options = FolderOptions { vocabulary, ..FolderOptions::default() };
            return Ok(read_folder(&texts, FolderKind::Texts, &options).map(|folder| folder.data));
        };
        let path = folder().join("x.csv");
        fs::write(&path, &self.file.bytes)?;
        Ok(read_texts(&path, column, &self.file.options, vocabulary))
    }
}

impl Case for Texts {
    fn check(&self) -> Verdict {
        match self.read().map_err(|error| format!("no temporary file: {error}"))? {
            Err(error) => refused(&error, if self.column.is_some() { "x.csv" } else { "texts" }),
            Ok(data) => sound(&data),
        }
    }

    fn show(&self) -> String {
        format!("{}, column {:?}, vocabulary {:?}", self.file.show(), self.column, self.vocabulary)
    }

    fn bytes(&self) -> Vec<u8> {
        self.file.bytes.clone()
    }
}
