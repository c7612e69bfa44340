//! The list of the open reviews of all workflows in which a user may resolve them. The index lags, so the
//! reviews and their runs are read and decide.

use std::collections::HashMap;

use uuid::Uuid;

use super::Runs;
use super::items::{ReviewItem, RunItem};
use super::reviews::OpenReview;
use crate::item::{Item, parse};
use crate::keys::{self, AccountList, Key};
use crate::query::TableIndex;
use crate::sharded_list::ShardedList;
use crate::sharing::{Seen, SeenWorkflows};
use domain::Result;
use domain::page::{Slice, SliceRequest};
use domain::run::Run;

/// An open review of a run.
#[derive(Debug)]
pub struct ListedReview {
    pub run: Run,
    pub review: OpenReview,
}

impl Runs {
    /// Lists the open reviews, by the time when they were opened. A page may be short although another one follows.
    pub async fn list_open_reviews(
        &self,
        seen: &SeenWorkflows,
        SliceRequest { order, limit, after }: SliceRequest,
    ) -> Result<Slice<Seen<ListedReview>>> {
        let index = TableIndex::global("of_account", ReviewItem::LISTED_OF);
        let list = ShardedList {
            table: &self.entities,
            shards: seen.shards(&[AccountList::Reviews], &index),
            id: ReviewItem::LISTED_AT.path(),
            order,
            from: Uuid::nil(),
            to: Uuid::max(),
            drops_most: seen.has_several_homes(),
        };
        list.page(limit, after, async |found| {
            let reviews = self.load_reviews(found).await?;
            seen.keep(reviews, |listed| (listed.run.account, listed.run.workflow)).await
        })
        .await
    }

    /// Reads listed reviews with the heads of their runs, and leaves out those that nobody can answer any more.
    async fn load_reviews(&self, found: Vec<(Uuid, Item)>) -> Result<Vec<(Uuid, ListedReview)>> {
        let now = self.now();
        let places: Vec<(Uuid, Key)> =
            found.iter().filter_map(|(place, item)| Some((*place, Key::from_item(item)?))).collect();
        let run_of = |review: &Key| keys::read_id(keys::RUN, &review.pk).map(keys::run);
        let mut wanted: Vec<Key> = places.iter().map(|(_, review)| review.clone()).collect();
        for (_, review) in &places {
            let run = run_of(review)?;
            if !wanted.contains(&run) {
                wanted.push(run);
            }
        }
        let items = self.entities.batch_get(&wanted).await?.into_iter();
        let items: HashMap<Key, Item> = items.filter_map(|item| Some((Key::from_item(&item)?, item))).collect();
        let mut open = Vec::new();
        for (place, key) in places {
            let (Some(review), Some(run)) = (items.get(&key), items.get(&run_of(&key)?)) else { continue };
            let review: ReviewItem = parse(review.clone())?;
            let run: RunItem = parse(run.clone())?;
            let is_current = review.listed_at == Some(place) && !run.is_stopped() && !run.state.has_ended();
            let review = OpenReview::from(review);
            if is_current && review.is_open(now) {
                open.push((place, ListedReview { run: run.into(), review }));
            }
        }
        Ok(open)
    }
}
