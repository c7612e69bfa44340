//! The vectors of passages, and the search in them. Each content has one object in the bucket, and a search reads the
//! objects of its contents and compares every vector.
//!
//! A vector store would replace this file, and nothing else: `open` would look up which contents it has, `add` would
//! write their vectors, and `search` would be its query. `engine/README.md` states from which size on.

use bytes::Bytes;
use domain::Result;
use domain::id::OrgId;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use platform::bucket::Bucket;
use platform::offload::offload;

use super::ranking::{self, Match, SearchLimits};

/// Objects that are read at the same time.
const PARALLEL_READS: usize = 8;

/// A content whose passages are searched.
#[derive(Clone, Debug)]
pub struct IndexedContent {
    /// The hash of everything that determines the vectors.
    pub hash: String,
    /// The number of passages.
    pub passages: usize,
}

/// The vectors of some contents of an organization.
pub struct PassageIndex {
    bucket: Bucket,
    org: OrgId,
    dimensions: usize,
    contents: Vec<IndexedContent>,
    /// The vectors of each content, one after the other. None if the content was not embedded yet.
    vectors: Vec<Option<Vec<f32>>>,
}

impl PassageIndex {
    /// Reads the vectors of these contents, as far as the organization has them with this number of dimensions.
    pub async fn open(bucket: &Bucket, org: OrgId, contents: Vec<IndexedContent>, dimensions: usize) -> Result<Self> {
        let reads: Vec<_> =
            contents.iter().map(|content| read_vectors(bucket, org, content, dimensions).boxed()).collect();
        let vectors = stream::iter(reads).buffered(PARALLEL_READS).try_collect().await?;
        Ok(Self { bucket: bucket.clone(), org, dimensions, contents, vectors })
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The positions of the contents without vectors.
    pub fn missing(&self) -> Vec<usize> {
        let missing = self.vectors.iter().enumerate().filter(|(_, vectors)| vectors.is_none());
        missing.map(|(content, _)| content).collect()
    }

    /// Stores the vectors of a content, which must all have the dimensions of the index.
    pub async fn add(&mut self, content: usize, vectors: Vec<f32>) -> Result<()> {
        let name = object_name(self.org, &self.contents[content]);
        self.bucket.put(&name, "application/octet-stream", encode(&vectors, self.dimensions)).await?;
        self.vectors[content] = Some(vectors);
        Ok(())
    }

    /// The passages that are nearest to the query, the best first. Equal scores keep the order of the contents.
    pub async fn search(self, query: Vec<f32>, limits: SearchLimits) -> Result<Vec<Match>> {
        let vectors = self.vectors;
        let rank = move || {
            let contents = vectors.iter().map(|vectors| vectors.as_deref().unwrap_or_default());
            ranking::rank(&query, contents, limits)
        };
        offload(move || Ok(rank())).await
    }
}

async fn read_vectors(
    bucket: &Bucket,
    org: OrgId,
    content: &IndexedContent,
    dimensions: usize,
) -> Result<Option<Vec<f32>>> {
    let object = bucket.get(&object_name(org, content)).await?;
    Ok(object.and_then(|object| decode(&object, content.passages, dimensions)))
}

/// The organization is part of the name, so that no tenant reads or pays for another.
fn object_name(org: OrgId, content: &IndexedContent) -> String {
    format!("vectors/{org}/{}", content.hash)
}

/// The number of dimensions, then all vectors: little-endian numbers of 32 bits. The bucket verifies a checksum.
fn encode(vectors: &[f32], dimensions: usize) -> Vec<u8> {
    let dimensions = u32::try_from(dimensions).unwrap_or(u32::MAX).to_le_bytes();
    dimensions.into_iter().chain(vectors.iter().flat_map(|number| number.to_le_bytes())).collect()
}

/// None if the object has another number of passages or dimensions. The content is then embedded again.
fn decode(object: &Bytes, passages: usize, dimensions: usize) -> Option<Vec<f32>> {
    let (head, numbers) = object.split_first_chunk::<4>()?;
    let has_size = u32::from_le_bytes(*head) as usize == dimensions && numbers.len() == 4 * passages * dimensions;
    let (numbers, _) = numbers.as_chunks::<4>();
    has_size.then(|| numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_only_with_its_own_size() {
        let vectors = vec![0.5, -1.0, 3.25, 0.0, f32::MIN_POSITIVE, 1e30];
        let object = Bytes::from(encode(&vectors, 3));
        assert_eq!(decode(&object, 2, 3), Some(vectors));
        for (passages, dimensions) in [(3, 2), (1, 3), (3, 3), (2, 4)] {
            assert_eq!(decode(&object, passages, dimensions), None, "{passages} {dimensions}");
        }
        assert_eq!(decode(&object.slice(..object.len() - 1), 2, 3), None);
        assert_eq!(decode(&Bytes::new(), 0, 0), None);
    }
}
