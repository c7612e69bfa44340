//! Texts and times of feeds.

use ::http::header::CONTENT_TYPE;
use domain::time::Time;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;

use crate::http::Received;
use documents::charset;

/// An XML declaration is at the begin.
const DECLARATION_BYTES: usize = 200;

/// The text of an answer, in the character set of its content type or of its XML declaration.
pub fn decode(received: &Received) -> Option<String> {
    let content_type = received.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let named = content_type.and_then(charset::charset_of).map(str::to_owned);
    charset::decode(&received.body, named.or_else(|| declared(&received.body)).as_deref())
}

/// The `encoding` of an XML declaration.
fn declared(body: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&body[..body.len().min(DECLARATION_BYTES)]).into_owned();
    let declaration = start.trim_start_matches('\u{feff}').strip_prefix("<?xml")?.split_once("?>")?.0.to_owned();
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start().to_owned();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    Some(value[1..].split(quote).next()?.to_owned())
}

/// A text without white space around it; none if it is blank.
pub fn non_blank(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A time of a feed, in the form of the platform: RFC 3339 as in Atom, RFC 2822 as in RSS, or without a zone, in UTC.
pub fn time(text: &str) -> Option<String> {
    static RFC_2822: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    let text = text.trim();
    let without_zone = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let parsed =
        text.parse::<Timestamp>().ok().or_else(|| RFC_2822.parse_timestamp(text).ok()).or_else(without_zone)?;
    Some(Time::from(parsed).to_string())
}
