//! Runs that are still to be made, several at a time.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::experiment::Contamination;
use crate::origin::Origin;
use crate::plan::{Case, Plan};
use crate::run::run;
use crate::sets::{Set, size};
use crate::store::Store;

/// The runs that are still to be made, the small data sets first and seed by seed: whenever it is interrupted, what is
/// there can be compared.
fn open<'a>(plan: &'a Plan, store: &Store) -> Vec<(usize, Vec<&'a Case>)> {
    let mut open: BTreeMap<(usize, usize), Vec<&Case>> = BTreeMap::new();
    for case in plan.cases.iter().filter(|case| !store.holds(&plan.key(case))) {
        open.entry((size(&plan.runs.data[case.data]), case.data)).or_default().push(case);
    }
    open.values_mut().for_each(|cases| cases.sort_by_key(|case| case.seed));
    open.into_iter().map(|((_, data), cases)| (data, cases)).collect()
}

/// Makes all runs that the store does not hold, `jobs` at a time, each on one thread. `seen` is told after each
/// how many are done. Returns what is wrong with the data sets and runs that were left out.
pub fn finish(
    plan: &Plan,
    store: &mut Store,
    (folder, jobs): (&Path, usize),
    seen: impl Fn(usize) + Sync,
) -> Result<Vec<Error>, Error> {
    let mut left_out = Vec::new();
    let mut others = HashMap::new();
    for contamination in &plan.contaminations {
        if let Contamination::Foreign { data, .. } = contamination {
            others.insert(data.clone(), Set::read(data, folder)?);
        }
    }
    let open = open(plan, store);
    let done = AtomicUsize::new(plan.cases.len() - open.iter().map(|(_, cases)| cases.len()).sum::<usize>());
    seen(done.load(Ordering::Relaxed));
    for (data, cases) in open {
        let set = match Set::read(&plan.runs.data[data], folder) {
            Ok(set) => set,
            Err(error) => {
                left_out.push(error);
                done.fetch_add(cases.len(), Ordering::Relaxed);
                continue;
            }
        };
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let kept = Mutex::new(&mut *store);
        let work = || -> Result<(), Error> {
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                let made = run(plan, case, &set, &others)
                    .and_then(|found| Ok((origin(plan, case, &set, &others)?, found)));
                match made {
                    Ok((origin, found)) => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        kept.add(plan.key(case), origin, found)?;
                    }
                    Err(error) => failed.lock().unwrap_or_else(PoisonError::into_inner).push(error),
                }
                seen(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            Ok(())
        };
        at_a_time(jobs.min(cases.len()), work)?;
        left_out.extend(failed.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    Ok(left_out)
}

/// Where the result of a run comes from: its settings, and the very bytes that were read.
fn origin(plan: &Plan, case: &Case, set: &Set, others: &HashMap<String, Set>) -> Result<Origin, Error> {
    let settings = plan.settings(case).map_err(|why| Error::Run { run: plan.key(case).join(", "), why })?;
    let other = plan.files(case).into_iter().skip(1).filter_map(|name| others.get(name));
    let data: Vec<&str> = std::iter::once(set).chain(other).map(|set| set.hash.as_str()).collect();
    Ok(Origin { settings, data: data.join(" ") })
}

/// Does the work on so many threads until each has ended, or on fewer where the system gives no more.
fn at_a_time(jobs: usize, work: impl Fn() -> Result<(), Error> + Sync) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let workers = (1..jobs).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, &work).ok());
        let workers: Vec<_> = workers.collect();
        let own = work();
        let ends = workers.into_iter().map(|worker| match worker.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(ends).collect()
    })
}
