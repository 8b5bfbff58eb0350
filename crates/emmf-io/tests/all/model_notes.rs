//! What a model file says about features and threads.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use emmf::model::ResidualScale;
use emmf::synth::{ImageShape, uniform};
use emmf::{LabelRule, Model, Spec};
use emmf_io::{AnyModel, Notes, model_from_bytes, model_to_bytes, notes_from_bytes, read_model, write_model};
use serde_json::Value;

fn model(spec: Spec) -> AnyModel {
    let scale = ResidualScale { center: 1.0, spread: 1.0 };
    AnyModel::F64(Model::from_parts(spec, uniform(4, 2, 1), Vec::new(), scale).unwrap())
}

fn named(names: &[&str]) -> Notes {
    Notes { features: Some(names.iter().map(ToString::to_string).collect()), ..Notes::default() }
}

/// The bytes of a model file whose metadata were changed.
fn changed(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, tensors) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    change(&mut header["__metadata__"]);
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, tensors].concat()
}

#[test]
fn promise_12_a_model_file_holds_no_threads() {
    let fit = Spec::emmf(2).max_iter(2).on(&uniform::<f64>(20, 4, 1)).threads(3).fit().unwrap();
    let fitted = AnyModel::F64(fit.model);
    let bytes = model_to_bytes(&fitted, &Notes::default()).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("threads"));
    assert_eq!(model_from_bytes(&bytes, "m").unwrap(), fitted);
}

#[test]
fn promise_12_threads_of_older_files_are_passed_over() {
    let bytes = model_to_bytes(&model(Spec::emmf(2)), &Notes::default()).unwrap();
    for threads in ["null", "2", "4294967296"] {
        let old = changed(&bytes, |metadata| {
            let spec = metadata["spec"].as_str().unwrap();
            metadata["spec"] = spec.replacen('{', &format!("{{\"threads\":{threads},"), 1).into();
        });
        assert!(String::from_utf8_lossy(&old).contains("threads"));
        assert_eq!(model_from_bytes(&old, "m").unwrap(), model(Spec::emmf(2)), "{threads}");
    }
}

#[test]
fn promise_04_names_go_to_the_file_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    let AnyModel::F64(model) = model(Spec::emmf(2)) else { return };
    let image = Some(ImageShape { height: 2, width: 2, column_major: true, colour: false });
    for notes in
        [Notes::default(), named(&["a", "ö", "", "a"]), Notes { image, ..named(&["a", "b", "c", "d"]) }]
    {
        write_model(&path, &model, &notes).unwrap();
        assert_eq!(emmf_io::read_model_and_notes(&path).unwrap().1, notes);
        assert_eq!(read_model(&path).unwrap(), AnyModel::F64(model.clone()));
    }
}

#[test]
fn promise_04_names_that_are_not_those_of_the_centroids_are_refused() {
    let image = |height, width| Some(ImageShape { height, width, column_major: false, colour: false });
    let wrong = [
        named(&["a", "b", "c"]),
        named(&[]),
        Notes { image: image(3, 3), ..Notes::default() },
        Notes { image: image(usize::MAX, 3), ..Notes::default() },
    ];
    for notes in wrong {
        let bytes = model_to_bytes(&model(Spec::emmf(2)), &notes).unwrap();
        let error = notes_from_bytes(&bytes, "m").unwrap_err().to_string();
        assert!(error.contains("features are not those of U"), "{error}");
    }
}

/// Files of before there were directions say k-means and mean coefficients as they are.
#[test]
fn labels_of_older_files_go_by_coefficients() {
    let fit =
        Spec::emmf(2).label_rule(LabelRule::KmeansRaw).max_iter(2).fit(&uniform::<f64>(20, 4, 1)).unwrap();
    let fitted = AnyModel::F64(fit.model);
    let bytes = model_to_bytes(&fitted, &Notes::default()).unwrap();
    let old = changed(&bytes, |metadata| {
        let spec = metadata["spec"].as_str().unwrap();
        metadata["spec"] = spec.replace("kmeans-raw", "kmeans").into();
    });
    assert_eq!(model_from_bytes(&old, "m").unwrap(), fitted);
    let raw = changed(&bytes, |metadata| {
        let spec = metadata["spec"].as_str().unwrap();
        metadata["spec"] = spec.replace("kmeans-raw", "raw").into();
    });
    let AnyModel::F64(model) = model_from_bytes(&raw, "m").unwrap() else { return };
    assert_eq!(model.spec().label_rule, Some(LabelRule::Largest));
}
