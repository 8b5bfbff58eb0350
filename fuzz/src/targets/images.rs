//! Folders of images, brought to one size.

use std::{fs, io};

use emmf_io::{Dtype, FolderKind, FolderOptions, read_folder};

use super::table::sound;
use crate::case::{Case, Verdict, refused};
use crate::memory::budget;
use crate::mutate::SIZES;
use crate::seeds::{JPEG, PNM, folder, png};
use crate::{Random, mutate};

/// Files of one folder, with their endings.
struct Images {
    files: Vec<(&'static str, Vec<u8>)>,
    resize: Option<(usize, usize)>,
    single: bool,
    colour: bool,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let files = (0..random.pick(&[1, 1, 1, 2])).map(|_| image(random)).collect();
    let side = |random: &mut Random| {
        if random.one_in(12) { random.pick(&SIZES) as usize } else { random.pick(&[1, 2, 3, 7, 32]) }
    };
    let resize = random.one_in(2).then(|| (side(random), side(random)));
    Box::new(Images { files, resize, single: random.one_in(2), colour: random.one_in(2) })
}

fn image(random: &mut Random) -> (&'static str, Vec<u8>) {
    let ending = random.pick(&["png", "jpg", "pgm", "PPM", "pnm", "jpeg"]);
    let bytes = match random.below(5) {
        0 | 1 => of_parts(random),
        2 => mutate::mutated(&of_parts(random), &JPEG[0], random),
        3 => mutate::mutated(&random.choose(&JPEG).clone(), &JPEG[1], random),
        _ => mutate::mutated(random.pick(&PNM), PNM[0], random),
    };
    (ending, bytes)
}

/// A PNG whose checksums are right, whatever its header says.
fn of_parts(random: &mut Random) -> Vec<u8> {
    let side = |random: &mut Random| {
        let side = if random.one_in(4) { random.pick(&SIZES) as u32 } else { random.within(1, 6) as u32 };
        side.to_be_bytes()
    };
    let (width, height) = (side(random), side(random));
    let (depth, colour) = (random.pick(&[8, 8, 8, 1, 2, 4, 16, 3]), random.pick(&[0, 0, 2, 3, 4, 6, 1]));
    let last = [depth, colour, random.pick(&[0, 0, 0, 1]), 0, random.pick(&[0, 0, 0, 1, 2])];
    let mut header = [0; 13];
    header[..4].copy_from_slice(&width);
    header[4..8].copy_from_slice(&height);
    header[8..].copy_from_slice(&last);
    let rows: Vec<u8> = (0..random.pick(&[0, 7, 20, 42, 300])).map(|at| (at % 5) as u8).collect();
    let text = b"\0\0\0\x04tEXta\0bc\x9d\x1c\x0e\x8f";
    png(header, &rows, if random.one_in(8) { text } else { &[] })
}

impl Images {
    fn read(&self) -> io::Result<Result<emmf_io::Folder, emmf_io::Error>> {
        let images = folder().join("images");
        drop(fs::remove_dir_all(&images));
        fs::create_dir_all(&images)?;
        for (at, (ending, bytes)) in self.files.iter().enumerate() {
            fs::write(images.join(format!("{at}.{ending}")), bytes)?;
        }
        let dtype = self.single.then_some(Dtype::F32);
        let options = FolderOptions {
            dtype,
            resize: self.resize,
            colour: self.colour,
            budget: budget(),
            ..FolderOptions::default()
        };
        Ok(read_folder(&images, FolderKind::Images, &options))
    }
}

impl Case for Images {
    fn check(&self) -> Verdict {
        match self.read().map_err(|error| format!("no temporary file: {error}"))? {
            Err(error) => refused(&error, ""),
            Ok(folder) => {
                let pixels = folder.image.map(|image| (image.height, image.width));
                if let (Some(wanted), Some(got)) = (self.resize, pixels)
                    && wanted != got
                {
                    return Err(format!("{wanted:?} pixels were asked for, {got:?} came"));
                }
                sound(&folder.data)
            }
        }
    }

    fn show(&self) -> String {
        let files = self.files.iter().map(|(ending, bytes)| format!("{ending} of {} bytes", bytes.len()));
        format!("{}, brought to {:?}", files.collect::<Vec<_>>().join(" and "), self.resize)
    }

    fn bytes(&self) -> Vec<u8> {
        self.files.first().map_or_else(Vec::new, |(_, bytes)| bytes.clone())
    }
}
