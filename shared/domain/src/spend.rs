//! Spend by day: what its calls are grouped by.

use super::call_facts::CallLabels;

/// What the calls of a day are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpendBy {
    Model,
    /// The API key. Calls without a key, such as those of workflows, are grouped by their user.
    Key,
    Tag,
    EndUser,
}

impl CallLabels {
    /// The tags and the end user. Each of them has a spend of its own.
    pub fn names(&self) -> impl Iterator<Item = (SpendBy, &str)> {
        let tags = self.tags.iter().map(|tag| (SpendBy::Tag, tag.as_str()));
        tags.chain(self.end_user.iter().map(|name| (SpendBy::EndUser, name.as_str())))
    }
}

/// The tags and end users of the calls of a lease. The transaction that closes the lease adds to the spend of each of them, so
/// their number is limited.
#[derive(Debug, Default)]
pub struct LeaseLabels(Vec<(SpendBy, String)>);

impl LeaseLabels {
    /// The maximum number of labels of a lease. With them, and with a void for each slot without a charge, the transaction has at
    /// most 99 writes. The limit of DynamoDB is 100.
    pub const MAX: usize = 30;

    /// Adds those of a call. Returns false if there would be too many, and then adds none.
    pub fn add(&mut self, labels: &CallLabels) -> bool {
        let before = self.0.len();
        for (by, name) in labels.names() {
            if !self.0.iter().any(|(its, known)| *its == by && known == name) {
                self.0.push((by, name.to_owned()));
            }
        }
        let fits = self.0.len() <= Self::MAX;
        if !fits {
            self.0.truncate(before);
        }
        fits
    }
}

/// A lease has room for the labels of any call.
const _: () = assert!(CallLabels::MAX_TAGS < LeaseLabels::MAX);

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(tags: std::ops::Range<usize>, end_user: Option<&str>) -> CallLabels {
        CallLabels { end_user: end_user.map(str::to_owned), tags: tags.map(|tag| format!("tag {tag}")).collect() }
    }

    #[test]
    fn a_lease_has_at_most_its_number_of_labels() {
        let mut of_lease = LeaseLabels::default();
        assert!(of_lease.add(&labels(0..10, None)) && of_lease.add(&labels(5..15, Some("tag 1"))));
        assert!(of_lease.add(&labels(15..24, Some("ana"))), "26 labels");
        assert!(!of_lease.add(&labels(24..30, None)), "32 labels");
        assert!(of_lease.add(&labels(24..28, Some("ana"))), "the refused call added none");
        assert!(!of_lease.add(&labels(28..29, None)), "31 labels");
        assert!(of_lease.add(&labels(0..10, Some("ana"))) && of_lease.add(&CallLabels::default()), "known labels fit");
    }
}
