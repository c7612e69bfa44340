//! Reads files into data: CSV, XLSX, PDF, HTML, JSON and text. Writes data as files.
//!
//! Files are hostile: what reads them may crash, loop or take gigabytes. So [`read`] does it in a process of its own. What is
//! written is data of the run, within the limits of values, so [`write()`] does it in this process.

pub mod charset;
pub mod entities;
pub mod html;

mod content;
mod delimited;
mod pdf;
mod problems;
mod processes;
mod reading;
mod table;
mod workbook;
mod writing;

pub use content::{Content, File};
pub use processes::{ReadError, read, serve_if_asked, server_id, use_program};
pub use writing::write;
