//! The limits of what a server may send. A server beyond them is refused, so that it cannot use up memory, time or money.

use std::time::Duration;

/// The size of one JSON-RPC message, as for the responses of `http` nodes.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// The size of a whole event stream, with the notifications in it.
pub const MAX_STREAM_BYTES: usize = 8 * 1024 * 1024;
/// An error response is read up to this size.
pub const MAX_ERROR_BYTES: usize = 64 * 1024;
/// How often the stream of one answer is resumed.
pub const MAX_RESUMES: u32 = 10;
/// The longest wait before a stream is resumed, whatever the server says.
pub const LONGEST_RETRY: Duration = Duration::from_secs(10);
/// How many requests of a server are answered while it works on a call.
pub const MAX_SERVER_REQUESTS: u32 = 16;

pub const MAX_PAGES: usize = 100;
pub const MAX_TOOLS: usize = 1_000;
/// The size of all tools of a server as JSON.
pub const MAX_LISTING_BYTES: usize = 2 * 1024 * 1024;
pub const MAX_CURSOR_BYTES: usize = 4 * 1024;

pub const MAX_TOOL_NAME_BYTES: usize = 128;
/// A longer description is cut, after its hash was computed.
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;
pub const MAX_TITLE_CHARS: usize = 200;
pub const MAX_SCHEMA_BYTES: usize = 64 * 1024;
pub const MAX_SCHEMA_DEPTH: usize = 32;

/// The parts of one result.
pub const MAX_CONTENT_PARTS: usize = 100;
pub const MAX_URI_CHARS: usize = 2_000;
pub const MAX_MESSAGE_CHARS: usize = 2_000;

/// How long a listing is used again.
pub const LISTING_LIFETIME: Duration = Duration::from_secs(30);
pub const MAX_CACHED_LISTINGS: usize = 32;
/// The time that a call keeps for its cancellation and the end of its session.
pub const CLOSING_TIME: Duration = Duration::from_secs(2);
