//! A session of MySQL's protocol, which MariaDB speaks too. Statements are prepared, so that a value is never part of the SQL, and one
//! text is one statement. The client does not offer to send local files.

mod sign_in;
mod values;

use std::sync::Arc;

use mysql_common::constants::{CapabilityFlags, ColumnFlags, StatusFlags};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{
    Column, ComStmtExecuteRequestBuilder, CommonOkPacket, ErrPacket, OkPacket, OkPacketDeserializer, StmtPacket,
};
use mysql_common::proto::{Binary, MyDeserialize, MySerialize};
use mysql_common::row::RowDeserializer;
use mysql_common::value::ServerSide;
use serde_json::{Map, Value};

use crate::errors::{Failure, Refusal, Result, invalid_answer, not_encrypted, server_error, stop, wrong_parameters};
use crate::rows::{Outcome, Rows, check_columns};
use crate::start::Start;
use crate::wire::Wire;

/// The largest packet. A longer message is divided into several, which the limit of a session does not allow.
const MAX_PACKET_BYTES: usize = 0xFF_FFFF;

const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;

const OK: u8 = 0x00;
const LOCAL_FILE: u8 = 0xFB;
const END: u8 = 0xFE;
const ERROR: u8 = 0xFF;

pub struct MySql {
    wire: Wire,
    /// The number of the next packet.
    sequence: u8,
    capabilities: CapabilityFlags,
    is_maria: bool,
    /// Some statements of MySQL commit.
    is_in_transaction: bool,
}

impl MySql {
    /// Signs in and begins the transaction.
    pub async fn start(wire: Wire, start: &Start<'_>) -> Result<Self> {
        let mut session = Self::sign_in(wire, start).await?;
        let milliseconds = start.time.as_millis();
        let limit = if session.is_maria {
            format!("max_statement_time = {}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
        } else {
            format!("max_execution_time = {milliseconds}")
        };
        session.query(&format!("SET time_zone = '+00:00', {limit}")).await?;
        if start.is_read_only {
            // Also of the transactions that follow, should a statement end this one.
            session.query("SET SESSION TRANSACTION READ ONLY").await?;
            session.query("START TRANSACTION READ ONLY").await?;
        } else {
            session.query("START TRANSACTION").await?;
        }
        Ok(session)
    }

    pub async fn perform(&mut self, sql: &str, parameters: &[Value], mut rows: Rows) -> Result<Outcome> {
        if !self.is_in_transaction {
            let message = "the statement before has ended the transaction, as CREATE, ALTER and LOCK do in MySQL, and what was done \
                           until then remains; put such a statement into a node of its own";
            return Err(stop("database_transaction_ended", message));
        }
        let statement = self.prepare(sql).await?;
        let needed = usize::from(statement.num_params());
        if needed != parameters.len() {
            return Err(wrong_parameters(needed, parameters.len()));
        }
        let parameters: Vec<_> = parameters.iter().map(values::from_json).collect();
        let (request, is_too_large) = ComStmtExecuteRequestBuilder::new(statement.statement_id()).build(&parameters);
        if is_too_large {
            return Err(stop("database_parameters", "the values are too large"));
        }
        let mut message = Vec::new();
        request.serialize(&mut message);
        self.command(&message).await?;
        let mut outcome = Outcome::default();
        // A procedure can have several results.
        loop {
            let packet = self.packet().await?;
            let status = match packet[0] {
                OK => {
                    let ok = self.read_ok(&packet)?;
                    outcome.affected = outcome.affected.saturating_add(ok.affected_rows());
                    outcome.last_insert_id = ok.last_insert_id().or(outcome.last_insert_id);
                    ok.status_flags()
                }
                LOCAL_FILE => return Err(stop("database_refused", "LOAD DATA LOCAL is not possible; use INSERT")),
                _ => {
                    rows.rows.clear();
                    self.read_rows(&packet, &mut rows).await?
                }
            };
            if !status.contains(StatusFlags::SERVER_MORE_RESULTS_EXISTS) {
                self.is_in_transaction = status.contains(StatusFlags::SERVER_STATUS_IN_TRANS);
                outcome.rows = rows.rows;
                return Ok(outcome);
            }
        }
    }

    async fn read_rows(&mut self, packet: &[u8], rows: &mut Rows) -> Result<StatusFlags> {
        let columns = match *packet {
            [count] if count < LOCAL_FILE => usize::from(count),
            [0xFC, low, high] => usize::from(u16::from_le_bytes([low, high])),
            _ => return Err(invalid_answer("a result has no columns")),
        };
        let columns: Arc<[Column]> = self.columns(columns).await?.into();
        let names: Vec<_> = columns.iter().map(|column| column.name_str().into_owned()).collect();
        check_columns(names.iter().map(String::as_str))?;
        loop {
            let packet = self.packet().await?;
            if let Some(status) = end_of(&packet) {
                return Ok(status);
            }
            let row = parse::<RowDeserializer<ServerSide, Binary>>(&packet, columns.clone())?.into_inner().unwrap();
            let values = columns.iter().zip(row).map(|(column, value)| values::to_json(value, column));
            rows.push(names.iter().cloned().zip(values).collect::<Map<_, _>>())?;
        }
    }

    async fn prepare(&mut self, sql: &str) -> Result<StmtPacket> {
        self.command(&[&[PREPARE], sql.as_bytes()].concat()).await?;
        let packet = self.packet().await?;
        let statement: StmtPacket = parse(&packet, ())?;
        self.columns(statement.num_params().into()).await?;
        self.columns(statement.num_columns().into()).await?;
        Ok(statement)
    }

    /// Descriptions of columns, and the packet that ends them.
    async fn columns(&mut self, count: usize) -> Result<Vec<Column>> {
        let mut columns = Vec::new();
        for _ in 0..count {
            columns.push(parse(&self.packet().await?, ())?);
        }
        if count > 0 && end_of(&self.packet().await?).is_none() {
            return Err(invalid_answer("the columns of a result do not end"));
        }
        Ok(columns)
    }

    pub async fn commit(&mut self) -> Result<()> {
        self.query("COMMIT").await?;
        // Nothing depends on it any more.
        drop(self.command(&[QUIT]).await);
        Ok(())
    }

    /// Executes a statement of our own.
    async fn query(&mut self, sql: &str) -> Result<()> {
        self.command(&[&[QUERY], sql.as_bytes()].concat()).await?;
        let packet = self.packet().await?;
        self.read_ok(&packet).map(drop)
    }

    fn read_ok<'a>(&self, packet: &'a [u8]) -> Result<OkPacket<'a>> {
        Ok(parse::<OkPacketDeserializer<'a, CommonOkPacket>>(packet, self.capabilities)?.into_inner())
    }

