//! What operators do with a thread: take it and release it.

use super::Threads;
use domain::Result;
use domain::id::{ThreadId, WorkflowId};
use domain::identity::Account;
use domain::thread::{Operator, Thread, ThreadControl};

impl Threads {
    /// An operator takes the thread. A delivery that has begun may still take place, at most until
    /// `ThreadControl::sending_until`.
    pub async fn take(
        &self,
        account: Account,
        workflow: WorkflowId,
        id: ThreadId,
        operator: &Operator,
    ) -> Result<Thread> {
        self.change_control(account, workflow, id, |control| control.take(operator.clone(), self.now())).await
    }

    /// The bot answers again. Without an operator, any hold ends.
    pub async fn release(
        &self,
        account: Account,
        workflow: WorkflowId,
        id: ThreadId,
        operator: Option<&str>,
    ) -> Result<Thread> {
        self.change_control(account, workflow, id, |control| control.release(operator)).await
    }

    async fn change_control(
        &self,
        account: Account,
        workflow: WorkflowId,
        id: ThreadId,
        change: impl Fn(ThreadControl) -> Result<ThreadControl>,
    ) -> Result<Thread> {
        self.item_of(account, workflow, id).await?;
        self.change(id, change).await.map(Thread::from)
    }
}
