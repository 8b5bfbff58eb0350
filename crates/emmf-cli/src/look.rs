//! What the samples are, where they are not just numbers: images, or texts.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use emmf::Missing;
use emmf::synth::ImageShape;
use emmf_io::{
    Budget, Dataset, FolderKind, FolderOptions, Frequency, Notes, Numbers, ReadOptions, Remark, StopWords,
    TextOptions, Usual, data_in,
};

use crate::args::{InputArgs, heading};
use crate::input;
use crate::values::{ImageForm, count, frequency, image_form, image_shape};

/// Words that count, where nothing else is said.
const MOST_WORDS: usize = 50_000;

#[derive(ClapArgs)]
pub(crate) struct LookArgs {
    /// Column with texts whose words are counted
    ///
    /// A name or a number. A folder of .txt files needs none.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, conflicts_with = "image", help_heading = heading::DATA)]
    pub(crate) text: Option<String>,
    /// Samples are images of this height and width
    ///
    /// This lets the page show them. Pixels lie row by row, or column by column with HxW,column-major; with HxWx3, each is
    /// red, green and blue. auto: DATA is a folder of PNG, PGM or JPEG files, or holds square images.
    #[arg(long, value_name = "HxW|auto", value_parser = image_form, help_heading = heading::DATA)]
    pub(crate) image: Option<ImageForm>,
    /// Keep the colours of the images of a folder
    ///
    /// A pixel is then three features, red, green and blue. Otherwise images become grey.
    #[arg(long, help_heading = heading::DATA, hide_short_help = true)]
    pub(crate) color: bool,
    /// Resize the images of a folder to this height and width
    #[arg(long, value_name = "HxW", value_parser = image_shape, help_heading = heading::DATA, hide_short_help = true)]
    pub(crate) resize: Option<(usize, usize)>,
    /// Words of texts to leave out: auto, none, a language such as en, or a file
    ///
    /// auto takes those of the language that the texts seem to be in. A file has one word per line.
    #[arg(long, value_name = "WHICH", default_value = "auto", help_heading = heading::TEXTS, hide_short_help = true)]
    pub(crate) stop_words: String,
    /// Leave out words found in fewer texts: a number, or a share such as 0.01 [default: 2]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency, help_heading = heading::TEXTS, hide_short_help = true)]
    pub(crate) min_df: Option<Frequency>,
    /// Leave out words found in more texts: a number, or a share [default: 0.5]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency, help_heading = heading::TEXTS, hide_short_help = true)]
    pub(crate) max_df: Option<Frequency>,
    /// Also count runs of up to N words as one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5), default_value_t = 1,
        help_heading = heading::TEXTS, hide_short_help = true)]
    pub(crate) ngrams: u8,
    /// Maximum number of words to keep: those found in the most texts
    #[arg(long, value_name = "N", value_parser = count, default_value_t = MOST_WORDS, help_heading = heading::TEXTS, hide_short_help = true)]
    pub(crate) max_words: usize,
}

/// Whether the samples are the files of a folder. Some folders stand for one file.
fn is_folder(path: &Path) -> bool {
    path.is_dir() && data_in(path).is_none()
}

/// What goes with the numbers.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) image: Option<ImageShape>,
    pub(crate) words: bool,
    /// The column with the texts.
    pub(crate) text: Option<String>,
    /// Where else things are in the file, where it was said.
    pub(crate) usual: Usual,
    /// How the samples begin, where they are texts.
    pub(crate) texts: Option<Vec<String>>,
    /// What was taken for granted about the file.
    pub(crate) remarks: Vec<Remark>,
}

impl About {
    /// For the model file.
    pub(crate) fn notes(&self) -> Notes {
        Notes {
            features: self.columns.clone(),
            image: self.image,
            words: self.words,
            text: self.text.clone(),
            usual: self.usual.clone(),
        }
    }
}

impl LookArgs {
    /// Whether the samples are texts.
    pub(crate) fn has_texts(&self, data: &Path) -> Result<bool> {
        Ok(self.text.is_some() || (is_folder(data) && self.folder_kind(data)? == FolderKind::Texts))
    }

