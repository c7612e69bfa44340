//! Authentication with access tokens: JWT verification, key discovery (JWKS) and suspended accounts.

use std::sync::{Arc, Mutex};

use auth::Auth;
use axum::Router;
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::identity::Role;
use domain::time::Time;
use local::issuer::{AUDIENCE, ISSUER};
use platform::Context;
use reqwest::Method;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use store::Identities;
use tests::TestApp;
use tests::client::send;

const AGENTS: &str = "/builder/v1/agents";

/// The claims of a valid token, with changes.
fn claims(changes: &Value) -> Value {
    let now = Time::now().as_seconds();
    let mut claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "org_id": "acme", "roles": ["admin"], "iat": now, "exp": now + 600,
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        claims[name] = value.clone();
        if value.is_null() {
            claims.as_object_mut().map(|claims| claims.remove(name));
        }
    }
    claims
}

#[tokio::test]
async fn only_a_current_token_of_the_issuer_for_this_audience_is_accepted() {
    let app = TestApp::start().await;
    let now = Time::now().as_seconds();
    let cases = [
        (json!({}), true),
        (json!({"aud": ["other", AUDIENCE]}), true),
        (json!({"aud": null, "client_id": AUDIENCE}), true),
        (json!({"exp": now - 50}), true),
        (json!({"roles": null}), true),
        (json!({"roles": "admin"}), true),
        (json!({"exp": now - 70}), false),
        (json!({"exp": null}), false),
        (json!({"nbf": now + 120}), false),
        (json!({"iss": "urn:someone:else"}), false),
        (json!({"iss": null}), false),
        (json!({"aud": "other"}), false),
        (json!({"aud": "other", "client_id": AUDIENCE}), false),
        (json!({"aud": null}), false),
        (json!({"sub": ""}), false),
        (json!({"sub": null}), false),
        (json!({"org_id": null}), false),
        (json!({"org_id": 7}), false),
        (json!({"sub": "x".repeat(256)}), false),
        (json!({"org_id": "x".repeat(256)}), false),
        (json!({"iss": [ISSUER]}), false),
        (json!({"iss": [ISSUER, "urn:someone:else"]}), false),
        (json!({"aud": []}), false),
        (json!({"aud": [AUDIENCE, 7]}), false),
        (json!({"aud": {"of": AUDIENCE}}), false),
        (json!({"exp": (now + 600) as f64 + 0.5}), true),
        (json!({"exp": (now + 600).to_string()}), false),
        (json!({"exp": 1e300}), false),
        (json!({"exp": u64::MAX}), false),
        (json!({"exp": -1}), false),
        (json!({"nbf": now - 10}), true),
        (json!({"nbf": "2099-01-01"}), false),
        (json!({"nbf": 1e300}), false),
        (json!({"iat": "now"}), false),
        (json!({"iat": null}), true),
    ];
    for (changes, is_let_in) in cases {
        let mut person = app.anonymous();
        person.token = Some(app.platform.issuer.sign(&claims(&changes)));
        let answer = person.get(AGENTS).await;
        assert_eq!(answer.status == "200 OK", is_let_in, "{changes}: {}", answer.text);
        if !is_let_in {
            assert_eq!((answer.status.as_str(), answer.code()), ("401 Unauthorized", "unauthorized"), "{changes}");
        }
    }
}

#[tokio::test]
async fn a_forged_or_garbled_token_is_refused() {
    let app = TestApp::start().await;
    let good = app.platform.issuer.sign(&claims(&json!({})));
    let [header, payload, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let kid = app.platform.issuer.jwks()["keys"][0]["kid"].clone();
    let public = app.platform.issuer.jwks()["keys"][0]["x"].as_str().unwrap_or_default().to_owned();
    let encoded = |json: Value| URL_SAFE_NO_PAD.encode(json.to_string());

    let none = encoded(json!({"alg": "none", "typ": "JWT", "kid": kid}));
    // Algorithm confusion: the public key is used as the secret of an HMAC.
    let hs256 = encoded(json!({"alg": "HS256", "typ": "JWT", "kid": kid}));
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &URL_SAFE_NO_PAD.decode(&public).unwrap());
    let hmac = URL_SAFE_NO_PAD.encode(ring::hmac::sign(&key, format!("{hs256}.{payload}").as_bytes()));
    let other_payload = encoded(claims(&json!({"sub": "eve"})));
    let other_kid = encoded(json!({"alg": "EdDSA", "typ": "JWT", "kid": "unknown"}));
    let wrong_family = encoded(json!({"alg": "ES256", "typ": "JWT", "kid": kid}));
    let tokens = [
        format!("{none}.{payload}."),
        format!("{none}.{payload}.{signature}"),
        format!("{hs256}.{payload}.{hmac}"),
        format!("{header}.{other_payload}.{signature}"),
        format!("{header}.{payload}."),
        format!("{other_kid}.{payload}.{signature}"),
        format!("{wrong_family}.{payload}.{signature}"),
        format!("{header}.{payload}"),
        "x".to_owned(),
        "ñ".to_owned(),
        "x".repeat(10_000),
        "sk-svc-0".to_owned(),
    ];
    for token in tokens {
        let answer =
            send(app.anonymous().request(Method::GET, AGENTS).header("Authorization", format!("Bearer {token}"))).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("401 Unauthorized", "unauthorized"), "{token}");
    }
    for header in ["", "Bearer", "Bearer ", "Basic YWRhOmFkYQ==", &format!("Token {good}")] {
        let answer = send(app.anonymous().request(Method::GET, AGENTS).header("Authorization", header)).await;
        assert_eq!(answer.status, "401 Unauthorized", "{header}");
    }
    let lower_case =
        send(app.anonymous().request(Method::GET, AGENTS).header("Authorization", format!("bearer {good}"))).await;
    assert_eq!(lower_case.status, "200 OK");
}

