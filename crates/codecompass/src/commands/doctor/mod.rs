//! `codecompass doctor`: is everything as it should be, and if not, what to do.

mod background;
mod fix;
mod models;
mod rules;

use std::panic::AssertUnwindSafe;

use codecompass_engine::watch::{self, Running};
use codecompass_engine::{Compatibility, Error as EngineError, Job, StoreSummary};
use serde_json::{Value, json};

use self::background::Warmth;
use self::rules::Rules;
use super::watch::process;
use crate::cli::DoctorArgs;
use crate::error::{AppError, Code};
use crate::remedy::{Remedy, Voice};
use crate::render;
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

/// One thing that was looked at.
pub(super) struct Check {
    pub name: &'static str,
    pub fine: bool,
    pub detail: String,
    /// What to do when it is not fine.
    pub remedy: Remedy,
}

impl Check {
    pub(super) fn fine(name: &'static str, detail: String) -> Check {
        Check { name, fine: true, detail, remedy: "".into() }
    }

    pub(super) fn failed(name: &'static str, error: AppError) -> Check {
        Check { name, fine: false, detail: error.message, remedy: error.remediation }
    }
}

pub(crate) fn run(context: &CallContext, args: &DoctorArgs) -> Result<Outcome, AppError> {
    let fixed = if args.fix { fix::fix(context, args)? } else { Vec::new() };
    let found = ask(context, args)?;
    if context.is_json() {
        let mut object = to_json(&found, Voice::Cli);
        if args.fix {
            object["fixed"] = json!(fixed);
        }
        output::object(&object);
    } else {
        if args.fix && fixed.is_empty() {
            output::note("there was nothing to fix");
        }
        fixed.iter().for_each(|what| output::note(what));
        print_text(&found);
    }
    Ok(Outcome::of(found.all_fine()))
}

/// The answer as JSON, for tools.
pub(crate) fn answer(context: &CallContext, args: &DoctorArgs) -> Result<Value, AppError> {
    ask(context, args).map(|found| to_json(&found, Voice::Tools))
}

/// What was looked at.
struct Found {
    checks: Vec<Check>,
    compatibility: Option<Compatibility>,
    summary: Option<StoreSummary>,
    /// What is left out; only known where there is an index.
    rules: Option<Rules>,
    watcher: Option<Running>,
    warmth: Warmth,
}

impl Found {
    fn all_fine(&self) -> bool {
        self.checks.iter().all(|check| check.fine)
    }
}

fn ask(context: &CallContext, args: &DoctorArgs) -> Result<Found, AppError> {
    let session = Session::open_with_models(context, At::Ref(None), |_| {})?;
    let engine = &session.engine;
    let place = format!("{} ({})", engine.workspace().root.display(), engine.workspace().kind.as_str());
    let mut checks = vec![Check::fine("workspace", place)];
    let compatibility = look(&session, || engine.compatibility());
    let found = compatibility.as_ref().ok().copied();
    checks.push(match compatibility {
        Ok(compatibility) => Check {
            name: "store",
            fine: matches!(compatibility, Compatibility::Compatible | Compatibility::NotIndexed),
            detail: format!(
                "{}, {} at {}",
                compatibility.as_str(),
                render::bytes(engine.store_bytes()),
                engine.store_root().display()
            ),
            remedy: Remedy::Rebuild,
        },
        Err(error) => Check::failed("store", error),
    });
    let (mut summary, mut rules, mut is_fresh) = (None, None, None);
    if found == Some(Compatibility::Compatible) {
        match look(&session, || engine.store_summary()) {
            Ok(seen) => checks.push(Check::fine("contents", contents(summary.insert(seen)))),
            Err(error) => checks.push(Check::failed("contents", error)),
        }
        if args.full {
            checks.push(match look(&session, || engine.store_problems()) {
                Ok(problems) => Check {
                    name: "integrity",
                    fine: problems.is_empty(),
                    detail: if problems.is_empty() { "all checksums match".into() } else { problems.join("; ") },
                    remedy: Remedy::Rebuild,
                },
                Err(error) => Check::failed("integrity", error),
            });
        }
        match look(&session, || Ok((engine.is_fresh()?, engine.skipped()?))) {
            Ok((fresh, skipped)) => {
                let job = if fresh { None } else { engine.interrupted_job() };
                is_fresh = Some(fresh);
                checks.extend(state(fresh, job, rules.insert(Rules::of(&skipped))));
            }
            Err(error) => checks.push(Check::failed("index", error)),
        }
    }
    let watcher = watch::running(engine);
    let warmth = Warmth::of(watcher.as_ref(), is_fresh);
    checks.extend([background::watcher(watcher.as_ref()), warmth.check()]);
    checks.push(models::model(&session));
    if let Some(summary) = &summary {
        checks.extend(models::vectors(&session, summary.vector_bytes));
    }
    checks.extend(models::external(&session));
    Ok(Found { checks, compatibility: found, summary, rules, watcher, warmth })
}

