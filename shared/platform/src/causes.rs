//! The causes of an error.

use std::error::Error;
use std::iter::successors;

/// An error and its causes, from the outermost to the innermost.
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}
