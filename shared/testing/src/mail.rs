//! An SMTP server that answers as a test says.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The answers of a server to the lines that begin like this. It takes everything else.
pub type Answers = &'static [(&'static str, &'static str)];

/// The end of the connection instead of an answer.
pub const CUT: &str = "cut";
/// No answer.
pub const SILENT: &str = "silent";
/// An answer that has no end.
pub const ENDLESS: &str = "endless";

pub struct MailServer {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl MailServer {
    pub async fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = heard.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let noted = noted.clone();
                // The client may close the connection at any time.
                tokio::spawn(async move { talk(stream, answers, &noted).await.ok() });
            }
        });
        Self { address, heard }
    }

    /// The lines that clients have sent.
    pub fn lines(&self) -> Vec<String> {
        self.heard.lock().expect("no test panics here").clone()
    }
}

async fn talk(stream: TcpStream, answers: Answers, heard: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 ready\r\n").await?;
    let mut is_message = false;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let line = line.trim_end().to_owned();
        heard.lock().expect("no test panics here").push(line.clone());
        if is_message && line != "." {
            continue;
        }
        let scripted = answers.iter().find(|(begin, _)| line.starts_with(begin)).map(|(_, answer)| *answer);
        is_message = line == "DATA" && scripted.is_none();
        let usual = match line.split(' ').next().unwrap_or_default() {
            "EHLO" => "250-here\r\n250-8BITMIME\r\n250 AUTH PLAIN",
            "DATA" => "354 go on",
            "AUTH" => "235 welcome",
            _ => "250 ok",
        };
        match scripted.unwrap_or(usual) {
            CUT => return Ok(()),
            SILENT => continue,
            ENDLESS => loop {
                stream.write_all(&[b'x'; 4096]).await?;
            },
            answer => stream.write_all(format!("{answer}\r\n").as_bytes()).await?,
        }
        if line == "QUIT" {
            // The client closes the connection.
            stream.read_to_end(&mut Vec::new()).await?;
        }
    }
}
