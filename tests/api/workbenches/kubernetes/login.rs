//! How the worker reaches the API server: over TLS, with the login of the stored kubeconfig.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use platform::config::WORKBENCH_CLUSTER;
use tests::certificate::Certificate;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tower::BoxError;

use super::*;

/// What the API server knows of a caller.
#[derive(Clone, Debug, PartialEq)]
struct Caller {
    authorization: Option<String>,
    has_certificate: bool,
    server_name: Option<String>,
}

/// An API server behind TLS.
struct SecuredServer {
    url: String,
    /// PEM in base64.
    authority: String,
    server: FakeApiServer,
    callers: Arc<Mutex<Vec<Caller>>>,
}

impl SecuredServer {
    /// Starts a server with a certificate for a host. It accepts callers without a certificate, and those with this one.
    async fn start(host: &str, client: &Certificate) -> Self {
        let own = Certificate::new(host);
        let (chain, key) = own.identity();
        let mut clients = RootCertStore::empty();
        clients.add(client.identity().0.remove(0)).unwrap();
        let clients = WebPkiClientVerifier::builder(Arc::new(clients)).allow_unauthenticated().build().unwrap();
        let config = ServerConfig::builder().with_client_cert_verifier(clients);
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let (server, callers) = (FakeApiServer::default(), Arc::default());
        let secured = Self { url, authority: STANDARD.encode(own.pem()), server, callers };
        let (server, callers) = (secured.server.clone(), secured.callers.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // The client sees the errors of its connection.
                tokio::spawn(serve(stream, acceptor.clone(), server.clone(), callers.clone()));
            }
        });
        secured
    }

    /// The kubeconfig with these fields of its cluster and of its user.
    fn kubeconfig(&self, fields: Value, user: Value) -> Value {
        let mut cluster = json!({"server": self.url, "certificate-authority-data": self.authority});
        for (name, value) in fields.as_object().unwrap() {
            cluster[name] = value.clone();
        }
        kubeconfig(cluster, user)
    }

    /// All callers, without repetitions.
    fn callers(&self) -> Vec<Caller> {
        let mut callers = self.callers.lock().unwrap().clone();
        callers.dedup();
        callers
    }
}

async fn serve(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    server: FakeApiServer,
    callers: Arc<Mutex<Vec<Caller>>>,
) -> std::io::Result<()> {
    let stream = acceptor.accept(stream).await?;
    let (_, tls) = stream.get_ref();
    let has_certificate = tls.peer_certificates().is_some();
    let server_name = tls.server_name().map(str::to_owned);
    let service = service_fn(move |request: Request<Incoming>| {
        let caller =
            Caller { authorization: login_of(request.headers()), has_certificate, server_name: server_name.clone() };
        callers.lock().unwrap().push(caller);
        let server = server.clone();
        async move { answer(server, request).await.map_err(|error| error.to_string()) }
    });
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    connection.await.map_err(std::io::Error::other)
}

async fn answer(server: FakeApiServer, request: Request<Incoming>) -> Result<Response<Body>, BoxError> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    server.answer(Request::from_parts(parts, Body::from(body.to_vec()))).await
}

fn login_of(headers: &HeaderMap) -> Option<String> {
    headers.get("authorization").map(|value| value.to_str().unwrap().to_owned())
}

fn kubeconfig(cluster: Value, user: Value) -> Value {
    json!({
        "current-context": "labs",
        "clusters": [{"name": "labs", "cluster": cluster}],
        "users": [{"name": "platform", "user": user}],
        "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform"}}],
    })
}

/// A worker that uses the stored kubeconfig.
async fn start_with_stored() -> Lab {
    let mut lab = Lab::start().await;
    let context = lab.context();
    let config = context.config.clone().with(WORKBENCH_CLUSTER, &settings().to_string());
    let context = Context { config, ..context };
    let backend = ::kubernetes::configured_backend(&context).unwrap().unwrap();
    lab.worker = Provisioner::new(&context, Arc::new(backend)).unwrap();
    put_plan(&lab.app, plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}))).await;
    lab
}

