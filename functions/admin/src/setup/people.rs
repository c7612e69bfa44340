//! The plan, the organization, the user and the first credits of a setup.

use auth::DEFAULT_PLAN;
use domain::body_problems::Problems;
use domain::id::{OrgId, TransactionId, uuid_of_hash};
use domain::identity::{Account, Membership, Org, Plan, Role, User};
use domain::ledger::{Adjustment, EntryKind, LedgerEntry};
use domain::money::Money;
use domain::{Error, Result};
use store::admin::AdjustmentOutcome;
use store::catalog::Listing;
use store::idempotency::IdempotencyKey;
use web::gateway::{TransactionKind, TransactionOut};

use super::Setup;
use crate::dto::billing::CreditsIn;
use crate::dto::people::{MembershipOut, NewUserOut, OrgOut};
use crate::dto::plans::{PlanIn, PlanOut};
use crate::dto::setup::{SetupCreditsIn, SetupOrgIn, SetupOut, SetupOutcome, SetupPlanIn, SetupUserIn};
use crate::snapshot::render_snapshot;

/// The parts as the body declares them.
pub struct Declared {
    pub organization: Option<SetupOrgIn>,
    pub user: Option<SetupUserIn>,
    pub plan: Option<SetupPlanIn>,
    pub credits: Option<SetupCreditsIn>,
}

/// The validated parts.
pub struct People {
    /// The declared plan with the stored one, if its settings were sent.
    plan: Option<(Option<Plan>, Plan)>,
    /// The plan of the organization.
    pub plan_of_org: Plan,
    org: Org,
    stored_org: Option<Org>,
    user: Option<DeclaredUser>,
    credits: Option<(Money, String)>,
}

struct DeclaredUser {
    user: User,
    membership: Membership,
    stored_user: Option<User>,
    stored_membership: Option<Membership>,
}

/// Validates the parts. Returns None if the body has no organization.
pub async fn read(
    setup: Setup<'_>,
    declared: Declared,
    listing: &Listing,
    problems: &mut Problems,
) -> Result<Option<People>> {
    let Declared { organization, user, plan, credits } = declared;
    let Some(organization) = organization else { return Ok(None) };
    let (stores, now) = (setup.stores, setup.operator.at());
    let plan_id = plan.as_ref().map(|plan| plan.id.clone());
    let org = problems.take_within("organization", organization.settings(plan_id.clone()).read(&stores.auth, now));
    let stored_org = match &org {
        Some(org) => stores.identities.orgs([org.id].into_iter()).await?.remove(&org.id),
        None => None,
    };
    let plan_of_org = plan_id.or_else(|| stored_org.as_ref().map(|org| org.plan.clone()));
    let plan_of_org = plan_of_org.unwrap_or_else(|| DEFAULT_PLAN.to_owned());
    let stored_plan = stores.identities.find_plan(&plan_of_org).await?;
    let settings = plan.and_then(|plan| plan.settings);
    let read_plan = |settings: PlanIn| settings.read(&plan_of_org, listing, now);
    let plan = settings.and_then(|settings| problems.take_within("plan.settings", read_plan(settings)));
    if plan.is_none() && stored_plan.is_none() {
        problems.add("plan.settings", format_args!("is missing; the plan {plan_of_org} does not exist"));
    }
    let credits = credits.and_then(|credits| problems.take_within("credits", read_credits(credits)));
    let Some(org) = org else { return Ok(None) };
    let user = match user {
        Some(user) => read_user(setup, user, org.id, problems).await?,
        None => None,
    };
    let org = match &stored_org {
        Some(stored) => Org { name: org.name, plan: plan_of_org, ..stored.clone() },
        None => Org { plan: plan_of_org, ..org },
    };
    let current_plan = plan.clone().or(stored_plan.clone()).unwrap_or_else(|| Plan::none(&org.plan));
    let plan = plan.map(|plan| (stored_plan, plan));
    Ok(Some(People { plan, plan_of_org: current_plan, org, stored_org, user, credits }))
}

fn read_credits(SetupCreditsIn { amount, reason }: SetupCreditsIn) -> Result<(Money, String)> {
    let reason = reason.unwrap_or_else(|| "first credits".to_owned());
    let credits = CreditsIn { org: String::new(), kind: TransactionKind::Credit, amount, reason };
    credits.check().map(|amount| (amount, credits.reason))
}

async fn read_user(
    setup: Setup<'_>,
    declared: SetupUserIn,
    org: OrgId,
    problems: &mut Problems,
) -> Result<Option<DeclaredUser>> {
    let (stores, role) = (setup.stores, declared.role.map(Role::from));
    let read = declared.settings(org.to_string()).read(&stores.auth, setup.operator.at());
    let Some((user, membership)) = problems.take_within("user", read) else { return Ok(None) };
    let stored_user = stores.identities.users([user.id].into_iter()).await?.remove(&user.id);
    let stored_membership = stores.identities.membership(org, user.id).await?;
    // An existing member keeps their role if none is declared.
    let membership = match &stored_membership {
        Some(stored) if role.is_none_or(|role| role == stored.role) => stored.clone(),
        Some(stored) => Membership { created_at: stored.created_at, ..membership },
        None => membership,
    };
    Ok(Some(DeclaredUser { user, membership, stored_user, stored_membership }))
}

