use std::sync::atomic::{AtomicUsize, Ordering};

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::aws::Aws;

/// What a server does with a connection.
#[derive(Clone, Copy)]
enum Behaviour {
    Close,
    Answer(&'static str),
    /// Reads, and never answers.
    BeSilent,
}

const FOUND: Behaviour = Behaviour::Answer("200 OK");

/// Starts a server on this machine. Its first connection has the first behaviour, the next one the second, and all later ones the last.
/// Returns its address and the number of connections.
async fn serve(behaviours: &'static [Behaviour]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = counter.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(behave(stream, behaviours[number.min(behaviours.len() - 1)]));
        }
    });
    (address, connections)
}

async fn behave(mut stream: TcpStream, behaviour: Behaviour) -> io::Result<()> {
    let mut request = [0; 4096];
    // Requests are small, so each read is one request.
    while stream.read(&mut request).await? > 0 {
        match behaviour {
            Behaviour::Close => return Ok(()),
            Behaviour::Answer(status) => {
                let head = "content-type: application/x-amz-json-1.0\r\ncontent-length: 2";
                stream.write_all(format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n{{}}").as_bytes()).await?;
            }
            Behaviour::BeSilent => {}
        }
    }
    Ok(())
}

fn dynamodb(address: &str) -> aws_sdk_dynamodb::Client {
    let config = SdkConfig::builder()
        .region(Region::from_static("eu-west-1"))
        .endpoint_url(format!("http://{address}"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new("id", "secret", None, None, "test")));
    Aws::local(config).dynamodb()
}

#[tokio::test]
async fn calls_share_a_connection_until_the_server_fails() {
    for (behaviours, expected) in [
        (&[FOUND][..], 1),
        (&[Behaviour::Close, FOUND][..], 2),
        // The connection would still work. Another one may lead to a server that does.
        (&[Behaviour::Answer("500 Internal Server Error"), FOUND][..], 2),
    ] {
        let (address, connections) = serve(behaviours).await;
        let dynamodb = dynamodb(&address);
        for _ in 0..3 {
            dynamodb.list_tables().send().await.unwrap();
        }
        assert_eq!(connections.load(Ordering::SeqCst), expected);
    }
}

async fn fail(connector: &Connector, url: &str) -> ConnectorError {
    let request = http::Request::get(url).body(SdkBody::empty()).unwrap();
    connector.call(HttpRequest::try_from(request).unwrap()).await.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up() {
    const SHORT: Duration = Duration::from_secs(2);
    const LONG: Duration = Duration::from_secs(600);
    let (address, _) = serve(&[Behaviour::BeSilent]).await;
    // Only a connection that does not open is an error of the pool.
    let is_of_pool = |error: &ConnectorError| causes(error).any(|cause| cause.is::<legacy::Error>());
    let handshake = fail(&Connector::new(SHORT, LONG), &format!("https://{address}/")).await;
    assert!(handshake.is_timeout() && is_of_pool(&handshake), "{handshake:?}");
    let answer = fail(&Connector::new(LONG, SHORT), &format!("http://{address}/")).await;
    assert!(answer.is_timeout() && !is_of_pool(&answer), "{answer:?}");
}

#[tokio::test]
async fn a_connection_that_fails_may_be_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let minute = Duration::from_secs(60);
    let error = fail(&Connector::new(minute, minute), &format!("http://{address}/")).await;
    assert!(error.is_io(), "{error:?}");
}
