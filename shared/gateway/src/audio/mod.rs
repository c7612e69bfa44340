//! Audio in OpenAI's format: transcriptions of files, and speech.

pub mod length;
pub mod speech;
pub mod transcription;
pub mod wav;
