//! SQS and KMS: awsim. It keeps its state in memory; what a stop must not lose is saved to two files.
//! No queue holds the only trace of work, so a kill costs at most a message that the ticker sends again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use awsim_core::{AppState, PersistenceManager, ServiceHandler};
use awsim_kms::KmsService;
use awsim_sqs::SqsService;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{ACCOUNT, REGION};
use crate::data_dir::DataDir;
use crate::failure::Failure;

pub struct Awsim {
    services: Vec<Arc<dyn ServiceHandler>>,
    folder: Option<PathBuf>,
}

pub fn start(listener: TcpListener, data: &DataDir, stop: CancellationToken) -> Result<Awsim, Failure> {
    let services: Vec<Arc<dyn ServiceHandler>> = vec![Arc::new(SqsService::new()), Arc::new(KmsService::new())];
    let awsim = Awsim { services, folder: data.awsim_folder() };
    awsim.restore(data)?;

    let mut state = AppState::new(REGION.to_owned(), ACCOUNT.to_owned());
    for service in &awsim.services {
        state.register(service.clone(), service.routes());
    }
    let ticks = awsim_core::gateway::spawn_tick_loop(state.clone(), Duration::from_millis(100));
    let router = Router::new()
        .fallback(awsim_core::gateway::handle_request)
        .layer(DefaultBodyLimit::disable())
        .with_state(state);
    let saver = Awsim { services: awsim.services.clone(), folder: awsim.folder.clone() };
    tokio::spawn(save_often(saver, stop.clone()));
    tokio::spawn(async move {
        let _ = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await;
        ticks.abort();
    });
    Ok(awsim)
}

impl Awsim {
    fn restore(&self, data: &DataDir) -> Result<(), Failure> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let saved = PersistenceManager::new(folder);
        for service in &self.services {
            if let Some(snapshot) = saved.load_snapshot(service.service_name()) {
                let name = format!("awsim/snapshots/{}.json", service.service_name());
                service.restore(&snapshot).map_err(|cause| data.damaged(&name, cause))?;
            }
        }
        Ok(())
    }

    pub fn save(&self) -> Result<(), Failure> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let saved = PersistenceManager::new(folder);
        for service in &self.services {
            if let Some(snapshot) = service.snapshot() {
                let written = saved.save_snapshot(service.service_name(), &snapshot);
                written.map_err(|cause| Failure::Folder { folder: folder.clone(), cause })?;
            }
        }
        Ok(())
    }
}

/// Once a second; a snapshot is small, for queues empty themselves.
async fn save_often(awsim: Awsim, stop: CancellationToken) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    let awsim = Arc::new(awsim);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = seconds.tick() => {}
        }
        let awsim = awsim.clone();
        if let Ok(Err(failure)) = tokio::task::spawn_blocking(move || awsim.save()).await {
            tracing::error!(%failure, "the queues were not saved");
        }
    }
}
