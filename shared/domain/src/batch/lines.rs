//! The lines of a batch's input file: each is a request, as JSON.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{BatchEndpoint, BatchProblem, MAX_LINES};

/// The maximum number of problems that are listed.
const MAX_PROBLEMS: usize = 50;
const MAX_CUSTOM_ID_CHARS: usize = 512;

/// A request of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchLine<'a> {
    /// The client's name of the request, as JSON.
    pub custom_id: &'a RawValue,
    /// The body as the client wrote it.
    pub body: &'a RawValue,
}

#[derive(Deserialize)]
struct LineIn<'a> {
    #[serde(borrow)]
    custom_id: Option<&'a RawValue>,
    method: Option<Value>,
    url: Option<Value>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

/// What a batch cannot have in the bodies of its requests.
#[derive(Deserialize)]
struct BodyIn {
    stream: Option<Value>,
}

/// Reads the requests, or finds out why they cannot be made. Empty lines are left out.
pub fn read_lines(input: &[u8], endpoint: BatchEndpoint) -> Result<Vec<BatchLine<'_>>, Vec<BatchProblem>> {
    let input = match str::from_utf8(input) {
        Ok(input) => input.trim_start_matches('\u{feff}'),
        Err(error) => {
            let line = input[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            return Err(vec![problem(
                line,
                "invalid_json_line",
                None,
                "the line is not UTF-8; save the file as UTF-8",
            )]);
        }
    };
    let (mut lines, mut problems, mut names) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, text) in input.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        if lines.len() + problems.len() == MAX_LINES {
            let message = format!("the file has more than {MAX_LINES} requests; split it into several batches");
            return Err(vec![BatchProblem { code: "too_many_requests".to_owned(), message, line: None, param: None }]);
        }
        match read_line(text, endpoint, &mut names) {
            Ok(line) => lines.push(line),
            Err((code, param, message)) => problems.push(problem(index + 1, code, param, &message)),
        }
        if problems.len() == MAX_PROBLEMS {
            break;
        }
    }
    if lines.is_empty() && problems.is_empty() {
        let message = "the file has no requests; write each request as a JSON object in a line of its own".to_owned();
        problems.push(BatchProblem { code: "empty_file".to_owned(), message, line: None, param: None });
    }
    if problems.is_empty() { Ok(lines) } else { Err(problems) }
}

type Refusal = (&'static str, Option<&'static str>, String);

fn read_line<'a>(
    text: &'a str,
    endpoint: BatchEndpoint,
    names: &mut HashSet<String>,
) -> Result<BatchLine<'a>, Refusal> {
    let refusal = |code, param, message: &str| (code, Some(param), message.to_owned());
    let line: LineIn<'a> = serde_json::from_str(text).map_err(|error| {
        let message = format!("the line is not a request in JSON: {error}");
        ("invalid_json_line", None, message)
    })?;
    let missing = |param: &'static str| refusal("missing_required_parameter", param, "the request does not have it");
    let custom_id = line.custom_id.ok_or_else(|| missing("custom_id"))?;
    let name: String = serde_json::from_str(custom_id.get()).unwrap_or_default();
    if !(1..=MAX_CUSTOM_ID_CHARS).contains(&name.chars().count()) {
        return Err(refusal("invalid_custom_id", "custom_id", "must be a string of 1 to 512 characters"));
    }
    if line.method.ok_or_else(|| missing("method"))? != "POST" {
        return Err(refusal("invalid_method", "method", "must be `POST`"));
    }
    if line.url.ok_or_else(|| missing("url"))? != endpoint.as_str() {
        let message = format!("must be the endpoint of the batch, `{}`", endpoint.as_str());
        return Err(refusal("mismatched_url", "url", &message));
    }
    let body = line.body.ok_or_else(|| missing("body"))?;
    if !body.get().starts_with('{') {
        return Err(refusal("invalid_request", "body", "must be an object"));
    }
    match serde_json::from_str::<BodyIn>(body.get()) {
        Ok(BodyIn { stream: None | Some(Value::Bool(false) | Value::Null) }) => {}
        Ok(_) => {
            return Err(refusal("invalid_request", "body.stream", "batches do not stream answers; remove `stream`"));
        }
        Err(error) => return Err(refusal("invalid_request", "body", &format!("cannot be read: {error}"))),
    }
    if !names.insert(name) {
        return Err(refusal(
            "duplicate_custom_id",
            "custom_id",
            "an earlier line has the same `custom_id`; give each request its own",
        ));
    }
    Ok(BatchLine { custom_id, body })
}

fn problem(line: usize, code: &str, param: Option<&str>, message: &str) -> BatchProblem {
    BatchProblem {
        code: code.to_owned(),
        message: message.to_owned(),
        line: line.try_into().ok(),
        param: param.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: BatchEndpoint = BatchEndpoint::ChatCompletions;

    fn problems(input: &str) -> Vec<(Option<u32>, String)> {
        let problems = read_lines(input.as_bytes(), ENDPOINT).unwrap_err();
        problems.into_iter().map(|problem| (problem.line, problem.code)).collect()
    }

    #[test]
    fn requests_keep_their_bodies() {
        let input = "\u{feff}{\"custom_id\":\"a\\n\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"n\": 1.0}}\r\n\n\
                     {\"custom_id\":\"b\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"stream\":false}}";
        let lines = read_lines(input.as_bytes(), ENDPOINT).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].custom_id.get(), lines[0].body.get()), ("\"a\\n\"", "{\"n\": 1.0}"));
    }

    #[test]
    fn each_fault_names_its_line() {
        let line = |change: &str| {
            let request = "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{}}";
            let (from, to) = change.split_once(" -> ").unwrap();
            request.replace(from, to)
        };
        let faults = [
            ("{ -> [", "invalid_json_line"),
            ("custom_id -> id", "missing_required_parameter"),
            ("\"a\" -> 1", "invalid_custom_id"),
            ("POST -> GET", "invalid_method"),
            ("chat -> chats", "mismatched_url"),
            ("{} -> []", "invalid_request"),
            ("{} -> {\"stream\":true}", "invalid_request"),
        ];
        for (change, code) in faults {
            let input = format!("\n{}\n", line(change));
            assert_eq!(problems(&input), [(Some(2), code.to_owned())], "{change}");
        }
        let twice = format!("{}\n{}", line("{} -> {}"), line("{} -> {}"));
        assert_eq!(problems(&twice), [(Some(2), "duplicate_custom_id".to_owned())]);
        assert_eq!(problems("\n \n"), [(None, "empty_file".to_owned())]);
        let many: String = (0..=MAX_LINES).map(|id| line(&format!("\"a\" -> \"{id}\"")) + "\n").collect();
        assert_eq!(problems(&many), [(None, "too_many_requests".to_owned())]);
        assert_eq!(problems(&"x\n".repeat(100)).len(), MAX_PROBLEMS);
        assert_eq!(read_lines(b"{}\n\xff", ENDPOINT).unwrap_err()[0].line, Some(2));
    }
}
