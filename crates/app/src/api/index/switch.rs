//! `switch`, `switch_ref`: the ref that questions are about when they do not name one.

use clap::Args;
use codecompass_engine::Error as EngineError;
use codecompass_engine::scan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::metadata::{Metadata, NoExtra};
use crate::api::part::{answer_fields, parts};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SwitchRequest {
    /// The ref; without it the current choice is shown.
    #[arg(value_name = "REF")]
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub reference: Option<String>,
    /// Answer for the files on disk again.
    #[arg(long, conflicts_with = "reference")]
    #[serde(default)]
    #[schemars(description = "Files on disk again.")]
    pub reset: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct SwitchAnswer {
    /// The ref that is chosen now; `None` are the files on disk.
    pub default_ref: Option<String>,
    pub metadata: Metadata,
    #[serde(skip)]
    pub root: String,
}
parts!(SwitchAnswer { default_ref });

impl Answer for SwitchAnswer {
    answer_fields!(NoExtra);
}

impl SwitchRequest {
    /// Returns what to choose: a ref, the files on disk, or nothing if the choice is only shown.
    fn wanted(&self, session: &Session) -> Result<Option<Option<&str>>, AppError> {
        let Some(name) = self.reference.as_deref() else { return Ok(self.reset.then_some(None)) };
        if self.reset {
            return Err(AppError::invalid("`ref` and `reset` exclude each other", "give one of them, or neither"));
        }
        let workspace = session.engine.workspace();
        // The branch that is checked out is what questions are about anyway.
        if scan::is_checked_out(workspace, name).map_err(EngineError::from)? {
            return Ok(Some(None));
        }
        scan::resolve(workspace, name).map_err(EngineError::from)?;
        Ok(Some(Some(name)))
    }
}

impl Request for SwitchRequest {
    type Answer = SwitchAnswer;

    fn answer(&self, context: &CallContext) -> Result<SwitchAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        if let Some(wanted) = self.wanted(&session)? {
            session.engine.set_default_ref(wanted)?;
        }
        Ok(SwitchAnswer {
            default_ref: session.default_ref(),
            metadata: Metadata::new(&session),
            root: session.engine.workspace().root.to_string_lossy().into_owned(),
        })
    }
}
