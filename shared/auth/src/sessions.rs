//! Sessions of browsers. Each request reads the session together with the records of its user, so it ends at once at a sign-out,
//! and it is refused while its user or organization is suspended.

use domain::session::{CookieState, Session, SessionCookie};
use domain::sharing::Shareable;
use domain::{Refusal, Result};
use store::callers::Held;
use store::sharing::StoredAccess;

use super::{Auth, Caller, admit, refused};

/// Whether a request may change the session that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionUse {
    /// A request whose response can set the next cookie.
    Rotate,
    /// A request that leaves the cookie as it is.
    Keep,
    /// A request to a function that may not write sessions.
    Read,
}

/// The user of a session.
pub struct SessionCaller {
    pub caller: Caller,
    pub access: Option<StoredAccess>,
    /// The next cookie, if the one of the request is to be replaced.
    pub next: Option<SessionCookie>,
}

impl Auth {
    /// The user of a session with this cookie.
    pub async fn session_caller(&self, cookie: &str, session_use: SessionUse) -> Result<SessionCaller> {
        self.session_caller_with_access(cookie, session_use, None).await
    }

    /// Like [`Self::session_caller`], and finds in the same read what the user may do with something.
    pub async fn session_caller_with_access(
        &self,
        cookie: &str,
        session_use: SessionUse,
        what: Option<Shareable>,
    ) -> Result<SessionCaller> {
        let over = |why| refused(Refusal::Session, why);
        let cookie = SessionCookie::parse(cookie).ok_or_else(|| over("not in the format of a session"))?;
        let id = cookie.session();
        let found = self.callers.find_session(&id, what).await?;
        let Held { credential: session, holder, access } = found.ok_or_else(|| over("no such session"))?;
        let now = self.clock.now();
        let next = match session.state_of(&cookie, now) {
            CookieState::Current => None,
            CookieState::Due if session_use == SessionUse::Rotate => {
                let (rotated, next) = session.rotated(&cookie, now);
                // If another request of this session was first, one of the next requests gets the cookie that it has made.
                self.sessions.replace(&id, &session, &rotated).await?.then_some(next)
            }
            CookieState::Due => None,
            CookieState::Before { salt } => Some(cookie.successor(&salt)).filter(|_| session_use == SessionUse::Rotate),
            CookieState::Reused => {
                if session_use != SessionUse::Read {
                    self.sessions.end(&id).await?;
                }
                return Err(over("an old secret of the session was used again, so the session ends"));
            }
            CookieState::Ended => return Err(over("the session has ended")),
        };
        let holder = holder.ok_or_else(|| over("the user of the session is not a member of the organization"))?;
        Ok(SessionCaller { caller: admit(holder, now)?, access, next })
    }

    /// Starts a session of this user.
    pub async fn start_session(&self, caller: &Caller) -> Result<SessionCookie> {
        let cookie = SessionCookie::generate();
        let session = Session::start(caller.account(), &cookie, caller.at);
        self.sessions.create(&cookie.session(), &session).await?;
        Ok(cookie)
    }

    /// Ends the session with this cookie. An old cookie ends it too: its holder was the user of the session at some time.
    pub async fn end_session(&self, cookie: &str) -> Result<()> {
        match SessionCookie::parse(cookie) {
            Some(cookie) => self.sessions.end(&cookie.session()).await,
            None => Ok(()),
        }
    }
}
