//! Installs and starts Portkey's gateway from `npm`: one Node process, whose upstream is set by request headers.

use std::path::Path;

use crate::load::Target;
use crate::{Result, install, openai};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "1.15.2";
/// A preloaded script that makes Portkey listen on loopback only. It has no option for that.
const ON_LOOPBACK: &str = "data:text/javascript,
    import net from 'node:net';
    const listen = net.Server.prototype.listen;
    net.Server.prototype.listen = function (port, _host, done) { return listen.call(this, port, '127.0.0.1', done); };";

pub async fn start(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let node = install::install_node(cache).await?;
    let package = format!("@portkey-ai/gateway@{VERSION}");
    let modules = install::install_from_npm(cache, &format!("portkey-{VERSION}"), &[package]).await?;

    let port = free_port()?;
    let mut command = server(node);
    command.args(["--import", ON_LOOPBACK]).arg(modules.join("@portkey-ai/gateway/build/start-server.js"));
    // Headless: its log page would keep every call.
    command.args([&format!("--port={port}"), "--headless"]).env("NODE_ENV", "production");
    let process = Process::serve(&mut command, port, &folder.join("portkey.log")).await?;

    let headers = [
        ("authorization", "Bearer sk-mock".to_owned()),
        ("x-portkey-provider", "openai".to_owned()),
        ("x-portkey-custom-host", format!("http://127.0.0.1:{mock_port}/v1")),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value)).into();
    Ok((Target { headers, ..openai::target(port, openai::MOCK_MODEL) }, process))
}
