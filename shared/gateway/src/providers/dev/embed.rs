//! Embeddings of the development model, by feature hashing of words and trigrams. Similar texts share features, so
//! their vectors are close to each other.

use super::hash::hash;
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest, Input};
use domain::usage::Tokens;

const DIMENSIONS: u64 = 256;
const TRIGRAM_WEIGHT: f32 = 0.25;

pub fn embed_inputs(request: &EmbeddingsRequest) -> EmbeddingsAnswer {
    let dimensions = usize::try_from(request.dimensions().unwrap_or(DIMENSIONS)).unwrap_or_default();
    let vectors = request.inputs().iter().map(|input| embed_input(input, dimensions)).collect();
    let usage = Tokens { input: request.greatest_input(), ..Tokens::default() };
    EmbeddingsAnswer { vectors, usage: Some(usage) }
}

/// Adds or subtracts each feature at one dimension, both chosen by its hash, and normalizes the vector to length 1.
fn embed_input(input: &Input<'_>, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0f32; dimensions];
    let mut add = |feature: &str, weight: f32| {
        let hash = hash(feature.as_bytes());
        let sign = if hash >> 63 == 0 { weight } else { -weight };
        vector[hash as usize % dimensions] += sign;
    };
    match input {
        Input::Text(text) => {
            let lower = text.to_lowercase();
            for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
                add(word, 1.0);
                let letters: Vec<char> = format!("<{word}>").chars().collect();
                for part in letters.windows(3) {
                    add(&part.iter().collect::<String>(), TRIGRAM_WEIGHT);
                }
            }
        }
        Input::Tokens(numbers) => numbers.iter().for_each(|number| add(&number.to_string(), 1.0)),
    }
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    if length < 1e-6 {
        // The text has no words, or the features cancelled each other out.
        vector.fill(0.0);
        vector[hash(format!("{input:?}").as_bytes()) as usize % dimensions] = 1.0;
        return vector;
    }
    vector.iter_mut().for_each(|part| *part /= length);
    vector
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn embed_json(input: Value, dimensions: Option<u64>) -> Vec<Vec<f32>> {
        let mut body = json!({"model": "dev-embed", "input": input});
        if let Some(dimensions) = dimensions {
            body["dimensions"] = dimensions.into();
        }
        embed_inputs(&EmbeddingsRequest::read(body).unwrap()).vectors
    }

    fn similarity(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn similar_texts_have_closer_vectors() {
        let texts = json!(["The cat sat on the mat", "A cat sits on a mat", "Quarterly revenue grew by nine percent"]);
        let vectors = embed_json(texts, None);
        let (alike, other) = (similarity(&vectors[0], &vectors[1]), similarity(&vectors[0], &vectors[2]));
        assert!(alike > 0.3 && alike > other + 0.2, "{alike} {other}");
    }

    #[test]
    fn vectors_are_normalized_of_the_requested_size_and_deterministic() {
        for dimensions in [None, Some(1), Some(3), Some(1_536)] {
            let inputs = json!(["hello world", "!?", " "]);
            let vectors = embed_json(inputs.clone(), dimensions);
            for vector in &vectors {
                assert_eq!(vector.len() as u64, dimensions.unwrap_or(256));
                assert!((similarity(vector, vector) - 1.0).abs() < 1e-5);
            }
            assert_eq!(vectors, embed_json(inputs, dimensions));
        }
        assert_eq!(embed_json(json!([[1, 2, 3], [4]]), None).len(), 2);
        assert_eq!(embed_json(json!("golden"), Some(4)), embed_json(json!(["golden"]), Some(4)));
    }
}
