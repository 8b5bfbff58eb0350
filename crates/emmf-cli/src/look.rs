//! What the samples are, where they are not just numbers: images, or texts.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use emmf::Missing;
use emmf::synth::ImageShape;
use emmf_io::{Budget, Dataset, FolderKind, FolderOptions, Notes, Numbers};

use crate::args::InputArgs;
use crate::input;
use crate::values::{ImageForm, image_form, image_shape};

#[derive(ClapArgs)]
pub(crate) struct LookArgs {
    /// Samples are images of this height and width, so that they can be shown; pixels lie row by row unless
    /// column-major. auto: DATA is a folder of PNG, PGM or JPEG files, or square images.
    #[arg(long, value_name = "HxW[,column-major]|auto", value_parser = image_form)]
    pub(crate) image: Option<ImageForm>,
    /// Bring the images of a folder to this height and width.
    #[arg(long, value_name = "HxW", value_parser = image_shape)]
    pub(crate) resize: Option<(usize, usize)>,
    /// Column (name or number) with texts, whose words are counted. A folder of .txt files needs none.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, conflicts_with = "image")]
    pub(crate) text: Option<String>,
}

/// What goes with the numbers.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) image: Option<ImageShape>,
    pub(crate) words: bool,
}

impl About {
    /// For the model file.
    pub(crate) fn notes(&self) -> Notes {
        Notes { features: self.columns.clone(), image: self.image, words: self.words }
    }
}

impl LookArgs {
    /// Whether the samples are texts.
    pub(crate) fn has_texts(&self, data: &Path) -> Result<bool> {
        Ok(self.text.is_some() || (data.is_dir() && self.folder_kind(data)? == FolderKind::Texts))
    }

    fn folder_kind(&self, folder: &Path) -> Result<FolderKind> {
        if self.image.is_some() { Ok(FolderKind::Images) } else { Ok(FolderKind::of(folder)?) }
    }

    /// Whether the data are read in a way of their own, and not as a matrix.
    pub(crate) fn is_special(&self, data: &Path) -> bool {
        self.text.is_some() || data.is_dir()
    }

    /// Reads the samples; `model` says which features they must have.
    pub(crate) fn read(
        &self,
        args: &InputArgs,
        (missing, budget): (Missing, &Budget),
        model: Option<&Notes>,
    ) -> Result<(Numbers, About)> {
        let path = &args.data;
        if self.resize.is_some() && !path.is_dir() {
            bail!("--resize is for the images of a folder; {} is none", path.display());
        }
        let vocabulary = model.filter(|notes| notes.words).and_then(|notes| notes.features.as_deref());
        let (data, names, image) = if path.is_dir() {
            if args.labels.is_some() || args.variable.is_some() {
                bail!(
                    "{}: is a folder, in which the sub-folders are the classes; leave out --labels and --variable",
                    path.display()
                );
            }
            // Samples of a model are brought to the size that it was fitted to.
            let fitted = model.and_then(|notes| notes.image).map(|shape| (shape.height, shape.width));
            let resize = self.resize.or(fitted);
            let options = FolderOptions { dtype: args.dtype, resize, vocabulary, budget: budget.clone() };
            let folder = emmf_io::read_folder(path, self.folder_kind(path)?, &options)?;
            (folder.data, Some(folder.names), folder.image)
        } else if let Some(column) = &self.text {
            let options = input::options(args, missing, budget);
            (emmf_io::read_texts(path, column, &options, vocabulary)?, None, None)
        } else {
            (input::read(args, missing, budget)?, None, None)
        };
        let Dataset { x, labels, columns } = data;
        let image = self.shape(x.shape().1, path, image.or_else(|| self.of_model(x.shape().1, model)))?;
        let words = self.text.is_some() || (path.is_dir() && image.is_none());
        Ok((x, About { labels, columns, names, image, words }))
    }

    /// How the features make up an image, where `auto` asks for it and the model knows.
    pub(crate) fn of_model(&self, features: usize, model: Option<&Notes>) -> Option<ImageShape> {
        let shape = model?.image.filter(|_| self.image == Some(ImageForm::Auto))?;
        (shape.height.checked_mul(shape.width) == Some(features)).then_some(shape)
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
                ImageShape { height: side, width: side, column_major }
            }
        };
        if shape.height.checked_mul(shape.width) != Some(features) {
            bail!(
                "{}: has {features} features, which are no images of {}x{}; give their height and width with --image",
                path.display(),
                shape.height,
                shape.width
            );
        }
        Ok(Some(shape))
    }
}
