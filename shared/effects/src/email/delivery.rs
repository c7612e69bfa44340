//! The conversation with an SMTP server. Until the message itself is written, nothing is sent, so another attempt is safe.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use engine::drive::{EffectError, RetryHint};
use engine::nodes::email::MailSecurity;
use engine::run::StepError;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use outbound::{Outbound, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

use super::message::Email;
use crate::credentials::Login;
use crate::errors::{cut_while_encrypting, refused, temporary};
use crate::http::errors::failed_call;

/// All that a server says, with its certificates.
const MAX_ANSWERS_BYTES: usize = 256 * 1024;
/// How long the end of the conversation may take.
const GOODBYE: Duration = Duration::from_secs(1);
/// How many characters of a server's answer an error has.
const MAX_ANSWER_CHARS: usize = 200;

pub struct Server<'a> {
    pub host: &'a str,
    pub port: u16,
    pub security: MailSecurity,
    pub login: Option<Login>,
}

/// The recipients for whom the server took the message, and those whom it refused, with its answers.
#[derive(Debug, PartialEq)]
pub struct Delivered {
    pub accepted: Vec<String>,
    pub rejected: Vec<(String, String)>,
}

impl Server<'_> {
    /// `time` is that of the whole attempt. All steps before the message have three quarters of it. A timeout of these steps is safe
    /// to repeat; only a timeout of the message is uncertain.
    pub async fn deliver(self, outbound: &Outbound, email: &Email, time: Duration) -> Result<Delivered, EffectError> {
        let prepare = async {
            let mut connection = self.connect(outbound, email.from.domain()).await?;
            let delivered = announce(&mut connection, email).await;
            Ok((connection, delivered))
        };
        let late =
            |_| temporary("email_timeout", "the server did not answer in time; check `port` and `security`", None);
        let (mut connection, delivered) = timeout(time.mul_f64(0.75), prepare).await.map_err(late)??;
        let delivered = match delivered {
            Ok(delivered) => send(&mut connection, email).await.map(|()| delivered),
            refused => refused,
        };
        // The message was taken or refused. A server that does not answer to this changes nothing.
        tokio::spawn(async move { timeout(GOODBYE, connection.quit()).await.is_ok() });
        delivered
    }

    async fn connect(&self, outbound: &Outbound, domain: &str) -> Result<AsyncSmtpConnection, EffectError> {
        let stream = outbound.open(self.host, self.port).await.map_err(|error| failed_call(&error.into()))?;
        let stream = match self.security {
            MailSecurity::Tls => outbound.encrypt(stream, self.host).await.map_err(|error| failed_tls(&error))?,
            MailSecurity::Starttls | MailSecurity::None => stream,
        };
        let hello = ClientId::Domain(domain.to_owned());
        let reads_bytes = Arc::new(AtomicBool::new(self.security == MailSecurity::Starttls));
        let connection = AsyncSmtpConnection::connect_with_transport(
            Box::new(Transport { stream, left: MAX_ANSWERS_BYTES, reads_bytes: reads_bytes.clone() }),
            &hello,
        )
        .await;
        let mut connection = connection.map_err(|error| failed("the connection", &error))?;
        if self.security == MailSecurity::Starttls {
            if !connection.can_starttls() {
                return Err(not_encrypted(&"the server does not offer STARTTLS"));
            }
            let tls = TlsParameters::new(self.host.to_owned()).map_err(|error| not_encrypted(&error))?;
            connection.starttls(tls, &hello).await.map_err(|error| failed_starttls(&error))?;
            reads_bytes.store(false, Ordering::Relaxed);
        }
        if let Some(Login { username, password }) = &self.login {
            let credentials = Credentials::new(username.clone(), password.clone());
            let login = connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await;
            login.map_err(|error| refused_login(&error))?;
        }
        Ok(connection)
    }
}

