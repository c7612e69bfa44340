//! The events of a server's stream, as they arrived. Only the data of events with forbidden tools is written anew.

use bytes::{Bytes, BytesMut};

/// One event, with its line ends and the blank line after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent(Bytes);

#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Splits a stream into events. The input may be split at any byte.
pub struct EventSplitter {
    buffer: BytesMut,
    searched: usize,
    max_bytes: usize,
}

impl EventSplitter {
    pub fn new(max_bytes: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, max_bytes }
    }

    pub fn feed(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// The next complete event. `None` if it needs more bytes.
    pub fn next_event(&mut self) -> Result<Option<RawEvent>, TooLarge> {
        let end = self.find_end();
        if end.unwrap_or(self.buffer.len()) > self.max_bytes {
            return Err(TooLarge);
        }
        Ok(end.map(|end| {
            self.searched = 0;
            RawEvent(self.buffer.split_to(end).freeze())
        }))
    }

    /// The place after the first blank line. A line ends with LF, CR LF or CR.
    fn find_end(&mut self) -> Option<usize> {
        let bytes = &self.buffer[..];
        while let Some(found) = bytes[self.searched..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let line_end = end_of_line(bytes, self.searched + found)?;
            match bytes.get(line_end) {
                None => return None,
                Some(b'\n' | b'\r') => return end_of_line(bytes, line_end),
                Some(_) => self.searched = line_end,
            }
        }
        self.searched = bytes.len();
        None
    }
}

/// The place after the line end at `at`. `None` if a LF may follow its CR.
fn end_of_line(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes[at], bytes.get(at + 1)) {
        (b'\r', None) => None,
        (b'\r', Some(b'\n')) => Some(at + 2),
        _ => Some(at + 1),
    }
}

impl RawEvent {
    /// The joined data. `None` if the event has none, or is not UTF-8.
    pub fn data(&self) -> Option<String> {
        let text = str::from_utf8(&self.0).ok()?;
        let mut lines = lines(text).filter_map(data_of_line);
        let first = lines.next()?.to_owned();
        Some(lines.fold(first, |all, line| all + "\n" + line))
    }

    pub fn is_text(&self) -> bool {
        str::from_utf8(&self.0).is_ok()
    }

    /// The event with other data, which has one line.
    #[must_use]
    pub fn with_data(self, data: &str) -> Self {
        let text = str::from_utf8(&self.0).unwrap_or_default();
        let kept = lines(text).filter(|line| !line.is_empty() && data_of_line(line).is_none());
        let mut written = kept.fold(String::new(), |all, line| all + line + "\n");
        written.push_str("data: ");
        written.push_str(data);
        written.push_str("\n\n");
        Self(written.into())
    }

    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

fn data_of_line(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("data")?;
    match rest.strip_prefix(':') {
        Some(value) => Some(value.strip_prefix(' ').unwrap_or(value)),
        None => rest.is_empty().then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> Vec<String> {
        let mut splitter = EventSplitter::new(1_000);
        let mut events = Vec::new();
        for piece in pieces {
            splitter.feed(piece.as_bytes());
            while let Some(event) = splitter.next_event().expect("small events") {
                events.push(String::from_utf8(event.into_bytes().to_vec()).expect("UTF-8"));
            }
        }
        events
    }

    #[test]
    fn events_are_split_at_any_byte_and_keep_their_bytes() {
        let text = ": hello\n\nid: 1\nevent: message\ndata: {\"a\":1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\ndata: z\r\rretry: 5\n\nrest";
        let whole = split(&[text]);
        assert_eq!(whole.len(), 5, "{whole:?}");
        assert_eq!(whole.concat(), text.strip_suffix("rest").expect("a rest"));
        for at in 0..text.len() {
            assert_eq!(split(&[&text[..at], &text[at..]]), whole, "split at {at}");
        }
        let bytes: Vec<_> = text.split("").collect();
        assert_eq!(split(&bytes), whole);
    }

    #[test]
    fn data_is_joined_and_replaced() {
        let event = |text: &str| RawEvent(text.to_owned().into());
        assert_eq!(event("id: 1\r\ndata: x\r\ndata:y\r\ndata\r\n\r\n").data().as_deref(), Some("x\ny\n"));
        assert_eq!(event(": comment\n\n").data(), None);
        assert_eq!(event("database: x\n\n").data(), None);
        let replaced = event("id: 1\r\nevent: message\r\ndata: x\r\ndata: y\r\n\r\n").with_data("z");
        assert_eq!(replaced, event("id: 1\nevent: message\ndata: z\n\n"));
    }

    #[test]
    fn a_large_event_is_refused() {
        let mut splitter = EventSplitter::new(10);
        splitter.feed(b"data: 12345");
        assert_eq!(splitter.next_event(), Err(TooLarge));
        let mut splitter = EventSplitter::new(10);
        splitter.feed(b"data: 1\n\ndata: 2\n\n");
        assert!(splitter.next_event().is_ok_and(|event| event.is_some()));
        assert!(splitter.next_event().is_ok_and(|event| event.is_some()));
    }
}
