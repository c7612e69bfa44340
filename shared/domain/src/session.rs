//! Sessions of browsers. The cookie of a session holds a random id and a random secret. The secret rotates: each successor
//! derives from the secret before it, so requests that arrive together with the old one get the same new one. Who presents an old
//! secret later has a copy of the cookie, or lost the race against somebody who has. Then nobody can tell who is the user, and
//! the session ends.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac::{HMAC_SHA256, Key, sign};
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroizing;

use crate::identity::Account;
use crate::time::Time;
use crate::token::TokenHash;

/// How long a session lasts at most. Then its user signs in again, with the role that the issuer gives them by then.
pub const MAX_AGE: Duration = Duration::from_secs(12 * 60 * 60);
/// A session ends if no page reads anything for this long. Time is counted from the last rotation.
pub const MAX_IDLE: Duration = Duration::from_secs(2 * 60 * 60);
/// The age from which a secret is replaced.
pub const ROTATED_AFTER: Duration = Duration::from_secs(15 * 60);
/// How long the secret before stays valid, for requests in flight and answers that were lost.
pub const OVERLAP: Duration = Duration::from_secs(2 * 60);

const RANDOM_BYTES: usize = 32;
/// The length of 32 bytes in base64 without padding.
const RANDOM_CHARS: usize = 43;

/// The value of the cookie of a session. It is never stored.
pub struct SessionCookie {
    id: Zeroizing<String>,
    secret: Zeroizing<String>,
}

/// A session, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    pub account: Account,
    pub created_at: Time,
    pub rotated_at: Time,
    pub is_ended: bool,
    /// The hash of the current secret.
    pub secret: TokenHash,
    /// The secret before, if there was one.
    pub before: Option<SecretBefore>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SecretBefore {
    pub secret: TokenHash,
    /// What the current secret was derived with.
    pub salt: String,
}

/// What a cookie is to its session.
#[derive(Debug, PartialEq)]
pub enum CookieState {
    Current,
    /// Current, but old enough to be replaced.
    Due,
    /// The one before, within the overlap.
    Before {
        salt: String,
    },
    /// An older one, or a guess.
    Reused,
    /// The session has ended.
    Ended,
}

/// Random bytes as a text for URLs and cookies.
pub fn random_text() -> Zeroizing<String> {
    let mut bytes = Zeroizing::new([0; RANDOM_BYTES]);
    SystemRandom::new().fill(&mut *bytes).expect("the system has randomness");
    Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes))
}

impl SessionCookie {
    pub fn generate() -> Self {
        Self { id: random_text(), secret: random_text() }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let is_random = |part: &str| {
            part.len() == RANDOM_CHARS && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_')
        };
        let (id, secret) = text.split_once('.').filter(|(id, secret)| is_random(id) && is_random(secret))?;
        Some(Self { id: Zeroizing::new(id.to_owned()), secret: Zeroizing::new(secret.to_owned()) })
    }

    /// The plain text, for the header that sets the cookie.
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{}.{}", *self.id, *self.secret))
    }

    /// The name under which the session is stored.
    pub fn session(&self) -> TokenHash {
        TokenHash::of(&self.id)
    }

    fn secret(&self) -> TokenHash {
        TokenHash::of(&self.secret)
    }

    /// The cookie after this one. Only the holder of this one can compute it.
    pub fn successor(&self, salt: &str) -> Self {
        let secret = sign(&Key::new(HMAC_SHA256, self.secret.as_bytes()), salt.as_bytes());
        Self { id: self.id.clone(), secret: Zeroizing::new(URL_SAFE_NO_PAD.encode(secret)) }
    }
}

impl Session {
    pub fn start(account: Account, cookie: &SessionCookie, now: Time) -> Self {
        Self { account, created_at: now, rotated_at: now, is_ended: false, secret: cookie.secret(), before: None }
    }

    /// When the session ends in any case.
    pub fn ends_at(&self) -> Time {
        self.created_at.plus(MAX_AGE)
    }

    pub fn state_of(&self, cookie: &SessionCookie, now: Time) -> CookieState {
        if self.is_ended || now >= self.ends_at() || now >= self.rotated_at.plus(MAX_IDLE) {
            return CookieState::Ended;
        }
        let secret = cookie.secret();
        if self.secret.matches(&secret) {
            let is_due = now >= self.rotated_at.plus(ROTATED_AFTER);
            return if is_due { CookieState::Due } else { CookieState::Current };
        }
        match &self.before {
            Some(before) if before.secret.matches(&secret) && now < self.rotated_at.plus(OVERLAP) => {
                CookieState::Before { salt: before.salt.clone() }
            }
            _ => CookieState::Reused,
        }
    }

    /// The session with the next secret, and its cookie.
    pub fn rotated(&self, cookie: &SessionCookie, now: Time) -> (Self, SessionCookie) {
        let salt = random_text().to_string();
        let next = cookie.successor(&salt);
        let before = Some(SecretBefore { secret: self.secret.clone(), salt });
        (Self { rotated_at: now, secret: next.secret(), before, ..self.clone() }, next)
    }

    pub fn ended(&self) -> Self {
        Self { is_ended: true, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrgId, UserId};

    fn start() -> (Session, SessionCookie, Time) {
        let (cookie, now) = (SessionCookie::generate(), Time::from_millis(1_790_000_000_000));
        (Session::start(Account { org: OrgId::new(), user: UserId::new() }, &cookie, now), cookie, now)
    }

    #[test]
    fn a_cookie_is_read_back() {
        let cookie = SessionCookie::generate();
        let text = cookie.reveal();
        assert!(SessionCookie::parse(&text).is_some_and(|read| read.reveal() == text));
        for wrong in ["", ".", "a.b", &text[1..], &format!("{}.x", *text), &text.replace('.', "=")] {
            assert!(SessionCookie::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn the_secret_before_is_valid_for_a_short_time_and_has_one_successor() {
        let (session, old, start) = start();
        let due = start.plus(ROTATED_AFTER);
        assert_eq!(session.state_of(&old, start), CookieState::Current);
        assert_eq!(session.state_of(&old, due), CookieState::Due);
        let (session, new) = session.rotated(&old, due);
        assert_eq!(session.state_of(&new, due), CookieState::Current);
        let CookieState::Before { salt } = session.state_of(&old, due) else { panic!("not the secret before") };
        assert_eq!(old.successor(&salt).reveal(), new.reveal());
        assert_eq!(session.state_of(&old, due.plus(OVERLAP)), CookieState::Reused);
        assert_eq!(session.state_of(&SessionCookie::generate(), due), CookieState::Reused);
        let (session, newest) = session.rotated(&new, due.plus(ROTATED_AFTER));
        assert_eq!(session.state_of(&old, due.plus(ROTATED_AFTER)), CookieState::Reused);
        assert_eq!(session.state_of(&newest, due.plus(ROTATED_AFTER)), CookieState::Current);
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_at_its_greatest_age() {
        let (session, cookie, start) = start();
        assert_eq!(session.state_of(&cookie, start.plus(MAX_IDLE)), CookieState::Ended);
        assert_eq!(session.ended().state_of(&cookie, start), CookieState::Ended);
        let (mut session, mut cookie, mut now) = (session, cookie, start);
        while now.plus(ROTATED_AFTER) < start.plus(MAX_AGE) {
            now = now.plus(ROTATED_AFTER);
            (session, cookie) = session.rotated(&cookie, now);
        }
        assert_eq!(session.state_of(&cookie, now), CookieState::Current);
        assert_eq!(session.state_of(&cookie, start.plus(MAX_AGE)), CookieState::Ended);
    }
}
