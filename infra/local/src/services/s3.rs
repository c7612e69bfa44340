//! S3: s3s on a folder. Objects and their metadata are files, so what was acknowledged survives a kill.

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{ACCESS_KEY, SECRET_KEY};
use crate::data_dir::DataDir;
use crate::failure::Failure;

pub fn start(listener: TcpListener, data: &DataDir, stop: CancellationToken) -> Result<(), Failure> {
    let files = FileSystem::new(data.s3_folder()).map_err(|cause| data.damaged("s3", format!("{cause:?}")))?;
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
    let service = service.build();
    tokio::spawn(async move {
        loop {
            let socket = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((socket, _)) => socket,
                    // Out of file handles, say: wait for some to come back.
                    Err(_) => { tokio::time::sleep(std::time::Duration::from_millis(50)).await; continue }
                },
            };
            // Small answers go out at once, not when an acknowledgement has come back.
            let _ = socket.set_nodelay(true);
            let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service.clone());
            tokio::spawn(async move { drop(connection.await) });
        }
    });
    Ok(())
}
