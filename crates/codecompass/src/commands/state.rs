//! `codecompass state`: carry the index of a repository to another place or machine.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use codecompass_engine::{ArchiveHeader, ArchivedView, Error as EngineError, inspect_archive};
use serde_json::{Value, json};

use crate::cli::{ExportArgs, ImportArgs, InspectArgs, StateArgs, StateCommand};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};
use crate::terminal::progress::Bar;

pub(crate) fn run(context: &CallContext, args: &StateArgs) -> Result<Outcome, AppError> {
    match &args.command {
        StateCommand::Export(args) => export(context, args),
        StateCommand::Import(args) => import(context, args),
        StateCommand::Inspect(args) => inspect(context, args),
    }
}

fn export(context: &CallContext, args: &ExportArgs) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let header = session.with_progress(|bar| session.engine.export_state(&args.file, bar))?;
    if context.is_json() {
        output::object(&describe(&args.file, &header));
    } else {
        output::text(&format!(
            "exported {} to {} ({}, {} unpacked)\n",
            counts(&header.views),
            args.file.display(),
            render::bytes(size(&args.file)),
            render::bytes(header.total_bytes())
        ));
    }
    Ok(Outcome::Found)
}

fn import(context: &CallContext, args: &ImportArgs) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let import = || session.with_progress(|bar| session.engine.import_state(&args.file, args.force, bar));
    // A panic on a flawed archive is caught below us, but not silent.
    let imported = output::quiet_panics(AssertUnwindSafe(import)).map_err(AppError::internal)??;
    let root = &session.engine.workspace().root;
    if context.is_json() {
        let mut object = describe(&args.file, &imported.header);
        object["imported"] = json!({
            "root": root.to_string_lossy(),
            "taken_from": imported.taken_from,
            "kept_views": imported.kept_views,
            "dropped_roots": imported.dropped_roots,
            "replaced": imported.replaced,
            "store": session.engine.store_root().to_string_lossy(),
        });
        output::object(&object);
        return Ok(Outcome::Found);
    }
    let verb = if imported.replaced { "replaced the index by" } else { "imported" };
    let mut out = format!(
        "{verb} {}, {}\n",
        render::count(imported.kept_views, "view"),
        render::bytes(imported.header.total_bytes())
    );
    match &imported.taken_from {
        Some(taken) if Path::new(taken) == root => {}
        Some(taken) => out.push_str(&format!("the view of {taken} now is the one of {}\n", root.display())),
        None => out.push_str(&format!("there was no view for {}; the next question makes one\n", root.display())),
    }
    for dropped in &imported.dropped_roots {
        out.push_str(&format!("{DIM}left out {dropped}: no checkout of this repository is there{DIM:#}\n"));
    }
    output::text(&out);
    Ok(Outcome::Found)
}

fn inspect(context: &CallContext, args: &InspectArgs) -> Result<Outcome, AppError> {
    let bar = Bar::new(context.quiet, context.progress());
    let header = inspect_archive(&args.file, &bar);
    bar.finish();
    let header = header.map_err(|error| match error {
        // Nothing was to be imported.
        EngineError::Archive { path, detail } => {
            let message = format!("{} is not a whole archive: {detail}", path.display());
            AppError::invalid(message, "fetch it or export it again")
        }
        error => error.into(),
    })?;
    if context.is_json() {
        output::object(&describe(&args.file, &header));
        return Ok(Outcome::Found);
    }
    let usable = match header.is_compatible() {
        true => "this program can import it",
        false => "this program cannot import it",
    };
    let mut out = format!(
        "{NAME}{}{NAME:#} {DIM}({}, {} unpacked, all checksums match){DIM:#}\n\
         {} {}, exported from {}\n\
         archive version {}, format {}, facts version {}, written by codecompass {}; {usable}\n",
        args.file.display(),
        render::bytes(size(&args.file)),
        render::bytes(header.total_bytes()),
        header.repository.kind,
        header.repository.name,
        header.root.as_ref().unwrap_or(&header.repository.path),
        header.archive,
        header.format,
        header.facts,
        header.program,
    );
    for view in &header.views {
        let head = view.head_ref.iter().chain(&view.head_commit).map(String::as_str);
        let head: Vec<&str> = head.filter(|head| *head != view.name).collect();
        out.push_str(&format!(
            "{:>8} files  {} {}  {DIM}generation {}{}{}{DIM:#}\n",
            view.files,
            view.kind,
            view.name,
            view.generation,
            if head.is_empty() { "" } else { ", " },
            head.join(" ")
        ));
    }
    output::text(&out);
    Ok(Outcome::Found)
}

fn describe(file: &Path, header: &ArchiveHeader) -> Value {
    let views = header.views.iter().map(|view| {
        json!({
            "kind": view.kind, "name": view.name, "head_ref": view.head_ref, "head_commit": view.head_commit,
            "generation": view.generation, "files": view.files,
        })
    });
    let files = header.files.iter().map(|file| json!({"name": file.name, "size": file.size, "blake3": file.blake3}));
    let repository = &header.repository;
    json!({
        "file": file.to_string_lossy(),
        "archive_bytes": size(file),
        "total_bytes": header.total_bytes(),
        "archive_version": header.archive,
        "format": header.format,
        "facts_version": header.facts,
        "program": header.program,
        "compatible": header.is_compatible(),
        "repository": {"kind": repository.kind, "name": repository.name, "path": repository.path},
        "root": header.root,
        "views": views.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    })
}

fn size(file: &Path) -> u64 {
    file.metadata().map_or(0, |file| file.len())
}

fn counts(views: &[ArchivedView]) -> String {
    let commits = views.iter().filter(|view| view.kind == "commit").count();
    let all = render::count(views.len(), "view");
    format!("{all} ({} of checkouts, {commits} of commits)", views.len() - commits)
}
