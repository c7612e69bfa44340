//! A connection that reads and writes whole messages, and limits what a server may send.

use effects::cut_while_encrypting;
use outbound::{Outbound, Stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};

use crate::errors::{Failure, MAX_SESSION_BYTES, Result, not_encrypted, too_large};

pub struct Wire {
    stream: BufReader<Stream>,
    left: usize,
    pub is_encrypted: bool,
}

impl Wire {
    pub fn new(stream: Stream) -> Self {
        Self { stream: BufReader::new(stream), left: MAX_SESSION_BYTES, is_encrypted: false }
    }

    pub async fn read(&mut self, bytes: usize) -> Result<Vec<u8>> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        let mut read = vec![0; bytes];
        self.stream.read_exact(&mut read).await?;
        Ok(read)
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).await?;
        Ok(self.stream.flush().await?)
    }

    /// Encrypts the connection. What the server has sent in advance could come from an attacker between, who wants it to be read as
    /// if it were encrypted.
    pub async fn encrypt(self, outbound: &Outbound, host: &str) -> Result<Self> {
        if !self.stream.buffer().is_empty() {
            return Err(not_encrypted("something was sent before the encryption began"));
        }
        let encrypted = outbound.encrypt(self.stream.into_inner(), host).await.map_err(|error| {
            cut_while_encrypting(&error).map_or_else(|| not_encrypted(&error.to_string()), Failure::Step)
        })?;
        Ok(Self { stream: BufReader::new(encrypted), left: self.left, is_encrypted: true })
    }
}
