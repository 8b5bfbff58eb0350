//! One page over all experiments of the paper: what holds, the results, and why.

use emmf_report::{Block, Document, Table};

use crate::claim::Verdict;
use crate::experiment::Experiment;
use crate::shown::Shown;

const OPENING: &str = include_str!("../experiments/opening.md");
const FUTURE: &str = include_str!("../experiments/future.md");
const DISCUSSION: &str = include_str!("../experiments/discussion.md");

/// The page of all experiments that were shown.
pub fn paper_page(all: &[(Experiment, Shown)]) -> Document {
    let mut blocks = Block::parse(OPENING);
    blocks.extend(unfinished(all));
    blocks.push(Block::Section("What holds and what does not".into()));
    blocks.push(Block::Text(counts(all)));
    blocks.push(Block::Table(verdicts(all)));
    blocks.extend(Block::parse(DISCUSSION));
    for (experiment, shown) in all {
        blocks.push(Block::Section(experiment.title.clone()));
        blocks.push(Block::Text(format!("`emmf bench {}`", experiment.name)));
        blocks.extend(shown.page(&experiment.notes));
    }
    blocks.extend(Block::parse(FUTURE));
    Document { title: "Entropy Minimizing Matrix Factorization, made again".into(), blocks }
}

/// The experiments whose runs have not all been made.
fn unfinished(all: &[(Experiment, Shown)]) -> Option<Block> {
    let names = all.iter().filter(|(_, shown)| shown.unfinished.is_some());
    let names: Vec<String> = names.map(|(experiment, _)| format!("`{}`", experiment.name)).collect();
    let text = || {
        format!(
            "**This edition is not complete**: not all runs of {} have been made; each says how many seeds it has. With few seeds there is little to conclude, and cells without runs show the paper's value alone.",
            names.join(", ")
        )
    };
    (!names.is_empty()).then(|| Block::Text(text()))
}

fn counts(all: &[(Experiment, Shown)]) -> String {
    let claims = || all.iter().flat_map(|(_, shown)| &shown.claims);
    let count = |verdict: Verdict| claims().filter(|claim| claim.verdict == verdict).count();
    let total = claims().filter(|claim| claim.verdict != Verdict::Beside).count();
    format!(
        "Of {total} statements of the paper that were tested, {} hold, {} hold in part and {} do not hold. Every number here and below is computed from the runs.",
        count(Verdict::Holds),
        count(Verdict::Partly),
        count(Verdict::Fails)
    )
}

fn verdicts(all: &[(Experiment, Shown)]) -> Table {
    let mut table = Table::new(["experiment", "the paper says", "verdict", "what was found"]);
    for (experiment, shown) in all {
        for claim in shown.claims.iter().filter(|claim| claim.verdict != Verdict::Beside) {
            let texts = [experiment.name.as_str(), &claim.says, claim.verdict.text(), &claim.found];
            table.rows.push(texts.map(Into::into).into());
        }
    }
    table
}
