//! `codecompass diff`: what changed between two refs, or since the branch began, in symbols.

use codecompass_engine::model::Target;
use codecompass_engine::query::{
    self, Affected, ChangeKind, DiffAnswer, Hit, ImpactAnswer, ImpactOptions, Navigator, Side, SymbolChange,
};
use codecompass_engine::{Engine, Error as EngineError, SyncOptions, scan};
use serde_json::{Map, Value, json};

use super::metadata;
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::{DiffArgs, DiffScope};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, KIND, LINE, NAME, Outcome, PATH};

/// How far `--impact` looks: callers are the direct ones, tests may be some calls away.
const IMPACT: ImpactOptions = ImpactOptions { depth: 3, static_only: false, limit: 1000 };
/// Callers, and tests, that text lists.
const IMPACT_SHOWN: usize = 20;

/// What a diff is taken from.
pub(super) struct Base {
    /// As the user would call it.
    pub name: String,
    /// The commit that is compared with.
    pub commit: String,
}

/// What was found out about a diff.
struct Found {
    session: Session,
    base: Base,
    answer: DiffAnswer,
    impact: Option<ImpactAnswer>,
}

pub(crate) fn run(context: &CallContext, args: &DiffArgs) -> Result<Outcome, AppError> {
    let Found { session, base, answer, impact } = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, args, &base, &answer, impact.as_ref()));
    } else {
        print_text(&session, args, &base, &answer, impact.as_ref());
    }
    Ok(Outcome::of(!answer.files.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &DiffArgs) -> Result<Value, AppError> {
    let Found { session, base, answer, impact } = ask(context, args)?;
    Ok(to_json(&session, args, &base, &answer, impact.as_ref()))
}

fn ask(context: &CallContext, args: &DiffArgs) -> Result<Found, AppError> {
    let after = Session::open_at(context, args.reference.as_deref())?;
    let base = base(&after.engine, args.base.as_deref(), args.exact)?;
    let before = Session::open_at(context, Some(&base.commit))?;
    let (answer, impact) = after.ask(|snapshot| {
        let (old, _) = before.sync(SyncOptions::default())?;
        let old = Side { snapshot: &old, source: before.engine.source() };
        let new = Side { snapshot, source: after.engine.source() };
        let mut answer = query::diff(old, new, &after.engine.config().index)?;
        keep_below(&mut answer, &args.path)?;
        let impact = match args.impact {
            true => {
                let (before, after) = (Navigator::new(old.snapshot), Navigator::new(snapshot));
                Some(query::impact_of_diff(&before, &after, &answer, &IMPACT)?)
            }
            false => None,
        };
        Ok((answer, impact))
    })?;
    Ok(Found { session: after, base, answer, impact })
}

/// The commit to compare with: where the branch left its base, or the base itself with `--exact`.
pub(super) fn base(engine: &Engine, name: Option<&str>, exact: bool) -> Result<Base, AppError> {
    let workspace = engine.workspace();
    let name = match name {
        Some(name) => name.to_string(),
        None => scan::base_branch(workspace).map_err(EngineError::from)?.ok_or_else(|| {
            AppError::new(Code::MergeBaseFailed, "there is no branch to compare with", Remedy::NameBase)
        })?,
    };
    let commit = scan::resolve(workspace, &name).map_err(EngineError::from)?;
    if exact {
        return Ok(Base { name, commit });
    }
    let tip = match engine.target() {
        Target::Commit { id, .. } => id.clone(),
        Target::Checkout => scan::resolve(workspace, "HEAD").map_err(EngineError::from)?,
    };
    let found = scan::merge_base(workspace, &commit, &tip).map_err(EngineError::from)?;
    let commit = found.ok_or_else(|| {
        AppError::new(
            Code::MergeBaseFailed,
            format!("`{name}` and what it is compared with have no common commit"),
            Remedy::CompareExactly,
        )
    })?;
    Ok(Base { name, commit })
}

fn keep_below(answer: &mut DiffAnswer, patterns: &[String]) -> Result<(), EngineError> {
    if patterns.is_empty() {
        return Ok(());
    }
    let patterns: Vec<_> = patterns.iter().map(|pattern| query::PathPattern::new(pattern)).collect::<Result<_, _>>()?;
    let is_below = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
    answer.files.retain(|file| is_below(&file.path) || file.path_before.as_deref().is_some_and(is_below));
    let side = |hit: &Option<Hit>| hit.as_ref().is_some_and(|hit| is_below(&hit.path));
    answer.symbols.retain(|change| side(&change.before) || side(&change.after));
    Ok(())
}

fn of_kind(answer: &DiffAnswer, kinds: &[ChangeKind]) -> Vec<SymbolChange> {
    answer.symbols.iter().filter(|change| kinds.contains(&change.kind)).cloned().collect()
}

fn to_json(
    session: &Session,
    args: &DiffArgs,
    base: &Base,
    answer: &DiffAnswer,
    impact: Option<&ImpactAnswer>,
) -> Value {
    let mut object = Map::new();
    object.insert("ref".into(), json!(super::reference(session)));
    object.insert("base".into(), json!(base.name));
    object.insert("merge_base_commit".into(), json!(base.commit));
    let skip = args.page.offset as usize;
    if args.scope != DiffScope::Symbols {
        let files = answer.files.iter().skip(skip).map(|file| match &file.path_before {
            Some(before) => json!({"path": file.path, "path_before": before, "change": file.kind.as_str()}),
            None => json!({"path": file.path, "change": file.kind.as_str()}),
        });
        object.insert("affected_files".into(), files.collect());
    }
    if args.scope != DiffScope::Files {
        let list = |kinds: &[ChangeKind]| -> Value {
            of_kind(answer, kinds).iter().skip(skip).map(|change| change_json(change, args.detail)).collect()
        };
        object.insert(
            "summary".into(),
            json!({
                "added_symbols": list(&[ChangeKind::Added]),
                "modified_symbols": list(&[ChangeKind::Modified]),
                "deleted_symbols": list(&[ChangeKind::Deleted]),
                "moved_symbols": list(&[ChangeKind::Moved, ChangeKind::Renamed]),
            }),
        );
    }
    let mut metadata = metadata(session);
    Page::new(args.page, usize::MAX).note(&mut metadata, &[]);
    if let Some(impact) = impact {
        let callers = direct_callers(impact).skip(skip).map(super::impact::affected_json).collect();
        let tests = impact.tests.iter().skip(skip).map(super::impact::affected_json).collect();
        object.insert("affected_callers".into(), callers);
        object.insert("affected_tests".into(), tests);
        if impact.is_cut || impact.tests_total > impact.tests.len() || impact.affected_total > impact.affected.len() {
            metadata["result_completeness"] = json!("partial");
            metadata["suggested_action"] = json!(Remedy::ListImpact.for_cli());
        }
    }
    object.insert("metadata".into(), metadata);
    Value::Object(object)
}

fn change_json(change: &SymbolChange, detail: Detail) -> Value {
    let shown = change.after.as_ref().or(change.before.as_ref());
    let mut object = shown.map(|hit| render::hit_json(hit, detail, Explain::Off)).unwrap_or_default();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("score");
        fields.insert("change".into(), json!(change.kind.as_str()));
        if let (Some(before), Some(after)) = (&change.before, &change.after) {
            fields.insert("before_signature".into(), json!(before.signature));
            fields.insert("after_signature".into(), json!(after.signature));
            if before.path != after.path || change.kind == ChangeKind::Moved {
                fields.insert("before_path".into(), json!(before.path));
                fields.insert("before_line_start".into(), json!(before.line_start));
            }
            if before.qualified_name != after.qualified_name {
                fields.insert("before_name".into(), json!(before.qualified_name));
            }
        }
    }
    object
}

