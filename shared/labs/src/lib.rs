//! Workers of workbenches. A [`Provisioner`] claims a workbench that is due, makes one step with a [`Backend`], and stores
//! what the backend observed. It is a level-triggered controller: each step starts from the stored target and the state of
//! the environment, so a crash or a message that arrives twice only repeats a step.

mod backend;
mod environments;
mod permit;
mod provisioner;
mod python;

pub use backend::{Backend, NoBackend, SHARED_FOLDER, backend_error};
pub use environments::Environments;
pub use permit::Permit;
pub use provisioner::Provisioner;
pub use python::{PREPARE_PYTHON, jupyter_path};
