//! Facts of well-known models: what their vendors publish about limits, capabilities and prices. Operators add models to the
//! catalog from them.

use std::sync::LazyLock;

use http::Uri;
use serde::Deserialize;

use super::catalog::{MaxTokensParameter, ModelType, OptionalParameter};
use super::page::Slice;
use super::provider::{DeploymentDialect, ProviderKind};
use super::usd::UsdIn;

/// One JSON object a line. Prices change without notice, so each line has the date of its facts.
const FACTS: &str = include_str!("model_facts.jsonl");

/// The host of a provider of kind `openai` without a base URL.
const OPENAI_HOST: &str = "api.openai.com";

static ALL: LazyLock<Vec<ModelFacts>> = LazyLock::new(|| {
    // A test reads every line.
    FACTS.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
});

/// What a vendor publishes about a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFacts {
    /// The vendor's name of the model in requests.
    pub id: String,
    /// Other names of the same model at the same price. A `#` is one digit, so `o3-####-##-##` is `o3` of any date.
    #[serde(default)]
    pub variants: Vec<String>,
    /// The only host to which the facts apply. Others serve the same weights at their own prices.
    pub host: Option<String>,
    pub display_name: String,
    /// The company that makes the model.
    pub vendor: String,
    pub capabilities: Vec<String>,
    pub context_window: Option<u64>,
    pub max_output_tokens: Option<u64>,
    pub prices: ModelPrices,
    pub max_tokens_parameter: Option<MaxTokensParameter>,
    /// The parameters that the model refuses, though others of its vendor take them.
    #[serde(default)]
    pub unsupported_parameters: Vec<OptionalParameter>,
    /// The dialect in which the vendor's own API serves the model best.
    #[serde(default)]
    pub dialect: DeploymentDialect,
    /// The date at which the facts were valid.
    pub as_of: String,
    /// The name of the publication that states the facts.
    pub source: String,
    /// What the prices do not express, such as a higher price of long prompts.
    pub note: Option<String>,
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrices {
    pub input: UsdIn,
    pub output: UsdIn,
    /// Input that the provider reads from its cache.
    pub cached_input: Option<UsdIn>,
    /// Input that the provider writes to its cache, for its usual time.
    pub cache_write: Option<UsdIn>,
    /// Input that the provider writes to its cache for one hour.
    pub cache_write_1h: Option<UsdIn>,
}

impl ModelFacts {
    pub fn model_type(&self) -> ModelType {
        let embeds = self.capabilities.iter().any(|capability| capability == "embeddings");
        if embeds { ModelType::Embeddings } else { ModelType::Others }
    }

    /// The dialect of a deployment at a provider of this kind and address. Other hosts of the model seldom have all of its APIs.
    pub fn dialect_at(&self, kind: ProviderKind, base_url: Option<&str>) -> DeploymentDialect {
        let is_vendor = host_of(base_url).is_none_or(|host| host == OPENAI_HOST);
        if kind == ProviderKind::OpenAi && is_vendor { self.dialect } else { DeploymentDialect::default() }
    }

    fn applies_to(&self, host: Option<&str>) -> bool {
        self.host.is_none() || self.host.as_deref() == host
    }

    fn contains(&self, text: &str) -> bool {
        let fields = [&self.id, &self.display_name, &self.vendor];
        fields.iter().any(|field| field.to_lowercase().contains(text))
    }
}

/// Finds the facts of the model that a provider with this base URL names `id`.
pub fn find_facts(id: &str, base_url: Option<&str>) -> Option<&'static ModelFacts> {
    let host = host_of(base_url);
    let mut known = ALL.iter().filter(|facts| facts.applies_to(host.as_deref()));
    let is_variant = |facts: &&ModelFacts| facts.variants.iter().any(|pattern| matches(pattern, id));
    known.clone().find(|facts| facts.id == id).or_else(|| known.find(is_variant))
}

fn host_of(base_url: Option<&str>) -> Option<String> {
    let url: Uri = base_url?.parse().ok()?;
    url.host().map(str::to_owned)
}

/// Lists the facts whose id, display name or vendor contains `search`, in the order of their ids, after the id `after`.
pub fn list_facts(search: &str, after: Option<&str>, limit: usize) -> Slice<&'static ModelFacts> {
    let search = search.to_lowercase();
    let is_later = |facts: &&ModelFacts| after.is_none_or(|after| facts.id.as_str() > after);
    let mut items: Vec<_> = ALL.iter().filter(is_later).filter(|facts| facts.contains(&search)).collect();
    items.sort_by_key(|facts| &facts.id);
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = if has_more { items.last().map(|last| last.id.clone()) } else { None };
    Slice { items, next }
}

