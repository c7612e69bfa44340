use std::sync::atomic::{AtomicUsize, Ordering};

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::aws::{Aws, TrustedClient};

/// What a server does with a connection.
#[derive(Clone, Copy)]
enum Behaviour {
    Close,
    Answer(&'static str),
    /// Reads, and never answers.
    BeSilent,
}

const FOUND: Behaviour = Behaviour::Answer("200 OK");

/// A server on this machine, whose connections behave like this one after the other; the last ones like the last. Returns its address and
/// the number of connections.
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

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up() {
    let (address, _) = serve(&[Behaviour::BeSilent]).await;
    let client = TrustedClient::new(Duration::from_secs(2), Duration::from_secs(600));
    let send = async |client: &TrustedClient, scheme: &str| {
        let request = http::Request::get(format!("{scheme}://{address}/")).body(Bytes::new()).unwrap();
        format!("{:?}", client.send(request, 100).await.unwrap_err())
    };
    let began = tokio::time::Instant::now();
    send(&client, "https").await;
    assert!(began.elapsed() < Duration::from_secs(600), "its TLS handshake does not end");
    let client = TrustedClient::new(Duration::from_secs(600), Duration::from_secs(2));
    send(&client, "http").await;
    assert!(began.elapsed() < Duration::from_secs(600), "its answer does not come");
}

#[tokio::test]
async fn a_connection_that_fails_may_be_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let connector = Connector::new(Duration::from_secs(60), Duration::from_secs(60));
    let request = http::Request::get(format!("http://{address}/")).body(SdkBody::empty()).unwrap();
    let error = connector.call(HttpRequest::try_from(request).unwrap()).await.unwrap_err();
    assert!(error.is_io(), "{error:?}");
}
