//! Questions at the terminal. They are written to standard error, so that standard output has only the report.

use std::io::{self, BufRead, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::failure::Failure;

/// Whether a person can be asked.
pub fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

pub fn show(line: &str) {
    eprintln!("{line}");
}

/// Asks for one line. An empty line takes the usual answer.
pub fn ask(question: &str, usual: Option<&str>) -> Result<String, Failure> {
    let shown = usual.map(|usual| format!(" [{usual}]")).unwrap_or_default();
    eprint!("{question}{shown}: ");
    let line = read_line()?;
    match usual {
        Some(usual) if line.is_empty() => Ok(usual.to_owned()),
        _ => Ok(line),
    }
}

/// Asks for a line that the terminal does not show.
pub fn ask_secret(question: &str) -> Result<String, Failure> {
    eprint!("{question}: ");
    let hidden = HiddenInput::start();
    let line = read_line();
    drop(hidden);
    eprintln!();
    line
}

fn read_line() -> Result<String, Failure> {
    let failed = |cause: io::Error| Failure::Other(format!("the terminal cannot be read: {cause}"));
    io::stderr().flush().map_err(failed)?;
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line).map_err(failed)? {
        0 => Err(Failure::Other("the setup was cancelled; nothing more was written".to_owned())),
        _ => Ok(line.trim().to_owned()),
    }
}

/// The terminal does not echo its input until this is dropped.
struct HiddenInput(Option<Termios>);

impl HiddenInput {
    fn start() -> Self {
        let Ok(before) = tcgetattr(io::stdin()) else { return Self(None) };
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        Self(tcsetattr(io::stdin(), OptionalActions::Flush, &hidden).is_ok().then_some(before))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, before);
        }
    }
}
