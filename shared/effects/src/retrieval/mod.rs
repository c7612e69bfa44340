//! Performs `retrieval` nodes: splits the sources into passages, embeds those that are new, and ranks all of them by their
//! similarity to the query. The README of the engine describes the sources, the limits and the cost.

mod chunks;
mod embedder;
mod errors;
mod index;
mod ranking;
mod sources;

use std::sync::Arc;

use domain::{Error, Result};
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::nodes::retrieval::{DEFAULT_TOP_K, PassageSource, RetrievalNode};
use engine::run::StepOutcome;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use outbound::Calls;
use platform::bucket::Bucket;
use platform::offload::offload;
use platform::{Context, config};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::EffectOwner;
use crate::errors::to_effect_error;
use crate::model::ModelEffects;
use chunks::split_passages;
use embedder::Embedder;
use index::{IndexedContent, PassageIndex};
use ranking::SearchLimits;
use sources::SourceReader;

/// The passages of all sources of a node. They are compared one by one, and their vectors read from the bucket, in every
/// call.
const MAX_PASSAGES: usize = 2_000;
/// The vectors of one call. Together with `PARALLEL_RETRIEVALS`, it bounds the memory of a process.
const MAX_VECTOR_BYTES: usize = 48 * 1024 * 1024;
/// Retrievals of this process at the same time; others wait. The iterations of a loop may all be retrievals.
const PARALLEL_RETRIEVALS: usize = 4;
/// Sources that are read at the same time.
const PARALLEL_SOURCES: usize = 8;
/// Calls of the gateway at the same time, for one retrieval.
const PARALLEL_CALLS: usize = 4;
/// The passages in one call of the gateway.
const BATCH_PASSAGES: usize = 64;

/// Performs `retrieval` nodes. A process needs only one.
pub struct RetrievalEffects {
    models: Arc<ModelEffects>,
    reader: SourceReader,
    bucket: Bucket,
    slots: Semaphore,
}

/// The text of a source, as passages.
struct Content {
    /// The name of the source.
    source: String,
    text_hash: String,
    passages: Vec<String>,
}

impl RetrievalEffects {
    pub fn new(context: &Context, models: Arc<ModelEffects>, calls: Calls) -> Result<Self> {
        let reader = SourceReader { calls, clock: context.clock.clone() };
        let bucket = Bucket::new(context, config::BUCKET_FILES)?;
        Ok(Self { models, reader, bucket, slots: Semaphore::new(PARALLEL_RETRIEVALS) })
    }

    /// Finds passages. The value is the list of passages, each `{source, text, score}`, the best first. It has at most
    /// 50 passages of 1,000 characters, so it is never too large for a value.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, node: &RetrievalNode<String>) -> EffectResult {
        if node.query.trim().is_empty() {
            return Err(errors::empty_query());
        }
        let _slot = self.slots.acquire().await.map_err(|error| to_effect_error(Error::internal(error)))?;
        let contents = self.load_contents(&node.sources).await?;
        let payer = self.models.payer(owner).await.map_err(to_effect_error)?;
        let model = self.models.find_model(&payer, &node.model).await.map_err(to_effect_error)?;
        let org = payer.org;
        let embedder = Embedder { models: &self.models, payer, model, owner, effect };
        let query = embedder.embed_query(&node.query).await?;
        check_size(&contents, query.len())?;

        let indexed = contents.iter().map(|content| IndexedContent {
            hash: embedder.hash(&content.text_hash),
            passages: content.passages.len(),
        });
        let index = PassageIndex::open(&self.bucket, org, indexed.collect(), query.len()).await;
        let mut index = index.map_err(to_effect_error)?;
        embed_missing(&embedder, &contents, &mut index).await?;
        let limits = SearchLimits {
            top_k: node.top_k.unwrap_or(DEFAULT_TOP_K) as usize,
            min_score: node.min_score.unwrap_or(f64::NEG_INFINITY),
        };
        let matches = index.search(query, limits).await.map_err(to_effect_error)?;
        let passages = matches.into_iter().map(|found| {
            let Content { source, passages, .. } = &contents[found.content];
            json!({"source": source, "text": passages[found.passage], "score": found.score})
        });
        Ok(StepOutcome::new(OUT, passages.collect::<Value>()))
    }

    /// Reads all sources and splits them. Sources with the same text are one content, under the name of the first.
    async fn load_contents(&self, sources: &[PassageSource]) -> Result<Vec<Content>, EffectError> {
        // Boxed, because the compiler cannot name the lifetimes of such closures in a stream.
        let loads: Vec<_> = sources.iter().map(|source| self.load_content(source).boxed()).collect();
        let mut loads = stream::iter(loads).buffered(PARALLEL_SOURCES);
        let (mut contents, mut count): (Vec<Content>, _) = (Vec::new(), 0);
        while let Some(content) = loads.try_next().await? {
            if contents.iter().any(|known| known.text_hash == content.text_hash) {
                continue;
            }
            count += content.passages.len();
            if count > MAX_PASSAGES {
                return Err(errors::too_many_passages(&content.source));
            }
            contents.push(content);
        }
        Ok(contents)
    }

    async fn load_content(&self, source: &PassageSource) -> Result<Content, EffectError> {
        let text = self.reader.read(source).await?;
        let split = offload(move || Ok((domain::graph::hash(&text), split_passages(&text)))).await;
        let (text_hash, passages) = split.map_err(to_effect_error)?;
        if passages.is_empty() {
            return Err(errors::empty(source.name()));
        }
        Ok(Content { source: source.name().to_owned(), text_hash, passages })
    }
}

fn check_size(contents: &[Content], dimensions: usize) -> Result<(), EffectError> {
    let passages: usize = contents.iter().map(|content| content.passages.len()).sum();
    if 4 * passages * dimensions > MAX_VECTOR_BYTES {
        return Err(errors::vectors_too_large(passages, dimensions));
    }
    Ok(())
}

/// Embeds the contents that the index does not have, in batches. A content is added once it is complete. If the attempt
/// breaks off before, the next one gets the stored answers of the batches that were paid.
async fn embed_missing(
    embedder: &Embedder<'_>,
    contents: &[Content],
    index: &mut PassageIndex,
) -> Result<(), EffectError> {
    let missing = index.missing();
    let dimensions = index.dimensions();
    let batches = missing.iter().flat_map(|number| {
        let batches = contents[*number].passages.chunks(BATCH_PASSAGES);
        batches.map(|texts| async { Ok((*number, embedder.embed_passages(texts, dimensions).await?)) }.boxed())
    });
    let batches: Vec<_> = batches.collect();
    let mut batches = stream::iter(batches).buffered(PARALLEL_CALLS);
    let mut vectors = Vec::new();
    while let Some((number, batch)) = batches.try_next().await? {
        vectors.extend(batch);
        if vectors.len() == contents[number].passages.len() * dimensions {
            index.add(number, std::mem::take(&mut vectors)).await.map_err(to_effect_error)?;
        }
    }
    Ok(())
}
