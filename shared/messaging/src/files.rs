//! Downloads the files of inbound messages. A token is sent only to the hosts of its provider, because the URL of a file
//! comes with a message.

use std::time::Duration;

use bytes::Bytes;
use domain::address;
use domain::credential::Credential;
use domain::id::CredentialId;
use domain::messaging::RemoteFile;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode, Uri};
use outbound::{Answer, OutboundError, RequestTimeouts, retry_after};
use serde::Deserialize;
use serde_json::json;

use crate::send::{Messenger, SendError, authorized_get, call_telegram, to_whatsapp_error};

const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(15),
    idle: Duration::from_secs(10),
    total: Duration::from_secs(60),
};
const WHATSAPP_HOSTS: [&str; 4] = ["lookaside.fbsbx.com", ".fbcdn.net", ".whatsapp.net", ".facebook.com"];

/// Why a file was not downloaded. The messages contain no token and no URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("the file is larger than {max_bytes} bytes; send a smaller one")]
    TooLarge { max_bytes: usize },
    /// Another attempt would be refused, too.
    #[error("{message}")]
    Refused { code: String, message: String },
    /// Another attempt, after the wait if there is one, may succeed.
    #[error("{message}")]
    Unavailable { wait: Option<Duration>, message: String },
}

#[derive(Deserialize)]
struct TelegramFile {
    file_path: Option<String>,
    file_size: Option<u64>,
}

#[derive(Deserialize)]
struct WhatsAppMedia {
    url: String,
    file_size: Option<u64>,
}

impl Messenger {
    /// Downloads a file of at most `max_bytes`.
    pub async fn fetch(
        &self,
        credential_id: CredentialId,
        credential: &Credential,
        file: &RemoteFile,
        max_bytes: usize,
    ) -> Result<Bytes, FetchError> {
        let fetched = match credential {
            Credential::Slack { bot_token, .. } => self.fetch_from_slack(bot_token, file, max_bytes).await,
            Credential::Telegram { bot_token, .. } => self.fetch_from_telegram(bot_token, file, max_bytes).await,
            Credential::Whatsapp { access_token, .. } => self.fetch_from_whatsapp(access_token, file, max_bytes).await,
            Credential::SignedHttp { .. } => match authorized_get(&file.reference, None) {
                Ok(request) => self.download(request, max_bytes).await.map(|(_, body)| body),
                Err(error) => Err(error.into()),
            },
            credential => Err(SendError::not_messaging(credential).into()),
        };
        if let Err(error) = &fetched {
            let provider = credential.r#type();
            tracing::info!(%credential_id, %provider, %error, "a file of a message could not be downloaded");
        }
        fetched
    }

    async fn fetch_from_slack(&self, token: &str, file: &RemoteFile, max_bytes: usize) -> Result<Bytes, FetchError> {
        require_host(&file.reference, &self.urls.slack, &[".slack.com"])?;
        let (media_type, body) = self.download(authorized_get(&file.reference, Some(token))?, max_bytes).await?;
        // Without the permission, Slack answers with its sign-in page.
        if media_type.starts_with("text/html") && file.media_type != "text/html" {
            let message =
                "Slack does not let the app read the file; add the scope files:read and install the app again";
            return Err(refused("file_forbidden", message));
        }
        Ok(body)
    }

    async fn fetch_from_telegram(&self, token: &str, file: &RemoteFile, max_bytes: usize) -> Result<Bytes, FetchError> {
        let body = json!({"file_id": file.reference});
        let TelegramFile { file_path, file_size } = call_telegram(self, token, "getFile", &body).await?;
        check_size(file_size, max_bytes)?;
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.' | b'/');
        let path = file_path.filter(|path| path.bytes().all(is_plain) && !path.contains(".."));
        let path = path.ok_or_else(|| refused("file_gone", "Telegram no longer has the file; send it again"))?;
        let url = format!("{}/file/bot{token}/{path}", self.urls.telegram);
        let request = authorized_get(&url, None)?;
        let answer = self.calls.send_once(request, &TIMEOUTS).await;
        self.read_file(answer, max_bytes).await.map(|(_, body)| body)
    }

