//! A server in this process, which records the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Responds to each request, which is the text before its body, with a response of [`response`].
    pub async fn start(respond: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let recorded = requests.clone();
        let respond = Arc::new(respond);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (recorded, respond) = (recorded.clone(), respond.clone());
                tokio::spawn(async move {
                    let request = read_request(&mut stream).await;
                    let response = respond(&request);
                    recorded.lock().unwrap().push(request);
                    // A client that has read enough closes the connection.
                    stream.write_all(&response).await.ok();
                });
            }
        });
        Self { address, requests }
    }

    pub async fn answering(response: Vec<u8>) -> Self {
        Self::start(move |_| response.clone()).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn last_request(&self) -> String {
        self.requests().pop().unwrap()
    }
}

/// A response after which the server closes the connection.
pub fn response(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// The body of a request.
pub fn body_of(request: &str) -> &str {
    request.split_once("\r\n\r\n").unwrap().1
}

/// A header of a request.
pub fn header_of<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    request.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header_of(head, "content-length").map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return text;
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await.unwrap_or(0) {
            0 => return text,
            read => request.extend_from_slice(&piece[..read]),
        }
    }
}
