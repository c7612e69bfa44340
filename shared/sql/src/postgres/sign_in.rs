//! The start of a session: encryption and SCRAM. A password is never sent over a connection that is not encrypted.

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::Postgres;
use crate::errors::{Result, invalid_answer, not_encrypted, stop};
use crate::start::Start;
use crate::wire::Wire;

/// The rounds of SCRAM, which the server chooses; 4,096 by default. A hostile server must not keep the process busy.
const MAX_SCRAM_ROUNDS: u32 = 200_000;

pub async fn encrypt(mut wire: Wire, start: &Start<'_>) -> Result<Wire> {
    if !start.must_encrypt {
        return Ok(wire);
    }
    let mut message = BytesMut::new();
    frontend::ssl_request(&mut message);
    wire.write(&message).await?;
    match wire.read(1).await?[..] {
        [b'S'] => wire.encrypt(start.outbound, start.host).await,
        [b'N'] => Err(not_encrypted("the server offers no encryption")),
        _ => Err(invalid_answer("the answer to the request for encryption is unknown")),
    }
}

impl Postgres {
    pub(super) async fn sign_in(&mut self, start: &Start<'_>) -> Result<()> {
        let (user, password) = (start.login.username.as_str(), start.login.password.as_bytes());
        let parameters = [
            ("user", user),
            ("database", start.database),
            ("client_encoding", "UTF8"),
            ("application_name", "atelier"),
        ];
        let mut message = BytesMut::new();
        frontend::startup_message(parameters, &mut message)
            .map_err(|_| stop("database_login_refused", "the name of the user has a null character"))?;
        self.wire.write(&message).await?;
        loop {
            let mut answer = BytesMut::new();
            match self.next().await? {
                Message::AuthenticationCleartextPassword if self.wire.is_encrypted => {
                    frontend::password_message(password, &mut answer)?;
                }
                Message::AuthenticationCleartextPassword => {
                    return Err(not_encrypted("the server asks for the password itself"));
                }
                Message::AuthenticationMd5Password(body) => {
                    frontend::password_message(
                        md5_hash(user.as_bytes(), password, body.salt()).as_bytes(),
                        &mut answer,
                    )?;
                }
                Message::AuthenticationSasl(body) => {
                    let mechanisms: Vec<_> = body.mechanisms().map(|name| Ok(name.to_owned())).collect()?;
                    if !mechanisms.iter().any(|name| name == SCRAM_SHA_256) {
                        return Err(unsupported(&mechanisms.join(", ")));
                    }
                    self.prove(password).await?;
                    continue;
                }
                Message::AuthenticationOk | Message::BackendKeyData(_) => continue,
                Message::ReadyForQuery(_) => return Ok(()),
                Message::AuthenticationGss
                | Message::AuthenticationSspi
                | Message::AuthenticationKerberosV5
                | Message::AuthenticationScmCredential => return Err(unsupported("Kerberos")),
                _ => return Err(invalid_answer("a message of the sign-in is unknown")),
            }
            self.wire.write(&answer).await?;
        }
    }

    /// Proves with SCRAM that the password is known, and that the server knows it.
    async fn prove(&mut self, password: &[u8]) -> Result<()> {
        let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
        let mut message = BytesMut::new();
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut message)?;
        self.wire.write(&message).await?;
        let Message::AuthenticationSaslContinue(body) = self.next().await? else {
            return Err(invalid_answer("SCRAM has no challenge"));
        };
        check_rounds(body.data())?;
        scram.update(body.data()).map_err(|_| invalid_answer("the challenge of SCRAM is not valid"))?;
        message.clear();
        frontend::sasl_response(scram.message(), &mut message)?;
        self.wire.write(&message).await?;
        let Message::AuthenticationSaslFinal(body) = self.next().await? else {
            return Err(invalid_answer("SCRAM has no end"));
        };
        scram.finish(body.data()).map_err(|_| stop("database_login_refused", "the server does not know the password"))
    }
}

/// A challenge is `r=<nonce>,s=<salt>,i=<rounds>`.
fn check_rounds(challenge: &[u8]) -> Result<()> {
    let challenge = String::from_utf8_lossy(challenge);
    let rounds = challenge.split(',').find_map(|part| part.strip_prefix("i=")?.parse::<u32>().ok());
    match rounds {
        Some(rounds) if rounds <= MAX_SCRAM_ROUNDS => Ok(()),
        _ => Err(invalid_answer("SCRAM has too many rounds")),
    }
}

fn unsupported(methods: &str) -> crate::errors::Failure {
    let message = format!("the server signs users in with {methods}; use a user with a password (scram-sha-256)");
    stop("database_login_refused", &message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_cannot_demand_endless_work() {
        assert!(check_rounds(b"r=abc,s=AAAA,i=4096").is_ok());
        for challenge in ["r=abc,s=AAAA,i=4294967295", "r=abc,s=AAAA", "r=abc,s=AAAA,i=-1"] {
            assert!(check_rounds(challenge.as_bytes()).is_err(), "{challenge}");
        }
    }
}
