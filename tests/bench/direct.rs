//! Starts the mock without a gateway: the baseline of all subjects.

use std::env;
use std::path::Path;

use crate::Result;
use crate::call::Service;
use crate::load::Target;
use crate::openai::MOCK_MODEL;
use crate::process::{Process, server};

pub async fn start(run: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let mut command = server(env::current_exe()?);
    command.args(["mock", "--port", &mock_port.to_string()]);
    let process = Process::serve(&mut command, mock_port, &run.join("mock.log")).await?;
    let service = Service::Chat { model: MOCK_MODEL.to_owned(), guard: false };
    let path = "/v1/chat/completions".to_owned();
    Ok((Target { port: mock_port, path, headers: Vec::new(), service }, process))
}
