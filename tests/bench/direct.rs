//! Starts the mock without a gateway: the baseline of all subjects.

use std::env;
use std::path::Path;

use crate::load::Target;
use crate::{Result, openai};
use tests::process::{Process, server};

pub async fn start(run: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let mut command = server(env::current_exe()?);
    command.args(["mock", "--port", &mock_port.to_string()]);
    let process = Process::serve(&mut command, mock_port, &run.join("mock.log")).await?;
    Ok((openai::target(mock_port, openai::MOCK_MODEL), process))
}
