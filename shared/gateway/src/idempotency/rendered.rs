//! Answers that the version before stored as response bodies in OpenAI's format. A client gets them unchanged, and a caller in
//! the process reads them here. They expire 24 hours after an upgrade.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::answers::{
    AnswerChunk, AnswerHead, Completion, Embeddings, Evaluation, StartedImages, StreamedCompletion, Usage, Vector,
};
use crate::chat::Choices;
use domain::guard::{GuardCategory, GuardResult, GuardSeverity, GuardVerdict};
use domain::id::{GuardEventId, TransactionId};
use domain::usage::Tokens;
use domain::usd::UsdIn;
use domain::{Error, Result};

/// The stored answer of an earlier call with the same `Idempotency-Key`.
pub enum Replay<T> {
    Answer(T),
    Rendered(RenderedAnswer),
}

pub struct RenderedAnswer {
    pub content_type: String,
    pub body: Bytes,
}

impl<T: ReadRendered> Replay<T> {
    pub fn into_answer(self) -> Result<T> {
        match self {
            Self::Answer(answer) => Ok(answer),
            Self::Rendered(RenderedAnswer { body, .. }) => T::read_rendered(&body).map_err(Error::internal),
        }
    }
}

/// An answer that callers in the process read from a body of the version before.
pub trait ReadRendered: Sized {
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self>;
}

/// A completion, or a chunk of one.
#[derive(Deserialize)]
struct ChatView {
    created: i64,
    model: String,
    choices: Box<RawValue>,
    system_fingerprint: Option<String>,
    usage: Option<UsageView>,
}

#[derive(Deserialize)]
struct UsageView {
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    cost: UsdIn,
}

#[derive(Deserialize)]
struct EmbeddingsView {
    data: Vec<RowView>,
    model: String,
    usage: UsageView,
}

#[derive(Deserialize)]
struct RowView {
    embedding: VectorView,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum VectorView {
    Numbers(Vec<f32>),
    Base64(Vector),
}

/// The score of a category for a `guard` node.
#[derive(Deserialize)]
struct CategoryView {
    code: String,
    label: String,
    severity: GuardSeverity,
    score: Option<f64>,
    flagged: bool,
}

impl ChatView {
    /// No caller in the process uses the id, so it is a new one.
    fn head(&self) -> AnswerHead {
        AnswerHead { id: TransactionId::new(), created: self.created, model: self.model.clone() }
    }
}

impl From<UsageView> for Usage {
    fn from(UsageView { prompt_tokens, completion_tokens, cost }: UsageView) -> Self {
        let tokens = Tokens { input: prompt_tokens, output: completion_tokens, ..Tokens::default() };
        Self { tokens, cost: cost.0 }
    }
}

impl ReadRendered for Completion {
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self> {
        let view: ChatView = serde_json::from_slice(body)?;
        Ok(Self {
            head: view.head(),
            choices: Choices::OpenAi(view.choices),
            usage: view.usage.map(Usage::from).unwrap_or_default(),
            system_fingerprint: view.system_fingerprint,
        })
    }
}

impl ReadRendered for StreamedCompletion {
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self> {
        let events = body.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data: "));
        let events = events.filter(|data| *data != b"[DONE]").map(serde_json::from_slice);
        let mut views: Vec<ChatView> = events.collect::<serde_json::Result<_>>()?;
        let last = views.pop().ok_or_else(|| serde::de::Error::custom("a stream without chunks"))?;
        let chunk = |ChatView { choices, system_fingerprint, .. }| AnswerChunk {
            choices: Choices::OpenAi(choices),
            system_fingerprint,
        };
        let head = last.head();
        let chunks: Vec<AnswerChunk> = views.into_iter().map(chunk).collect();
        // Callers in the process request the usage, which is the last chunk.
        Ok(Self { head, chunks: to_raw_value(&chunks)?, usage: last.usage.map(Usage::from).unwrap_or_default() })
    }
}

impl ReadRendered for Embeddings {
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self> {
        let EmbeddingsView { data, model, usage } = serde_json::from_slice(body)?;
        let vectors = data.into_iter().map(|row| match row.embedding {
            VectorView::Numbers(numbers) => Vector(numbers),
            VectorView::Base64(vector) => vector,
        });
        Ok(Self { model, vectors: vectors.collect(), usage: usage.into() })
    }
}

impl ReadRendered for Evaluation {
    /// The body has the scores of the only text. Its thresholds are unknown, but each score is at or below its threshold.
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self> {
        let views: Vec<CategoryView> = serde_json::from_slice(body)?;
        let scores = views.iter().map(|view| view.score).collect();
        let categories = views.into_iter().map(|CategoryView { code, label, severity, score, flagged }| {
            let threshold = score.filter(|_| flagged).unwrap_or(f64::INFINITY);
            GuardCategory { code, label, severity, threshold, active: true }
        });
        Ok(Self {
            event: GuardEventId::new(),
            model: String::new(),
            verdict: GuardVerdict {
                categories: categories.collect(),
                results: vec![GuardResult { index: None, scores }],
            },
            usage: Usage::default(),
        })
    }
}

impl ReadRendered for StartedImages {
    fn read_rendered(body: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(body)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use domain::money::Money;

    const USAGE: &str = r#"{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"cost":0.000041}"#;

    fn read<T: ReadRendered>(body: &str) -> T {
        let rendered = RenderedAnswer { content_type: "application/json".to_owned(), body: body.to_owned().into() };
        Replay::Rendered(rendered).into_answer().unwrap()
    }

    fn used(input: u64, output: u64) -> (Tokens, Money) {
        (Tokens { input, output, ..Tokens::default() }, Money::from_micro_usd(41))
    }

    #[test]
    fn completions_are_read_with_their_usage() {
        let choices = r#"[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]"#;
        let body = format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion","created":7,"model":"m","choices":{choices},"usage":{USAGE}}}"#
        );
        let Completion { head, choices, usage, .. } = read(&body);
        assert_eq!((head.created, head.model.as_str()), (7, "m"));
        assert_eq!(choices.into_first().unwrap().unwrap().message.content.as_deref(), Some("hi"));
        assert_eq!((usage.tokens, usage.cost), used(3, 2));
    }

