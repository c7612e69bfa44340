//! The wire type of a user's role in an organization.

use domain::identity::Role;

use crate::wire_enum;

wire_enum! {
    #[serde(rename_all = "lowercase")]
    #[schema(as = Role)]
    RoleName = Role { Member, Admin, Operator }
}