fn print_text(session: &Session, args: &DiffArgs, base: &Base, answer: &DiffAnswer, impact: Option<&ImpactAnswer>) {
    let reference = super::reference(session);
    let short = base.commit.get(..10).unwrap_or(&base.commit);
    let mut out = format!("{NAME}{reference}{NAME:#} {DIM}since {} ({short}){DIM:#}\n", base.name);
    let count = |kinds: &[ChangeKind]| answer.symbols.iter().filter(|change| kinds.contains(&change.kind)).count();
    let moved = [ChangeKind::Moved, ChangeKind::Renamed];
    out.push_str(&format!(
        "{}; symbols: {} added, {} modified, {} deleted, {} moved or renamed\n",
        render::count(answer.files.len(), "file"),
        count(&[ChangeKind::Added]),
        count(&[ChangeKind::Modified]),
        count(&[ChangeKind::Deleted]),
        count(&moved)
    ));
    let skip = args.page.offset as usize;
    for file in answer.files.iter().skip(skip) {
        let was = file.path_before.as_ref().map(|before| format!(" {DIM}was {before}{DIM:#}")).unwrap_or_default();
        let changes: Vec<&SymbolChange> = match args.scope {
            DiffScope::Files => Vec::new(),
            _ => answer.symbols.iter().filter(|change| is_in(change, &file.path) && !change.is_implied).collect(),
        };
        if args.scope == DiffScope::Symbols && changes.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{PATH}{}{PATH:#}  {KIND}{}{KIND:#}{was}\n", file.path, file.kind.as_str()));
        // A file that only got another name has nothing to say about its symbols.
        let only_moved = file.path_before.is_some() && changes.iter().all(|change| change.kind == ChangeKind::Moved);
        for change in changes.iter().filter(|_| !only_moved) {
            change_text(&mut out, change, answer, args.detail);
        }
    }
    if let Some(impact) = impact {
        impact_text(&mut out, "affected callers", direct_callers(impact).skip(skip).collect());
        impact_text(&mut out, "affected tests", impact.tests.iter().skip(skip).collect());
    }
    output::text(&out);
}

/// Code outside of tests that uses something changed.
fn direct_callers(impact: &ImpactAnswer) -> impl Iterator<Item = &Affected> {
    impact.affected.iter().filter(|affected| affected.depth == 1)
}

fn impact_text(out: &mut String, title: &str, affected: Vec<&Affected>) {
    out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({}){DIM:#}\n", affected.len()));
    affected.iter().take(IMPACT_SHOWN).for_each(|affected| super::impact::affected_text(out, affected));
    if affected.len() > IMPACT_SHOWN {
        let more = affected.len() - IMPACT_SHOWN;
        out.push_str(&format!("  {DIM}{more} more; `codecompass impact --diff --limit` lists them{DIM:#}\n"));
    }
}

/// Where a change is listed: below the file that has the symbol now, or had it.
fn is_in(change: &SymbolChange, path: &str) -> bool {
    change.after.as_ref().or(change.before.as_ref()).is_some_and(|hit| hit.path == path)
}

fn change_text(out: &mut String, change: &SymbolChange, answer: &DiffAnswer, detail: Detail) {
    let Some(hit) = change.after.as_ref().or(change.before.as_ref()) else { return };
    let mark = match change.kind {
        ChangeKind::Added => '+',
        ChangeKind::Deleted => '-',
        ChangeKind::Modified => '~',
        ChangeKind::Moved | ChangeKind::Renamed => '>',
    };
    let members = answer.symbols.iter().filter(|other| {
        let side = other.after.as_ref().or(other.before.as_ref());
        other.is_implied && other.kind == change.kind && side.is_some_and(|other| is_inside(other, hit))
    });
    let members = match members.count() {
        0 => String::new(),
        count => format!(" {DIM}with {}{DIM:#}", render::count(count, "member")),
    };
    out.push_str(&format!(
        "{LINE}{:>6}{LINE:#} {mark} {KIND}{}{KIND:#}  {}{members}\n",
        hit.line_start,
        hit.kind.as_str(),
        hit.qualified_name
    ));
    if let (Some(before), Some(after)) = (&change.before, &change.after) {
        if before.qualified_name != after.qualified_name || before.path != after.path {
            out.push_str(&format!(
                "         {DIM}was {} in {}:{}{DIM:#}\n",
                before.qualified_name, before.path, before.line_start
            ));
        }
        if before.signature != after.signature && detail != Detail::Location {
            out.push_str(&format!(
                "         {DIM}-{DIM:#} {}\n         {DIM}+{DIM:#} {}\n",
                before.signature, after.signature
            ));
        }
    }
}

fn is_inside(inner: &Hit, outer: &Hit) -> bool {
    inner.path == outer.path && outer.line_start <= inner.line_start && inner.line_end <= outer.line_end
}