    async fn fetch_from_whatsapp(&self, token: &str, file: &RemoteFile, max_bytes: usize) -> Result<Bytes, FetchError> {
        let is_id = !file.reference.is_empty() && file.reference.bytes().all(|c| c.is_ascii_alphanumeric());
        if !is_id {
            return Err(refused("invalid_file", "the id of the file is not valid; send the file again"));
        }
        let url = format!("{}/{}", self.urls.whatsapp, file.reference);
        let answered = self.call(authorized_get(&url, Some(token))?, "WhatsApp").await?;
        let media = answered.read::<WhatsAppMedia>().filter(|_| answered.status.is_success());
        let to_error = || match to_whatsapp_error(&answered) {
            SendError::Refused { .. } if matches!(answered.status.as_u16(), 400 | 404) => {
                refused("file_gone", "WhatsApp no longer has the file; send it again")
            }
            error => error.into(),
        };
        let WhatsAppMedia { url, file_size } = media.ok_or_else(to_error)?;
        check_size(file_size, max_bytes)?;
        require_host(&url, &self.urls.whatsapp, &WHATSAPP_HOSTS)?;
        self.download(authorized_get(&url, Some(token))?, max_bytes).await.map(|(_, body)| body)
    }

    /// Follows redirects. One to another origin loses the token.
    async fn download(&self, request: Request<Bytes>, max_bytes: usize) -> Result<(String, Bytes), FetchError> {
        let answer = self.calls.send(request, None, &TIMEOUTS).await;
        let answer = answer.map_err(|error| match error {
            outbound::CallError::Outbound(error) => error,
            _ => OutboundError::NotHttp,
        });
        self.read_file(answer, max_bytes).await
    }

    /// Returns the media type and the content of a file.
    async fn read_file(
        &self,
        answer: Result<Answer, OutboundError>,
        max_bytes: usize,
    ) -> Result<(String, Bytes), FetchError> {
        let Answer { status, headers, body, .. } = answer.map_err(to_fetch_error)?;
        if !status.is_success() {
            return Err(status_error(status, retry_after(&headers, self.clock.now())));
        }
        let body = body.read_to_end(max_bytes).await.map_err(to_fetch_error)?;
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Ok((media_type.to_ascii_lowercase(), body))
    }
}

/// Refuses a URL outside of the provider. `base` is the URL of its API; a host that begins with a dot stands for all
/// names below it.
fn require_host(url: &str, base: &str, hosts: &[&str]) -> Result<(), FetchError> {
    let is_at_base = address::origin(url).eq_ignore_ascii_case(address::origin(base));
    let parsed = Some(url).filter(|url| address::problem(url).is_none()).and_then(|url| url.parse::<Uri>().ok());
    let is_permitted = parsed.is_some_and(|url| {
        let host = url.host().unwrap_or_default().to_ascii_lowercase();
        let is_known = |known: &&str| if known.starts_with('.') { host.ends_with(known) } else { host == **known };
        is_at_base || (url.scheme_str() == Some("https") && hosts.iter().any(is_known))
    });
    if is_permitted {
        return Ok(());
    }
    Err(refused("foreign_host", "the file is not at a host of its provider, so the token is not sent there"))
}

fn check_size(size: Option<u64>, max_bytes: usize) -> Result<(), FetchError> {
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) if size > max_bytes => Err(FetchError::TooLarge { max_bytes }),
        _ => Ok(()),
    }
}

fn refused(code: &str, message: &str) -> FetchError {
    FetchError::Refused { code: code.to_owned(), message: message.to_owned() }
}

fn status_error(status: StatusCode, wait: Option<Duration>) -> FetchError {
    let number = status.as_u16();
    match number {
        429 | 500.. => FetchError::Unavailable { wait, message: format!("the file is not available: status {number}") },
        401 | 403 => refused("file_forbidden", "the file cannot be read with this credential; check its permissions"),
        _ => FetchError::Refused {
            code: "file_gone".to_owned(),
            message: format!("the file is no longer there (status {number}); send it again"),
        },
    }
}

fn to_fetch_error(error: OutboundError) -> FetchError {
    match error {
        OutboundError::TooLarge { limit_bytes } => FetchError::TooLarge { max_bytes: limit_bytes },
        OutboundError::Exhausted | OutboundError::Unreachable | OutboundError::Timeout { .. } | OutboundError::Cut => {
            FetchError::Unavailable { wait: None, message: error.to_string() }
        }
        OutboundError::Forbidden | OutboundError::NotHttp | OutboundError::TooManyRedirects => {
            refused(error.code(), &error.to_string())
        }
    }
}

/// The error of a call before the download.
impl From<SendError> for FetchError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Refused { code, message } => Self::Refused { code, message },
            SendError::NotSent { wait, message } => Self::Unavailable { wait, message },
            SendError::Uncertain { message } => Self::Unavailable { wait: None, message },
        }
    }
}
