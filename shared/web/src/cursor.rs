//! Cursor pagination: an opaque position in a list, which clients send back unchanged.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::paging::{default_per_page, per_page};
use domain::{Error, Result};

const CHECK_BYTES: usize = 4;
/// No table key is longer.
const MAX_PLACE_BYTES: usize = 1_024;

/// The cursors of one list. A checksum refuses cursors of other lists and damaged ones. It is no signature: a forged
/// cursor only gives access to another position in a list that the caller may read anyway.
#[derive(Clone, Copy)]
pub struct Cursors(pub &'static str);

impl Cursors {
    pub fn write(self, place: &str) -> String {
        URL_SAFE_NO_PAD.encode([&self.check(place)[..], place.as_bytes()].concat())
    }

    pub fn read(self, cursor: Option<&str>) -> Result<Option<String>> {
        let Some(cursor) = cursor else { return Ok(None) };
        self.place(cursor).map(Some).ok_or_else(foreign_cursor)
    }

    /// Reads a cursor of a list whose positions are numbers.
    pub fn read_number(self, cursor: Option<&str>) -> Result<Option<u32>> {
        let place = self.read(cursor)?;
        place.map(|place| place.parse().map_err(|_| foreign_cursor())).transpose()
    }

    /// Reads a cursor of a list whose positions are ids.
    pub fn read_id(self, cursor: Option<&str>) -> Result<Option<Uuid>> {
        let place = self.read(cursor)?;
        place.map(|place| place.parse().map_err(|_| foreign_cursor())).transpose()
    }

    fn place(self, cursor: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (check, place) = bytes.split_at_checked(CHECK_BYTES)?;
        let place = String::from_utf8(place.to_vec()).ok()?;
        if place.is_empty() || place.len() > MAX_PLACE_BYTES {
            return None;
        }
        (check == self.check(&place)).then_some(place)
    }

    fn check(self, place: &str) -> [u8; CHECK_BYTES] {
        crc32fast::hash(format!("{}\n{place}", self.0).as_bytes()).to_be_bytes()
    }
}

fn foreign_cursor() -> Error {
    Error::invalid_query("cursor", "not a cursor of this list")
}

/// The query parameters of a list without filters.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CursorQuery {
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The next cursor of the previous page
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_returns_to_its_position_in_its_own_list_only() {
        let keys = Cursors("keys");
        let cursor = keys.write("2026-03-01#ñ");
        assert_eq!(keys.read(Some(&cursor)).unwrap().as_deref(), Some("2026-03-01#ñ"));
        assert!(keys.read(None).unwrap().is_none());
        for wrong in ["", "x", "?", &cursor[1..], &Cursors("orgs").write("2026-03-01#ñ"), &keys.write("")] {
            assert!(matches!(keys.read(Some(wrong)), Err(Error::InvalidQuery { .. })), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_read_from_cursors() {
        let events = Cursors("events");
        assert_eq!(events.read_number(Some(&events.write("12"))).unwrap(), Some(12));
        assert!(events.read_number(None).unwrap().is_none());
        for wrong in
            [events.write("twelve"), events.write("-1"), events.write("4294967296"), Cursors("keys").write("12")]
        {
            assert!(matches!(events.read_number(Some(&wrong)), Err(Error::InvalidQuery { .. })), "{wrong}");
        }
    }
}
