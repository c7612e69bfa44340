//! What happens to a workflow, apart from edits of its draft and from its runs.

use serde::{Deserialize, Serialize};

use super::{Lifecycle, Workflow};
use crate::activity::ActivityLevel;
use crate::language::Language;
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

    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Published { .. } => "published",
            Self::Activated { .. } => "activated",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Archived => "archived",
            Self::Restored => "restored",
            Self::AttentionNeeded { .. } => "attention_needed",
            Self::AttentionResolved => "attention_resolved",
        }
    }

    /// The change as a sentence.
    pub fn describe(&self, language: Language) -> String {
        let text = |english: &str, spanish: &str| language.choose(english, spanish).to_owned();
        match self {
            Self::Created => text("The workflow was created.", "Se creó el flujo."),
            Self::Published { release } => language
                .choose(format!("Release {release} was published."), format!("Se publicó la versión {release}.")),
            Self::Activated { release } => language.choose(
                format!("Release {release} was activated again."),
                format!("Se volvió a activar la versión {release}."),
            ),
            Self::Paused => text("The workflow was paused.", "Se pausó el flujo."),
            Self::Resumed => text("The workflow was resumed.", "Se reanudó el flujo."),
            Self::Archived => text("The workflow was archived.", "Se archivó el flujo."),
            Self::Restored => text("The workflow was restored.", "Se restauró el flujo."),
            Self::AttentionNeeded { missing } => {
                let describe =
                    |missing: &Reference| format!("{} `{}`", missing.describe_kind(language), missing.target());
                let missing: Vec<_> = missing.iter().map(describe).collect();
                let missing = missing.join(", ");
                language.choose(
                    format!("The workflow needs attention: {missing} was deleted."),
                    format!("El flujo necesita atención: se eliminó {missing}."),
                )
            }
            Self::AttentionResolved => {
                text("The workflow no longer needs attention.", "El flujo ya no necesita atención.")
            }
        }
    }

    pub fn level(&self) -> ActivityLevel {
        match self {
            Self::AttentionNeeded { .. } => ActivityLevel::Warning,
            _ => ActivityLevel::Info,
        }
    }
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
        let changes: Vec<_> = changes.collect();
        let describe = |language: Language| -> Vec<String> {
            let text = |change: &Option<WorkflowChange>| change.as_ref().map(|change| change.describe(language));
            changes.iter().map(|change| text(change).unwrap_or("-".to_owned())).collect()
        };
        assert_eq!(describe(Language::Spanish)[1..3], ["Se publicó la versión 1.", "Se publicó la versión 2."]);
        assert_eq!(describe(Language::Spanish)[6], "El flujo necesita atención: se eliminó el modelo `dev/chat`.");
        let texts = describe(Language::English);
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
