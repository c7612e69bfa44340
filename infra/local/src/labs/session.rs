//! Sessions of labs: single-use tickets and signed cookies. The platform's origin knows the access token of a user; the origin of a lab must not see it, because
//! the lab's users control what that origin serves. Therefore the platform gives the browser a ticket: it is valid once, for
//! one lab and for a minute. The origin of the lab exchanges it for a cookie.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use domain::id::{OrgId, UserId, WorkbenchId};
use domain::identity::Account;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use web::session_cookie::SESSION_COOKIE;

use super::lock;
use super::process::random_token;
use crate::issuer::Issuer;

const COOKIE_NAME: &str = "atelier_lab";
const TICKET_VALID: Duration = Duration::from_secs(60);
const SESSION_VALID: Duration = Duration::from_secs(12 * 60 * 60);
/// The maximum numbers of unused tickets of all users and of one user, who loses the oldest one beyond it.
const MAX_TICKETS: usize = 10_000;
const MAX_TICKETS_OF_USER: usize = 20;
/// It differs from that of access tokens, so that one token cannot be used as the other.
const AUDIENCE: &str = "atelier-lab";

/// The right of a user to open a lab. Whether the user is still a member is checked with each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    pub account: Account,
    pub lab: WorkbenchId,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    aud: String,
    org_id: OrgId,
    sub: UserId,
    lab: WorkbenchId,
    exp: i64,
}

pub struct Sessions {
    issuer: Issuer,
    clock: Clock,
    tickets: Mutex<HashMap<String, (Session, Time)>>,
}

impl Sessions {
    pub fn new(issuer: Issuer, clock: Clock) -> Self {
        Self { issuer, clock, tickets: Mutex::default() }
    }

    pub fn ticket(&self, session: Session) -> Result<String> {
        let now = self.clock.now();
        let mut tickets = lock(&self.tickets);
        tickets.retain(|_, (_, valid_until)| *valid_until > now);
        if tickets.len() >= MAX_TICKETS {
            return Err(Error::busy("too many labs are being opened"));
        }
        let own = tickets.iter().filter(|(_, (found, _))| found.account == session.account);
        let own: Vec<_> = own.map(|(ticket, (_, valid_until))| (*valid_until, ticket.clone())).collect();
        if own.len() >= MAX_TICKETS_OF_USER
            && let Some((_, oldest)) = own.into_iter().min()
        {
            tickets.remove(&oldest);
        }
        let ticket = random_token()?;
        tickets.insert(ticket.clone(), (session, now.plus(TICKET_VALID)));
        Ok(ticket)
    }

    /// Consumes a ticket for this lab: it is valid once.
    pub fn redeem(&self, ticket: &str, lab: WorkbenchId) -> Option<Session> {
        let (session, valid_until) = lock(&self.tickets).remove(ticket)?;
        (session.lab == lab && valid_until > self.clock.now()).then_some(session)
    }

    /// The value of the cookie of a session.
    pub fn cookie(&self, session: Session) -> String {
        let Session { account: Account { org, user }, lab } = session;
        let exp = self.clock.now().plus(SESSION_VALID).as_seconds();
        let claims = Claims { aud: AUDIENCE.to_owned(), org_id: org, sub: user, lab, exp };
        let token = self.issuer.sign(&serde_json::to_value(claims).unwrap_or_default());
        format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}", SESSION_VALID.as_secs())
    }

    /// The session of a request to a lab.
    pub fn find(&self, headers: &HeaderMap, lab: WorkbenchId) -> Option<Session> {
        // A page of the lab may have set a cookie with the same name.
        cookies(headers).filter(|cookie| is_session(cookie)).find_map(|cookie| {
            let (_, value) = std::str::from_utf8(cookie).ok()?.split_once('=')?;
            let claims: Claims = serde_json::from_value(self.issuer.verify(value)?).ok()?;
            let is_valid = claims.aud == AUDIENCE && claims.lab == lab && claims.exp > self.clock.now().as_seconds();
            is_valid.then_some(Session { account: Account { org: claims.org_id, user: claims.sub }, lab })
        })
    }
}

/// The cookies of a request, each as `name=value`. Their values may have any bytes.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(COOKIE).into_iter().map(HeaderValue::as_bytes);
    lines.flat_map(|line| line.split(|byte| *byte == b';')).map(<[u8]>::trim_ascii)
}

/// Whether a cookie, or the value of `Set-Cookie`, has the name of the session's.
fn is_session(cookie: &[u8]) -> bool {
    name(cookie) == COOKIE_NAME.as_bytes()
}

