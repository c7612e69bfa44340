//! Executes the commands of `TOUR.md` in one shell, line by line, and compares their output with the lines `# => …`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
#[expect(dead_code, reason = "the tour needs only the process")]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::{Folder, Running};

/// The address that the tour names.
const ADDRESS: &str = "http://127.0.0.1:9000";
/// The time limit of a command, which may wait in a loop. It is far more than a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(120);
/// The line that the shell prints after each command, before the exit status.
const END: &str = "--- end of the command, status ";

/// A command of the tour, and the lines that it must print.
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

#[test]
fn the_tour_works_line_by_line() {
    let folder = Folder::new();
    let running = Running::start(&folder.0, &[]);
    let tour = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/TOUR.md")).unwrap();
    let steps = read_steps(&tour.replace(ADDRESS, &running.base_url));
    assert!(steps.len() > 50 && steps.iter().filter(|step| !step.expected.is_empty()).count() > 20, "{}", steps.len());
    let mut shell = Shell::start(&folder.0);
    for Step { line, command, expected } in steps {
        let (status, output) = shell.execute(&command).unwrap_or_else(|seen| {
            panic!("TOUR.md:{line}: {command}\nhas not ended after {PATIENCE:?}; it printed:\n{seen}")
        });
        let fault = match expected.iter().find(|pattern| !output.lines().any(|printed| matches(printed, pattern))) {
            Some(missing) => Some(format!("does not print: {missing}")),
            None if expected.is_empty() && output.contains(r#"{"error":{"#) => Some("is refused".to_owned()),
            None => (status != "0").then(|| format!("ends with the status {status}")),
        };
        assert!(fault.is_none(), "TOUR.md:{line}: {command}\n{}\nit printed:\n{output}", fault.unwrap_or_default());
    }
}

#[test]
fn expected_lines_have_wildcards() {
    assert!(matches(r#"{"id":"7","name":"a"}"#, r#"{"id":"…","name":"a"}"#));
    assert!(matches("a: 1.50", "a: 1…") && matches("a", "a"));
    for (printed, pattern) in [("ab", "a"), ("ba", "a…"), ("a b", "b…a"), ("aa", "a…aa"), ("b", "a")] {
        assert!(!matches(printed, pattern), "{printed} {pattern}");
    }
}

/// Reads the commands of all `sh` blocks. A command goes on until the shell can parse it, so it may have several lines.
fn read_steps(tour: &str) -> Vec<Step> {
    let (mut steps, mut is_shell, mut command) = (Vec::<Step>::new(), false, String::new());
    for (index, text) in tour.lines().enumerate() {
        if let Some(info) = text.strip_prefix("```") {
            assert!(command.is_empty(), "TOUR.md:{}: the command is not complete: {command}", index + 1);
            is_shell = info == "sh";
            continue;
        }
        if !is_shell {
            continue;
        }
        if let Some(expected) = text.strip_prefix("# => ") {
            steps.last_mut().unwrap().expected.push(expected.to_owned());
        } else if !command.is_empty() || !(text.is_empty() || text.starts_with('#')) {
            command = if command.is_empty() { text.to_owned() } else { format!("{command}\n{text}") };
            let parsed = Command::new("bash").args(["-n", "-c", &command]).stderr(Stdio::null()).status().unwrap();
            if parsed.success() {
                steps.push(Step { line: index + 1, command: std::mem::take(&mut command), expected: Vec::new() });
            }
        }
    }
    steps
}

/// Whether the whole line has the form of the pattern, in which `…` stands for any text.
fn matches(printed: &str, pattern: &str) -> bool {
    let printed = printed.trim_end();
    let Some((first, rest)) = pattern.trim_end().split_once('…') else { return printed == pattern.trim_end() };
    let Some(mut left) = printed.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('…').unwrap_or(("", rest));
    for part in middle.split('…') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(last)
}

/// A shell that keeps its variables between the commands.
struct Shell {
    process: Child,
    lines: Receiver<String>,
}

impl Shell {
    /// `cargo run -q -p local -- …` is executed with the binary under test and its data folder.
    fn start(data: &Path) -> Self {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc"]).current_dir(top).env("NO_PROXY", "*");
        command.env("LOCAL", env!("CARGO_BIN_EXE_local")).env("DATA", data).stdin(Stdio::piped());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (send, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                let _ = send.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        let mut shell = Self { process, lines };
        shell.execute(r#"cargo() { "$LOCAL" "${@:6}" --data-dir "$DATA"; }"#).unwrap();
        shell
    }

    /// Executes a command, and returns its exit status and its output. The error is the output of one that does not end.
    fn execute(&mut self, command: &str) -> Result<(String, String), String> {
        writeln!(self.process.stdin.as_mut().unwrap(), "{command}\nprintf '\\n%s%s\\n' '{END}' $?").unwrap();
        let mut output = String::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => match line.strip_prefix(END) {
                    Some(status) => return Ok((status.to_owned(), output)),
                    None => output = output + &line + "\n",
                },
                Err(_) => return Err(output),
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
