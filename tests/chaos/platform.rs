//! The platform as `local` runs it, in a process of its own, with a fault proxy between its functions and its services.
//! It reports on its standard output, one word a line, that it is ready and what happened to each AWS call.

use std::future::pending;

use local::{DataDir, Options, Platform, open_files};
use platform::telemetry::levels;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::Result;
use crate::cli::PlatformOptions;
use crate::services::ServiceFaults;

/// The line that reports the end of the start.
pub const READY: &str = "ready";

pub async fn run(options: PlatformOptions) -> Result<()> {
    let log = tracing_subscriber::fmt::layer().compact().with_target(false).with_writer(std::io::stderr);
    tracing_subscriber::registry()
        .with(log)
        .with(levels("error,gateway=warn,outbound=warn,platform=warn,store=warn,web=warn,local=info,runner=info"))
        .init();
    open_files::raise_limit();
    let PlatformOptions { port, data_dir, seed, failing } = options;
    let data = DataDir::open(&data_dir).map_err(|failure| failure.to_string())?;
    let mut options = Options { port, background: true, ..Options::new(data) };
    if failing > 0 {
        let faults = ServiceFaults { failing, seed };
        options.services_proxy = Some(Box::new(move |services| faults.in_front_of(services)));
    }
    let _platform = Platform::start(options).await.map_err(|failure| failure.to_string())?;
    println!("{READY}");
    pending().await
}
