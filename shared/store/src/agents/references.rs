//! Reads an item together with the entities that an agent refers to, and writes the reverse index of these references.

use std::collections::{BTreeSet, HashMap};

use super::Agents;
use crate::dependents::{self, By, Dependent, Referrer};
use crate::item::Item;
use crate::keys::{self, Key};
use crate::write::Write;
use domain::Result;
use domain::agent::Agent;
use domain::identity::Account;
use domain::reference::Reference;

/// The label of the check that a new reference exists.
pub(super) const REFERENCE: &str = "reference";

/// An item, and the entities of some references.
pub(super) struct LoadedReferences {
    account: Account,
    pub own: Option<Item>,
    items: HashMap<Key, Item>,
}

impl LoadedReferences {
    /// The references that exist for an agent.
    pub fn find_known(&self, references: &BTreeSet<Reference>, referrer: &Referrer<'_>) -> BTreeSet<Reference> {
        let is_known = |reference: &&Reference| {
            let item = self.items.get(&keys::reference_key(self.account, reference));
            item.is_some_and(|item| referrer.can_use(item, reference))
        };
        references.iter().filter(is_known).cloned().collect()
    }
}

impl Agents {
    /// Reads an item and the entities of the references in one call.
    pub(super) async fn load_with_references(
        &self,
        account: Account,
        own: &Key,
        references: &BTreeSet<Reference>,
    ) -> Result<LoadedReferences> {
        let referenced = references.iter().map(|reference| keys::reference_key(account, reference));
        let mut wanted: Vec<Key> = referenced.filter(|key| key != own).collect();
        wanted.push(own.clone());
        let found = self.entities.batch_get(&wanted).await?;
        let items: HashMap<_, _> = found.into_iter().filter_map(|item| Some((Key::from_item(&item)?, item))).collect();
        Ok(LoadedReferences { account, own: items.get(own).cloned(), items })
    }

    /// The writes that change the reverse index from the references of one revision to those of the next. They require that
    /// the new references exist.
    pub(super) fn reference_writes(&self, before: Option<&Agent>, after: &Agent) -> Vec<Write> {
        let old = before.map(|before| before.config.references()).unwrap_or_default();
        let new = after.config.references();
        let dependent = Dependent { account: after.account, by: By::Agent(after.id) };
        let mut writes = Vec::new();
        for reference in new.keys().filter(|reference| !old.contains_key(*reference)) {
            writes.push(dependents::add_dependent(&self.entities, dependent, reference));
            // The creation of a private agent requires its workflow already, and a transaction may check an item only once.
            if before.is_none() && after.scope.workflow().map(Reference::Workflow).as_ref() == Some(reference) {
                continue;
            }
            let exists = dependents::require_exists(&self.entities, after.account, reference, self.clock.now());
            writes.push(exists.labeled(REFERENCE));
        }
        let removed = old.keys().filter(|reference| !new.contains_key(*reference));
        writes.extend(removed.map(|reference| dependents::remove_dependent(&self.entities, dependent, reference)));
        writes
    }
}
