//! The recorded tour of the gateway: a member calls models, and the operator manages models, users and credits.

use serde_json::{Value, json};
use tests::assistant::{LATEST_WITH_SESSIONS, SESSION_ID};
use tests::authorization_server::AuthorizationServer;
use tests::tool_server::ToolServer;

use super::{JSON, TOO_LARGE, TourClient};

const ME: &str = "/gateway/v1/me";
const KEYS: &str = "/gateway/v1/me/api-keys";
const CHAT: &str = "/gateway/v1/chat/completions";
const COMPLETIONS: &str = "/gateway/v1/completions";
const MESSAGES: &str = "/gateway/v1/messages";
const RESPONSES: &str = "/gateway/v1/responses";
const RESPONSE: &str = "/gateway/v1/responses/{response_id}";
const FILES: &str = "/gateway/v1/files";
const FILE: &str = "/gateway/v1/files/{file_id}";
const BATCHES: &str = "/gateway/v1/batches";
const BATCH: &str = "/gateway/v1/batches/{batch_id}";
const CANCEL_BATCH: &str = "/gateway/v1/batches/{batch_id}/cancel";
const IMAGES: &str = "/gateway/v1/images/generations";
const IMAGE_JOB: &str = "/gateway/v1/images/generations/{job_id}";
const RETENTION: &str = "/gateway/v1/billing/call-retention";
const CALL_BODY: &str = "/gateway/v1/billing/calls/{request_id}/body";
const MODELS: &str = "/gateway/v1/admin/models";
const MODEL: &str = "/gateway/v1/admin/models/{name}";
const MODEL_IMPORT: &str = "/gateway/v1/admin/models/import";
const ALIAS: &str = "/gateway/v1/admin/aliases/{name}";
const PROVIDERS: &str = "/gateway/v1/admin/providers";
const PROVIDER: &str = "/gateway/v1/admin/providers/{name}";
const PROVIDER_TEST: &str = "/gateway/v1/admin/providers/{name}/test";

impl TourClient {
    pub(super) async fn record_gateway(&mut self) {
        let credentials = &self.app.platform.credentials;
        let member = credentials.users.get("ada").map(|ada| ada.api_key.clone()).unwrap_or_default();
        let operator = credentials.operator.api_key.clone();
        self.switch_token(&member);
        self.record_account().await;
        self.record_inference().await;
        self.record_consumption().await;
        self.switch_token(&operator);
        self.record_models().await;
        self.record_people().await;
        self.record_setup().await;
        self.record_money().await;
        self.record_workbench_cluster().await;
        self.record_mcp_servers().await;
        self.send("POST", "/gateway/v1/admin/receipt-keys", None).await;
        self.switch_token(&member);
        self.record_door().await;
        self.record_refused_calls(&operator).await
    }

    async fn record_account(&mut self) {
        let me = self.get(ME).await;
        self.set_parameter("org", &me["org"]["id"]);
        self.set_parameter("user", &me["user"]["id"]);
        self.get("/gateway/v1/me/orgs").await;
        let new = json!({
            "name": "Newsletter", "models": ["dev-chat"], "limits": {"rpm": 60}, "spending_cap": "5.00",
            "expires_at": "2099-01-01T00:00:00.000Z",
        });
        let created = self.send("POST", KEYS, Some(new)).await;
        self.set_parameter("key", &created["id"]);
        self.set_parameter("id", &created["id"]);
        self.get(KEYS).await;
        self.send("POST", "/gateway/v1/me/api-keys/{id}/rotate", None).await;
        self.send("DELETE", "/gateway/v1/me/api-keys/{id}", None).await;
        self.send("POST", KEYS, Some(json!({"name": ""}))).await;
        self.send_with_headers("POST", KEYS, Some(json!({"name": "Newsletter"})), &[("content-type", "text/plain")])
            .await;
        self.send("POST", KEYS, Some(json!({"name": " ".repeat(TOO_LARGE)}))).await;
        let member = self.switch_token("sk-svc-nobody");
        self.get(ME).await;
        self.switch_token(&member);
    }

