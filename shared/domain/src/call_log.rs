//! The log of calls: what its calls can be filtered by.

use super::call_facts::CallStatus;
use super::id::{ApiKeyId, OrgId, UserId};
use super::ledger::Charge;
use super::time::Time;

impl Charge {
    /// The status of the call. Calls that were charged by earlier versions have no facts.
    pub fn status(&self) -> CallStatus {
        self.facts.as_ref().map_or(CallStatus::Completed, |facts| facts.status())
    }

    /// The provider and its name for the model, as the header `X-Svc-Deployment` names them.
    pub fn deployment(&self) -> Option<String> {
        let facts = self.facts.as_ref().filter(|facts| !facts.upstream.is_empty())?;
        Some(format!("{}/{}", self.provider, facts.upstream))
    }
}

/// A property of a call that the log can be filtered by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallProperty {
    EndUser(String),
    Tag(String),
    Key(ApiKeyId),
    Error(String),
    Alias(String),
    Deployment(String),
    User(UserId),
    Model(String),
    Provider(String),
}

impl CallProperty {
    /// The properties of a call.
    pub fn of_call(call: &Charge) -> Vec<Self> {
        let mut properties = vec![Self::User(call.user), Self::Model(call.model.clone())];
        properties.extend(call.key.map(Self::Key));
        if !call.provider.is_empty() {
            properties.push(Self::Provider(call.provider.clone()));
        }
        properties.extend(call.deployment().map(Self::Deployment));
        if let Some(facts) = &call.facts {
            properties.extend(facts.alias.clone().map(Self::Alias));
            properties.extend(facts.error.clone().map(Self::Error));
            properties.extend(facts.labels.end_user.clone().map(Self::EndUser));
            properties.extend(facts.labels.tags.iter().cloned().map(Self::Tag));
        }
        properties
    }

    pub fn is_of(&self, call: &Charge) -> bool {
        let facts = call.facts.as_deref();
        match self {
            Self::EndUser(name) => facts.is_some_and(|facts| facts.labels.end_user.as_ref() == Some(name)),
            Self::Tag(tag) => facts.is_some_and(|facts| facts.labels.tags.contains(tag)),
            Self::Key(key) => call.key == Some(*key),
            Self::Error(code) => facts.is_some_and(|facts| facts.error.as_ref() == Some(code)),
            Self::Alias(alias) => facts.is_some_and(|facts| facts.alias.as_ref() == Some(alias)),
            Self::Deployment(name) => call.deployment().as_ref() == Some(name),
            Self::User(user) => call.user == *user,
            Self::Model(model) => call.model == *model,
            Self::Provider(provider) => call.provider == *provider,
        }
    }
}

/// The filter of a list of calls. By default it selects all calls.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    /// Without one, it selects the calls of all organizations.
    pub orgs: Vec<OrgId>,
    /// All of them must hold. The list is read by the first one, so the most selective one comes first.
    pub properties: Vec<CallProperty>,
    pub status: Option<CallStatus>,
    /// The first time of the calls.
    pub from: Option<Time>,
    /// The time before which the calls ended.
    pub to: Option<Time>,
}

impl CallFilter {
    /// Whether it has at most one condition, apart from the time. Nearly all calls of the list that is read then match.
    pub fn is_exact(&self) -> bool {
        self.properties.len() + usize::from(self.status.is_some()) <= 1
    }

    pub fn includes(&self, call: &Charge) -> bool {
        (self.orgs.is_empty() || self.orgs.contains(&call.org))
            && self.properties.iter().all(|property| property.is_of(call))
            && self.status.is_none_or(|status| call.status() == status)
            && self.from.is_none_or(|from| call.created_at >= from)
            && self.to.is_none_or(|to| call.created_at < to)
    }
}
