//! The settings of `local`: those that it takes from its environment, and checks of all of them by the rules with which the
//! platform reads them. They are checked before anything starts, and by `local doctor`.

use std::borrow::Cow;

use domain::address;
use domain::oauth::OauthServices;
use domain::workbench::Resources;
use outbound::AddressGuard;
use platform::config::{
    AUTH_AUDIENCE, AUTH_DISCOVERY_URL, AUTH_ISSUER, AUTH_JWKS_URL, AUTH_ORG_CLAIM, AUTH_ROLES_CLAIM, BASE_URL,
    CONSOLE_CLIENT_ID, CONSOLE_CLIENT_SECRET, CONSOLE_ORIGIN, CORS_ORIGINS, GUARD_PATIENCE_S, IMAGE_PATIENCE_S,
    METRICS, OAUTH_SERVICES, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT,
    OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OUTBOUND_ALLOWED_CIDRS, OUTBOUND_MAX_CONNECTIONS,
    OUTBOUND_REFUSED_PORTS, SLACK_API_URL, STREAM_SECONDS, TELEGRAM_API_URL, WHATSAPP_API_URL, WORKBENCH_CAPACITY,
    WORKBENCH_CLUSTER,
};
use platform::telemetry;

use crate::failure::Failure;

/// The settings without an option. They have the same effect as the environment variables of a deployed function.
const FROM_ENVIRONMENT: [(&str, Form); 27] = [
    (AUTH_ISSUER, Form::Text),
    (AUTH_AUDIENCE, Form::Text),
    (AUTH_JWKS_URL, Form::Url),
    (AUTH_DISCOVERY_URL, Form::Url),
    (AUTH_ORG_CLAIM, Form::Text),
    (AUTH_ROLES_CLAIM, Form::Text),
    (CONSOLE_CLIENT_ID, Form::Text),
    (CONSOLE_CLIENT_SECRET, Form::Text),
    (CONSOLE_ORIGIN, Form::Origins),
    (CORS_ORIGINS, Form::Origins),
    (OAUTH_SERVICES, Form::Services),
    (SLACK_API_URL, Form::Url),
    (TELEGRAM_API_URL, Form::Url),
    (WHATSAPP_API_URL, Form::Url),
    (STREAM_SECONDS, Form::Seconds),
    (IMAGE_PATIENCE_S, Form::Seconds),
    (GUARD_PATIENCE_S, Form::Seconds),
    (OUTBOUND_MAX_CONNECTIONS, Form::Number),
    (OUTBOUND_REFUSED_PORTS, Form::Ports),
    (WORKBENCH_CLUSTER, Form::Cluster),
    (METRICS, Form::Metrics),
    (OTEL_EXPORTER_OTLP_ENDPOINT, Form::Telemetry),
    (OTEL_EXPORTER_OTLP_HEADERS, Form::Telemetry),
    (OTEL_EXPORTER_OTLP_TIMEOUT, Form::Telemetry),
    (OTEL_SERVICE_NAME, Form::Telemetry),
    (OTEL_TRACES_SAMPLER, Form::Telemetry),
    (OTEL_TRACES_SAMPLER_ARG, Form::Telemetry),
];

#[derive(Clone, Copy)]
enum Form {
    Text,
    Url,
    Origins,
    Seconds,
    Number,
    Ports,
    Cluster,
    Services,
    Metrics,
    /// The platform checks it.
    Telemetry,
}

impl Form {
    /// What the value of a setting must be, if it is not.
    fn problem(self, name: &str, value: &str) -> Option<Cow<'static, str>> {
        let mut items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
        let (is_right, expected) = match self {
            Self::Text => (true, ""),
            Self::Url => (is_url(value), "an absolute URL such as https://example.com/api"),
            Self::Origins => (items.all(is_origin), "origins separated by commas, such as https://console.example.com"),
            Self::Seconds => (value.parse::<u32>().is_ok(), "a number of seconds"),
            Self::Number => (value.parse::<u32>().is_ok_and(|number| number > 0), "a number above 0"),
            Self::Ports => (items.all(|port| port.parse::<u16>().is_ok()), "ports separated by commas"),
            Self::Metrics => (value == telemetry::EMF, telemetry::EMF),
            Self::Cluster => return cluster_problem(value).map(Cow::Owned),
            Self::Services => return services_problem(value).map(Cow::Owned),
            Self::Telemetry => return telemetry::expected_form(name, value).map(Cow::Borrowed),
        };
        (!is_right).then_some(Cow::Borrowed(expected))
    }
}

fn cluster_problem(value: &str) -> Option<String> {
    let problem = match kubernetes::Settings::read(value) {
        // This machine has no role of AWS, with which it could log in to EKS.
        Ok(settings) if settings.is_eks() => "`connection` is not \"kubeconfig\"".to_owned(),
        Ok(_) => return None,
        Err(problem) => problem,
    };
    Some(format!("JSON as in shared/kubernetes/README.md, with \"connection\": \"kubeconfig\" ({problem})"))
}

