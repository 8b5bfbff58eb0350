//! A folder of files, one a sample; those in sub-folders belong to the class of that name.

use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype};
use crate::error::{Error, Problem, shortened};
use crate::images::Images;
use crate::remark::Remark;
use crate::texts::TextOptions;
use crate::{images, texts};
use emmf::synth::ImageShape;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What the files of a folder are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderKind {
    /// PNG, PGM, PPM or JPEG.
    Images,
    /// Text, `.txt`.
    Texts,
}

/// How to read a folder.
#[derive(Debug, Clone, Default)]
pub struct FolderOptions<'a> {
    /// Convert to this type; by default double precision.
    pub dtype: Option<Dtype>,
    /// Height and width that images are brought to.
    pub resize: Option<(usize, usize)>,
    /// Whether a pixel is red, green and blue, and not grey.
    pub colour: bool,
    /// Words that count, in the order of the features; by default those of the texts.
    pub vocabulary: Option<&'a [String]>,
    /// How the words of texts are counted.
    pub texts: TextOptions,
    /// Memory that reading may take. By default all that the machine has.
    pub budget: Budget,
}

/// The samples of a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    /// Their numbers; the labels are the names of sub-folders.
    pub data: Dataset,
    /// The file of each sample, relative to the folder.
    pub names: Vec<String>,
    /// How the features make up an image.
    pub image: Option<ImageShape>,
}

/// One file of a folder.
pub(crate) struct Item {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    class: Option<String>,
}

impl FolderKind {
    /// What most files of a folder are, or why it cannot be told.
    pub fn of(folder: &Path) -> Result<Self, Error> {
        let count = |kind: Self| list(folder, kind).map(|items| items.len());
        match (count(Self::Images)?, count(Self::Texts)?) {
            (0, 0) => {
                let what = "this folder (it holds neither images nor texts)";
                let instead = "name a file, or a folder of .png, .pgm, .ppm, .jpg or .txt files, with a sub-folder for each class";
                Err(Problem::unsupported(what, instead).of(folder.display().to_string()))
            }
            (images, texts) => Ok(if images >= texts { Self::Images } else { Self::Texts }),
        }
    }

    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Images => &["png", "pgm", "ppm", "pnm", "jpg", "jpeg"],
            Self::Texts => &["txt"],
        }
    }
}

/// Reads a folder of images or texts.
pub fn read_folder(folder: &Path, kind: FolderKind, options: &FolderOptions<'_>) -> Result<Folder, Error> {
    let items = list(folder, kind)?;
    let (mut data, image) = match kind {
        FolderKind::Images => {
            let Images { x, shape, coloured } = images::read(&items, options)?;
            let remarks = (coloured && !options.colour).then_some(Remark::Colours).into_iter().collect();
            (Dataset { remarks, ..Dataset::from(x) }, Some(shape))
        }
        FolderKind::Texts => {
            let budget = options.budget.fork();
            let texts = items.iter().map(|item| texts::load(&item.path, &budget));
            let texts = texts.collect::<Result<Vec<_>, _>>()?;
            let counting = (options.vocabulary, &options.texts);
            let counted = texts::count(&texts, counting, (options.dtype, &budget))
                .map_err(|problem| problem.of(folder.display().to_string()))?;
            options.budget.spend(counted.x.bytes());
            let beginnings = texts.iter().map(|text| texts::beginning(text)).collect();
            let remarks = counted.remark.into_iter().collect();
            let data = Dataset::new(counted.x, None, Some(counted.words));
            (Dataset { texts: Some(beginnings), remarks, ..data }, None)
        }
    };
    data.labels = items.iter().map(|item| item.class.clone()).collect::<Option<Vec<_>>>();
    let names = items.into_iter().map(|item| item.name).collect();
    Ok(Folder { data, names, image })
}

/// The files of this kind, by name; those of sub-folders after those of the folder itself. A folder that links lead to
/// again counts once.
fn list(folder: &Path, kind: FolderKind) -> Result<Vec<Item>, Error> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (mut classes, files): (Vec<_>, Vec<_>) = entries(folder)?.into_iter().partition(|path| path.is_dir());
    let mut items: Vec<Item> = files.into_iter().filter_map(|path| item(path, None, kind)).collect();
    let own = classes.iter().filter(|class| !class.is_symlink()).map(|class| real(class));
    let mut seen: HashSet<PathBuf> = own.chain([real(folder)]).collect();
    classes.retain(|class| !class.is_symlink() || seen.insert(real(class)));
    for class in classes {
        let name = class.file_name().map(|name| name.to_string_lossy().into_owned());
        items.extend(entries(&class)?.into_iter().filter_map(|path| item(path, name.clone(), kind)));
    }
    Ok(items)
}

/// What is in a folder, by name, but for hidden files.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error| Problem::Read(error).of(folder.display().to_string());
    let found = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
    let hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut paths: Vec<PathBuf> =
        found.into_iter().map(|entry| entry.path()).filter(|path| !hidden(path)).collect();
    paths.sort();
    Ok(paths)
}

fn item(path: PathBuf, class: Option<String>, kind: FolderKind) -> Option<Item> {
    let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
    let file = path.file_name()?.to_string_lossy().into_owned();
    let name = class.as_ref().map_or_else(|| file.clone(), |class| format!("{class}/{file}"));
    (kind.endings().contains(&ending.as_str()) && path.is_file()).then_some(Item { path, name, class })
}

/// Names of files for a message.
pub(crate) fn quoted(item: &Item) -> String {
    format!("'{}'", shortened(&item.name))
}
