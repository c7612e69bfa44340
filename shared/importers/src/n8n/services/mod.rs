//! Translates nodes of services, such as Google Sheets and Slack, and of databases, tables, e-mails and feeds.
//!
//! `operations.jsonl` has the operations of n8n that are one operation of the crate `services`. The modules have the others:
//! those that need several requests, or a node that is not `http`. Scripts of the nodes call `n8n.…`, which the files
//! `script/src/prelude/n8n/nodes/*.js` define.

mod airtable;
mod calendar;
mod call;
mod database;
mod discord;
mod drive;
mod github;
mod gmail;
mod linked_in;
mod mail;
mod meta;
mod notion;
mod outlook;
mod poll;
mod request;
mod sheets;
mod slack;
mod slack_files;
mod source;
mod table;
mod tables;
mod telegram;
pub mod telegram_bot;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::translation::Translation;
pub use poll::Poll;
use source::{Reads, Source};

/// Translates a node of a service. `js` writes a parameter of n8n in JavaScript. None if the operation is not known, or the
/// service.
pub fn translate(kind: &str, version: f64, parameters: &Value, js: &dyn Fn(&Value) -> String) -> Option<Translation> {
    let reads = Reads::default();
    let source = &Source { kind, version, parameters, js, reads: &reads };
    let translated = match kind {
        "airtable" => airtable::translate(source),
        "dataTable" => tables::translate(source),
        "discord" => discord::translate(source),
        "emailSend" => mail::send(source),
        "facebookGraphApi" => meta::graph(source),
        "github" => github::translate(source),
        "gmail" => gmail::translate(source),
        "googleDrive" => drive::translate(source),
        "googleSheets" => sheets::translate(source),
        "googleCalendar" => calendar::translate(source),
        "graphql" => mail::graphql(source),
        "linkedIn" => linked_in::translate(source),
        "microsoftOutlook" => outlook::translate(source),
        "mySql" | "postgres" => database::translate(source),
        "notion" => notion::translate(source),
        "rssFeedRead" => mail::feed(source),
        "slack" => slack::translate(source),
        "telegram" | "whatsApp" => telegram::translate(source),
        _ => None,
    };
    let translated = translated.or_else(|| table::translate(source, source.resource(""), source.operation("")))?;
    Some(with_unread(source, translated))
}

/// The list that a trigger asks for again and again. None if the trigger is not known.
pub fn poll(kind: &str, version: f64, parameters: &Value, js: &dyn Fn(&Value) -> String) -> Option<Poll> {
    let reads = Reads::default();
    let source = Source { kind, version, parameters, js, reads: &reads };
    let poll = match kind {
        "airtableTrigger" => airtable::poll(&source),
        "gmailTrigger" => gmail::poll(&source),
        "googleCalendarTrigger" => calendar::poll(&source),
        "googleDriveTrigger" => drive::poll(&source),
        "googleSheetsTrigger" => sheets::poll(&source),
        "microsoftOutlookTrigger" => outlook::poll(&source),
        "notionTrigger" => notion::poll(&source),
        "rssFeedReadTrigger" => mail::poll(&source),
        _ => None,
    }?;
    let list = with_unread(&source, poll.list);
    Some(Poll { list, ..poll })
}

/// Translates a node of Telegram as a call of its bot, also if a channel could send its text.
pub fn translate_bot(version: f64, parameters: &Value, js: &dyn Fn(&Value) -> String) -> Option<Translation> {
    let reads = Reads::default();
    let source = &Source { kind: "telegram", version, parameters, js, reads: &reads };
    Some(with_unread(source, telegram_bot::translate(source)?))
}

/// Reports the options of the node that the translation has not read.
fn with_unread(source: &Source, translation: Translation) -> Translation {
    match translation.unsupported {
        Some(_) => translation,
        None => translation.with_notes(source.report_unread()),
    }
}