    #[tokio::test]
    async fn streams_are_read_from_their_events() {
        use futures::StreamExt;

        use crate::StreamItem;

        let head = r#""id":"chatcmpl-1","object":"chat.completion.chunk","created":7,"model":"m""#;
        let body = format!(
            "data: {{{head},\"choices\":[{{\"delta\":{{\"content\":\"hi\"}}}}],\"usage\":null}}\n\n\
             data: {{{head},\"choices\":[],\"usage\":{USAGE}}}\n\ndata: [DONE]\n\n"
        );
        let stream = read::<StreamedCompletion>(&body).into_stream().unwrap();
        let items: Vec<StreamItem> = stream.items.collect().await;
        let [StreamItem::Chunks(chunks), StreamItem::End(usage)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(chunks[0].choices.read()[0].delta.content.as_deref(), Some("hi"));
        assert_eq!((usage.tokens, usage.cost), used(3, 2));
    }

    #[test]
    fn vectors_are_read_from_numbers_and_from_base64() {
        let vector = Vector(vec![0.1, -2.0]);
        for embedding in [json!([0.1, -2]), json!(vector.to_base64())] {
            let usage = r#""usage":{"prompt_tokens":3,"total_tokens":3,"cost":0.000041}"#;
            let body =
                format!(r#"{{"object":"list","data":[{{"index":0,"embedding":{embedding}}}],"model":"m",{usage}}}"#);
            let Embeddings { vectors, usage, .. } = read(&body);
            assert_eq!((vectors, usage.tokens, usage.cost), (vec![vector.clone()], used(3, 0).0, used(3, 0).1));
        }
    }

    #[test]
    fn scores_are_flagged_as_they_were() {
        let score = |code: &str, score: Option<f64>, flagged: bool| json!({"code": code, "label": code, "severity": "high", "score": score, "flagged": flagged});
        let body = json!([score("a", Some(0.5), true), score("b", Some(1.0), false), score("c", None, false)]);
        let Evaluation { verdict, .. } = read(&body.to_string());
        let flags = verdict.scores(&verdict.results[0]).map(|(category, score)| (score, category.is_reached_by(score)));
        assert_eq!(flags.collect::<Vec<_>>(), [(Some(0.5), true), (Some(1.0), false), (None, false)]);
    }
}
