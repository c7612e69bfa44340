//! What happens to a workflow, apart from edits of its draft and from its runs.

use serde::{Deserialize, Serialize};

use super::{Lifecycle, Workflow};
use crate::activity::ActivityLevel;
use crate::reference::Reference;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkflowChange {
    Created,
    Published {
        release: u64,
    },
    /// An earlier release is active again.
    Activated {
        release: u64,
    },
    Paused,
    Resumed,
    Archived,
    Restored,
    /// Something that the active release uses was deleted.
    AttentionNeeded {
        missing: Vec<Reference>,
    },
    AttentionResolved,
}

impl WorkflowChange {
    /// The change between two revisions. None for an edit of the draft.
    pub fn between(before: &Workflow, after: &Workflow) -> Option<Self> {
        let active = |workflow: &Workflow| workflow.active.as_ref().map(|active| active.number);
        if after.releases > before.releases {
            return Some(Self::Published { release: after.releases });
        }
        if let Some(release) = active(after)
            && Some(release) != active(before)
        {
            return Some(Self::Activated { release });
        }
        match (before.lifecycle, after.lifecycle) {
            (Lifecycle::Live, Lifecycle::Paused) => return Some(Self::Paused),
            (Lifecycle::Paused, Lifecycle::Live) => return Some(Self::Resumed),
            (Lifecycle::Live | Lifecycle::Paused, Lifecycle::Archived) => return Some(Self::Archived),
            (Lifecycle::Archived, Lifecycle::Live | Lifecycle::Paused) => return Some(Self::Restored),
            _ => {}
        }
        match (before.gone.is_empty(), after.gone.is_empty()) {
            (true, false) => Some(Self::AttentionNeeded { missing: after.gone.iter().cloned().collect() }),
            (false, true) => Some(Self::AttentionResolved),
            _ => None,
        }
    }

    /// The change as a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::Created => "The workflow was created.".to_owned(),
            Self::Published { release } => format!("Release {release} was published."),
            Self::Activated { release } => format!("Release {release} was activated again."),
            Self::Paused => "The workflow was paused.".to_owned(),
            Self::Resumed => "The workflow was resumed.".to_owned(),
            Self::Archived => "The workflow was archived.".to_owned(),
            Self::Restored => "The workflow was restored.".to_owned(),
            Self::AttentionNeeded { missing } => {
                let missing: Vec<_> = missing.iter().map(describe).collect();
                format!("The workflow needs attention: {} was deleted.", missing.join(", "))
            }
            Self::AttentionResolved => "The workflow no longer needs attention.".to_owned(),
        }
    }

    pub fn level(&self) -> ActivityLevel {
        match self {
            Self::AttentionNeeded { .. } => ActivityLevel::Warning,
            _ => ActivityLevel::Info,
        }
    }
}

fn describe(reference: &Reference) -> String {
    let target = match reference {
        Reference::Agent(id) => id.to_string(),
        Reference::Model(name) => name.clone(),
        Reference::Workflow(id) => id.to_string(),
        Reference::Credential(_, id) => id.to_string(),
        Reference::Webhook(id) => id.to_string(),
    };
    format!("the {} `{target}`", reference.kind())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrgId, ReleaseId, UserId, WorkflowId};
    use crate::identity::Account;
    use crate::time::Time;
    use crate::workflow::{Active, NewWorkflow};

    #[test]
    fn each_change_has_a_sentence() {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        let draft = Workflow::new(WorkflowId::new(), account, NewWorkflow::default()).unwrap();
        let active = |number| Active { release: ReleaseId::new(), number, content_hash: String::new() };
        let now = Time::now();
        let first = draft.published(active(1), now);
        let second = first.published(active(2), now);
        let rolled_back = second.with_active(active(1), now).unwrap();
        let paused = rolled_back.paused(now).unwrap();
        let resumed = paused.resumed(now).unwrap();
        let broken = Workflow { gone: [Reference::Model("dev/chat".to_owned())].into(), ..resumed.clone() };
        let archived = broken.archived(now).unwrap();
        let restored = archived.restored(now).unwrap();
        let revisions = [
            &draft,
            &draft,
            &first,
            &second,
            &rolled_back,
            &paused,
            &resumed,
            &broken,
            &resumed,
            &broken,
            &archived,
            &restored,
        ];
        let changes = revisions.windows(2).map(|pair| WorkflowChange::between(pair[0], pair[1]));
        let texts: Vec<_> = changes.map(|change| change.map_or("-".to_owned(), |change| change.describe())).collect();
        assert_eq!(
            texts,
            [
                "-",
                "Release 1 was published.",
                "Release 2 was published.",
                "Release 1 was activated again.",
                "The workflow was paused.",
                "The workflow was resumed.",
                "The workflow needs attention: the model `dev/chat` was deleted.",
                "The workflow no longer needs attention.",
                "The workflow needs attention: the model `dev/chat` was deleted.",
                "The workflow was archived.",
                "The workflow was restored.",
            ]
        );
    }
}