fn to_json(found: &Found, voice: Voice) -> Value {
    let list: Vec<_> = found
        .checks
        .iter()
        .map(|check| {
            let remedy = (!check.fine).then(|| check.remedy.words(voice));
            json!({"check": check.name, "ok": check.fine, "detail": check.detail, "remediation": remedy})
        })
        .collect();
    json!({
        "ok": found.all_fine(),
        "version": env!("CARGO_PKG_VERSION"),
        "compatibility": found.compatibility.map(Compatibility::as_str),
        "contents": found.summary.as_ref().map(|summary| json!({
            "database_bytes": summary.database_bytes,
            "text_bytes": summary.text_bytes,
            "vector_bytes": summary.vector_bytes,
            "other_bytes": summary.other_bytes,
            "views": {"worktree": summary.worktrees, "commit": summary.commits, "live": summary.directories},
            "versions": summary.versions,
            "waiting_versions": summary.waiting_versions,
        })),
        "skipped": found.rules.as_ref().map(Rules::to_json),
        "watcher": process::to_json(found.watcher.as_ref()),
        "warmth": found.warmth.to_json(),
        "checks": list,
    })
}

fn print_text(found: &Found) {
    let mut out = format!("codecompass {}\n", env!("CARGO_PKG_VERSION"));
    for check in &found.checks {
        let mark = if check.fine { "ok  " } else { "FAIL" };
        out.push_str(&format!("{mark} {NAME}{}{NAME:#}: {}\n", check.name, check.detail));
        if !check.fine {
            out.push_str(&format!("     {DIM}{}{DIM:#}\n", check.remedy.for_cli()));
        }
    }
    if let Some(rules) = &found.rules {
        rules.print(&mut out);
    }
    output::text(&out);
}

/// Looks at the store; an error or a trip over damaged files is a finding, not an end.
pub(super) fn look<T>(session: &Session, work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, AppError> {
    match output::quiet_panics(AssertUnwindSafe(work)) {
        Ok(seen) => seen.map_err(|error| session.engine.located(error).into()),
        Err(panic) => {
            Err(AppError::new(Code::InternalError, format!("reading the index fails: {panic}"), Remedy::Rebuild))
        }
    }
}

/// Sizes by part, views by kind, and what waits to be collected.
fn contents(summary: &StoreSummary) -> String {
    format!(
        "database {}, text index {}, other {}; {} worktree, {} commit and {} directory views; {} file versions, {} \
         waiting for collection",
        render::bytes(summary.database_bytes),
        render::bytes(summary.text_bytes),
        render::bytes(summary.other_bytes),
        summary.worktrees,
        summary.commits,
        summary.directories,
        summary.versions,
        summary.waiting_versions
    )
}

fn state(fresh: bool, job: Option<Job>, rules: &Rules) -> [Check; 3] {
    let freshness = match fresh {
        true => "fresh",
        false => "files changed since the last sync; the next question syncs",
    };
    let last_run = Check {
        name: "last run",
        fine: job.is_none(),
        detail: job.map_or_else(
            || "published".into(),
            |job| job.message.map_or(job.state.to_string(), |message| format!("{}: {message}", job.state)),
        ),
        remedy: Remedy::ResumeIndexing,
    };
    [Check::fine("freshness", freshness.into()), last_run, Check::fine("skipped", rules.detail())]
}