async fn store(lab: &Lab, kubeconfig: Value) {
    let put = lab.app.operator().put("/gateway/v1/admin/workbench-cluster", kubeconfig).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
}

/// The client certificate of a user in a kubeconfig.
fn certificate_user(client: &Certificate) -> Value {
    json!({
        "client-certificate-data": STANDARD.encode(client.pem()), "client-key-data": STANDARD.encode(client.key_pem()),
    })
}

#[tokio::test]
async fn the_worker_signs_in_with_a_token_or_with_a_certificate() {
    let client = Certificate::new("platform");
    let token = json!({"token": "secret"});
    let caller = |authorization: Option<&str>, server_name: Option<&str>| Caller {
        authorization: authorization.map(str::to_owned),
        has_certificate: authorization.is_none(),
        server_name: server_name.map(str::to_owned),
    };
    for (host, cluster, user, expected) in [
        ("127.0.0.1", json!({}), token.clone(), caller(Some("Bearer secret"), None)),
        ("127.0.0.1", json!({}), certificate_user(&client), caller(None, None)),
        ("labs.test", json!({"tls-server-name": "labs.test"}), token, caller(Some("Bearer secret"), Some("labs.test"))),
    ] {
        let secured = SecuredServer::start(host, &client).await;
        let lab = start_with_stored().await;
        store(&lab, secured.kubeconfig(cluster, user)).await;
        lab.ready(&lab.app.person("ada"), "lab").await;
        assert_eq!(secured.callers(), [expected]);
        assert!(kinds(&secured.server).contains(&"pods".to_owned()));
    }
}

#[tokio::test]
async fn a_server_whose_certificate_is_not_trusted_gets_no_login() {
    let client = Certificate::new("platform");
    let secured = SecuredServer::start("127.0.0.1", &client).await;
    let stranger = STANDARD.encode(Certificate::new("127.0.0.1").pem());
    for cluster in [
        json!({"certificate-authority-data": null}),
        json!({"certificate-authority-data": stranger}),
        json!({"tls-server-name": "other.test"}),
    ] {
        let lab = start_with_stored().await;
        store(&lab, secured.kubeconfig(cluster.clone(), json!({"token": "secret"}))).await;
        let ada = lab.app.person("ada");
        let id = create(&ada, json!({"name": "lab"})).await;
        lab.wait(&id).await;
        assert_eq!(read(&ada, &id).await["rejections"][0]["reason"], "BACKEND_ERROR", "{cluster}");
        assert_eq!(secured.callers(), [], "{cluster}");
    }
}

/// A server on this machine that closes each connection, and the number of connections.
async fn start_closing_server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, connections)
}

#[tokio::test]
async fn the_worker_uses_the_stored_kubeconfig_and_a_changed_one_within_a_minute() {
    let lab = start_with_stored().await;
    let (first_url, first) = start_closing_server().await;
    let (second_url, second) = start_closing_server().await;
    let put = async |server: &str| store(&lab, kubeconfig(json!({"server": server}), json!({"token": "secret"}))).await;
    let counts = || (first.load(Ordering::SeqCst) > 0, second.load(Ordering::SeqCst) > 0);
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    lab.wait(&id).await;
    assert_eq!(read(&ada, &id).await["rejections"][0]["reason"], "BACKEND_ERROR", "no kubeconfig is stored");
    put(&first_url).await;
    lab.wait(&id).await;
    assert_eq!(counts(), (true, false));
    put(&second_url).await;
    lab.wait(&id).await;
    assert_eq!(counts(), (true, false), "the connection is used again");
    lab.pass(Duration::from_secs(60));
    lab.wait(&id).await;
    assert_eq!(counts(), (true, true));
}
