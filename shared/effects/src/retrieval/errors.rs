//! The errors of sources. Their messages name the source, and never contain its URL or its content.

use engine::drive::{EffectError, RetryHint};
use engine::run::StepError;

use super::MAX_PASSAGES;

/// A source that could not be read.
pub fn unavailable(source: &str, problem: impl std::fmt::Display, retry: RetryHint) -> EffectError {
    let error = StepError::new("source_unavailable", format!("the source \"{source}\" could not be read: {problem}"));
    EffectError { error, retry }
}

/// A source that is no text.
pub fn not_supported(source: &str, problem: &str) -> EffectError {
    permanent("source_not_supported", format!("the source \"{source}\" cannot be used: {problem}"))
}

pub fn too_large(source: &str, limit_bytes: usize) -> EffectError {
    let message = format!("the source \"{source}\" is larger than {limit_bytes} bytes; divide it, or use less of it");
    permanent("source_too_large", message)
}

pub fn empty(source: &str) -> EffectError {
    let message = format!(
        "the source \"{source}\" has no text; remove it, or use another one. A page whose text is added by scripts \
         cannot be read"
    );
    permanent("source_empty", message)
}

/// `source` is the first one that exceeds the limit.
pub fn too_many_passages(source: &str) -> EffectError {
    let message = format!(
        "a node searches at most {MAX_PASSAGES} passages, and \"{source}\" exceeds them; use fewer or shorter sources, or \
         divide them between nodes"
    );
    permanent("too_many_passages", message)
}

/// The vectors of a model would take too much memory.
pub fn vectors_too_large(passages: usize, dimensions: usize) -> EffectError {
    let message = format!(
        "{passages} passages are too many for a model whose vectors have {dimensions} numbers; use fewer or shorter \
         sources, or a model with shorter vectors"
    );
    permanent("too_many_passages", message)
}

pub fn empty_query() -> EffectError {
    permanent("invalid_query", "config.query: the query is empty; check its template".to_owned())
}

/// A model whose vectors cannot be compared.
pub fn invalid_vectors() -> EffectError {
    let message = "the model returned vectors that cannot be compared with each other; choose another model";
    permanent("invalid_answer", message.to_owned())
}

/// An error that another attempt would not change.
fn permanent(code: &str, message: String) -> EffectError {
    EffectError { error: StepError::new(code, message), retry: RetryHint::Never }
}