/// Names the sender and the recipients, and announces the message.
async fn announce(connection: &mut AsyncSmtpConnection, email: &Email) -> Result<Delivered, EffectError> {
    let mut parameters = Vec::new();
    if connection.server_info().supports_feature(Extension::EightBitMime) {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let is_ascii =
        std::iter::once(&email.from).chain(&email.recipients).all(|address| AsRef::<str>::as_ref(address).is_ascii());
    if !is_ascii {
        parameters.push(MailParameter::SmtpUtfEight);
    }
    let from = Mail::new(Some(email.from.clone()), parameters);
    connection.command(from).await.map_err(|error| failed("the sender", &error))?;

    let mut delivered = Delivered { accepted: Vec::new(), rejected: Vec::new() };
    let mut refusal = None;
    for recipient in &email.recipients {
        match connection.command(Rcpt::new(recipient.clone(), Vec::new())).await {
            Ok(_) => delivered.accepted.push(recipient.to_string()),
            Err(error) if error.status().is_some() => {
                delivered.rejected.push((recipient.to_string(), answer_of(&error)));
                // If another attempt may succeed for one of them, it is made.
                refusal = refusal.filter(SmtpError::is_transient).or(Some(error));
            }
            Err(error) => return Err(failed("the recipients", &error)),
        }
    }
    if let (true, Some(error)) = (delivered.accepted.is_empty(), refusal) {
        return Err(failed("the recipients", &error));
    }
    connection.command(Data).await.map_err(|error| failed("the message", &error))?;
    Ok(delivered)
}

async fn send(connection: &mut AsyncSmtpConnection, email: &Email) -> Result<(), EffectError> {
    match connection.message(&email.text).await {
        Ok(_) => Ok(()),
        // Without an answer, the server may have taken the message.
        Err(error) if error.status().is_none() => {
            let error =
                StepError::new("connection_cut", "the connection was closed before the server confirmed the message");
            Err(EffectError { error, retry: RetryHint::Uncertain })
        }
        Err(error) => Err(failed("the message", &error)),
    }
}

/// A refusal, or a broken connection, before the server has the message.
fn failed(step: &str, error: &SmtpError) -> EffectError {
    match error.status() {
        Some(_) if error.is_permanent() => {
            refused("email_refused", &format!("the server refused {step}: {}", answer_of(error)))
        }
        Some(_) => temporary(
            "email_postponed",
            format!("the server asks to try {step} again later: {}", answer_of(error)),
            None,
        ),
        None => temporary("connection_cut", format!("the connection to the server broke at this step: {step}"), None),
    }
}

fn refused_login(error: &SmtpError) -> EffectError {
    if error.is_client() {
        return refused(
            "email_login_refused",
            "the server offers no way to sign in; remove the credential, or choose `starttls` or `tls`",
        );
    }
    match error.status() {
        Some(_) if error.is_permanent() => refused(
            "email_login_refused",
            &format!("the server refused the name or the password: {}", answer_of(error)),
        ),
        _ => failed("the sign-in", error),
    }
}

fn failed_starttls(error: &SmtpError) -> EffectError {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    match cause {
        _ if error.status().is_some() => failed("the encryption", error),
        Some(cause) => failed_tls(cause),
        None => not_encrypted(error),
    }
}

fn failed_tls(error: &io::Error) -> EffectError {
    cut_while_encrypting(error).unwrap_or_else(|| not_encrypted(error))
}

fn not_encrypted(cause: &dyn std::fmt::Display) -> EffectError {
    let cause: String = cause.to_string().chars().take(MAX_ANSWER_CHARS).collect();
    refused(
        "email_not_encrypted",
        &format!("the connection could not be encrypted: {cause}; check `port` and `security`"),
    )
}

/// The answer of the server, such as `550: no such user`.
fn answer_of(error: &SmtpError) -> String {
    let code = error.status().map(|code| format!("{code}: ")).unwrap_or_default();
    let text = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    format!("{code}{}", text.replace(['\r', '\n'], " ")).chars().take(MAX_ANSWER_CHARS).collect()
}

/// The connection, as lettre needs it. It ends if the server says too much: lettre reads lines of any length.
struct Transport {
    stream: Stream,
    /// How many bytes the server may still send.
    left: usize,
    /// Whether each read takes one byte. An attacker between could send answers before the encryption begins. lettre would keep
    /// them, and read them as answers of the encrypted server.
    reads_bytes: Arc<AtomicBool>,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transport").field("left", &self.left).finish_non_exhaustive()
    }
}

impl AsyncTokioStream for Transport {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.stream.peer())
    }
}

impl AsyncRead for Transport {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = if self.reads_bytes.load(Ordering::Relaxed) {
            let mut byte = [0];
            let mut one = ReadBuf::new(&mut byte);
            let read = Pin::new(&mut self.stream).poll_read(cx, &mut one);
            buffer.put_slice(one.filled());
            read
        } else {
            Pin::new(&mut self.stream).poll_read(cx, buffer)
        };
        match self.left.checked_sub(buffer.filled().len() - before) {
            Some(left) => self.left = left,
            None => return Poll::Ready(Err(io::Error::other("the server says too much"))),
        }
        read
    }
}

impl AsyncWrite for Transport {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