impl People {
    pub fn account(&self) -> Option<Account> {
        self.user.as_ref().map(|user| Account { org: self.org.id, user: user.user.id })
    }

    pub async fn write(self, setup: Setup<'_>, listing: &Listing, out: &mut SetupOut) -> Result<()> {
        let Self { plan, org, stored_org, user, credits, .. } = self;
        if let Some((before, plan)) = plan {
            write_plan(setup, listing, (before, plan), out).await?;
        }
        write_org(setup, stored_org, &org, out).await?;
        if let Some(user) = user {
            user.write(setup, out).await?;
        }
        if let Some((amount, reason)) = credits {
            let outcome = give_credits(setup, org.id, amount, reason).await?;
            out.add("credits", amount, outcome);
        }
        Ok(())
    }
}

async fn write_plan(
    setup: Setup<'_>,
    listing: &Listing,
    (before, plan): (Option<Plan>, Plan),
    out: &mut SetupOut,
) -> Result<()> {
    let outcome = match &before {
        Some(before) if *before == plan => SetupOutcome::Unchanged,
        Some(_) => SetupOutcome::Changed,
        None => SetupOutcome::Created,
    };
    if outcome != SetupOutcome::Unchanged {
        let render = |plan: &Plan| render_snapshot(&PlanOut::new(plan, listing, setup.operator.at()));
        setup.stores.admin.put_plan(&setup.operator.audit_action("plan.put", &plan.id), &plan, render).await?;
    }
    out.add("plan", plan.id, outcome);
    Ok(())
}

async fn write_org(setup: Setup<'_>, before: Option<Org>, org: &Org, out: &mut SetupOut) -> Result<()> {
    let (admin, operator) = (&setup.stores.admin, setup.operator);
    let render = |org: &Org| render_snapshot(&OrgOut::from(org));
    let outcome = match before {
        None => {
            let action = operator.audit_action("org.create", org.id);
            match admin.create_org(&action, org, None, &render(org)).await {
                Ok(_) => SetupOutcome::Created,
                // Another request created it meanwhile.
                Err(Error::Conflict { .. }) => SetupOutcome::Unchanged,
                Err(error) => return Err(error),
            }
        }
        Some(before) if before == *org => SetupOutcome::Unchanged,
        Some(_) => {
            let change = |before: &Org| Ok(Org { name: org.name.clone(), plan: org.plan.clone(), ..before.clone() });
            admin.change_org(&operator.audit_action("org.update", org.id), org.id, change, render).await?;
            SetupOutcome::Changed
        }
    };
    out.add("organization", org.id, outcome);
    Ok(())
}

impl DeclaredUser {
    async fn write(self, setup: Setup<'_>, out: &mut SetupOut) -> Result<()> {
        let Self { user, membership, stored_user, stored_membership } = self;
        let (admin, operator) = (&setup.stores.admin, setup.operator);
        let outcome = match (stored_user, stored_membership) {
            (None, _) => {
                let action = operator.audit_action("user.create", user.id);
                let answer = render_snapshot(&NewUserOut::new(&user, &membership));
                match admin.create_user(&action, &user, &membership, None, &answer).await {
                    Ok(_) => SetupOutcome::Created,
                    Err(Error::Conflict { .. }) => SetupOutcome::Unchanged,
                    Err(error) => return Err(error),
                }
            }
            (Some(_), Some(stored)) if stored == membership => SetupOutcome::Unchanged,
            (Some(_), _) => {
                let action = operator.audit_action("member.put", user.id);
                let render = |membership: &Membership| render_snapshot(&MembershipOut::from(membership));
                admin.put_member(&action, &membership, render).await?;
                SetupOutcome::Changed
            }
        };
        out.add("user", user.id, outcome);
        Ok(())
    }
}

/// Gives the first credits, unless the balance has ever changed. Of two requests at the same time, one gives them.
async fn give_credits(setup: Setup<'_>, org: OrgId, amount: Money, reason: String) -> Result<SetupOutcome> {
    let stores = setup.stores;
    if stores.leases.balance(org).await?.0.sequence() > 0 {
        return Ok(SetupOutcome::Unchanged);
    }
    let action = setup.operator.audit_action("credits.give", org);
    let adjustment = Adjustment {
        id: TransactionId::new(),
        org,
        kind: EntryKind::Credit,
        amount,
        balance_after: Money::ZERO,
        reason,
        request_id: action.request_id.clone(),
        created_at: action.at,
    };
    let once = IdempotencyKey { key: uuid_of_hash(&format!("first credits\n{org}")), request: "setup".to_owned() };
    let render =
        |adjustment: &Adjustment| render_snapshot(&TransactionOut::from(LedgerEntry::Adjustment(adjustment.clone())));
    match stores.admin.adjust_credits(&action, adjustment, Some(&once), render).await? {
        AdjustmentOutcome::Done(_) => Ok(SetupOutcome::Created),
        AdjustmentOutcome::Before(_) => Ok(SetupOutcome::Unchanged),
        AdjustmentOutcome::OutOfRange => Err(Error::invalid_body("credits.amount", "the balance would be too large")),
    }
}
