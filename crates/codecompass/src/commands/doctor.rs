//! `codecompass doctor`: is everything as it should be, and if not, what to do.

use codecompass_engine::Compatibility;
use serde_json::json;

use crate::cli::{DoctorArgs, Global};
use crate::error::AppError;
use crate::output::{self, DIM, NAME, Outcome};
use crate::render;
use crate::session::Session;

struct Check {
    name: &'static str,
    fine: bool,
    detail: String,
    remedy: &'static str,
}

pub(crate) fn run(global: &Global, args: &DoctorArgs) -> Result<Outcome, AppError> {
    let session = Session::open(global)?;
    let engine = &session.engine;
    let mut checks = vec![Check {
        name: "workspace",
        fine: true,
        detail: format!("{} ({})", engine.workspace().root.display(), engine.workspace().kind.as_str()),
        remedy: "",
    }];
    let compatibility = engine.compatibility();
    checks.push(Check {
        name: "store",
        fine: matches!(compatibility, Compatibility::Compatible | Compatibility::NotIndexed),
        detail: format!(
            "{}, {} at {}",
            compatibility.as_str(),
            render::bytes(engine.store_bytes()),
            engine.store_root().display()
        ),
        remedy: "run `codecompass index --force` to build the index anew",
    });
    if compatibility == Compatibility::Compatible {
        if args.full {
            let problems = output::quiet_panics(std::panic::AssertUnwindSafe(|| engine.store_problems()))
                .unwrap_or_else(|panic| Ok(vec![panic]))?;
            checks.push(Check {
                name: "integrity",
                fine: problems.is_empty(),
                detail: if problems.is_empty() { "all checksums match".into() } else { problems.join("; ") },
                remedy: "run `codecompass index --force` to build the index anew",
            });
        }
        let fresh = engine.is_fresh()?;
        checks.push(Check {
            name: "freshness",
            fine: true,
            detail: if fresh {
                "fresh".into()
            } else {
                "files changed since the last sync; the next question syncs".into()
            },
            remedy: "",
        });
        let job = engine.interrupted_job()?;
        checks.push(Check {
            name: "last run",
            fine: job.is_none(),
            detail: job.map_or_else(
                || "published".into(),
                |job| job.message.map_or(job.state.clone(), |m| format!("{}: {m}", job.state)),
            ),
            remedy: "run `codecompass index`; it goes on where the run stopped",
        });
        let skipped = engine.skipped()?;
        checks.push(Check {
            name: "skipped",
            fine: true,
            detail: format!(
                "{} files and folders; `codecompass index --show-ignored` lists them with reasons",
                skipped.len()
            ),
            remedy: "",
        });
    }
    let all_fine = checks.iter().all(|check| check.fine);
    if global.json {
        let list: Vec<_> = checks
            .iter()
            .map(|check| {
                let remedy = if check.fine { None } else { Some(check.remedy) };
                json!({"check": check.name, "ok": check.fine, "detail": check.detail, "remediation": remedy})
            })
            .collect();
        output::object(&json!({
            "ok": all_fine,
            "version": env!("CARGO_PKG_VERSION"),
            "compatibility": compatibility.as_str(),
            "checks": list,
        }));
    } else {
        let mut out = format!("codecompass {}\n", env!("CARGO_PKG_VERSION"));
        for check in &checks {
            let mark = if check.fine { "ok  " } else { "FAIL" };
            out.push_str(&format!("{mark} {NAME}{}{NAME:#}: {}\n", check.name, check.detail));
            if !check.fine {
                out.push_str(&format!("     {DIM}{}{DIM:#}\n", check.remedy));
            }
        }
        output::text(&out);
    }
    Ok(Outcome::of(all_fine))
}
