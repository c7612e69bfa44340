//! The start of a session: encryption, and proofs of the password. The password itself is sent only over an encrypted connection.

use mysql_common::auth::plugins::caching_sha2_password::scramble_sha256;
use mysql_common::auth::plugins::mysql_native_password::scramble_native;
use mysql_common::constants::CapabilityFlags as Can;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;

use super::{END, MAX_PACKET_BYTES, MySql, OK, not_encrypted, parse};
use crate::errors::{Failure, Result, invalid_answer, stop};
use crate::start::Start;
use crate::wire::Wire;

/// UTF-8 with four bytes: `utf8mb4_general_ci`.
const UTF8: u8 = 45;
/// Chooses the collation above.
const VERSION: (u16, u16, u16) = (8, 0, 0);

const MORE: u8 = 0x01;
const PROOF_ACCEPTED: u8 = 3;
const PASSWORD_NEEDED: u8 = 4;

impl MySql {
    pub(super) async fn sign_in(wire: Wire, start: &Start<'_>) -> Result<Self> {
        let mut session =
            Self { wire, sequence: 0, capabilities: Can::empty(), is_maria: false, is_in_transaction: true };
        let packet = session.packet().await?;
        let handshake: HandshakePacket<'_> = parse(&packet, ())?;
        session.is_maria = handshake.server_version_str().contains("MariaDB");
        let offered = handshake.capabilities();
        if !offered.contains(Can::CLIENT_PROTOCOL_41 | Can::CLIENT_SECURE_CONNECTION | Can::CLIENT_PLUGIN_AUTH) {
            return Err(invalid_answer("the server is older than MySQL 5.6"));
        }
        // Neither several statements in one text nor local files.
        let mut capabilities = Can::CLIENT_LONG_PASSWORD
            | Can::CLIENT_LONG_FLAG
            | Can::CLIENT_PROTOCOL_41
            | Can::CLIENT_TRANSACTIONS
            | Can::CLIENT_SECURE_CONNECTION
            | Can::CLIENT_PLUGIN_AUTH
            | Can::CLIENT_CONNECT_WITH_DB
            | Can::CLIENT_MULTI_RESULTS
            | Can::CLIENT_PS_MULTI_RESULTS;
        if start.must_encrypt {
            if !offered.contains(Can::CLIENT_SSL) {
                return Err(not_encrypted("the server offers no encryption"));
            }
            capabilities |= Can::CLIENT_SSL;
            let mut request = Vec::new();
            SslRequest::new(capabilities, MAX_PACKET_BYTES as u32, UTF8).serialize(&mut request);
            session.send(&request).await?;
            session.wire = session.wire.encrypt(start.outbound, start.host).await?;
        }
        session.capabilities = capabilities;
        let plugin = handshake.auth_plugin().unwrap_or(AuthPlugin::MysqlNativePassword);
        // Another plugin is named by the server in its answer.
        let plugin = match plugin {
            AuthPlugin::CachingSha2Password => AuthPlugin::CachingSha2Password,
            _ => AuthPlugin::MysqlNativePassword,
        };
        let proof = session.prove(&plugin, &handshake.nonce(), start)?;
        let (user, database) = (start.login.username.as_bytes(), start.database.as_bytes());
        if user.contains(&0) {
            return Err(stop("database_login_refused", "the name of the user has a null character"));
        }
        let response = HandshakeResponse::new(
            Some(proof),
            VERSION,
            Some(user),
            Some(database),
            Some(plugin),
            capabilities,
            None,
            MAX_PACKET_BYTES as u32,
        );
        let mut message = Vec::new();
        response.serialize(&mut message);
        session.send(&message).await?;
        session.finish(start).await?;
        Ok(session)
    }

    /// Answers what the server asks until it accepts or refuses the user.
    async fn finish(&mut self, start: &Start<'_>) -> Result<()> {
        loop {
            let packet = self.packet().await?;
            match packet[..] {
                [OK, ..] => return Ok(()),
                [END, _, ..] => {
                    let asked: AuthSwitchRequest<'_> = parse(&packet, ())?;
                    let proof = self.prove(&asked.auth_plugin(), asked.plugin_data(), start)?;
                    self.send(&proof).await?;
                }
                [MORE, PROOF_ACCEPTED] => {}
                [MORE, PASSWORD_NEEDED] => {
                    let password = self.password(start)?;
                    self.send(&password).await?;
                }
                _ => return Err(invalid_answer("a message of the sign-in is unknown")),
            }
        }
    }

    /// The proof of the password that a plugin of the server wants.
    fn prove(&self, plugin: &AuthPlugin<'_>, nonce: &[u8], start: &Start<'_>) -> Result<Vec<u8>> {
        let password = start.login.password.as_bytes();
        match plugin {
            AuthPlugin::MysqlNativePassword => {
                Ok(scramble_native(nonce, password).map_or_else(Vec::new, |proof| proof.to_vec()))
            }
            AuthPlugin::CachingSha2Password => {
                let nonce = nonce.try_into().map_err(|_| invalid_answer("the challenge does not have 20 bytes"))?;
                Ok(scramble_sha256(nonce, password).map_or_else(Vec::new, |proof| proof.to_vec()))
            }
            AuthPlugin::MysqlClearPassword | AuthPlugin::Sha256Password => self.password(start),
            other => Err(unsupported(&String::from_utf8_lossy(other.as_bytes()))),
        }
    }

    /// The password itself. A key that the server sends to encrypt it could be that of an attacker between.
    fn password(&self, start: &Start<'_>) -> Result<Vec<u8>> {
        if !self.wire.is_encrypted {
            return Err(not_encrypted(
                "the server asks for the password itself; use `tls`, or a user with mysql_native_password",
            ));
        }
        Ok([start.login.password.as_bytes(), &[0]].concat())
    }
}

fn unsupported(plugin: &str) -> Failure {
    let message = format!(
        "the server signs this user in with {plugin}; use a user with caching_sha2_password or mysql_native_password"
    );
    stop("database_login_refused", &message)
}
