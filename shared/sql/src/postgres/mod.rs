//! A session of PostgreSQL's protocol, version 3. Values go both ways as text, which every type has: an enum, a range and the types of
//! extensions need no code.

mod arrays;
mod sign_in;
mod values;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{ErrorResponseBody, Message};
use postgres_protocol::message::frontend;
use serde_json::{Map, Value};

use crate::errors::{Failure, Refusal, Result, invalid_answer, server_error, stop, wrong_parameters};
use crate::rows::{Outcome, Rows, check_columns};
use crate::start::Start;
use crate::wire::Wire;

/// The status of a session that is in a transaction.
const IN_TRANSACTION: u8 = b'T';
/// The format of values as text.
const TEXT: i16 = 0;

pub struct Postgres {
    wire: Wire,
}

impl Postgres {
    /// Signs in and begins the transaction.
    pub async fn start(wire: Wire, start: &Start<'_>) -> Result<Self> {
        let mut session = Self { wire: sign_in::encrypt(wire, start).await? };
        session.sign_in(start).await?;
        // In the transaction and not in the start of the session: poolers refuse most settings there. The query after a read-only
        // begin takes its snapshot, after which a transaction stays read-only.
        let begin = format!(
            "BEGIN{}; SET LOCAL statement_timeout = {}; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; \
             SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'{}",
            if start.is_read_only { " READ ONLY" } else { "" },
            start.time.as_millis(),
            if start.is_read_only { "; SELECT 1" } else { "" },
        );
        session.query(&begin).await?;
        Ok(session)
    }

