//! Parses embeddings, given as numbers or as base64 of their bytes.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::usage;
use crate::embeddings::EmbeddingsAnswer;
use crate::failure::ProviderFailure;
use crate::providers::status::failure_in_answer;

#[derive(Deserialize)]
struct AnswerView<'a> {
    #[serde(default)]
    data: Vec<Row>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vector,
}

/// Parses a response into one vector for each input. Vectors are put in order by their `index`.
pub fn read(body: &[u8], inputs: usize) -> Result<EmbeddingsAnswer, ProviderFailure> {
    let answer: AnswerView<'_> = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(failure_in_answer(&error));
    }
    let mut vectors = vec![None; inputs];
    for (place, row) in answer.data.into_iter().enumerate() {
        let slot = vectors.get_mut(row.index.unwrap_or(place)).filter(|slot| slot.is_none());
        *slot.ok_or_else(|| ProviderFailure::malformed_answer("a vector whose index is unknown or repeated"))? =
            Some(row.embedding.0);
    }
    let vectors: Option<Vec<_>> = vectors.into_iter().collect();
    let vectors = vectors.ok_or_else(|| ProviderFailure::malformed_answer("an input without a vector"))?;
    Ok(EmbeddingsAnswer { vectors, usage: answer.usage.and_then(usage::read) })
}

struct Vector(Vec<f32>);

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Vector;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers, or base64 of little-endian floats")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Vector, E> {
                let bytes = BASE64_STANDARD.decode(text).map_err(E::custom)?;
                let (floats, rest) = bytes.as_chunks::<4>();
                if !rest.is_empty() {
                    return Err(E::custom("the length is not a multiple of 4 bytes"));
                }
                Ok(Vector(floats.iter().map(|float| f32::from_le_bytes(*float)).collect()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vector, A::Error> {
                let mut floats = Vec::new();
                while let Some(float) = sequence.next_element()? {
                    floats.push(float);
                }
                Ok(Vector(floats))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_base64_parse_to_the_same_vector() {
        let base64 = BASE64_STANDARD.encode([0.5f32.to_le_bytes(), (-2f32).to_le_bytes()].concat());
        let body = format!(
            r#"{{"data":[{{"index":1,"embedding":"{base64}"}},{{"index":0,"embedding":[0.5,-2]}}],
               "usage":{{"prompt_tokens":4,"total_tokens":4}}}}"#
        );
        let answer = read(body.as_bytes(), 2).unwrap();
        assert_eq!(answer.vectors, [[0.5, -2.0], [0.5, -2.0]]);
        let usage = answer.usage.unwrap();
        assert_eq!((usage.input, usage.output), (4, 0));
    }

    #[test]
    fn missing_repeated_and_malformed_vectors_are_garbled() {
        for body in [
            r#"{"data":[{"index":0,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":"AAA="},{"index":1,"embedding":[1]}]}"#,
        ] {
            assert_eq!(read(body.as_bytes(), 2).unwrap_err().code, "provider_answer_garbled", "{body}");
        }
    }
}