    /// How words are counted.
    fn counting(&self) -> Result<TextOptions> {
        let stop_words = match self.stop_words.as_str() {
            "auto" => StopWords::Auto,
            "none" => StopWords::None,
            file if Path::new(file).is_file() => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("{file}: cannot be read as UTF-8"))?;
                StopWords::Words(text.split_whitespace().map(str::to_owned).collect())
            }
            language => StopWords::Language(language.to_owned()),
        };
        Ok(TextOptions {
            stop_words,
            min_df: self.min_df,
            max_df: self.max_df,
            ngrams: self.ngrams.into(),
            most_words: self.max_words,
        })
    }

    fn folder_kind(&self, folder: &Path) -> Result<FolderKind> {
        if self.image.is_some() { Ok(FolderKind::Images) } else { Ok(FolderKind::of(folder)?) }
    }

    /// Whether the data are read in a way of their own, and not as a matrix.
    pub(crate) fn is_special(&self, data: &Path, model: Option<&Notes>) -> bool {
        self.text.is_some() || model.is_some_and(|notes| notes.text.is_some()) || data.is_dir()
    }

    /// What is about columns cannot be meant for a folder, and what is about words not for numbers.
    fn refuse_idle(&self, args: &InputArgs, texts: bool) -> Result<()> {
        let path = args.data.display();
        let of_columns = [
            ("--labels", args.labels.is_some()),
            ("--variable", args.variable.is_some()),
            ("--id", args.id.is_some()),
            ("--columns", !args.columns.is_empty()),
            ("--drop", !args.drop.is_empty()),
            ("--transpose", args.transpose),
            ("--header", args.header.is_some()),
            ("--separator", args.separator.is_some()),
            ("--decimal", args.decimal.is_some()),
            ("--text", self.text.is_some()),
        ];
        let given =
            |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|it| it.0);
        if let (true, Some(option)) = (is_folder(&args.data), given(&of_columns)) {
            bail!(
                "{path}: is a folder, whose files are the samples and whose sub-folders are the classes; leave out {option}"
            );
        }
        let of_words = [
            ("--stop-words", self.stop_words != "auto"),
            ("--min-df", self.min_df.is_some()),
            ("--max-df", self.max_df.is_some()),
            ("--ngrams", self.ngrams != 1),
            ("--max-words", self.max_words != MOST_WORDS),
        ];
        if let (false, Some(option)) = (texts, given(&of_words)) {
            bail!("{path}: {option} is for texts; name their column with --text, or leave {option} out");
        }
        let of_images = [("--resize", self.resize.is_some()), ("--color", self.color)];
        if let (true, Some(option)) = (texts || !is_folder(&args.data), given(&of_images)) {
            bail!("{option} is for the images of a folder; {path} is not one of images");
        }
        Ok(())
    }

    /// Reads the samples; `model` says which features they must have.
    pub(crate) fn read(
        &self,
        args: &InputArgs,
        (missing, budget): (Missing, &Budget),
        model: Option<&Notes>,
    ) -> Result<(Numbers, About)> {
        let path = &args.data;
        let text = self.text.as_ref().or(model.and_then(|notes| notes.text.as_ref()));
        self.refuse_idle(args, text.is_some() || self.has_texts(path)?)?;
        let vocabulary = model.filter(|notes| notes.words).and_then(|notes| notes.features.as_deref());
        let (mut data, image) = if is_folder(path) {
            // Samples of a model are brought to the size that it was fitted to.
            let fitted = model.and_then(|notes| notes.image);
            let resize = self.resize.or(fitted.map(|shape| (shape.height, shape.width)));
            let options = FolderOptions {
                dtype: args.dtype,
                resize,
                colour: self.color || fitted.is_some_and(|shape| shape.colour),
                vocabulary,
                texts: self.counting()?,
                budget: budget.clone(),
            };
            let folder = emmf_io::read_folder(path, self.folder_kind(path)?, &options)?;
            (Dataset { names: Some(folder.names), ..folder.data }, folder.image)
        } else if let Some(column) = text {
            let options = input::options(args, (missing, budget), model);
            let options = ReadOptions { texts: self.counting()?, ..options };
            let read = if self.text.is_some() { emmf_io::read_texts } else { emmf_io::read_texts_or_counts };
            (read(path, column, &options, vocabulary)?, None)
        } else {
            (input::read(args, (missing, budget), model)?, None)
        };
        let remarks = std::mem::take(&mut data.remarks);
        let Dataset { x, labels, columns, names, texts, .. } = data;
        let image = self.shape(x.shape().1, path, image.or_else(|| self.of_model(x.shape().1, model)))?;
        let words = self.text.is_some() || (is_folder(path) && image.is_none());
        let (text, usual) = (self.text.clone(), input::usual(args));
        Ok((x, About { labels, columns, names, image, words, text, usual, texts, remarks }))
    }

    /// How the features make up an image, where `auto` asks for it and the model knows.
    pub(crate) fn of_model(&self, features: usize, model: Option<&Notes>) -> Option<ImageShape> {
        let shape = model?.image.filter(|_| self.image == Some(ImageForm::Auto))?;
        (shape.features() == Some(features)).then_some(shape)
    }

    /// How the features make up an image.
    pub(crate) fn shape(
        &self,
        features: usize,
        path: &Path,
        found: Option<ImageShape>,
    ) -> Result<Option<ImageShape>> {
        let shape = match self.image {
            _ if found.is_some() => return Ok(found),
            None => return Ok(None),
            Some(ImageForm::Shape(shape)) => shape,
            Some(ImageForm::Auto) => {
                let side = features.isqrt();
                // MATLAB lays out images by columns.
                let column_major = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mat"));
                ImageShape { height: side, width: side, column_major, colour: false }
            }
        };
        if shape.features() != Some(features) {
            bail!(
                "{}: has {features} features, which do not make images of {}x{}{}; give their height and width with --image",
                path.display(),
                shape.height,
                shape.width,
                if shape.colour { "x3" } else { "" }
            );
        }
        Ok(Some(shape))
    }
}
