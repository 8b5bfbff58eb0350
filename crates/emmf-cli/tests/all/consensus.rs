//! `emmf fit --consensus`: what the restarts agree on, in the summary, JSON, record and page.

use crate::program;

use emmf_io::read_record;
use program::Place;

#[test]
fn a_consensus_is_shown_everywhere() {
    let place = Place::with_data();
    let line = "fit x.csv -k 3 --restarts 6 --consensus --init random --max-iter 40";
    let json = place.json(&format!("{line} --out result --report --json"));
    assert_eq!(json["method"], "emmf");
    let found = &json["consensus"];
    for (name, count) in [("stability", 3), ("distances", 6), ("weights", 6)] {
        assert_eq!(found[name].as_array().map(Vec::len), Some(count), "{found}");
    }
    assert!(found["unstable"].is_array() && found["set_aside"].is_array(), "{found}");
    let record = read_record(&place.path("result/record.json")).unwrap();
    assert_eq!(serde_json::json!(record.consensus.as_ref().unwrap().stability), found["stability"]);
    assert!(place.read("result/report.html").contains("\"consensus\":{\"stability\""));
    let text = place.run(line).ok();
    assert!(text.contains("6 restarts, mean stability"), "{text}");
    assert!(place.json("fit x.csv -k 3 --max-iter 4 --json").get("consensus").is_none());
}

#[test]
fn what_has_no_consensus_is_refused() {
    let place = Place::with_data();
    place.run("fit x.csv -k 2 --consensus").refused(&["--restarts is 1", "at least 2 with consensus"]);
    let line = "fit x.csv -k 2 --consensus --restarts 3";
    place.run(&format!("{line} --method g-emmf")).refused(&["--consensus", "a graph"]);
    place.run(&format!("{line} --method pnmf")).refused(&["--consensus", "pnmf"]);
    place.run(&format!("{line} --batch 9 --out o")).refused(&["--consensus", "--batch"]);
    place.run(&format!("{line} --init nndsvd")).refused(&["nndsvd", "all restarts would be the same"]);
}

/// Lists of another length than there are restarts or components are not those of the fit.
#[test]
fn a_record_whose_consensus_does_not_fit_is_refused() {
    let place = Place::with_data();
    place.run("fit x.csv -k 3 --restarts 4 --consensus --max-iter 9 --out result").ok();
    let text = place.read("result/record.json");
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["consensus"]["weights"].as_array_mut().unwrap().pop();
    place.write("result/record.json", record.to_string());
    place.run("report result/record.json --out page.html").refused(&[
        "consensus.weights",
        "3 entries",
        "4 restarts",
    ]);
}
