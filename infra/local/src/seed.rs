//! Creates the demo data: two organizations, three users, an operator, a plan, models and API keys.

use std::collections::BTreeMap;

use auth::{self, DEFAULT_PLAN, TokenClaims};
use domain::Result;
use domain::catalog::{Model, ModelDeployment, ModelType, OnDisconnect, Pricing, Unsupported};
use domain::guard::{GuardApi, GuardCategory, GuardSeverity};
use domain::id::{ApiKeyId, OrgId, TransactionId};
use domain::identity::{Account, AllowedModels, InputGuard, Plan, Role};
use domain::ledger::{Adjustment, EntryKind};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::provider::{ProviderKind, Timeouts};
use domain::retention::RunRetention;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use domain::workbench::{Minutes, Resources, WorkbenchImage, WorkbenchPlan, WorkbenchPlanText, WorkbenchSize};
use platform::Context;
use serde_json::Map;
use store::api_keys::ApiKey;
use store::catalog::StoredProvider;
use store::{ApiKeys, Catalog, Identities, Leases, Ledger};

use crate::credentials::{StoredCredentials, StoredUser};
use crate::issuer::ISSUER;
use crate::labs::is_installed;

const USERS: [(&str, &str, Role); 3] =
    [("ada", "acme", Role::Admin), ("bob", "acme", Role::Member), ("eve", "globex", Role::Admin)];
const OPERATOR: (&str, &str, Role) = ("operator", "platform", Role::Operator);
const CHAT: [&str; 7] = ["chat", "streaming", "tools", "vision", "json_mode", "json_schema", "logprobs"];
const CREDITS: Money = Money::from_usd(25);

/// Creates the demo data that does not exist yet. The function is idempotent.
pub async fn seed(context: &Context, base_url: String, before: Option<StoredCredentials>) -> Result<StoredCredentials> {
    let mut stored = before.unwrap_or_default();
    stored.base_url = base_url;
    let identities = Identities::new(context)?;
    identities.add_plan(&default_plan()).await?;
    let catalog = Catalog::new(context)?;
    catalog.add_provider(&demo_provider()).await?;
    for model in demo_models() {
        if stored.models.insert(model.name.clone()) {
            catalog.add(&model).await?;
        }
    }
    for category in demo_categories() {
        if stored.guard_categories.insert(category.code.clone()) {
            catalog.add_guard_category(&category).await?;
        }
    }
    for (name, org, role) in USERS {
        let user = stored.users.entry(name.to_owned()).or_default();
        *user = create_user(context, &identities, (name, org, role), &user.api_key).await?;
    }
    stored.operator = create_user(context, &identities, OPERATOR, &stored.operator.api_key).await?;
    Ok(stored)
}

/// The plan of new organizations. It allows every model.
pub fn default_plan() -> Plan {
    Plan {
        id: DEFAULT_PLAN.to_owned(),
        name: "Default".to_owned(),
        models: AllowedModels::All,
        is_billing_exempt: false,
        has_rate_limits: false,
        run_retention: RunRetention::default(),
        input_guard: InputGuard::Off,
        limits: PlanLimits::default(),
        workbenches: WorkbenchPlanText::write(Some(&workbench_plan())),
    }
}