    async fn record_inference(&mut self) {
        self.send("PUT", RETENTION, Some(json!({"days": 7}))).await;
        self.get(RETENTION).await;
        let chat = json!({
            "model": "dev-chat",
            "messages": [
                {"role": "system", "content": "You answer in one sentence."},
                {"role": "user", "content": "What is a workflow?"},
            ],
            "temperature": 0.2,
            "max_tokens": 200,
        });
        let answer = self.send("POST", CHAT, Some(chat.clone())).await;
        self.set_title("Not streamed");
        self.set_parameter("request_id", &answer["id"]);
        let mut streamed = chat.clone();
        streamed["max_tokens"] = json!(12);
        streamed["stream"] = json!(true);
        streamed["stream_options"] = json!({"include_usage": true});
        self.send("POST", CHAT, Some(streamed)).await;
        self.set_title("Streamed");
        let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
        let function = json!({"name": "get_weather", "description": "The weather now", "parameters": city});
        let mut with_tool = chat;
        with_tool["messages"] = json!([{"role": "user", "content": "What is the weather in Lima?"}]);
        with_tool["tools"] = json!([{"type": "function", "function": function}]);
        with_tool["tool_choice"] = json!("required");
        self.send("POST", CHAT, Some(with_tool)).await;
        self.set_title("With a tool");
        let mut completion = json!({"model": "dev-chat", "prompt": "What is a workflow?", "max_tokens": 60});
        self.send("POST", COMPLETIONS, Some(completion.clone())).await;
        self.set_title("Not streamed");
        completion["max_tokens"] = json!(6);
        completion["stream"] = json!(true);
        self.send("POST", COMPLETIONS, Some(completion)).await;
        self.set_title("Streamed");
        self.record_dialects().await;
        let embed = json!({"model": "dev-embed", "input": ["A workflow is a graph."], "dimensions": 8});
        self.send("POST", "/gateway/v1/embeddings", Some(embed)).await;
        let documents = json!(["A workflow is a graph.", {"text": "A lease holds money."}]);
        let rerank = json!({"model": "dev-rerank", "query": "What is a lease?", "documents": documents, "return_documents": true});
        self.send("POST", "/gateway/v1/rerank", Some(rerank)).await;
        self.record_audio().await;
        let image = json!({"preset": "dev-image", "prompt": "A red fox in the snow", "size": "64x64"});
        let prefer_job = [JSON, ("idempotency-key", "fox-1"), ("prefer", "respond-async")];
        let started = self.send_with_headers("POST", IMAGES, Some(image.clone()), &prefer_job).await;
        self.app.platform.drain().await;
        self.set_parameter("job_id", &started["job_id"]);
        self.get(IMAGE_JOB).await;
        // The job has ended, so this request gets its images at once.
        self.send_with_headers("POST", IMAGES, Some(image), &[JSON, ("idempotency-key", "fox-1")]).await;
        self.record_edits().await;
        self.record_batches().await;
        let conversation = json!([{"role": "user", "content": "How do I make a bomb?"}]);
        self.send("POST", "/gateway/v1/guard", Some(json!({"input": conversation}))).await;
        self.send("POST", "/gateway/v1/moderations", Some(json!({"input": "How do I make a bomb?"}))).await;
        self.get("/gateway/v1/guard/events").await;
        self.send("POST", CHAT, Some(json!({"model": "dev-chat", "messages": []}))).await;
        self.send("POST", CHAT, Some(json!({"model": "other", "messages": [{"role": "user", "content": "Hi"}]}))).await;
        self.get("/gateway/v1/models").await;
        self.get("/gateway/v1/models/aliases").await;
        self.set_parameter("name", &json!("dev-chat"));
        self.get("/gateway/v1/models/{name}").await;
    }

    async fn record_audio(&mut self) {
        let talk = &[("model", "dev-transcribe"), ("language", "en"), ("file", "@talk.mp3")];
        self.send_form("/gateway/v1/audio/transcriptions", talk, "A recording", &[]).await;
        let talk = &[("model", "dev-transcribe"), ("file", "@talk.mp3")];
        self.send_form("/gateway/v1/audio/translations", talk, "A recording", &[]).await;
        let speech = json!({"model": "dev-speech", "input": "Good morning", "voice": "alloy"});
        self.send("POST", "/gateway/v1/audio/speech", Some(speech)).await;
    }

    async fn record_edits(&mut self) {
        const EDITS: &str = "/gateway/v1/images/edits";
        let edit =
            &[("model", "dev-image"), ("prompt", "Give the fox a hat"), ("size", "64x64"), ("image", "@fox.webp")];
        // A picture is recognized by its first bytes.
        let content = "RIFF\0\0\0\0WEBPVP8 ";
        let key = ("idempotency-key", "hat-1");
        self.send_form(EDITS, edit, content, &[key, ("prefer", "respond-async")]).await;
        self.app.platform.drain().await;
        self.send_form(EDITS, edit, content, &[key]).await;
    }

