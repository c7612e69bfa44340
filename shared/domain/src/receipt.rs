//! Which charge a receipt is for.

use std::str::FromStr;

use uuid::Uuid;

use crate::id::{Id, NotAnId, TransactionId};
use crate::ledger::Charge;
use crate::time::Time;

/// The prefix of the request ids that the platform creates.
const REQUEST: &str = "req_";
/// The prefix of the ids of chat completions. The id of one that was not streamed is that of its transaction.
const COMPLETION: &str = "chatcmpl-";
const TRANSACTION: &str = "txn_";

/// The name of a receipt in a path: the id of its transaction, or that of the request. Both hold the time at which they were
/// created, so the charge is found in a list by time. A request id of another form, which a client has chosen, names no receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptName {
    Transaction(TransactionId),
    Request(Uuid),
}

impl ReceiptName {
    /// The time at which the id was created. The charge was created at this time or later.
    pub fn created_at(self) -> Time {
        Time::from_uuid(match self {
            Self::Transaction(id) => id.uuid(),
            Self::Request(id) => id,
        })
    }

    /// Whether it names this charge. A request names its own call, and not the evaluation of its input or answer by the guard.
    pub fn is_of(self, charge: &Charge) -> bool {
        match self {
            Self::Transaction(id) => charge.id == id,
            Self::Request(id) => {
                !charge.is_of_evaluation()
                    && charge.request_id.strip_prefix(REQUEST).is_some_and(|text| text == id.simple().to_string())
            }
        }
    }
}

/// The name of a call in a path. It has the forms of the name of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallName(pub ReceiptName);

impl Id for CallName {
    const KIND: &'static str = "call";
}

impl FromStr for CallName {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        text.parse().map(Self)
    }
}

impl Id for ReceiptName {
    const KIND: &'static str = "receipt";
}

impl FromStr for ReceiptName {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        if let Some(id) = text.strip_prefix(COMPLETION) {
            return format!("{TRANSACTION}{id}").parse().map(Self::Transaction);
        }
        let Some(id) = text.strip_prefix(REQUEST) else { return text.parse().map(Self::Transaction) };
        let id = Uuid::try_parse(id).ok().filter(|uuid| uuid.get_version_num() == 7 && uuid.simple().to_string() == id);
        id.map(Self::Request).ok_or(NotAnId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_named_by_its_transaction_its_completion_or_its_request() {
        let id = TransactionId::new();
        let hex = id.uuid().simple();
        assert_eq!(id.to_string().parse(), Ok(ReceiptName::Transaction(id)));
        assert_eq!(format!("chatcmpl-{hex}").parse(), Ok(ReceiptName::Transaction(id)));
        assert_eq!(format!("req_{hex}").parse(), Ok(ReceiptName::Request(id.uuid())));
        let upper = hex.to_string().to_uppercase();
        let other_version = Uuid::nil().simple();
        for other in [
            format!("req_{upper}"),
            format!("req_{other_version}"),
            format!("req_{}", id.uuid()),
            format!("chatcmpl-{}", id.uuid()),
            format!("key_{hex}"),
            "trace-7".to_owned(),
            "req_".to_owned(),
            String::new(),
        ] {
            assert_eq!(other.parse::<ReceiptName>(), Err(NotAnId), "{other}");
        }
    }
}