fn services_problem(value: &str) -> Option<String> {
    let problem = OauthServices::read(value).err()?;
    Some(format!("JSON such as {{\"google\": {{\"clientId\": …, \"clientSecret\": …}}}} ({problem})"))
}

fn is_url(text: &str) -> bool {
    address::problem(text).is_none() && !text.contains('?')
}

/// An origin has no path: browsers send it without one.
fn is_origin(text: &str) -> bool {
    is_url(text) && text.matches('/').count() == 2
}

/// The settings of the command line and of the environment.
pub struct Settings<'a> {
    pub base_url: Option<&'a str>,
    pub outbound_allowed: &'a str,
    pub workbench_capacity: Option<&'a str>,
    /// The settings without an option.
    pub others: &'a [(String, String)],
}

pub struct WrongSetting {
    pub problem: String,
    pub fix: String,
}

/// Reads the settings without an option. An empty variable sets nothing.
pub fn read_environment(variable: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let set = FROM_ENVIRONMENT.iter().filter_map(|(name, _)| Some(((*name).to_owned(), variable(name)?)));
    let mut settings: Vec<_> = set.filter(|(_, value)| !value.is_empty()).collect();
    let has = |wanted: &str| settings.iter().any(|(name, _)| name == wanted);
    if has(AUTH_ISSUER) {
        // The values of the platform's own issuer do not count for another one.
        let own = [AUTH_JWKS_URL, AUTH_DISCOVERY_URL, CONSOLE_CLIENT_ID].into_iter().filter(|name| !has(name));
        let emptied: Vec<_> = own.map(|name| (name.to_owned(), String::new())).collect();
        settings.extend(emptied);
    }
    settings
}

/// The issuer of access tokens that is trusted in place of the platform's own.
pub fn trusted_issuer(settings: &[(String, String)]) -> Option<&str> {
    settings.iter().find(|(name, _)| name == AUTH_ISSUER).map(|(_, issuer)| issuer.as_str())
}

/// Refuses wrong settings with all their problems.
pub fn require_valid(settings: &Settings<'_>) -> Result<(), Failure> {
    let wrong = check(settings);
    let messages: Vec<_> = wrong.iter().map(|WrongSetting { problem, fix }| format!("{problem}; {fix}")).collect();
    if messages.is_empty() { Ok(()) } else { Err(Failure::Other(messages.join("\nlocal: "))) }
}

