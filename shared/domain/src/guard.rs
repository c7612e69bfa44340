//! The guard: it evaluates texts against the operator's risk categories and records an event for each evaluation.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::chat::{ChatRole, Message};
use super::id::{ApiKeyId, GuardEventId};
use super::identity::Account;
use super::time::Time;

/// The maximum number of results that an event keeps.
pub const MAX_RESULTS: usize = 128;
/// A pending evaluation that is older than this is read as failed. It may still be made.
const LONGEST_PENDING: Duration = Duration::from_secs(60 * 60);
/// The maximum number of characters that an event keeps, in all messages together.
const MAX_KEPT_CHARS: usize = 8_192;

/// A risk category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardCategory {
    /// Guard models know the category by this name, such as `violence`.
    pub code: String,
    pub label: String,
    pub severity: GuardSeverity,
    /// A text is flagged if its score is at least this.
    pub threshold: f64,
    /// Only active categories are evaluated.
    pub active: bool,
}

impl GuardCategory {
    /// Whether a score flags a text.
    pub fn is_reached_by(&self, score: Option<f64>) -> bool {
        score.is_some_and(|score| score >= self.threshold)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardSeverity {
    Low,
    Medium,
    High,
    Critical,
}

/// Whether a category can have this code.
pub fn is_category_code(code: &str) -> bool {
    let is_allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"_-".contains(&c);
    (1..=64).contains(&code.len()) && code.bytes().all(is_allowed)
}

/// How a guard model is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardApi {
    /// `OpenAI`'s API for moderation. It scores each text alone.
    #[default]
    Moderation,
    /// The prompt of Meta's Llama Guard, which judges the last message of a conversation.
    LlamaGuard,
    /// A chat model that answers with the scores as JSON.
    ChatJson,
}

/// A message to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardMessage {
    pub role: GuardRole,
    pub content: String,
}

impl GuardMessage {
    pub fn has_text(&self) -> bool {
        !self.content.trim().is_empty()
    }
}

impl From<&Message> for GuardMessage {
    fn from(message: &Message) -> Self {
        let role = match message.role {
            ChatRole::System => GuardRole::System,
            ChatRole::User => GuardRole::User,
            ChatRole::Assistant => GuardRole::Assistant,
            ChatRole::Tool => GuardRole::Tool,
        };
        // The model wrote the arguments of its tool calls too.
        let arguments = message.tool_calls.iter().map(|call| call.arguments.clone());
        let texts: Vec<_> = [message.text()].into_iter().chain(arguments).filter(|text| !text.is_empty()).collect();
        Self { role, content: texts.join("\n") }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardRole {
    System,
    User,
    Assistant,
    Tool,
}

/// The scores of one message, or of a whole conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardResult {
    /// The place of the message in the input. None if the scores are those of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The score of each category, from 0 to 1. None if the guard model does not know the category.
    pub scores: Vec<Option<f64>>,
}

/// What a guard model found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardVerdict {
    /// The categories, as they were at the time.
    pub categories: Vec<GuardCategory>,
    pub results: Vec<GuardResult>,
}

impl GuardVerdict {
    pub fn is_flagged(&self) -> bool {
        self.results.iter().any(|result| self.flags(result))
    }

    /// Whether a result reaches the threshold of a category.
    pub fn flags(&self, result: &GuardResult) -> bool {
        self.scores(result).any(|(category, score)| category.is_reached_by(score))
    }

    /// The categories with the scores of a result.
    pub fn scores<'a>(&'a self, result: &'a GuardResult) -> impl Iterator<Item = (&'a GuardCategory, Option<f64>)> {
        self.categories.iter().zip(result.scores.iter().copied())
    }

    /// The categories that any result flags.
    pub fn flagged_categories(&self) -> impl Iterator<Item = &GuardCategory> {
        let is_reached = |place: usize, category: &GuardCategory| {
            self.results.iter().any(|result| category.is_reached_by(result.scores.get(place).copied().flatten()))
        };
        self.categories.iter().enumerate().filter(move |(place, category)| is_reached(*place, category)).map(|(_, c)| c)
    }

    /// Drops results, if there are more than an event keeps. Flagged results are kept first, then those with the highest
    /// scores.
    pub fn shorten(&mut self) {
        if self.results.len() <= MAX_RESULTS {
            return;
        }
        let highest = |result: &GuardResult| result.scores.iter().flatten().copied().fold(0.0, f64::max);
        let mut ranked: Vec<_> = std::mem::take(&mut self.results)
            .into_iter()
            .map(|result| (self.flags(&result), highest(&result), result))
            .collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        self.results = ranked.into_iter().take(MAX_RESULTS).map(|(_, _, result)| result).collect();
        self.results.sort_by_key(|result| result.index);
    }
}

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardEvent {
    pub id: GuardEventId,
    pub account: Account,
    pub key: Option<ApiKeyId>,
    pub request_id: String,
    pub source: GuardSource,
    /// The name of the guard model.
    pub model: String,
    pub outcome: GuardOutcome,
    /// Whether the call was refused because of this evaluation.
    #[serde(default)]
    pub blocked: bool,
    /// The number of attempts that have failed. 0 if the evaluation is completed.
    #[serde(default)]
    pub failures: u32,
    /// The messages, if the organization keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<GuardMessage>>,
    pub created_at: Time,
}

/// Which request was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardSource {
    /// A call of a chat or an image model.
    Chat,
    /// A request for an evaluation.
    Guard,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardOutcome {
    /// The evaluation is in the queue.
    Pending,
    Completed(GuardVerdict),
    Failed {
        code: String,
        message: String,
    },
}