    async fn command(&mut self, message: &[u8]) -> Result<()> {
        self.sequence = 0;
        self.send(message).await
    }

    async fn send(&mut self, message: &[u8]) -> Result<()> {
        if message.len() >= MAX_PACKET_BYTES {
            return Err(stop("database_parameters", "the statement or its values are too large"));
        }
        let [a, b, c, ..] = message.len().to_le_bytes();
        let packet = [&[a, b, c, self.sequence], message].concat();
        self.sequence = self.sequence.wrapping_add(1);
        self.wire.write(&packet).await
    }

    /// The next packet, which is not empty. An error of the server ends the session.
    async fn packet(&mut self) -> Result<Vec<u8>> {
        let header = self.wire.read(4).await?;
        let (&[a, b, c], sequence) = (header.first_chunk::<3>().unwrap_or(&[0; 3]), header[3]);
        let packet = self.wire.read(u32::from_le_bytes([a, b, c, 0]) as usize).await?;
        self.sequence = sequence.wrapping_add(1);
        match packet.first() {
            None => Err(invalid_answer("a packet is empty")),
            Some(&ERROR) => Err(refusal(&packet, self.capabilities)),
            Some(_) => Ok(packet),
        }
    }
}

/// The status in a packet that ends columns or rows; none if it is another packet.
fn end_of(packet: &[u8]) -> Option<StatusFlags> {
    match *packet {
        [END, _, _, low, high] => Some(StatusFlags::from_bits_truncate(u16::from_le_bytes([low, high]))),
        _ => None,
    }
}

fn parse<'a, T: MyDeserialize<'a>>(packet: &'a [u8], context: T::Ctx) -> Result<T> {
    ParseBuf(packet).parse(context).map_err(|error| invalid_answer(&format!("a packet is not valid ({error})")))
}

fn refusal(packet: &[u8], capabilities: CapabilityFlags) -> Failure {
    let error = match parse::<ErrPacket<'_>>(packet, capabilities) {
        Ok(ErrPacket::Error(error)) => error,
        Ok(ErrPacket::Progress(_)) => return invalid_answer("the server reports its progress"),
        Err(failure) => return failure,
    };
    let refusal = match error.error_code() {
        1044 | 1045 | 1698 => Refusal::Login,
        1049 => Refusal::UnknownDatabase,
        1020 | 1205 | 1213 => Refusal::Conflict,
        1040 | 1053 | 1129 | 1203 | 1317 | 1927 | 3169 | 4031 => Refusal::Unavailable,
        1969 | 3024 => Refusal::Timeout,
        1792 => Refusal::ReadOnly,
        3159 | 4151 => Refusal::Encryption,
        _ => Refusal::Other,
    };
    server_error(&refusal, &error.error_code().to_string(), &error.message_str())
}

/// Whether a column has bytes and no text.
fn is_binary(column: &Column) -> bool {
    const BINARY: u16 = 63;
    column.character_set() == BINARY && !column.flags().contains(ColumnFlags::NUM_FLAG)
}
