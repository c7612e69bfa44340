//! Brings the entries of users up to date after a change of what they show, such as the name. The change writes the work with
//! it and does it at once; if the process ends before, the attention worker does it.

use futures::stream::{self, StreamExt};
use futures::{TryFutureExt, TryStreamExt};
use uuid::Uuid;

use super::entry::{AccessItem, SharedEntity};
use super::own_key;
use crate::item::Item;
use crate::keys;
use crate::table::Table;
use crate::work;
use crate::write::Write;
use domain::Result;
use domain::id::WorkId;
use domain::identity::Account;
use domain::reference::Reference;
use domain::sharing::{Shareable, Sharing};

/// The number of entries that are written concurrently.
const AT_ONCE: usize = 16;

/// Adds the work of a change to its writes, unless only the user who created it sees it. The id of the work is that of the write.
pub(crate) fn with_relist_work(
    entities: &Table,
    mut writes: Vec<Write>,
    write_id: Uuid,
    home: Account,
    what: Shareable,
    sharing: &Sharing,
) -> Vec<Write> {
    if is_shared(home, sharing) {
        let reference = match what {
            Shareable::Workflow(id) => Reference::Workflow(id),
            Shareable::Agent(id) => Reference::Agent(id),
        };
        writes.push(work::relist_work(entities, WorkId::from(write_id), home, reference));
    }
    writes
}

fn is_shared(home: Account, sharing: &Sharing) -> bool {
    sharing.owner != home.user || !sharing.members.is_empty()
}

/// Does the work of a change that was written. If it fails, the ticker sends it to the attention worker later.
pub(crate) async fn relist_now(entities: &Table, write_id: Uuid, home: Account, what: Shareable, sharing: &Sharing) {
    if !is_shared(home, sharing) {
        return;
    }
    let work_id = WorkId::from(write_id);
    let done = relist(entities, home, what).and_then(|()| async { entities.remove(&keys::work(work_id)).await });
    if let Err(error) = done.await {
        tracing::warn!(?error, %work_id, "the lists of members are brought up to date later");
    }
}

/// Writes the entries that show an earlier revision.
pub(crate) async fn relist(entities: &Table, home: Account, what: Shareable) -> Result<()> {
    let Some(item) = entities.get(&own_key(home, what)).await? else { return Ok(()) };
    // The entries of what was deleted are removed with it.
    let Some(entity) = SharedEntity::read(home, what, item)? else { return Ok(()) };
    let entries = entity.users().filter_map(|user| entity.entry(user)).chain(entity.owners_copy());
    let write = |entry: Item| async {
        // An entry that was removed meanwhile stays removed.
        let newer = entities.put_item(entry).require_exists().require(AccessItem::SEEN.is_less_than(entity.revision));
        entities.write(newer).await.map(drop)
    };
    stream::iter(entries.map(write).collect::<Vec<_>>()).buffer_unordered(AT_ONCE).try_collect().await
}
