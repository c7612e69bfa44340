//! Embedded SQS and KMS, by awsim. It keeps its state in memory; snapshots of the state are saved to two files.
//!
//! A kill can lose the messages since the last snapshot. No queue holds the only record of any work, so the ticker
//! sends them again.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use awsim_core::{AppState, ServiceHandler};
use awsim_kms::KmsService;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use tokio_util::sync::CancellationToken;

use super::queues::Queues;
use super::storage::StorageHealth;
use super::{ACCOUNT, REGION};
use crate::data_dir::{DataDir, create_private, write_private};
use crate::failure::Failure;

const SNAPSHOTS: &str = "awsim/snapshots";

#[derive(Clone)]
pub struct Awsim {
    services: Vec<Arc<dyn ServiceHandler>>,
    /// The folder of the snapshots; `None` if all data is in memory.
    folder: Option<PathBuf>,
    /// The saved snapshots. An unchanged one is not written again.
    saved: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

/// Restores the services from the last snapshots, and returns them with the router of their API.
pub fn start(data: &DataDir, queues: Queues) -> Result<(Awsim, Router), Failure> {
    let services: Vec<Arc<dyn ServiceHandler>> = vec![Arc::new(queues), Arc::new(KmsService::new())];
    let folder = (!data.is_ephemeral()).then(|| data.folder().join(SNAPSHOTS));
    let awsim = Awsim { services, folder, saved: Arc::default() };
    awsim.restore(data)?;

    let mut state = AppState::new(REGION.to_owned(), ACCOUNT.to_owned());
    for service in &awsim.services {
        state.register(service.clone(), service.routes());
    }
    let router = Router::new()
        .fallback(awsim_core::gateway::handle_request)
        .layer(DefaultBodyLimit::disable())
        .with_state(state);
    Ok((awsim, router))
}

impl Awsim {
    fn restore(&self, data: &DataDir) -> Result<(), Failure> {
        let Some(folder) = &self.folder else { return Ok(()) };
        for service in &self.services {
            let file = format!("{SNAPSHOTS}/{}.json", service.service_name());
            let path = folder.join(format!("{}.json", service.service_name()));
            match fs::read(path) {
                Ok(snapshot) => service.restore(&snapshot).map_err(|cause| data.damaged_file(&file, cause))?,
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(data.damaged_file(&file, cause)),
            }
        }
        Ok(())
    }

    pub fn save(&self) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        create_private(folder)?;
        for service in &self.services {
            let name = service.service_name();
            let Some(snapshot) = service.snapshot() else { continue };
            if saved.get(name) != Some(&snapshot) {
                write_private(&folder.join(format!("{name}.json")), &snapshot)?;
                saved.insert(name.to_owned(), snapshot);
            }
        }
        Ok(())
    }
}

/// Saves once a second. The snapshots are small, because the queues are drained continuously.
pub async fn save_often(awsim: Awsim, storage: StorageHealth, stop: CancellationToken) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = seconds.tick() => {}
        }
        let awsim = awsim.clone();
        match tokio::task::spawn_blocking(move || awsim.save()).await {
            Ok(Ok(())) => storage.report_written(SNAPSHOTS),
            Ok(Err(cause)) => storage.report_io(SNAPSHOTS, &cause),
            Err(_) => {}
        }
    }
}