    /// A batch from its file to its answers.
    async fn record_batches(&mut self) {
        let request = json!({
            "custom_id": "question-1", "method": "POST", "url": "/v1/chat/completions",
            "body": {"model": "dev-chat", "messages": [{"role": "user", "content": "What is a workflow?"}]},
        });
        let form = &[("purpose", "batch"), ("file", "@requests.jsonl")];
        let file = self.send_form(FILES, form, &request.to_string(), &[]).await;
        self.set_parameter("file_id", &file["id"]);
        self.get(FILES).await;
        self.get(FILE).await;
        self.get("/gateway/v1/files/{file_id}/content").await;
        let batch = json!({
            "input_file_id": file["id"], "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "metadata": {"job": "nightly"},
        });
        let second = self.send("POST", BATCHES, Some(batch.clone())).await;
        self.set_parameter("batch_id", &second["id"]);
        self.send("POST", CANCEL_BATCH, None).await;
        self.app.platform.drain().await;
        self.send("POST", CANCEL_BATCH, None).await;
        let first = self.send("POST", BATCHES, Some(batch)).await;
        self.app.platform.drain().await;
        self.set_parameter("batch_id", &first["id"]);
        self.get(BATCH).await;
        self.get(BATCHES).await;
        self.send("DELETE", FILE, None).await;
        self.get(FILE).await;
    }

    /// The other dialects of chats.
    async fn record_dialects(&mut self) {
        let message = json!({
            "model": "dev-chat", "max_tokens": 200, "system": "You answer in one sentence.",
            "messages": [{"role": "user", "content": "What is a workflow?"}],
        });
        self.send("POST", MESSAGES, Some(message.clone())).await;
        self.set_title("Not streamed");
        let mut streamed = message.clone();
        streamed["max_tokens"] = json!(12);
        streamed["stream"] = json!(true);
        self.send("POST", MESSAGES, Some(streamed)).await;
        self.set_title("Streamed");
        self.send("POST", "/gateway/v1/messages/count_tokens", Some(message)).await;
        self.send("POST", MESSAGES, Some(json!({"model": "dev-chat", "max_tokens": 9, "messages": []}))).await;
        let asked =
            json!({"model": "dev-chat", "instructions": "You answer in one sentence.", "input": "What is a workflow?"});
        let created = self.send("POST", RESPONSES, Some(asked.clone())).await;
        self.set_title("Not streamed");
        let mut streamed = asked;
        streamed["max_output_tokens"] = json!(12);
        streamed["stream"] = json!(true);
        self.send("POST", RESPONSES, Some(streamed)).await;
        self.set_title("Streamed");
        let continued = json!({"model": "dev-chat", "input": "And a run?", "previous_response_id": created["id"]});
        self.send("POST", RESPONSES, Some(continued)).await;
        self.set_title("With a previous response");
        self.set_parameter("response_id", &created["id"]);
        self.get(RESPONSE).await;
        self.send("DELETE", RESPONSE, None).await;
        self.get(RESPONSE).await;
    }

    async fn record_consumption(&mut self) {
        self.get("/gateway/v1/billing/balance").await;
        self.get("/gateway/v1/billing/usage").await;
        self.get("/gateway/v1/billing/transactions").await;
        self.get("/gateway/v1/billing/calls?model=dev-chat&limit=2").await;
        self.get("/gateway/v1/billing/calls/{request_id}").await;
        self.app.platform.context().tasks.ended().await;
        self.get(CALL_BODY).await;
        self.send("DELETE", CALL_BODY, None).await;
        self.get("/gateway/v1/billing/spend?by=key&limit=2").await;
        self.get("/gateway/v1/billing/receipts/{request_id}").await;
        self.get("/gateway/v1/receipts/keys").await;
        self.send("POST", "/gateway/v1/billing/exports", Some(json!({"content": "usage"}))).await;
    }

