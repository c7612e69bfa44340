//! The usage of runs, as the responses of several functions show it.

use std::collections::BTreeMap;

use domain::run::node_id_of;
use domain::usd::{Usd, UsdText};
use serde::Serialize;
use store::usage::Figures;
use utoipa::ToSchema;

/// The calls of models that the run has made. They are counted with their charges, so the sums equal those of the
/// transactions whose request id begins with the run's id. Runs that the run has started have their own usage.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunUsage")]
pub struct RunUsageOut {
    #[serde(flatten)]
    total: ChargedUsageOut,
    /// The usage of each node that has called models. In a loop, it is the sum of all iterations.
    pub nodes: Vec<NodeUsageOut>,
}

/// The usage of one node.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NodeUsage")]
pub struct NodeUsageOut {
    #[schema(example = "ask")]
    node_id: String,
    #[serde(flatten)]
    usage: ChargedUsageOut,
}

/// The calls of models, and the part of their cost that could not be deducted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ChargedUsage")]
struct ChargedUsageOut {
    #[serde(flatten)]
    usage: ModelUsageOut,
    /// The part of `cost` that was not deducted because the balance or a spending cap was exhausted.
    uncollected: Usd,
    uncollected_exact: UsdText,
}

/// The calls of models.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ModelUsage")]
pub struct ModelUsageOut {
    /// The number of charged calls. It includes those of attempts that failed afterwards.
    #[schema(example = 2)]
    requests: u64,
    input_tokens: u64,
    output_tokens: u64,
    /// In US dollars.
    cost: Usd,
    cost_exact: UsdText,
}

impl RunUsageOut {
    /// Sums the figures of the steps, by their paths.
    pub fn new(steps: BTreeMap<String, Figures>) -> Self {
        let (mut total, mut nodes) = (Figures::default(), BTreeMap::<String, Figures>::new());
        for (path, figures) in steps {
            total += figures;
            *nodes.entry(node_id_of(&path).to_owned()).or_default() += figures;
        }
        let nodes = nodes.into_iter().map(|(node_id, figures)| NodeUsageOut { node_id, usage: figures.into() });
        Self { total: total.into(), nodes: nodes.collect() }
    }
}

impl From<Figures> for ChargedUsageOut {
    fn from(figures: Figures) -> Self {
        let Figures { uncollected, .. } = figures;
        Self { usage: figures.into(), uncollected: uncollected.into(), uncollected_exact: uncollected.into() }
    }
}

impl From<Figures> for ModelUsageOut {
    fn from(Figures { requests, tokens_in, tokens_out, cost, .. }: Figures) -> Self {
        Self {
            requests,
            input_tokens: tokens_in,
            output_tokens: tokens_out,
            cost: cost.into(),
            cost_exact: cost.into(),
        }
    }
}

impl Default for RunUsageOut {
    fn default() -> Self {
        Self::new(BTreeMap::new())
    }
}