/// Headers and claims that are ambiguous or unsupported, all with a valid signature.
#[tokio::test]
async fn an_ambiguous_token_is_refused() {
    let app = TestApp::start().await;
    let issuer = &app.platform.issuer;
    let header = |changes: Value| {
        let mut header = issuer.header();
        header.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        header.to_string()
    };
    let plain = claims(&json!({})).to_string();
    let with = |claim: &str| format!("{{{claim},{}", &plain[1..]);
    let cases = [
        (header(json!({})), plain.clone(), true),
        (header(json!({"typ": "at+JWT"})), plain.clone(), true),
        (header(json!({"typ": "application/at+jwt", "x5t": "of no interest"})), plain.clone(), true),
        (header(json!({"crit": ["exp"], "exp": 1})), plain.clone(), false),
        (header(json!({"crit": []})), plain.clone(), false),
        (header(json!({"crit": null})), plain.clone(), false),
        (header(json!({"b64": false})), plain.clone(), false),
        (header(json!({"b64": false, "crit": ["b64"]})), plain.clone(), false),
        (header(json!({"typ": "logout+jwt"})), plain.clone(), false),
        (header(json!({"typ": 7})), plain.clone(), false),
        (header(json!({"kid": 7})), plain.clone(), false),
        (header(json!({})).replacen('{', r#"{"alg":"none","#, 1), plain.clone(), false),
        (header(json!({})), with(r#""sub":"eve""#), false),
        (header(json!({})), with(r#""org_id":"globex""#), false),
        (header(json!({})), with(r#""roles":["operator"]"#), false),
        (header(json!({})), with(r#""nbf":1,"nbf":2"#), false),
        ("[]".to_owned(), plain.clone(), false),
        (header(json!({})), "[]".to_owned(), false),
    ];
    for (header, claims, is_let_in) in cases {
        let mut person = app.anonymous();
        person.token = Some(issuer.sign_parts(&header, &claims));
        let answer = person.get(AGENTS).await;
        assert_eq!(answer.status == "200 OK", is_let_in, "{header} {claims}: {}", answer.text);
        assert!(is_let_in || answer.code() == "unauthorized", "{}", answer.text);
    }
}

#[tokio::test]
async fn a_suspended_user_or_organization_is_refused_at_once() {
    let app = TestApp::start().await;
    let identities = Identities::new(&app.platform.context()).unwrap();
    let account = app.account("ada");
    let ada = app.person("ada");
    assert_eq!(ada.get(AGENTS).await.status, "200 OK");
    let known = identities.find(account.org, account.user).await.unwrap().expect("recorded by the first request");
    assert_eq!((known.user.name.as_str(), known.org.name.as_str()), ("ada", "acme"));

    let mut identity = known.clone();
    identity.user.suspended = true;
    identities.put_user(&identity.user).await.unwrap();
    let refused = ada.get(AGENTS).await;
    assert_eq!(
        (refused.code(), refused.json["error"]["message"].as_str()),
        ("unauthorized", Some("this user is suspended"))
    );
    identity.org.suspended = true;
    identities.put_org(&identity.org).await.unwrap();
    assert_eq!(ada.get(AGENTS).await.json["error"]["message"], "this organization is suspended");
    identities.put_user(&known.user).await.unwrap();
    identities.put_org(&known.org).await.unwrap();
    assert_eq!(ada.get(AGENTS).await.status, "200 OK");
}

/// A token issuer whose keys the test can change while it runs.
struct OtherIssuer {
    url: String,
    keys: Arc<Mutex<Vec<Value>>>,
    looks: Arc<Mutex<u32>>,
}

impl OtherIssuer {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (keys, looks) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
        let (served, counted, jwks_uri) = (keys.clone(), looks.clone(), format!("{url}/keys"));
        let discovery = json!({"issuer": url, "jwks_uri": jwks_uri});
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(async move || axum::Json(discovery.clone())))
            .route(
                "/keys",
                get(async move || {
                    *counted.lock().unwrap() += 1;
                    axum::Json(json!({"keys": *served.lock().unwrap()}))
                }),
            );
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, keys, looks }
    }

    /// The authentication of an environment that trusts this issuer, with OpenID discovery.
    fn auth(&self, app: &TestApp) -> Auth {
        let context = app.platform.context();
        let entities = context.config.required("TABLE_ENTITIES").unwrap().to_owned();
        let settings =
            [("TABLE_ENTITIES", entities), ("AUTH_ISSUER", self.url.clone()), ("AUTH_AUDIENCE", AUDIENCE.to_owned())];
        let config = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Auth::new(&Context::new(config, context.aws)).unwrap()
    }

    fn claims(&self) -> Value {
        claims(&json!({"iss": self.url}))
    }
}

struct EcKey(EcdsaKeyPair, &'static str);

impl EcKey {
    fn generate(kid: &'static str) -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap(), kid)
    }

    fn jwk(&self) -> Value {
        let point = self.0.public_key().as_ref();
        let part = |range| URL_SAFE_NO_PAD.encode(&point[range]);
        json!({"kty": "EC", "crv": "P-256", "kid": self.1, "use": "sig", "x": part(1..33), "y": part(33..65)})
    }

    fn sign(&self, claims: &Value) -> String {
        let header = URL_SAFE_NO_PAD.encode(json!({"alg": "ES256", "kid": self.1}).to_string());
        let message = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.0.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[tokio::test]
async fn signing_keys_are_discovered_and_fetched_once() {
    let (app, issuer) = (TestApp::start().await, OtherIssuer::start().await);
    let key = EcKey::generate("one");
    issuer.keys.lock().unwrap().push(key.jwk());
    let auth = issuer.auth(&app);
    for _ in 0..3 {
        assert_eq!(auth.caller(&key.sign(&issuer.claims())).await.unwrap().role, Role::Admin);
    }
    for _ in 0..20 {
        let stranger = EcKey::generate("made-up");
        assert!(auth.caller(&stranger.sign(&issuer.claims())).await.is_err());
    }
    assert_eq!(*issuer.looks.lock().unwrap(), 1, "unknown key ids do not fetch the keys each time");
}

#[tokio::test]
async fn an_rsa_token_is_accepted() {
    let (app, issuer) = (TestApp::start().await, OtherIssuer::start().await);
    let key = ring::signature::RsaKeyPair::from_pkcs8(include_bytes!("rsa_test_key.pk8")).unwrap();
    let public = key.public();
    let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(public);
    let (n, e) = (URL_SAFE_NO_PAD.encode(parts.n), URL_SAFE_NO_PAD.encode(parts.e));
    let jwk = json!({"kty": "RSA", "kid": "rsa", "alg": "RS256", "n": n, "e": e});
    issuer.keys.lock().unwrap().push(jwk);
    let token = |header: Value, encoding: &'static dyn ring::signature::RsaEncoding| {
        let message = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header.to_string()),
            URL_SAFE_NO_PAD.encode(issuer.claims().to_string())
        );
        let mut signature = vec![0; public.modulus_len()];
        key.sign(encoding, &SystemRandom::new(), message.as_bytes(), &mut signature).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    };
    let auth = issuer.auth(&app);
    let rs256 = token(json!({"alg": "RS256", "kid": "rsa"}), &ring::signature::RSA_PKCS1_SHA256);
    assert!(auth.caller(&rs256).await.is_ok());
    let without_kid = token(json!({"alg": "RS256"}), &ring::signature::RSA_PKCS1_SHA256);
    assert!(auth.caller(&without_kid).await.is_ok(), "only one key matches");
    let rs512 = token(json!({"alg": "RS512", "kid": "rsa"}), &ring::signature::RSA_PKCS1_SHA512);
    assert!(auth.caller(&rs512).await.is_err(), "the algorithm is not allowed");
}

#[tokio::test]
async fn an_unreachable_issuer_is_unavailable_not_unauthorized() {
    let (app, issuer) = (TestApp::start().await, OtherIssuer::start().await);
    let gone =
        OtherIssuer { url: "http://127.0.0.1:1".to_owned(), keys: issuer.keys.clone(), looks: issuer.looks.clone() };
    let token = EcKey::generate("one").sign(&gone.claims());
    let refused = gone.auth(&app).caller(&token).await.unwrap_err();
    assert!(matches!(refused, domain::Error::Unavailable { .. }), "{refused:?}");
}