fn matches(pattern: &str, id: &str) -> bool {
    let is_same = |(expected, found): (u8, u8)| expected == found || expected == b'#' && found.is_ascii_digit();
    pattern.len() == id.len() && pattern.bytes().zip(id.bytes()).all(is_same)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog::CAPABILITIES;
    use crate::money::Money;

    /// An id that a pattern describes.
    fn example(pattern: &str) -> String {
        pattern.replace('#', "7")
    }

    #[test]
    fn every_line_has_valid_facts() {
        let mut names = BTreeSet::new();
        for line in FACTS.lines() {
            let facts: ModelFacts = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            for name in std::iter::once(&facts.id).chain(&facts.variants) {
                assert!(names.insert(example(name)), "{name} is there twice");
            }
            assert!(facts.id.len() <= 200 && !facts.id.contains('#'), "{line}");
            for text in [&facts.display_name, &facts.vendor, &facts.source] {
                assert!(!text.trim().is_empty() && text.len() <= 100 && !text.contains("://"), "{line}");
            }
            assert!(facts.host.is_none_or(|host| host.contains('.') && host == host.to_lowercase()), "{line}");
            assert!(facts.as_of.parse::<jiff::civil::Date>().is_ok(), "{line}");
        }
        assert_eq!(ALL.len(), FACTS.lines().count());
        assert!(ALL.len() >= 40);
    }

    #[test]
    fn capabilities_and_limits_are_plausible() {
        for facts in ALL.iter() {
            let id = &facts.id;
            let capabilities: BTreeSet<_> = facts.capabilities.iter().map(String::as_str).collect();
            assert_eq!(capabilities.len(), facts.capabilities.len(), "{id}");
            assert!(capabilities.iter().all(|name| CAPABILITIES.contains(name)), "{id}");
            assert!(capabilities.contains("chat") != capabilities.contains("embeddings"), "{id}");
            assert!(facts.context_window.is_none_or(|window| (1_000..=20_000_000).contains(&window)), "{id}");
            let window = facts.context_window.unwrap_or(u64::MAX);
            assert!(facts.max_output_tokens.is_none_or(|most| (1_000..=window).contains(&most)), "{id}");
        }
    }

    #[test]
    fn prices_are_exact_and_plausible() {
        for facts in ALL.iter() {
            let ModelPrices { input, output, cached_input, cache_write, cache_write_1h } = &facts.prices;
            let id = &facts.id;
            for UsdIn(price) in
                [Some(input), Some(output), cached_input.as_ref(), cache_write.as_ref(), cache_write_1h.as_ref()]
                    .into_iter()
                    .flatten()
            {
                // The catalog has whole micro-USD.
                assert!(price.pico_usd().is_multiple_of(1_000_000) && *price <= Money::from_usd(1_000), "{id}");
            }
            let embeds = facts.model_type() == ModelType::Embeddings;
            assert!(!input.0.is_zero() && output.0.is_zero() == embeds, "{id}");
            assert!(cached_input.is_none_or(|cached| cached.0 < input.0), "{id}");
            assert!(cache_write.is_none_or(|write| write.0 >= input.0), "{id}");
            let hour = cache_write_1h.map_or(Money::MAX, |hour| hour.0);
            assert!(cache_write.is_none_or(|write| write.0 < hour), "{id}");
        }
    }

    #[test]
    fn models_are_found_by_their_names_and_dates() {
        let find = |id| find_facts(id, Some("https://api.openai.com/v1")).map(|facts| facts.id.as_str());
        assert_eq!(find("gpt-5-mini"), Some("gpt-5-mini"));
        assert_eq!(find("gpt-5-mini-2025-08-07"), Some("gpt-5-mini"));
        for unknown in
            ["gpt-5-mini-2025-08-0x", "gpt-5-mini-2025", "gpt-5-mini-", "GPT-5-mini", "gpt-4o-2024-05-13", ""]
        {
            assert_eq!(find(unknown), None, "{unknown}");
        }
        for facts in ALL.iter() {
            let url = facts.host.as_ref().map(|host| format!("https://{host}/v1"));
            for name in std::iter::once(&facts.id).chain(&facts.variants) {
                let found = find_facts(&example(name), url.as_deref()).map(|found| &found.id);
                assert_eq!(found, Some(&facts.id), "{name}");
            }
        }
    }

    #[test]
    fn reasoning_models_of_openai_are_called_in_its_newer_dialect_at_its_own_host() {
        let dialect = |id, kind, url| find_facts(id, url).unwrap().dialect_at(kind, url);
        let (own, other) = (Some("https://api.openai.com/v1"), Some("https://gateway.example/v1"));
        for (id, url, expected) in [
            ("o3", own, DeploymentDialect::Responses),
            ("gpt-5-mini-2025-08-07", None, DeploymentDialect::Responses),
            ("gpt-5-mini", other, DeploymentDialect::ChatCompletions),
            ("gpt-4o", own, DeploymentDialect::ChatCompletions),
        ] {
            assert_eq!(dialect(id, ProviderKind::OpenAi, url), expected, "{id} at {url:?}");
            assert_eq!(dialect(id, ProviderKind::Dev, url), DeploymentDialect::ChatCompletions, "{id}");
        }
        let refused = &find_facts("o3", own).unwrap().unsupported_parameters;
        assert!(refused.contains(&OptionalParameter::Temperature) && refused.contains(&OptionalParameter::TopP));
    }

    #[test]
    fn open_weights_have_the_price_of_their_host_only() {
        let find = |url| find_facts("openai/gpt-oss-120b", url).map(|facts| facts.source.as_str());
        assert_eq!(find(Some("https://api.groq.com/openai/v1")), Some("Groq pricing"));
        for other in [None, Some("http://127.0.0.1:8000/v1"), Some("https://api.groq.com.example/v1"), Some("")] {
            assert_eq!(find(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_search_is_paged_by_id() {
        let all = list_facts("CLAUDE", None, 100);
        assert!(all.next.is_none() && all.items.len() > 3);
        assert!(all.items.iter().all(|facts| facts.vendor == "Anthropic"));
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let page = list_facts("claude", after.as_deref(), 3);
            paged.extend(page.items);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(paged, all.items);
        assert_eq!(list_facts("no such model", None, 3), Slice { items: vec![], next: None });
    }
}
