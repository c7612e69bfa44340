//! Ranks vectors by cosine similarity to the vector of a query (exact nearest neighbors).

/// Sums that the compiler can compute side by side. The order of additions is fixed, so scores are reproducible.
const LANES: usize = 8;

/// What a search returns.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    pub top_k: usize,
    pub min_score: f64,
}

/// A passage that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The position of the content in the list of contents.
    pub content: usize,
    /// The position of the passage in its content.
    pub passage: usize,
    /// The cosine similarity, from -1 to 1, with six decimals.
    pub score: f64,
}

/// Returns the passages with the highest scores, the best first. Equal scores keep the order of the contents and of
/// their passages. The vectors of a content are stored one after the other, and each is as long as the query.
pub fn rank<'a>(
    query: &[f32],
    contents: impl IntoIterator<Item = &'a [f32]>,
    SearchLimits { top_k, min_score }: SearchLimits,
) -> Vec<Match> {
    let scored = contents.into_iter().enumerate().flat_map(|(content, vectors)| {
        let vectors = vectors.chunks_exact(query.len().max(1)).enumerate();
        vectors.map(move |(passage, vector)| Match { content, passage, score: cosine(query, vector) })
    });
    let mut matches: Vec<Match> = scored.filter(|found| found.score >= min_score).collect();
    matches.sort_by(|one, other| other.score.total_cmp(&one.score));
    matches.truncate(top_k);
    matches
}

/// The cosine of the angle between two vectors. A vector of zeros is similar to nothing.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let (mut product, mut length, mut other_length) = ([0f32; LANES], [0f32; LANES], [0f32; LANES]);
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest = ones.remainder().iter().zip(others.remainder());
    for (lane, (a, b)) in rest.enumerate() {
        (product[lane], length[lane], other_length[lane]) = (a * b, a * a, b * b);
    }
    for (a, b) in ones.zip(others) {
        for lane in 0..LANES {
            product[lane] += a[lane] * b[lane];
            length[lane] += a[lane] * a[lane];
            other_length[lane] += b[lane] * b[lane];
        }
    }
    let sum = |lanes: [f32; LANES]| lanes.into_iter().map(f64::from).sum::<f64>();
    let lengths = (sum(length) * sum(other_length)).sqrt();
    let score = if lengths > 0.0 { (sum(product) / lengths).clamp(-1.0, 1.0) } else { 0.0 };
    // Adding zero turns -0 into 0.
    (score * 1e6).round() / 1e6 + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: SearchLimits = SearchLimits { top_k: usize::MAX, min_score: -1.0 };

    fn found(matches: &[Match]) -> Vec<(usize, usize, f64)> {
        matches.iter().map(|Match { content, passage, score }| (*content, *passage, *score)).collect()
    }

    #[test]
    fn the_best_passages_come_first() {
        let contents = [&[0.0, 2.0, 3.0, 0.0][..], &[3.0, 4.0, -1.0, 0.0]];
        let query = [0.5, 0.0];
        let ranked = rank(&query, contents, ALL);
        assert_eq!(found(&ranked), [(0, 1, 1.0), (1, 0, 0.6), (0, 0, 0.0), (1, 1, -1.0)]);
        let ranked = rank(&query, contents, SearchLimits { top_k: 3, min_score: 0.5 });
        assert_eq!(found(&ranked), [(0, 1, 1.0), (1, 0, 0.6)]);
        assert_eq!(rank(&query, contents, SearchLimits { top_k: 1, min_score: -1.0 }).len(), 1);
    }

    #[test]
    fn equal_scores_keep_the_order_of_the_contents() {
        let contents = [&[1.0, 0.0, 2.0, 0.0][..], &[], &[4.0, 0.0]];
        assert_eq!(found(&rank(&[1.0, 0.0], contents, ALL)), [(0, 0, 1.0), (0, 1, 1.0), (2, 0, 1.0)]);
    }

    #[test]
    fn a_vector_of_zeros_is_similar_to_nothing() {
        let contents = [&[0.0, 0.0][..]];
        assert_eq!(found(&rank(&[1.0, 0.0], contents, ALL)), [(0, 0, 0.0)]);
        assert_eq!(found(&rank(&[0.0, 0.0], contents, ALL)), [(0, 0, 0.0)]);
    }

    proptest! {
        #[test]
        fn scores_are_the_cosine(pairs in proptest::collection::vec((-1f32..1.0, -1f32..1.0), 1..40)) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            let expected = product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt();
            prop_assume!(expected.is_finite());
            let score = rank(&one, [other.as_slice()], ALL)[0].score;
            prop_assert!((score - expected).abs() < 1e-5, "{score} {expected}");
        }
    }

    /// `engine/README.md` has the figures of
    /// `cargo test --profile lambda -p effects --lib -- many_passages_are_ranked --ignored --nocapture`.
    #[test]
    #[ignore = "measures, and is slow in a debug build"]
    fn many_passages_are_ranked() {
        for (passages, dimensions) in [(2_000, 1_536), (2_000, 3_072), (20_000, 1_536)] {
            let number = |seed: usize| ((seed * 7_919) % 1_009) as f32 / 1_009.0 - 0.5;
            let vectors: Vec<f32> = (0..passages * dimensions).map(number).collect();
            let limits = SearchLimits { top_k: 5, min_score: -1.0 };
            let mut took: Vec<f64> = (0..11)
                .map(|_| {
                    let started = std::time::Instant::now();
                    assert_eq!(rank(&vectors[..dimensions], [vectors.as_slice()], limits)[0].score, 1.0);
                    started.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            took.sort_by(f64::total_cmp);
            let megabytes = (4 * vectors.len()) as f64 / 1e6;
            eprintln!("{passages} passages of {dimensions} numbers: {megabytes:.1} MB, {:.1} ms", took[5]);
        }
    }
}
