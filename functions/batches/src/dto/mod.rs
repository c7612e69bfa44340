//! The wire types of files and batches, in the format of OpenAI.

pub mod batches;
pub mod files;
