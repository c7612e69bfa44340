//! The results of a part of a batch, as the lines of its output file and of its error file.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use domain::batch::{BatchLine, BatchOrder};
use domain::{Error, Result};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::calls::LineAnswer;

#[derive(Default)]
pub struct Results {
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    pub completed: u32,
    pub failed: u32,
    /// The numbers of the lines that have a result.
    pub done: BTreeSet<u32>,
}

#[derive(Serialize)]
struct ResultOut<'a> {
    id: String,
    custom_id: &'a RawValue,
    response: Option<ResponseOut<'a>>,
    error: Option<ErrorOut>,
}

#[derive(Serialize)]
struct ResponseOut<'a> {
    status_code: u16,
    request_id: &'a str,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct ErrorOut {
    code: &'static str,
    message: &'static str,
}

impl Results {
    pub fn add_answer(
        &mut self,
        order: &BatchOrder,
        number: u32,
        line: &BatchLine<'_>,
        mut answer: LineAnswer,
    ) -> Result<()> {
        // Each result is one line. In JSON, line breaks are only between values.
        if answer.body.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            answer.body = answer.body.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
        }
        let body: &RawValue = serde_json::from_slice(&answer.body).map_err(Error::internal)?;
        let response = ResponseOut { status_code: answer.status.as_u16(), request_id: &answer.request_id, body };
        let is_answer = answer.status == StatusCode::OK;
        self.add(order, number, line, Some(response), None, is_answer)
    }

    /// A line that has no answer at the end of the window.
    pub fn add_expired(&mut self, order: &BatchOrder, number: u32, line: &BatchLine<'_>) -> Result<()> {
        let message = "the request was not made before the end of the batch's window; send it in another batch";
        self.add(order, number, line, None, Some(ErrorOut { code: "batch_expired", message }), false)
    }

    fn add(
        &mut self,
        order: &BatchOrder,
        number: u32,
        line: &BatchLine<'_>,
        response: Option<ResponseOut<'_>>,
        error: Option<ErrorOut>,
        is_answer: bool,
    ) -> Result<()> {
        let id = format!("batch_req_{}_{number}", order.id.uuid().simple());
        let result = ResultOut { id, custom_id: line.custom_id, response, error };
        let (file, count) = match is_answer {
            true => (&mut self.output, &mut self.completed),
            false => (&mut self.errors, &mut self.failed),
        };
        serde_json::to_writer(&mut *file, &result).map_err(Error::internal)?;
        file.push(b'\n');
        *count += 1;
        self.done.insert(number);
        Ok(())
    }
}
