//! An incremental parser of server-sent events (SSE). The input may be split at any byte.

use std::time::Duration;

/// A longer id of an event is ignored, so that it fits into a header.
const MAX_ID_BYTES: usize = 1_024;

/// One event. Its `data:` lines are joined with newlines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The value of `event:`, or empty when the event has no such field.
    pub name: String,
    pub data: String,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("an event is larger than {0} bytes")]
    TooLarge(usize),
    #[error("an event is not UTF-8")]
    NotUtf8,
}

/// Takes bytes with `feed` and returns complete events with `next_event`. Lines after the last blank line are not an
/// event: the SSE standard discards them, since the stream may have been cut.
pub struct Parser {
    buffer: Vec<u8>,
    /// Start of the current line in the buffer, and the position up to which it was searched for a line end.
    line: usize,
    searched: usize,
    event: Event,
    has_data: bool,
    /// The id in the lines since the last blank one.
    next_id: Option<String>,
    last_id: Option<String>,
    retry: Option<Duration>,
    after_cr: bool,
    at_start: bool,
    max_event_bytes: usize,
}

impl Parser {
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            buffer: Vec::new(),
            line: 0,
            searched: 0,
            event: Event::default(),
            has_data: false,
            next_id: None,
            last_id: None,
            retry: None,
            after_cr: false,
            at_start: true,
            max_event_bytes,
        }
    }

    pub fn feed(&mut self, piece: &[u8]) {
        self.buffer.drain(..self.line);
        self.searched -= self.line;
        self.line = 0;
        self.buffer.extend_from_slice(piece);
    }

    /// The id of the last event that had one, also if it had no data. With it, a client resumes a stream.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long a client waits before it resumes the stream, if the server says so.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Returns the next complete event, or `None` when the parser needs more bytes.
    pub fn next_event(&mut self) -> Result<Option<Event>, SseError> {
        while let Some((from, to)) = self.next_line() {
            if from == to {
                let event = std::mem::take(&mut self.event);
                self.last_id = self.next_id.take().or(self.last_id.take());
                // The standard ignores events without data.
                if std::mem::take(&mut self.has_data) {
                    return Ok(Some(event));
                }
                continue;
            }
            if to - from + self.event.data.len() > self.max_event_bytes {
                return Err(SseError::TooLarge(self.max_event_bytes));
            }
            let line = std::str::from_utf8(&self.buffer[from..to]).map_err(|_| SseError::NotUtf8)?;
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => {
                    if std::mem::replace(&mut self.has_data, true) {
                        self.event.data.push('\n');
                    }
                    self.event.data.push_str(value);
                }
                "event" => value.clone_into(&mut self.event.name),
                "id" if value.len() <= MAX_ID_BYTES && !value.contains('\0') => self.next_id = Some(value.to_owned()),
                "retry" => self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry),
                // Comments and unknown fields are ignored.
                _ => {}
            }
        }
        if self.buffer.len() - self.line + self.event.data.len() > self.max_event_bytes {
            return Err(SseError::TooLarge(self.max_event_bytes));
        }
        Ok(None)
    }

    /// Returns the byte range of the next complete line, without its line end.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        // The LF after a CR belongs to the line end that was already read.
        if self.after_cr && self.line < self.buffer.len() {
            self.after_cr = false;
            if self.buffer[self.line] == b'\n' {
                self.line += 1;
                self.searched = self.searched.max(self.line);
            }
        }
        let unsearched = &self.buffer[self.searched..];
        let Some(end) = unsearched.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let mut from = self.line;
        if std::mem::take(&mut self.at_start) && self.buffer[from..end].starts_with("\u{feff}".as_bytes()) {
            from += "\u{feff}".len();
        }
        self.after_cr = self.buffer[end] == b'\r';
        self.line = end + 1;
        self.searched = self.line;
        Some((from, end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut parser = Parser::new(1_000);
        let mut events = Vec::new();
        for piece in pieces {
            parser.feed(piece);
            while let Some(event) = parser.next_event().unwrap() {
                events.push(event);
            }
        }
        events
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn fields_are_parsed_as_the_standard_defines() {
        let stream = "\u{feff}: welcome\nretry: 5\ndata: one\n\nevent: ping\ndata:  two\ndata\ndata:three\nid: 7\n\n\
                      event: nothing\n\ndata: {\"a\":\"b: c\"}\r\n\r\ndata: cut";
        let expected = [event("", "one"), event("ping", " two\n\nthree"), event("", "{\"a\":\"b: c\"}")];
        assert_eq!(read(&[stream.as_bytes()]), expected);
    }

    #[test]
    fn the_id_and_the_wait_for_resuming_a_stream_are_kept() {
        let mut parser = Parser::new(1_000);
        parser.feed(b"id: 1\nretry: 250\ndata\n\nid: 2\n\nretry: soon\nid: 3\ndata: cut");
        while parser.next_event().unwrap().is_some() {}
        // The last event is not complete.
        assert_eq!((parser.last_id(), parser.retry()), (Some("2"), Some(Duration::from_millis(250))));
    }

    #[test]
    fn a_carriage_return_ends_an_event_at_once() {
        assert_eq!(read(&[b"data: x\r\r"]), [event("", "x")]);
        assert_eq!(read(&[b"data: x\r", b"\n\r", b"\ndata: y\n\n"]), [event("", "x"), event("", "y")]);
    }

    #[test]
    fn events_over_the_size_limit_are_refused() {
        let mut parser = Parser::new(16);
        parser.feed(b"data: 0123456789abcdef");
        assert_eq!(parser.next_event(), Err(SseError::TooLarge(16)));
        let mut parser = Parser::new(16);
        parser.feed(b"data: 01234567\ndata: 01234567\n");
        assert_eq!(parser.next_event(), Err(SseError::TooLarge(16)));
    }

    proptest! {
        /// The parsed events do not depend on line ends or on where the input is split.
        #[test]
        fn events_do_not_depend_on_how_the_input_is_split(
            events in prop::collection::vec(("[a-z]{0,5}", "[ -~áß€👍\n]{0,30}", 0..3usize), 0..6),
            cuts in prop::collection::vec(0..400usize, 0..20),
        ) {
            let mut stream = Vec::new();
            for (name, data, end) in &events {
                let end = ["\n", "\r\n", "\r"][*end];
                stream.extend_from_slice(format!(": a comment{end}event: {name}{end}").as_bytes());
                for line in data.split('\n') {
                    stream.extend_from_slice(format!("data: {line}{end}").as_bytes());
                }
                stream.extend_from_slice(end.as_bytes());
            }
            let mut places: Vec<_> = cuts.into_iter().filter(|cut| *cut < stream.len()).collect();
            places.sort_unstable();
            let (mut pieces, mut from) = (Vec::new(), 0);
            for place in places {
                pieces.push(&stream[from..place]);
                from = place;
            }
            pieces.push(&stream[from..]);
            let expected: Vec<_> = events.iter().map(|(name, data, _)| event(name, data)).collect();
            prop_assert_eq!(read(&pieces), expected);
        }

        /// Arbitrary bytes cause no panic and do not make the buffer grow without limit.
        #[test]
        fn arbitrary_bytes_are_safe(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..10)) {
            let mut parser = Parser::new(64);
            for piece in &pieces {
                parser.feed(piece);
                while let Ok(Some(_)) = parser.next_event() {}
                prop_assert!(parser.buffer.len() <= 64 + 40 + 40 * pieces.len());
            }
        }
    }
}
