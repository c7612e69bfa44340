//! The reports of imports: an object of the bucket for each imported workflow.

use bytes::Bytes;

use super::Workflows;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::{Error, Result};

fn report_name(account: Account, workflow: WorkflowId) -> String {
    format!("manifests/{}/{workflow}/import-report.json", account.org)
}

impl Workflows {
    /// Stores the report of an import. It is written before the workflow, so that each imported workflow has one.
    pub async fn put_import_report(&self, account: Account, workflow: WorkflowId, report: Vec<u8>) -> Result<()> {
        self.bucket.put(&report_name(account, workflow), "application/json", report).await
    }

    /// Deletes the report of a workflow that was not created.
    pub async fn discard_import_report(&self, account: Account, workflow: WorkflowId) {
        self.bucket.discard(&report_name(account, workflow)).await;
    }

    /// Reads the report of an import. Fails if the workflow was not imported.
    pub async fn import_report(&self, account: Account, workflow: WorkflowId) -> Result<Bytes> {
        let report = self.bucket.get(&report_name(account, workflow)).await?;
        report.ok_or(Error::NotFound { kind: "import report" })
    }
}
