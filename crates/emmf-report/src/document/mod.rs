//! Texts, tables and figures one below the other, as one HTML page that needs nothing else, and as Markdown with
//! its figures beside it.

mod html;
mod inline;
mod markdown;
mod table;

use crate::Error;
use crate::figure::{Gallery, Sheet};

pub use table::{Cell, Rank, Table};

/// A page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Its heading.
    pub title: String,
    /// What is on it, in order.
    pub blocks: Vec<Block>,
}

/// A part of a page. Texts may hold `code`, **bold** and links of Markdown.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The heading of a section.
    Section(String),
    /// The heading of a part of a section.
    Part(String),
    /// A paragraph.
    Text(String),
    /// Points of a list.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Plate),
}

/// A figure with its name and what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// Its file, without an ending.
    pub name: String,
    /// What it shows, in a sentence or two.
    pub caption: String,
    /// The figure.
    pub plot: Plot,
}

/// What a plate shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Charts.
    Sheet(Sheet),
    /// Pictures.
    Gallery(Gallery),
}

impl Plot {
    /// As SVG.
    pub fn svg(&self) -> Result<String, Error> {
        match self {
            Self::Sheet(sheet) => sheet.svg(),
            Self::Gallery(gallery) => gallery.svg(),
        }
    }

    /// As PNG, with twice the pixels of the SVG in both directions.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Sheet(sheet) => sheet.png(),
            Self::Gallery(gallery) => gallery.png(),
        }
    }
}

impl Document {
    /// The figures, in order.
    pub fn plates(&self) -> impl Iterator<Item = &Plate> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(plate) => Some(plate),
            _ => None,
        })
    }
}

impl Block {
    /// A paragraph, a section or a list for every part of a text in Markdown: `## `, `### `, `- ` and paragraphs.
    pub fn parse(text: &str) -> Vec<Self> {
        let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| {
                if let Some(title) = part.strip_prefix("### ") {
                    Self::Part(joined(title))
                } else if let Some(title) = part.strip_prefix("## ") {
                    Self::Section(joined(title))
                } else if let Some(points) = part.strip_prefix("- ") {
                    Self::List(points.split("\n- ").map(joined).collect())
                } else {
                    Self::Text(joined(part))
                }
            })
            .collect()
    }
}