/// What is wrong with the settings.
pub fn check(settings: &Settings<'_>) -> Vec<WrongSetting> {
    let mut wrong = Vec::new();
    if let Some(url) = settings.base_url
        && let Some(problem) = address::problem(url)
            .map(|problem| problem.en)
            .or_else(|| url.contains('?').then_some("must not have a query"))
    {
        wrong.push(WrongSetting {
            problem: format!("base URL: {problem} (it is {url:?})"),
            fix: format!("give an absolute URL such as https://atelier.example with --base-url or {BASE_URL}"),
        });
    }
    let networks = settings.outbound_allowed.split(',').map(str::trim).filter(|network| !network.is_empty());
    for network in networks.filter(|network| AddressGuard::allowing([network]).is_err()) {
        wrong.push(WrongSetting {
            problem: format!("{network:?} is not an address or a CIDR range"),
            fix: format!("correct --outbound-allowed-cidrs or {OUTBOUND_ALLOWED_CIDRS}, for example 10.0.0.0/8"),
        });
    }
    let capacity = settings.workbench_capacity.filter(|text| !text.is_empty());
    if let Some(Err(problem)) = capacity.map(Resources::read_list) {
        wrong.push(WrongSetting {
            problem: format!("the capacity of workbenches cannot be read: {problem}"),
            fix: format!(
                "correct --workbench-capacity or {WORKBENCH_CAPACITY}: cpu=8,memory=16Gi,gpumem=0,storage=100Gi"
            ),
        });
    }
    let has_cluster = settings.others.iter().any(|(name, value)| name == WORKBENCH_CLUSTER && !value.is_empty());
    if has_cluster && settings.base_url.is_none() {
        wrong.push(WrongSetting {
            problem: format!("{WORKBENCH_CLUSTER} is set, and the base URL is not"),
            fix: format!("give an address that the pods of the cluster reach with --base-url or {BASE_URL}"),
        });
    }
    for (name, form) in FROM_ENVIRONMENT {
        let value = settings.others.iter().find(|(set, value)| set == name && !value.is_empty());
        let Some((_, value)) = value else { continue };
        if let Some(expected) = form.problem(name, value) {
            wrong.push(WrongSetting {
                problem: match name {
                    // Its value may be a key, or long.
                    OAUTH_SERVICES | OTEL_EXPORTER_OTLP_HEADERS | WORKBENCH_CLUSTER => format!("{name} cannot be used"),
                    _ => format!("{name} is {value:?}"),
                },
                fix: format!("set it to {expected}, or unset it"),
            });
        }
        let is_of_issuer = name.starts_with("AUTH_") || name.starts_with("CONSOLE_CLIENT_");
        if is_of_issuer && trusted_issuer(settings.others).is_none() {
            wrong.push(WrongSetting {
                problem: format!("{name} is set, and {AUTH_ISSUER} is not"),
                fix: format!("set {AUTH_ISSUER} to the issuer of your access tokens, or unset {name}"),
            });
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::config::FILES_URL;

    const SETTINGS: &str = include_str!("../../../shared/platform/src/config.rs");
    const README: &str = include_str!("../../../README.md");
    const TEMPLATE: &str = include_str!("../../template.yaml");

    /// A new setting is refused here until `local` knows it and the README names it.
    #[test]
    fn every_setting_reaches_local_the_template_and_the_readme() {
        let with_option = [BASE_URL, OUTBOUND_ALLOWED_CIDRS, WORKBENCH_CAPACITY];
        let (not_in_template, set_by_local) = ([FILES_URL], [FILES_URL]);
        let constants = SETTINGS.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(": &str"));
        let mut count = 0;
        for (name, _) in constants {
            count += 1;
            assert!(README.contains(&format!("`{name}`")), "{name} is not in README.md");
            let variable = format!("{name}: ");
            assert!(TEMPLATE.contains(&variable) || not_in_template.contains(&name), "{name} is not in the template");
            let is_resource = ["TABLE_", "QUEUE_", "BUCKET_", "KMS_"].iter().any(|kind| name.starts_with(kind));
            let is_read = FROM_ENVIRONMENT.iter().any(|(known, _)| *known == name) || with_option.contains(&name);
            assert!(is_resource || is_read || set_by_local.contains(&name), "{name} does not reach `local`");
        }
        assert!(count > 20, "{count} settings");
    }

    #[test]
    fn all_settings_of_the_environment_are_read_and_empty_ones_are_not() {
        let read = read_environment(|name| Some(format!("value of {name}")));
        assert_eq!(read.len(), FROM_ENVIRONMENT.len());
        assert!(read.iter().all(|(name, value)| *value == format!("value of {name}")));
        assert_eq!(read_environment(|_| Some(String::new())), []);
        let issuer = read_environment(|name| (name == AUTH_ISSUER).then(|| "https://issuer.example".to_owned()));
        assert_eq!(issuer[1], (AUTH_JWKS_URL.to_owned(), String::new()), "the keys are found by discovery");
    }

    #[test]
    fn a_cluster_needs_a_kubeconfig_and_a_rule_of_access() {
        let cluster = |connection: serde_json::Value, annotation: &str| {
            let settings = serde_json::json!({
                "connection": connection, "domain": "labs.test", "ingress_class": "nginx", "ingress_namespace": "ingress",
                "ingress_annotations": {"auth-url": annotation},
            });
            cluster_problem(&settings.to_string()).unwrap_or_default()
        };
        let eks = serde_json::json!({"eks": {"name": "labs", "url": "https://eks.test", "certificate_authority": ""}});
        let rule = "https://access.test/{id}";
        assert_eq!(cluster("kubeconfig".into(), rule), "");
        assert!(cluster(eks, rule).contains("`connection` is not"));
        assert!(cluster("kubeconfig".into(), "https://access.test").contains("no value contains {id}"));
        assert!(cluster_problem("labs").is_some());
    }

    #[test]
    fn a_wrong_setting_is_named_with_the_form_that_is_expected() {
        let problems = |name: &str, value: &str| {
            let others = [(AUTH_ISSUER.to_owned(), "issuer".to_owned()), (name.to_owned(), value.to_owned())];
            let settings = Settings { base_url: None, outbound_allowed: "", workbench_capacity: None, others: &others };
            check(&settings).into_iter().map(|wrong| format!("{}; {}", wrong.problem, wrong.fix)).collect::<Vec<_>>()
        };
        assert_eq!(
            problems(IMAGE_PATIENCE_S, "2 min"),
            ["IMAGE_PATIENCE_S is \"2 min\"; set it to a number of seconds, or unset it"]
        );
        for (name, right, wrong) in [
            (SLACK_API_URL, "http://127.0.0.1:8080/api", "slack.com"),
            (CORS_ORIGINS, "https://a.example, http://localhost:3000", "https://a.example/app"),
            (OUTBOUND_MAX_CONNECTIONS, "64", "0"),
            (OUTBOUND_REFUSED_PORTS, "5432,6379", "5432;6379"),
            (AUTH_JWKS_URL, "https://issuer.example/jwks.json", "jwks.json"),
            (OTEL_TRACES_SAMPLER_ARG, "0.1", "10%"),
            (METRICS, "emf", "prometheus"),
        ] {
            assert_eq!(problems(name, right), [""; 0], "{name}");
            assert_eq!(problems(name, wrong).len(), 1, "{name}");
        }
    }
}
