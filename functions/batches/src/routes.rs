//! The route table of files and batches.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::batches::*;
use crate::handlers::files::*;

routes! { Stores;
    "/gateway/v1/files" => get(list_files?), post(upload_file);
    "/gateway/v1/files/{file_id}" => get(get_file), delete(delete_file);
    "/gateway/v1/files/{file_id}/content" => get(get_file_content);
    "/gateway/v1/batches" => get(list_batches?), post(create_batch);
    "/gateway/v1/batches/{batch_id}" => get(get_batch);
    "/gateway/v1/batches/{batch_id}/cancel" => post(cancel_batch);
}

pub fn router(context: &Context) -> Result<Router> {
    Ok(finish(table().with_state(Stores::new(context)?), ROUTES, web::gateway::AREA, context))
}