/// Workbenches that fit on a laptop.
fn workbench_plan() -> WorkbenchPlan {
    const GIB: u64 = 1 << 30;
    let size = |name: &str, cpu, memory, storage| WorkbenchSize {
        name: name.to_owned(),
        resources: Resources { cpu, memory: memory * GIB, gpumem: 0, storage: storage * GIB },
    };
    let image = |name: &str, reference: &str, command: &[&str]| WorkbenchImage {
        name: name.to_owned(),
        reference: reference.to_owned(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        python_packages: None,
    };
    let jupyter = image("jupyter", "quay.io/jupyter/minimal-notebook:latest", &["jupyter", "lab"]);
    let vscode = ["code-server", "--auth=none", "--disable-telemetry", "--socket={socket}", "{folder}"];
    let vscode = image("vscode", "codercom/code-server:latest", &vscode);
    let vscode = Some(vscode).filter(|image| is_installed(&image.command));
    WorkbenchPlan {
        sizes: vec![size("small", 1_000, 2, 5), size("medium", 2_000, 4, 10), size("large", 4_000, 8, 20)],
        default_size: "small".to_owned(),
        ceiling: Resources { cpu: 8_000, memory: 16 * GIB, gpumem: 16 * 1024, storage: 50 * GIB },
        capacity: Resources { cpu: 64_000, memory: 128 * GIB, gpumem: 64 * 1024, storage: 500 * GIB },
        max_workbenches: 20,
        images: [jupyter].into_iter().chain(vscode).collect(),
        idle_stop: Some(Minutes(60)),
        provisioning_timeout: Minutes(15),
        key_cap: Some(Money::from_usd(5)),
    }
}

/// Creates a user with an API key. A known key is reused.
async fn create_user(
    context: &Context,
    identities: &Identities,
    (name, org, role): (&str, &str, Role),
    known_key: &str,
) -> Result<StoredUser> {
    let claims = TokenClaims {
        issuer: ISSUER.to_owned(),
        subject: name.to_owned(),
        org: org.to_owned(),
        role,
        name: Some(name.to_owned()),
        email: None,
        issued_at: Time::now().as_seconds(),
    };
    let identity = identities.find_or_record(&auth::first_seen(&claims, Time::now())).await?;
    let account = Account { org: identity.org.id, user: identity.user.id };
    grant_first_credits(context, account.org).await?;
    let secret =
        SecretToken::parse(TokenKind::ApiKey, known_key).unwrap_or_else(|| SecretToken::generate(TokenKind::ApiKey));
    store_key(context, account, &secret).await?;
    let role = format!("{role:?}").to_lowercase();
    Ok(StoredUser { org: org.to_owned(), role, api_key: secret.reveal().to_owned() })
}

/// Gives an organization its first credits, unless its balance has ever changed.
pub async fn grant_first_credits(context: &Context, org: OrgId) -> Result<()> {
    if Leases::new(context)?.balance(org).await?.0.sequence() > 0 {
        return Ok(());
    }
    let credits = Adjustment {
        id: TransactionId::new(),
        org,
        kind: EntryKind::Credit,
        amount: CREDITS,
        balance_after: CREDITS,
        reason: "first credits".to_owned(),
        request_id: String::new(),
        created_at: Time::now(),
    };
    Ledger::new(context)?.adjust(credits).await.map(drop)
}

/// Stores an API key of an account, unless it is stored already.
pub async fn store_key(context: &Context, account: Account, secret: &SecretToken) -> Result<()> {
    let keys = ApiKeys::new(context)?;
    if keys.find(&secret.hash()).await?.is_some() {
        return Ok(());
    }
    let key = ApiKey {
        id: ApiKeyId::new(),
        account,
        name: "first key".to_owned(),
        last4: secret.last4().to_owned(),
        created_at: Time::now(),
        expires_at: None,
        revoked_at: None,
        models: None,
        workbench: None,
    };
    keys.create(&key, &secret.hash()).await
}

/// The provider of the demo models.
fn demo_provider() -> StoredProvider {
    StoredProvider {
        name: "dev".to_owned(),
        kind: ProviderKind::Dev,
        base_url: None,
        api_key: None,
        api_key_last4: None,
        auth_header: None,
        headers: BTreeMap::new(),
        region: None,
        timeouts: Timeouts::default(),
        version: 1,
    }
}

/// The demo models. They answer without an external provider.
fn demo_models() -> [Model; 7] {
    let model = |name: &str, display_name: &str, r#type, capabilities: &[&str], max_output_tokens, pricing| Model {
        name: name.to_owned(),
        display_name: display_name.to_owned(),
        r#type,
        provider: "dev".to_owned(),
        capabilities: capabilities.iter().map(|capability| (*capability).to_owned()).collect(),
        context_window: Some(32_768),
        max_output_tokens,
        pricing,
        deprecated_at: None,
        retires_at: None,
        defaults: Map::new(),
        deployments: vec![ModelDeployment {
            provider: "dev".to_owned(),
            model: name.to_owned(),
            weight: 1,
            priority: 0,
            dialect: Default::default(),
            cost: None,
        }],
        on_disconnect: OnDisconnect::Stop,
        unsupported: Unsupported::Drop,
        unsupported_parameters: Vec::new(),
        max_tokens_parameter: None,
        max_tokens_policy: Default::default(),
        prompt_cache: Default::default(),
        response_cache: None,
        routing: Default::default(),
        batch_price_percent: None,
        fallbacks: Vec::new(),
        asynchronous: false,
        guard_api: GuardApi::Moderation,
        version: 1,
    };
    let chat = Pricing { input_micro_usd: 100_000, output_micro_usd: 400_000, ..Pricing::default() };
    let embed = Pricing { input_micro_usd: 20_000, ..Pricing::default() };
    let guard = Pricing { input_micro_usd: 10_000, ..Pricing::default() };
    let rerank = Pricing { input_micro_usd: 20_000, ..Pricing::default() };
    let image = Pricing { image_micro_usd: Some(10_000), ..Pricing::default() };
    let transcribe = Pricing { audio_minute_micro_usd: Some(6_000), ..Pricing::default() };
    let speech = Pricing { characters_micro_usd: Some(15_000_000), ..Pricing::default() };
    [
        model("dev-chat", "Development chat", ModelType::Others, &CHAT, Some(4_096), chat),
        model("dev-embed", "Development embeddings", ModelType::Embeddings, &["embeddings"], None, embed),
        model("dev-guard", "Development guard", ModelType::Others, &["guard"], None, guard),
        model("dev-image", "Development images", ModelType::Others, &["images", "image_edits"], None, image),
        model("dev-rerank", "Development reranking", ModelType::Others, &["rerank"], None, rerank),
        model("dev-speech", "Development speech", ModelType::Others, &["speech"], None, speech),
        model("dev-transcribe", "Development transcription", ModelType::Others, &["transcription"], None, transcribe),
    ]
}

/// The risk categories that `dev-guard` knows.
fn demo_categories() -> [GuardCategory; 6] {
    let category = |code: &str, label: &str, severity| GuardCategory {
        code: code.to_owned(),
        label: label.to_owned(),
        severity,
        threshold: 0.5,
        active: true,
    };
    [
        category("harassment", "Harassment", GuardSeverity::Medium),
        category("hate", "Hate", GuardSeverity::High),
        category("illicit", "Illicit acts", GuardSeverity::High),
        category("self_harm", "Self-harm", GuardSeverity::Critical),
        category("sexual", "Sexual content", GuardSeverity::Medium),
        category("violence", "Violence", GuardSeverity::High),
    ]
}