/// Whether a cookie, or the value of `Set-Cookie`, is one that a program must neither get nor set: the session of a lab, or the
/// session of the platform, which a browser sends only if both have one host.
pub fn is_reserved(cookie: &[u8]) -> bool {
    is_session(cookie) || name(cookie) == SESSION_COOKIE.as_bytes()
}

/// The name of a cookie. Browsers ignore spaces around it.
fn name(cookie: &[u8]) -> &[u8] {
    cookie.split(|byte| matches!(byte, b'=' | b';')).next().unwrap_or_default().trim_ascii()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::DataDir;

    fn start() -> (Sessions, Arc<Mutex<Time>>, DataDir) {
        let data = DataDir::temporary().unwrap();
        let now = Arc::new(Mutex::new(Time::now()));
        let clock = Clock::new({
            let now = now.clone();
            move || *now.lock().unwrap()
        });
        (Sessions::new(Issuer::open_or_create(data.folder()).unwrap(), clock), now, data)
    }

    fn session() -> Session {
        Session { account: Account { org: OrgId::new(), user: UserId::new() }, lab: WorkbenchId::new() }
    }

    fn headers(cookie: &str) -> HeaderMap {
        let pair = cookie.split(';').next().unwrap();
        // Other cookies may have any bytes, and a page of the lab may have set one with the same name.
        let line = format!("theme=grün; {COOKIE_NAME}=x; {pair}");
        HeaderMap::from_iter([(COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap())])
    }

    #[test]
    fn a_ticket_is_valid_once_for_its_lab_and_for_a_minute() {
        let (sessions, now, _data) = start();
        let session = session();
        let ticket = sessions.ticket(session).unwrap();
        assert_eq!(sessions.redeem(&ticket, session.lab), Some(session));
        assert_eq!(sessions.redeem(&ticket, session.lab), None);
        let ticket = sessions.ticket(session).unwrap();
        assert_eq!(sessions.redeem(&ticket, WorkbenchId::new()), None);
        let ticket = sessions.ticket(session).unwrap();
        *now.lock().unwrap() = Time::now().plus(Duration::from_secs(61));
        assert_eq!(sessions.redeem(&ticket, session.lab), None);
    }

    #[test]
    fn a_user_who_opens_many_labs_takes_no_tickets_from_others() {
        let (sessions, now, _data) = start();
        let (session, other) = (session(), session());
        let of_other = sessions.ticket(other).unwrap();
        let pass = |_: &usize| {
            let mut now = now.lock().unwrap();
            *now = now.plus(Duration::from_millis(1));
        };
        let tickets: Vec<_> =
            (0..=MAX_TICKETS_OF_USER).inspect(pass).map(|_| sessions.ticket(session).unwrap()).collect();
        assert_eq!(sessions.redeem(&tickets[0], session.lab), None);
        assert_eq!(sessions.redeem(&tickets[1], session.lab), Some(session));
        assert_eq!(sessions.redeem(&of_other, other.lab), Some(other));
    }

    #[test]
    fn recognizes_the_cookie_of_the_session() {
        for cookie in ["atelier_lab=x", "atelier_lab =x; Path=/", "atelier_lab"] {
            assert!(is_session(cookie.as_bytes()), "{cookie}");
        }
        for cookie in ["atelier_labs=x", "x=atelier_lab", ""] {
            assert!(!is_session(cookie.as_bytes()), "{cookie}");
        }
        for (cookie, expected) in [("svc_session=x", true), ("atelier_lab=x", true), ("svc_sessions=x", false)] {
            assert_eq!(is_reserved(cookie.as_bytes()), expected, "{cookie}");
        }
    }

    #[test]
    fn a_cookie_is_valid_for_its_lab_until_it_expires() {
        let (sessions, now, data) = start();
        let session = session();
        let cookie = headers(&sessions.cookie(session));
        assert_eq!(sessions.find(&cookie, session.lab), Some(session));
        assert_eq!(sessions.find(&cookie, WorkbenchId::new()), None);
        assert_eq!(sessions.find(&HeaderMap::new(), session.lab), None);
        // An access token is not a session, although the same key signs it.
        let issuer = Issuer::open(data.folder()).unwrap().unwrap();
        let Session { account, lab } = session;
        let claims = serde_json::json!({"aud": "atelier", "sub": account.user, "org_id": account.org, "lab": lab,
            "exp": i64::MAX});
        let forged = headers(&format!("{COOKIE_NAME}={}", issuer.sign(&claims)));
        assert_eq!(sessions.find(&forged, lab), None);
        *now.lock().unwrap() = Time::now().plus(Duration::from_secs(13 * 60 * 60));
        assert_eq!(sessions.find(&cookie, lab), None);
    }
}