    async fn record_models(&mut self) {
        let provider = json!({
            "name": "ollama", "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": "the-key-of-ollama",
        });
        self.send("POST", PROVIDERS, Some(provider.clone())).await;
        self.send("POST", PROVIDERS, Some(provider)).await;
        self.set_parameter("name", &json!("ollama"));
        self.send("PATCH", PROVIDER, Some(json!({"timeouts": {"first_byte_ms": 20_000}}))).await;
        self.send_with_headers("PATCH", PROVIDER, Some(json!({"region": null})), &[JSON, ("if-match", "\"99\"")]).await;
        self.get(PROVIDER).await;
        self.get(PROVIDERS).await;
        self.get("/gateway/v1/admin/provider-presets").await;
        self.set_parameter("name", &json!("dev"));
        self.get("/gateway/v1/admin/providers/{name}/models").await;
        self.send("POST", PROVIDER_TEST, Some(json!({"model": "dev-chat"}))).await;
        self.get("/gateway/v1/admin/models/facts?search=gpt-5-mini").await;
        let import = json!({
            "provider": "ollama",
            "models": [
                {"id": "gpt-5-mini", "name": "small"},
                {"id": "llama3.2"},
                {"id": "qwen3", "overrides": {"pricing": {"input": "0.10", "output": "0.40"}, "context_window": 32_768}},
            ],
        });
        self.send("POST", MODEL_IMPORT, Some(import)).await;
        for imported in ["small", "qwen3"] {
            self.set_parameter("name", &json!(imported));
            self.send("DELETE", MODEL, None).await;
        }
        let model = json!({
            "name": "llama", "display_name": "Llama", "type": "Others", "capabilities": ["chat", "streaming"],
            "context_window": 8192, "max_output_tokens": 2048, "pricing": {"input": "0.10", "output": "0.40"},
            "deployments": [{"provider": "ollama", "model": "llama3.2", "weight": 1, "priority": 0}],
        });
        self.send("POST", MODELS, Some(model)).await;
        self.set_parameter("name", &json!("llama"));
        self.send("PATCH", MODEL, Some(json!({"pricing": {"input": "0.08", "output": "0.32"}}))).await;
        self.get(MODEL).await;
        self.get(MODELS).await;
        self.set_parameter("code", &json!("gambling"));
        let gambling = json!({"label": "Gambling", "severity": "low", "threshold": 0.7});
        self.send("PUT", "/gateway/v1/admin/guard/categories/{code}", Some(gambling)).await;
        self.get("/gateway/v1/admin/guard/categories").await;
        self.send("DELETE", "/gateway/v1/admin/guard/categories/{code}", None).await;
        self.set_parameter("name", &json!("fast"));
        self.send("PUT", ALIAS, Some(json!({"model": "llama"}))).await;
        self.get("/gateway/v1/admin/aliases").await;
        self.get("/gateway/v1/models/aliases").await;
        self.send("DELETE", ALIAS, None).await;
        self.get(MODEL).await;
    }

