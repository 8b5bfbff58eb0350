//! The samples that a model is given: the features that it knows, in its order.

use std::path::Path;

use anyhow::{Result, bail};
use emmf_io::{AnyModel, Error, Notes, Order, Problem};

use crate::complain;
use crate::look::About;

/// Where the features of the model are among the `given` ones of `file`: by name where both have names, else as they
/// are where their number fits. From then on `about` tells of the features of the model.
pub(crate) fn matched(
    (about, given): (&mut About, usize),
    file: &Path,
    (model, notes): (&AnyModel, &Notes),
) -> Result<Order> {
    let order = order((about, given), file, notes)
        .map_err(|problem| Error { file: file.display().to_string(), problem })?;
    if let Some(columns) = order.left_out() {
        let file = file.display();
        complain(&format!("{file}: left out the columns {columns}, which the model was not fitted to"));
    }
    if order.features() != model.features() {
        bail!(
            "{}: has {given} features, but the model was fitted to {}; give samples with the same features in the same order",
            file.display(),
            model.features()
        );
    }
    about.columns = notes.features.clone().or(about.columns.take());
    about.image = notes.image.or(about.image);
    Ok(order)
}

fn order((about, given): (&About, usize), file: &Path, notes: &Notes) -> Result<Order, Problem> {
    if let (Some(columns), Some(features)) = (&about.columns, &notes.features) {
        return Order::of_names(columns, features);
    }
    // Features that were chosen from columns without names are called by their places.
    if let (None, Some(features)) = (&about.columns, &notes.features)
        && features.len() < given
    {
        return Order::of_names(&Order::as_it_is(given).names(None), features);
    }
    match (about.image, notes.image) {
        (Some(found), Some(wanted)) if found != wanted => {
            let order = Order::of_pixels(found, wanted)?;
            // Only of images in a folder is it certain how their pixels lie.
            if file.is_dir() { Ok(order) } else { Err(Problem::OtherLayout) }
        }
        _ => Ok(Order::as_it_is(given)),
    }
}
