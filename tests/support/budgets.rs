//! Budgets that a suite shares with the cost table (`api/cost_table.rs`): AWS calls with their table units, in a warm process.

pub const READ_AGENT: &str = "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)";
pub const CREATE_AGENT: &str = "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:TransactWriteItems (9 units)";
pub const READ_WORKFLOW: &str = "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)";
pub const PREVIEW: &str = "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)";
pub const LIST_TOOLS: &str = "2 dynamodb:BatchGetItem (15 units), 4 dynamodb:Query (5 units)";

pub const START_RUN: &str = "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (11 units), 1 sqs:SendMessage";
pub const READ_COMPLETED_RUN: &str =
    "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 3 dynamodb:Query (3 units)";
pub const RESOLVE_REVIEW: &str = "1 dynamodb:BatchGetItem (5 units), 3 dynamodb:GetItem (3 units), 4 dynamodb:Query (4 units), 1 dynamodb:TransactWriteItems (7 units), 1 sqs:SendMessage";
/// A worker carries out a run without effects.
pub const WORK_ON_RUN: &str = "1 dynamodb:BatchGetItem (4 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:Query (1 units), 1 dynamodb:TransactWriteItems (11 units), 1 dynamodb:UpdateItem (5 units)";
/// A worker parks a run for a review.
pub const PARK_RUN: &str = "1 dynamodb:BatchGetItem (4 units), 3 dynamodb:GetItem (3 units), 2 dynamodb:Query (2 units), 1 dynamodb:TransactWriteItems (7 units), 2 dynamodb:UpdateItem (11 units)";
/// A webhook carries out a run without effects.
pub const WEBHOOK: &str = "1 dynamodb:BatchGetItem (6 units), 1 dynamodb:TransactWriteItems (14 units)";
/// The AWS calls of a million runs with five HTTP calls, and the requests of their functions, in USD.
pub const FIVE_CALLS_USD: &str = "26.57";
pub const FIVE_CALLS_BY_WORKER_USD: &str = "33.85";
pub const IDLE_TICK: &str = "68 dynamodb:Query (34 units)";

pub const CHAT_ALONE: &str =
    "1 dynamodb:BatchGetItem (3 units), 1 dynamodb:PutItem (2 units), 2 dynamodb:TransactWriteItems (38 units)";
pub const CHAT_WITHIN_A_LEASE: &str = "1 dynamodb:PutItem (2 units)";
pub const CREATE_IMAGE_JOB: &str =
    "1 dynamodb:BatchGetItem (3 units), 2 dynamodb:TransactWriteItems (16 units), 1 sqs:SendMessage";
pub const WORK_ON_IMAGE_JOB: &str = "2 dynamodb:GetItem (2 units), 2 dynamodb:TransactWriteItems (35 units), 1 dynamodb:UpdateItem (3 units), 1 s3:PutObject";
pub const READ_IMAGE_JOB: &str = "1 dynamodb:GetItem (1 units)";
/// The most write units of a batch of 100 chats: for the batch, and for its calls. The number depends on the time.
pub const BATCH_WRITE_UNITS: f64 = 12.0;
pub const BATCH_CALLS_WRITE_UNITS: f64 = 900.0;
pub const LIST_TOOLS_OF_SERVER: &str = "1 dynamodb:GetItem (1 units)";
pub const CALL_TOOL_OF_SERVER: &str = "1 dynamodb:BatchGetItem (3 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (2 units), 1 dynamodb:TransactWriteItems (9 units)";

pub const CREATE_WORKBENCH: &str =
    "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:TransactWriteItems (13 units), 1 sqs:SendMessage";
/// A ready workbench costs one step each minute.
pub const WORKBENCH_STEP: &str = "1 dynamodb:GetItem (1 units), 2 dynamodb:UpdateItem (4 units), 1 sqs:SendMessage";
