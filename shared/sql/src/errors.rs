//! What goes wrong at a server, as errors of steps. Messages have the text of the server, and never a password.

use std::io;

use effects::{refused, temporary};
use engine::drive::EffectError;

/// How many characters of a server's message an error has.
const MAX_MESSAGE_CHARS: usize = 300;

/// All that a server may send in a session. The value of a node has at most 1 MiB as JSON.
pub const MAX_SESSION_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug)]
pub enum Failure {
    /// The outcome is known: the server has refused something, or the client stopped before the end.
    Step(EffectError),
    /// The server may have ended the connection before it answered.
    Ending(EffectError),
    Broken(io::Error),
}

pub type Result<T> = std::result::Result<T, Failure>;

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => invalid_answer(&error.to_string()),
            _ => Self::Broken(error),
        }
    }
}

/// An error without another attempt.
pub fn stop(code: &str, message: &str) -> Failure {
    Failure::Step(refused(code, message))
}

pub fn too_large() -> Failure {
    let most = MAX_SESSION_BYTES >> 20;
    let message = format!("the result has more than {most} MiB; select fewer columns or rows, as with LIMIT");
    stop("result_too_large", &message)
}

/// What a server sent that its protocol does not have. What happened at the server is unknown.
pub fn invalid_answer(what: &str) -> Failure {
    let message =
        format!("the server does not speak the protocol as expected: {}; check `server` and `port`", cut(what));
    Failure::Ending(refused("database_invalid_answer", &message))
}

pub fn not_encrypted(cause: &str) -> Failure {
    let message = format!("the connection could not be encrypted: {}; check `port` and `security`", cut(cause));
    stop("database_not_encrypted", &message)
}

/// What the code of a server's error means for the node.
pub enum Refusal {
    Login,
    UnknownDatabase,
    /// Another transaction was in the way.
    Conflict,
    /// The server has no room, or ends.
    Unavailable,
    Timeout,
    ReadOnly,
    Encryption,
    Other,
}

/// An error of the server, with its code.
pub fn server_error(refusal: &Refusal, code: &str, message: &str) -> Failure {
    let said = format!("{code}: {}", cut(message));
    let again = |code: &str, problem: &str| temporary(code, format!("{problem} ({said})"), None);
    match refusal {
        Refusal::Login => {
            stop("database_login_refused", &format!("the server refused the user or the password ({said})"))
        }
        Refusal::UnknownDatabase => stop("database_unknown", &format!("config.database: does not exist ({said})")),
        Refusal::ReadOnly => {
            let message = format!("a statement would change something; remove `readOnly` from the node ({said})");
            stop("database_read_only", &message)
        }
        Refusal::Encryption => not_encrypted(&format!("the server requires it ({said})")),
        Refusal::Conflict => {
            Failure::Step(again("database_conflict", "another transaction was in the way; nothing was changed"))
        }
        Refusal::Timeout => {
            Failure::Step(again("database_timeout", "the statements took too long; nothing was changed"))
        }
        Refusal::Unavailable => Failure::Ending(again("database_unavailable", "the server is not available")),
        Refusal::Other => stop("database_refused", &format!("the server refused a statement ({said})")),
    }
}

/// The error of a statement whose placeholders have other values than it needs.
pub fn wrong_parameters(needed: usize, given: usize) -> Failure {
    let message = format!("the statement has {needed} placeholders, and `parameters` has {given} values");
    stop("database_parameters", &message)
}

fn cut(text: &str) -> String {
    text.replace(['\r', '\n'], " ").chars().take(MAX_MESSAGE_CHARS).collect()
}