    async fn record_workbench_cluster(&mut self) {
        const CLUSTER: &str = "/gateway/v1/admin/workbench-cluster";
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "labs",
            "clusters": [{"name": "labs", "cluster": {"server": "https://10.0.0.1:6443"}}],
            "users": [{"name": "platform", "user": {"token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ"}}],
            "contexts": [{"name": "labs", "context": {"cluster": "labs", "user": "platform"}}],
        });
        self.get(CLUSTER).await;
        self.send("PUT", CLUSTER, Some(kubeconfig)).await;
        self.get(CLUSTER).await;
        self.send("DELETE", CLUSTER, None).await;
    }

    async fn record_mcp_servers(&mut self) {
        const SERVERS: &str = "/gateway/v1/admin/mcp-servers";
        const SERVER: &str = "/gateway/v1/admin/mcp-servers/{id}";
        let server = json!({
            "org": self.path_parameters["org"], "name": "crm", "url": "https://crm.example.com/mcp",
            "auth": {"type": "bearer", "token": "crm-token"},
            "access": [{"plans": ["default"], "tools": ["search", "get_customer"]}, {"plans": ["team"], "tools": ["*"]}],
        });
        let created = self.send("POST", SERVERS, Some(server.clone())).await;
        self.send("POST", SERVERS, Some(server)).await;
        self.get("/gateway/v1/admin/mcp-servers?org={org}").await;
        self.set_parameter("id", &created["id"]);
        self.get(SERVER).await;
        self.send("PATCH", SERVER, Some(json!({"enabled": false}))).await;
        self.send("DELETE", SERVER, None).await;
        self.get(SERVER).await;
    }

    /// A member uses the tools of a server, and begins to connect an account to another one.
    async fn record_door(&mut self) {
        const DOOR: &str = "/gateway/v1/mcp/{server}";
        let (crm, issuer) = (ToolServer::start(&["search"]).await, AuthorizationServer::start().await);
        self.normalizer.rename(crm.origin.clone(), "https://crm.example.com");
        self.normalizer.rename(issuer.issuer.clone(), "https://login.example.com");
        let client = json!({"type": "oauth2_user", "authorization_server": issuer.issuer, "client_id": "atelier"});
        for (name, auth) in [("crm", json!({"type": "none"})), ("calendar", client)] {
            let org = &self.path_parameters["org"];
            let server =
                json!({"org": org, "name": name, "url": crm.url, "auth": auth, "access": [{"tools": ["search"]}]});
            self.app.operator().post_json("/gateway/v1/admin/mcp-servers", server).await;
        }
        self.get("/gateway/v1/mcp").await;
        self.set_parameter("server", &json!("crm"));
        self.send("POST", DOOR, Some(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))).await;
        self.set_title("List the tools");
        let arguments = json!({"name": "search", "arguments": {"text": "Lima"}});
        self.send("POST", DOOR, Some(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": arguments})))
            .await;
        self.set_title("Call a tool");
        let session = self.open_session("crm").await;
        let session = (SESSION_ID, session.as_str());
        self.send_with_headers("GET", DOOR, None, &[session, ("Last-Event-ID", "2/1")]).await;
        self.send_with_headers("DELETE", DOOR, None, &[session]).await;
        self.set_parameter("server", &json!("calendar"));
        self.send("POST", "/gateway/v1/mcp/{server}/connect", None).await;
        self.send("DELETE", "/gateway/v1/mcp/{server}/connection", None).await;
        self.set_parameter("server", &json!("unknown"));
        self.send("POST", DOOR, Some(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))).await;
    }

    /// Opens a session of a server, and returns its id. The exchange is not recorded.
    async fn open_session(&self, server: &str) -> String {
        let client = json!({"name": "example", "version": "1"});
        let params = json!({"protocolVersion": LATEST_WITH_SESSIONS, "capabilities": {}, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.person.post_json(&format!("/gateway/v1/mcp/{server}"), message).await;
        answer.header(SESSION_ID).unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
    }

    async fn record_people(&mut self) {
        const PLAN: &str = "/gateway/v1/admin/plans/{id}";
        self.set_parameter("id", &json!("team"));
        let limits = json!({"org": {"rpm": 600, "tpm": 200_000}, "key": {"rpm": 120}});
        let plan =
            json!({"name": "Team", "models": ["dev-chat", "dev-embed"], "has_rate_limits": true, "limits": limits});
        self.send("PUT", PLAN, Some(plan.clone())).await;
        self.send("PUT", PLAN, Some(plan)).await;
        self.get(PLAN).await;
        self.get("/gateway/v1/admin/plans").await;

        let org = Value::from(self.path_parameters["org"].clone());
        let user = Value::from(self.path_parameters["user"].clone());
        self.set_parameter("id", &org);
        self.send("PATCH", "/gateway/v1/admin/orgs/{id}", Some(json!({"plan": "team"}))).await;
        self.get("/gateway/v1/admin/orgs/{id}").await;
        self.get("/gateway/v1/admin/orgs").await;
        self.set_parameter("id", &user);
        self.send("PATCH", "/gateway/v1/admin/users/{id}", Some(json!({"suspended": false}))).await;
        self.get("/gateway/v1/admin/users/{id}").await;
        self.get("/gateway/v1/admin/users").await;
        self.get("/gateway/v1/admin/keys?org={org}").await;
        self.send("PUT", "/gateway/v1/admin/limits?org={org}", Some(json!({"rpm": 300, "tpd": 5_000_000}))).await;
        self.get("/gateway/v1/admin/limits?org={org}").await;
        self.send("DELETE", "/gateway/v1/admin/limits?org={org}", None).await;
        self.record_new_customer().await
    }

    /// Creates an organization, a user and a key for a customer without an identity provider.
    async fn record_new_customer(&mut self) {
        const ORGS: &str = "/gateway/v1/admin/orgs";
        const USERS: &str = "/gateway/v1/admin/users";
        const KEYS: &str = "/gateway/v1/admin/keys";
        let org = json!({"name": "Initech Inc.", "plan": "team", "external_id": "initech"});
        let created = self.send("POST", ORGS, Some(org.clone())).await;
        self.send("POST", ORGS, Some(org)).await;
        let user = json!({
            "name": "Milton W.", "email": "milton@initech.example", "org": created["id"], "role": "admin",
            "external_id": "milton",
        });
        let user = self.send("POST", USERS, Some(user)).await;
        let key = json!({"name": "Reports", "org": created["id"], "user": user["id"], "limits": {"rpm": 60}});
        let key = self.send("POST", KEYS, Some(key)).await;
        self.set_parameter("id", &key["id"]);
        let patch = json!({"models": ["dev-chat"], "spending_cap": "5.00"});
        self.send("PATCH", "/gateway/v1/admin/keys/{id}", Some(patch)).await;
        self.send("DELETE", "/gateway/v1/admin/keys/{id}", None).await;
    }

    /// Declares a customer and a provider with one call, twice.
    async fn record_setup(&mut self) {
        const SETUP: &str = "/gateway/v1/admin/setup";
        let setup = json!({
            "organization": {"name": "Hooli"}, "user": {"name": "Gavin", "email": "gavin@hooli.example"},
            "key": {"name": "First key"}, "credits": {"amount": "25.00"},
            "provider": {"name": "dev", "models": ["dev-chat"]}, "aliases": {"chat": "dev-chat"},
        });
        self.send("POST", SETUP, Some(setup.clone())).await;
        self.set_title("The first time");
        self.send("POST", SETUP, Some(setup)).await;
        self.set_title("Repeated");
        self.send("POST", SETUP, Some(json!({"user": {"name": ""}, "models": [{"name": "a b"}]}))).await;
    }

    async fn record_money(&mut self) {
        let org = self.path_parameters["org"].clone();
        let credits = json!({"org": org, "kind": "credit", "amount": "100.00", "reason": "invoice 2026-17"});
        self.send("POST", "/gateway/v1/billing/admin/credits", Some(credits)).await;
        self.get("/gateway/v1/billing/admin/balances").await;
        self.get("/gateway/v1/billing/admin/usage").await;
        self.get("/gateway/v1/billing/admin/usage/{org}").await;
        self.get("/gateway/v1/billing/admin/spend/{org}?by=model&limit=2").await;
        self.get("/gateway/v1/billing/admin/transactions?org={org}").await;
        self.send("PUT", "/gateway/v1/billing/admin/caps?org={org}", Some(json!({"limit": "50.00"}))).await;
        self.get("/gateway/v1/billing/admin/caps?org={org}").await;
        self.send("DELETE", "/gateway/v1/billing/admin/caps?org={org}", None).await;
        self.get("/gateway/v1/admin/calls?org={org}&limit=2").await;
        self.get("/gateway/v1/admin/calls/{request_id}?org={org}").await;
        self.get("/gateway/v1/admin/audit?action=model&limit=100").await;
    }

    /// Records refused calls: missing role, failing provider, spending cap, rate limit and maintenance. Then deletes the model
    /// and its provider.
    async fn record_refused_calls(&mut self, operator: &str) {
        const MAINTENANCE: &str = "/gateway/v1/admin/maintenance";
        let chat = |model: &str| Some(json!({"model": model, "messages": [{"role": "user", "content": "Hello"}]}));
        self.get(MODELS).await;
        let member = self.switch_token(operator);
        self.send("POST", CHAT, chat("llama")).await;
        self.send("PUT", "/gateway/v1/billing/admin/caps?org={org}", Some(json!({"limit": "0.00"}))).await;
        self.switch_token(&member);
        self.send("POST", CHAT, chat("dev-chat")).await;
        self.switch_token(operator);
        self.send("DELETE", "/gateway/v1/billing/admin/caps?org={org}", None).await;
        self.send("PUT", "/gateway/v1/admin/limits?org={org}", Some(json!({"rpm": 1}))).await;
        self.switch_token(&member);
        for _ in 0..2 {
            self.send("POST", CHAT, chat("dev-chat")).await;
        }
        self.switch_token(operator);
        self.send("DELETE", "/gateway/v1/admin/limits?org={org}", None).await;
        let pause = json!({"on": true, "message": "new models at 18:00", "retry_after_s": 600});
        self.send("PUT", MAINTENANCE, Some(pause)).await;
        self.get(MAINTENANCE).await;
        self.switch_token(&member);
        self.send("POST", CHAT, chat("dev-chat")).await;
        self.switch_token(operator);
        self.set_parameter("name", &json!("llama"));
        self.send("DELETE", MODEL, None).await;
        self.set_parameter("name", &json!("ollama"));
        self.send("DELETE", PROVIDER, None).await;
    }
}