impl GuardEvent {
    pub fn verdict(&self) -> Option<&GuardVerdict> {
        match &self.outcome {
            GuardOutcome::Completed(verdict) => Some(verdict),
            GuardOutcome::Pending | GuardOutcome::Failed { .. } => None,
        }
    }

    /// The event as it is read at `now`. An evaluation whose task was lost stays pending in the table, and is read as
    /// failed after an hour.
    #[must_use]
    pub fn at(mut self, now: Time) -> Self {
        if self.outcome == GuardOutcome::Pending && self.created_at.plus(LONGEST_PENDING) <= now {
            let message = "the evaluation was not made within an hour".to_owned();
            self.outcome = GuardOutcome::Failed { code: "evaluation_overdue".to_owned(), message };
        }
        self
    }

    pub fn is_flagged(&self) -> bool {
        self.verdict().is_some_and(GuardVerdict::is_flagged)
    }
}

/// The messages that an event keeps: the last ones that fit. The oldest of them may be cut at its end.
pub fn kept_input(messages: &[GuardMessage]) -> Vec<GuardMessage> {
    let mut room = MAX_KEPT_CHARS;
    let mut kept = Vec::new();
    for message in messages.iter().rev().take(MAX_RESULTS) {
        if room == 0 {
            break;
        }
        let content: String = message.content.chars().take(room).collect();
        room -= content.chars().count();
        kept.push(GuardMessage { role: message.role, content });
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrgId, UserId};

    fn category(code: &str, threshold: f64) -> GuardCategory {
        let label = code.to_owned();
        GuardCategory { code: label.clone(), label, severity: GuardSeverity::High, threshold, active: true }
    }

    fn verdict(scores: &[[Option<f64>; 2]]) -> GuardVerdict {
        let result = |(index, scores): (usize, &[Option<f64>; 2])| GuardResult {
            index: u32::try_from(index).ok(),
            scores: scores.to_vec(),
        };
        GuardVerdict {
            categories: vec![category("violence", 0.5), category("hate", 0.9)],
            results: scores.iter().enumerate().map(result).collect(),
        }
    }

    #[test]
    fn a_score_is_flagged_from_the_threshold_of_its_own_category() {
        assert!(!verdict(&[[Some(0.49), Some(0.89)]]).is_flagged());
        let flagged = verdict(&[[Some(0.1), Some(0.1)], [Some(0.5), None]]);
        let codes = |verdict: &GuardVerdict| verdict.flagged_categories().map(|c| c.code.clone()).collect::<Vec<_>>();
        assert_eq!(codes(&flagged), ["violence"]);
        assert!(!flagged.flags(&flagged.results[0]) && flagged.flags(&flagged.results[1]));
        assert!(!verdict(&[[None, None]]).is_flagged());
    }

    #[test]
    fn a_long_conversation_keeps_its_highest_scores_in_order() {
        let mut scores = vec![[Some(0.1), None]; MAX_RESULTS + 10];
        scores[3] = [Some(0.9), None];
        scores[MAX_RESULTS + 5] = [None, Some(0.95)];
        let mut long = verdict(&scores);
        long.shorten();
        assert_eq!(long.results.len(), MAX_RESULTS);
        let kept: Vec<_> = long.results.iter().filter_map(|result| result.index).collect();
        assert!(kept.contains(&3) && kept.contains(&(MAX_RESULTS as u32 + 5)));
        assert!(kept.is_sorted());
    }

    #[test]
    fn a_flagged_result_is_kept_before_higher_scores_of_other_categories() {
        let mut scores = vec![[None, Some(0.8)]; MAX_RESULTS + 10];
        scores[7] = [Some(0.5), None];
        let mut long = verdict(&scores);
        long.shorten();
        assert!(long.is_flagged());
        assert!(long.results.iter().any(|result| result.index == Some(7)));
    }

    #[test]
    fn a_pending_evaluation_is_read_as_failed_after_an_hour() {
        let created_at = Time::from_millis(1_000_000);
        let event = GuardEvent {
            id: GuardEventId::new(),
            account: Account { org: OrgId::new(), user: UserId::new() },
            key: None,
            request_id: String::new(),
            source: GuardSource::Chat,
            model: "watch".to_owned(),
            outcome: GuardOutcome::Pending,
            blocked: false,
            failures: 0,
            input: None,
            created_at,
        };
        let minutes = |minutes: u64| created_at.plus(Duration::from_secs(60 * minutes));
        assert_eq!(event.clone().at(minutes(59)).outcome, GuardOutcome::Pending);
        let lost = event.clone().at(minutes(60)).outcome;
        assert!(matches!(lost, GuardOutcome::Failed { code, .. } if code == "evaluation_overdue"));
        let completed = GuardEvent { outcome: GuardOutcome::Completed(verdict(&[])), ..event };
        assert_eq!(completed.clone().at(minutes(90)), completed);
    }

    #[test]
    fn kept_input_has_the_last_messages_that_fit() {
        let message = |content: String| GuardMessage { role: GuardRole::User, content };
        let kept = kept_input(&[message("a".repeat(9_000)), message("b".repeat(8_000))]);
        assert_eq!(kept.iter().map(|message| message.content.len()).collect::<Vec<_>>(), [192, 8_000]);
        assert_eq!(kept_input(&[message("é".repeat(9_000))])[0].content.chars().count(), MAX_KEPT_CHARS);
    }
}
