//! `codecompass switch`: which ref questions are about when they do not say.

use codecompass_engine::Error as EngineError;
use codecompass_engine::scan;
use serde_json::{Value, json};

use super::metadata;
use crate::cli::SwitchArgs;
use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, Outcome};

pub(crate) fn run(context: &CallContext, args: &SwitchArgs) -> Result<Outcome, AppError> {
    let (session, default) = choose(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, default.as_deref()));
    } else {
        let root = session.engine.workspace().root.display();
        output::text(&match &default {
            Some(name) => format!("questions in {root} are answered for {name} unless they name a ref\n"),
            None => format!("questions in {root} are answered for the files on disk unless they name a ref\n"),
        });
    }
    Ok(Outcome::Found)
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &SwitchArgs) -> Result<Value, AppError> {
    choose(context, args).map(|(session, default)| to_json(&session, default.as_deref()))
}

/// Chooses what the arguments say, if anything, and gives what is chosen then.
fn choose(context: &CallContext, args: &SwitchArgs) -> Result<(Session, Option<String>), AppError> {
    let session = Session::open_checkout(context)?;
    let wanted = match (&args.reference, args.reset) {
        (_, true) => Some(None),
        (Some(name), false) => {
            let workspace = session.engine.workspace();
            // The branch that is checked out is what questions are about anyway.
            let is_here = scan::is_checked_out(workspace, name).map_err(EngineError::from)?;
            if !is_here {
                scan::resolve(workspace, name).map_err(EngineError::from)?;
            }
            Some(Some(name.clone()).filter(|_| !is_here))
        }
        (None, false) => None,
    };
    if let Some(wanted) = &wanted {
        session.engine.set_default_ref(wanted.as_deref())?;
    }
    let default = session.default_ref();
    Ok((session, default))
}

fn to_json(session: &Session, default: Option<&str>) -> Value {
    json!({"default_ref": default, "metadata": metadata(session)})
}
