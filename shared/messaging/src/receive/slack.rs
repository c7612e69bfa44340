//! Slack's Events API: `message` and `app_mention` events. Slack signs the time and the body of each request.

use domain::messaging::{Destination, InboundMessage, RemoteFile, Sender};
use domain::text::from_hex;
use domain::time::Time;
use serde::Deserialize;
use serde_json::Value;

use super::limits::{check_message, media_type_or, name_or};
use super::signature::{check_time, header, is_signed};
use super::slack_text::to_readable;
use super::{InboundRequest, ReceiveError, Received, parse};

/// A challenge is short; the limit keeps this from being an echo of anything.
const MAX_CHALLENGE_CHARS: usize = 1_000;
/// The subtypes that are messages of people. Others report changes, or are messages of bots.
const SUBTYPES: [&str; 2] = ["file_share", "thread_broadcast"];

#[derive(Deserialize)]
struct Envelope {
    r#type: String,
    challenge: Option<String>,
    team_id: Option<String>,
    /// Each type of event has other fields.
    #[serde(default)]
    event: Value,
    /// The installations that may see the event. The one of our bot has its user id.
    #[serde(default)]
    authorizations: Vec<Authorization>,
}

#[derive(Deserialize)]
struct Authorization {
    user_id: Option<String>,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct Event {
    subtype: Option<String>,
    bot_id: Option<String>,
    user: Option<String>,
    channel: Option<String>,
    channel_type: Option<String>,
    text: Option<String>,
    ts: Option<String>,
    thread_ts: Option<String>,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    name: Option<String>,
    mimetype: Option<String>,
    url_private: Option<String>,
    size: Option<u64>,
}

pub fn receive(signing_secret: &str, request: &InboundRequest<'_>, now: Time) -> Result<Received, ReceiveError> {
    verify(signing_secret, request, now)?;
    let envelope: Envelope = parse(request.body)?;
    if envelope.r#type == "url_verification" {
        let challenge = envelope.challenge.filter(|text| text.chars().count() <= MAX_CHALLENGE_CHARS);
        let missing = || ReceiveError::Malformed("the challenge is missing or too long".to_owned());
        return challenge.map(Received::Challenge).ok_or_else(missing);
    }
    let message = read(envelope)?.map(check_message).transpose()?;
    Ok(Vec::from_iter(message).into())
}

fn verify(signing_secret: &str, request: &InboundRequest<'_>, now: Time) -> Result<(), ReceiveError> {
    let time = header(request.headers, "x-slack-request-timestamp")?;
    let signature = header(request.headers, "x-slack-signature")?;
    let signature = signature.strip_prefix("v0=").and_then(from_hex).ok_or(ReceiveError::Unauthorized)?;
    let parts = [b"v0:", time.as_bytes(), b":", request.body];
    if !is_signed(signing_secret.as_bytes(), &parts, &signature) {
        return Err(ReceiveError::Unauthorized);
    }
    check_time(time, now).map(drop)
}

/// Reads the message of an event. `None` for an event that is ignored.
fn read(envelope: Envelope) -> Result<Option<InboundMessage>, ReceiveError> {
    let Envelope { team_id, event, authorizations, .. } = envelope;
    let is_message = matches!(event["type"].as_str(), Some("message" | "app_mention"));
    if envelope.r#type != "event_callback" || !is_message {
        return Ok(None);
    }
    let invalid = |_| ReceiveError::Malformed("the event is not a message".to_owned());
    let event = Event::deserialize(event).map_err(invalid)?;
    let is_plain = event.subtype.as_deref().is_none_or(|subtype| SUBTYPES.contains(&subtype));
    if !is_plain || event.bot_id.is_some() {
        return Ok(None);
    }
    let Event { user, channel, channel_type, text, ts, thread_ts, files, .. } = event;
    let missing = |field: &str| ReceiveError::Malformed(format!("the event has no `{field}`"));
    let user = user.ok_or_else(|| missing("user"))?;
    let is_bot = |bot: &Authorization| bot.is_bot && bot.user_id.as_ref() == Some(&user);
    if authorizations.iter().any(is_bot) {
        return Ok(None);
    }
    let team = team_id.ok_or_else(|| missing("team_id"))?;
    let channel = channel.ok_or_else(|| missing("channel"))?;
    let ts = ts.ok_or_else(|| missing("ts"))?;
    let (position, sent_at) = read_ts(&ts)?;
    let text = to_readable(&text.unwrap_or_default());
    let attachments: Vec<_> = files.into_iter().filter_map(to_file).collect();
    if text.trim().is_empty() && attachments.is_empty() {
        return Ok(None);
    }
    let is_direct = channel_type.as_deref() == Some("im") || channel.starts_with('D');
    // A mention is delivered twice: as `message` and as `app_mention`, each with a different event id.
    let delivery_key = format!("{team}:{channel}:{ts}");
    // A reply to a message in a channel starts a thread there. Direct messages are one conversation.
    let topic = if is_direct { None } else { Some(thread_ts.unwrap_or(ts)) };
    Ok(Some(InboundMessage {
        delivery_key,
        destination: Destination { conversation: channel, topic },
        sender: Sender { id: user, name: None },
        text,
        attachments,
        position,
        sent_at: Some(sent_at),
    }))
}

/// Reads a timestamp such as `1700000000.000100`: the microseconds, and the time.
fn read_ts(ts: &str) -> Result<(u64, Time), ReceiveError> {
    let micros = ts.split_once('.').and_then(|(seconds, fraction)| {
        let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
        let is_ts = fraction.len() == 6 && is_digits(fraction) && is_digits(seconds);
        is_ts.then(|| format!("{seconds}{fraction}").parse::<u64>().ok())?
    });
    let micros = micros.ok_or_else(|| ReceiveError::Malformed("`ts` is not a timestamp".to_owned()))?;
    Ok((micros, Time::from_millis(i64::try_from(micros / 1_000).unwrap_or_default())))
}

/// A file that was deleted or is not visible to the app has no URL.
fn to_file(File { name, mimetype, url_private, size }: File) -> Option<RemoteFile> {
    let reference = url_private.filter(|url| !url.is_empty())?;
    let media_type = media_type_or(mimetype, "application/octet-stream");
    Some(RemoteFile { reference, name: name_or(name, "file"), media_type, size })
}
