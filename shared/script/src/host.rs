//! The functions that the prelude calls. User code cannot reach them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fastrand::Rng;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use rquickjs::{Ctx, Exception, Function, Object, Result};
use url::{Url, quirks};

use crate::budget::Budget;
use crate::limits::{LimitKind, Limits};
use crate::outcome::{ConsoleLevel, ConsoleLine};
use crate::text::truncate;

/// What the host functions read and write in an execution.
pub struct Session {
    console: RefCell<Console>,
    now_ms: Cell<i64>,
    random: RefCell<Rng>,
}

impl Session {
    pub fn new() -> Rc<Self> {
        let console = Console { lines: Vec::new(), bytes: 0, limits: Limits::default() };
        let random = RefCell::new(Rng::with_seed(0));
        Rc::new(Self { console: RefCell::new(console), now_ms: Cell::new(0), random })
    }

    /// Begins an execution.
    pub fn begin(&self, limits: &Limits, now_ms: i64, seed: u64) {
        self.console.borrow_mut().limits = *limits;
        self.now_ms.set(now_ms);
        self.random.replace(Rng::with_seed(seed));
    }

    /// Takes the lines at the end of an execution.
    pub fn take_console(&self) -> Vec<ConsoleLine> {
        std::mem::take(&mut self.console.borrow_mut().lines)
    }
}

/// The lines that a script wrote.
struct Console {
    lines: Vec<ConsoleLine>,
    bytes: usize,
    limits: Limits,
}

impl Console {
    fn record(&mut self, level: &str, mut text: String) {
        if self.lines.len() >= self.limits.console_lines || self.bytes >= self.limits.console_bytes {
            return;
        }
        truncate(&mut text, self.limits.console_line_bytes.min(self.limits.console_bytes - self.bytes));
        self.bytes += text.len();
        let level = match level {
            "debug" => ConsoleLevel::Debug,
            "info" => ConsoleLevel::Info,
            "warn" => ConsoleLevel::Warn,
            "error" => ConsoleLevel::Error,
            _ => ConsoleLevel::Log,
        };
        self.lines.push(ConsoleLine { level, text });
    }
}

/// Creates the object with the host functions.
pub fn create_host<'js>(ctx: &Ctx<'js>, budget: &Rc<Budget>, session: &Rc<Session>) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    let clock = Rc::clone(session);
    host.set("now", Function::new(ctx.clone(), move || clock.now_ms.get() as f64)?)?;

    let meter = Rc::clone(budget);
    let spend = move |ctx: Ctx<'js>, steps: f64| match meter.charge(steps as u64) {
        true => Ok(()),
        false => Err(Exception::throw_internal(&ctx, "the script reached a limit")),
    };
    host.set("spend", Function::new(ctx.clone(), spend)?)?;

    let meter = Rc::clone(budget);
    let stop = move |ctx: Ctx<'js>| -> Result<()> {
        meter.stop(LimitKind::Steps);
        Err(Exception::throw_internal(&ctx, "the script reached a limit"))
    };
    host.set("stop", Function::new(ctx.clone(), stop)?)?;

    let lines = Rc::clone(session);
    let log = move |level: String, text: String| lines.console.borrow_mut().record(&level, text);
    host.set("log", Function::new(ctx.clone(), log)?)?;

    let (random, bits) = (Rc::clone(session), Rc::clone(session));
    host.set("random", Function::new(ctx.clone(), move || random.random.borrow_mut().f64())?)?;
    host.set("randomBits", Function::new(ctx.clone(), move || bits.random.borrow_mut().u32(..))?)?;

    host.set("readLocale", Function::new(ctx.clone(), read_locale)?)?;
    host.set("zoneName", Function::new(ctx.clone(), zone_name)?)?;
    host.set("zoneOffset", Function::new(ctx.clone(), zone_offset)?)?;
    host.set("zoneAbbreviation", Function::new(ctx.clone(), zone_abbreviation)?)?;

    host.set("parseUrl", Function::new(ctx.clone(), parse_url)?)?;
    host.set("changeUrl", Function::new(ctx.clone(), change_url)?)?;
    Ok(host)
}

/// The formats of the locales other than English, one per line. `tests/differential/locales.mjs` writes them.
const LOCALES: &str = include_str!("locales.jsonl");

/// The formats of a locale as JSON; none if there is no such locale. A line begins with the names of its locale.
fn read_locale(tag: String) -> Option<&'static str> {
    LOCALES.lines().find(|line| {
        let names = line.split(']').next().unwrap_or_default();
        names.split('"').skip(3).any(|name| name.eq_ignore_ascii_case(&tag))
    })
}

/// The name of a time zone; none if there is no such zone.
fn zone_name(name: String) -> Option<String> {
    let zone = TimeZone::get(&name).ok()?;
    let name = zone.iana_name()?;
    let is_utc = ["Etc/UTC", "Etc/GMT", "GMT", "Etc/UCT", "UCT", "Etc/Zulu", "Zulu", "Etc/Universal", "Universal"];
    Some(if is_utc.contains(&name) { "UTC" } else { name }.to_owned())
}

/// The offset of a time zone from UTC, in milliseconds.
fn zone_offset(name: String, time_ms: f64) -> f64 {
    let offset = TimeZone::get(&name).ok().zip(instant(time_ms)).map(|(zone, time)| zone.to_offset(time));
    offset.map_or(f64::NAN, |offset: Offset| f64::from(offset.seconds()) * 1_000.0)
}

/// The abbreviation of a time zone in English, if it is one that the United States use.
fn zone_abbreviation(name: String, time_ms: f64) -> Option<String> {
    const KNOWN: [&str; 13] =
        ["EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST", "AST", "ADT"];
    if name == "America/Havana" {
        return None;
    }
    let is_american = name.starts_with("America/") || name.starts_with("US/") || name == "Pacific/Honolulu";
    let zone = TimeZone::get(&name).ok().filter(|_| is_american)?;
    let info = zone.to_offset_info(instant(time_ms)?);
    KNOWN.contains(&info.abbreviation()).then(|| info.abbreviation().to_owned())
}

/// The nearest time that the calendar of `jiff` has.
fn instant(ms: f64) -> Option<Timestamp> {
    if ms.is_nan() {
        return None;
    }
    let ms = ms as i64;
    Timestamp::from_millisecond(ms.clamp(Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond())).ok()
}

/// Parses a URL, which may be relative to a base. Returns its parts, or nothing if it is not valid.
fn parse_url(href: String, base: Option<String>) -> Option<Vec<String>> {
    let base = match base {
        Some(base) => Some(Url::parse(&base).ok()?),
        None => None,
    };
    Url::options().base_url(base.as_ref()).parse(&href).ok().map(|url| read_parts(&url))
}

/// Changes a part of a URL as its setter does. A value that is not valid changes nothing.
fn change_url(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    // The standard ignores values that are not valid.
    let _ = match part.as_str() {
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        "pathname" => {
            quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, &value);
            Ok(())
        }
        _ => {
            quirks::set_hash(&mut url, &value);
            Ok(())
        }
    };
    Some(read_parts(&url))
}

/// The parts in the order in which the prelude reads them.
fn read_parts(url: &Url) -> Vec<String> {
    let parts = [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ];
    parts.into_iter().map(str::to_owned).chain([quirks::origin(url)]).collect()
}
