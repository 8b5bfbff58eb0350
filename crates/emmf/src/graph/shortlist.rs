//! The best few of many, by a total order: which they are does not depend on the order in which they come.

/// A candidate: its key and its index, ties of keys to the smaller index.
pub(super) type Candidate<K> = (K, u32);

/// Whether `a` comes before `b`. Keys that are not numbers come never.
#[inline(always)]
pub(super) fn before<K: PartialOrd>(a: &Candidate<K>, b: &Candidate<K>) -> bool {
    a.0 < b.0 || (a.0 == b.0 && a.1 < b.1)
}

/// Takes the candidate into a sorted list of fixed length, where it comes before the last one.
#[inline(always)]
pub(super) fn offer<K: PartialOrd + Copy>(list: &mut [Candidate<K>], candidate: Candidate<K>) {
    let Some(last) = list.last_mut() else { return };
    if !before(&candidate, last) {
        return;
    }
    *last = candidate;
    let mut at = list.len() - 1;
    while at > 0 && before(&list[at], &list[at - 1]) {
        list.swap(at, at - 1);
        at -= 1;
    }
}