    pub async fn perform(&mut self, sql: &str, parameters: &[Value], mut rows: Rows) -> Result<Outcome> {
        let (types, columns) = self.prepare(sql).await?;
        if types.len() != parameters.len() {
            return Err(wrong_parameters(types.len(), parameters.len()));
        }
        check_columns(columns.iter().map(|(name, _)| name.as_str()))?;
        let mut texts = Vec::with_capacity(parameters.len());
        for (index, (value, oid)) in parameters.iter().zip(types).enumerate() {
            texts.push(
                values::to_text(value, oid).map_err(|problem| {
                    stop("database_parameters", &format!("the value of ${}: {problem}", index + 1))
                })?,
            );
        }
        let mut message = BytesMut::new();
        let write = |text: Option<String>, buffer: &mut BytesMut| match text {
            Some(text) => {
                buffer.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        };
        let bound = frontend::bind("", "", [TEXT], texts, write, [TEXT], &mut message);
        bound.map_err(|_| stop("database_parameters", "the values are too large"))?;
        frontend::execute("", i32::try_from(rows.wanted()).unwrap_or(i32::MAX), &mut message)?;
        frontend::sync(&mut message);
        self.wire.write(&message).await?;

        let mut affected = 0;
        loop {
            match self.next().await? {
                Message::DataRow(row) => {
                    let ranges: Vec<_> = row.ranges().collect()?;
                    let mut object = Map::new();
                    for ((name, oid), range) in columns.iter().zip(ranges) {
                        let text = range.and_then(|range| row.buffer().get(range)).map(std::str::from_utf8);
                        let text = text.transpose().map_err(|_| invalid_answer("a value is not UTF-8"))?;
                        object.insert(name.clone(), text.map_or(Value::Null, |text| values::to_json(text, *oid)));
                    }
                    rows.push(object)?;
                }
                Message::CommandComplete(done) => affected = affected_rows(done.tag()?),
                Message::ReadyForQuery(ready) if ready.status() == IN_TRANSACTION => break,
                Message::ReadyForQuery(_) => return Err(invalid_answer("the statement has ended the transaction")),
                Message::CopyInResponse(_) | Message::CopyOutResponse(_) => {
                    return Err(stop("database_refused", "COPY is not possible; use SELECT or INSERT"));
                }
                _ => {}
            }
        }
        Ok(Outcome { rows: rows.rows, affected, last_insert_id: None })
    }

    /// The types of the placeholders, and the names and types of the columns.
    async fn prepare(&mut self, sql: &str) -> Result<(Vec<u32>, Vec<(String, u32)>)> {
        let mut message = BytesMut::new();
        frontend::parse("", sql, [], &mut message)?;
        frontend::describe(b'S', "", &mut message)?;
        frontend::sync(&mut message);
        self.wire.write(&message).await?;
        let (mut types, mut columns) = (Vec::new(), Vec::new());
        loop {
            match self.next().await? {
                Message::ParameterDescription(described) => types = described.parameters().collect()?,
                Message::RowDescription(described) => {
                    let fields = described.fields().map(|field| Ok((field.name().to_owned(), field.type_oid())));
                    columns = fields.collect()?;
                }
                Message::ReadyForQuery(_) => return Ok((types, columns)),
                _ => {}
            }
        }
    }

    pub async fn commit(&mut self) -> Result<()> {
        match self.query("COMMIT").await?.as_str() {
            "COMMIT" => {}
            other => return Err(invalid_answer(&format!("the answer to COMMIT is {other}"))),
        }
        let mut end = BytesMut::new();
        frontend::terminate(&mut end);
        // Nothing depends on it any more.
        drop(self.wire.write(&end).await);
        Ok(())
    }

    /// Executes statements of our own, and returns what the last one has done.
    async fn query(&mut self, sql: &str) -> Result<String> {
        let mut message = BytesMut::new();
        frontend::query(sql, &mut message)?;
        self.wire.write(&message).await?;
        let mut tag = String::new();
        loop {
            match self.next().await? {
                Message::CommandComplete(done) => tag = done.tag()?.to_owned(),
                Message::ReadyForQuery(_) => return Ok(tag),
                _ => {}
            }
        }
    }

    /// The next message that is no notice. An error of the server ends the session.
    async fn next(&mut self) -> Result<Message> {
        loop {
            let mut message = self.wire.read(5).await?;
            let length = message[1..].try_into().map_or(0, u32::from_be_bytes);
            let body = length.checked_sub(4).ok_or_else(|| invalid_answer("a message has no length"))?;
            message.extend(self.wire.read(body as usize).await?);
            let parsed = Message::parse(&mut BytesMut::from(&message[..]))?;
            match parsed {
                Some(Message::ErrorResponse(error)) => return Err(refusal(&error)),
                Some(Message::NoticeResponse(_) | Message::ParameterStatus(_) | Message::NotificationResponse(_)) => {}
                Some(message) => return Ok(message),
                None => return Err(invalid_answer("a message is not complete")),
            }
        }
    }
}

/// The number in the tag of a statement that changes rows, such as `INSERT 0 3`.
fn affected_rows(tag: &str) -> u64 {
    let mut words = tag.split(' ');
    match words.next() {
        Some("INSERT" | "UPDATE" | "DELETE" | "MERGE") => {
            words.next_back().and_then(|count| count.parse().ok()).unwrap_or_default()
        }
        _ => 0,
    }
}

fn refusal(error: &ErrorResponseBody) -> Failure {
    let (mut code, mut message) = (String::new(), String::new());
    let read = error.fields().for_each(|field| {
        let value = String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => code = value,
            b'M' => message = value,
            _ => {}
        }
        Ok(())
    });
    if read.is_err() {
        return invalid_answer("an error could not be read");
    }
    let refusal = match code.as_str() {
        "28P01" | "28000" => Refusal::Login,
        "3D000" => Refusal::UnknownDatabase,
        "40001" | "40P01" | "55P03" => Refusal::Conflict,
        "57014" => Refusal::Timeout,
        "25006" => Refusal::ReadOnly,
        code if ["53", "08", "57P"].iter().any(|class| code.starts_with(class)) => Refusal::Unavailable,
        _ => Refusal::Other,
    };
    server_error(&refusal, &code, &message)
}
