//! All problems of one body. A client that learns them together fixes its request once, and not once for each problem.

use crate::body_problem::{BodyProblem, MOST_PROBLEMS};
use crate::{Error, Result};

/// Collects the problems of a body while it is validated.
#[derive(Debug, Default)]
pub struct Problems {
    found: Vec<BodyProblem>,
    /// An error that no change of the body repairs. It is returned instead of the problems.
    other: Option<Error>,
}

impl Problems {
    /// Returns the value, or collects why there is none.
    pub fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => return Some(value),
            Err(Error::InvalidBody { problems, .. }) => problems.into_iter().for_each(|problem| self.push(problem)),
            Err(error) => self.other = self.other.take().or(Some(error)),
        }
        None
    }

    /// As `take`, for a part of the body.
    pub fn take_within<T>(&mut self, parent: &str, result: Result<T>) -> Option<T> {
        self.take(result.map_err(|error| within(parent, error)))
    }

    /// As `take`, with the default value in place of a missing one. The default never leaves a function that calls
    /// `finish`.
    pub fn or_default<T: Default>(&mut self, result: Result<T>) -> T {
        self.take(result).unwrap_or_default()
    }

    pub fn add(&mut self, field: &str, problem: impl std::fmt::Display) {
        self.push(BodyProblem::new(field, &problem.to_string()));
    }

    /// A field has one problem, because the second one often follows from the first. No more are collected than an error
    /// lists, because a body may have hundreds of thousands.
    fn push(&mut self, problem: BodyProblem) {
        if self.found.len() >= MOST_PROBLEMS {
            return;
        }
        if problem.field.is_empty() || self.found.iter().all(|known| known.field != problem.field) {
            self.found.push(problem);
        }
    }

    /// Returns the value that was built from what `take` returned. It exists if nothing was collected.
    pub fn finish_with<T>(self, value: Option<T>) -> Result<T> {
        self.finish()?;
        value.ok_or_else(|| Error::internal("a body without problems gave no value"))
    }

    pub fn finish(self) -> Result<()> {
        match (self.other, self.found.is_empty()) {
            (Some(error), _) => Err(error),
            (None, true) => Ok(()),
            (None, false) => Err(Error::invalid_fields(self.found)),
        }
    }
}

/// The error of a part of a body, with the paths of the whole body.
pub fn within(parent: &str, error: Error) -> Error {
    match error {
        Error::InvalidBody { problems, .. } => {
            Error::invalid_fields(problems.into_iter().map(|problem| problem.within(parent)).collect())
        }
        other => other,
    }
}
