//! A symbol: callers, source and callees as one picture, its uses, relatives, tests.

use codecompass_app::api::navigate::accounting::AccountingView;
use codecompass_app::api::navigate::calls::{CallsAnswer, CallsRequest};
use codecompass_app::api::navigate::refs::{RefsAnswer, RefsRequest};
use codecompass_app::api::relations::hierarchy::{HierarchyAnswer, HierarchyRequest, RelativeSymbol, RelativeView};
use codecompass_app::api::symbols::show::{ShowAnswer, ShowRequest};
use codecompass_app::api::views::{HitView, UseView};
use codecompass_app::error::AppError;
use codecompass_app::units::count;
use codecompass_engine::query::Direction;
use serde_json::json;

use super::file::read;
use crate::ui::asker::{Asker, PageContent, Reply, WHOLE, notes};
use crate::ui::graph;
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager, chips, section_head};
use crate::ui::source::{SourceListing, listing};

/// Uses of a page.
const USES: usize = 100;
/// Calls in each direction; with the symbol itself they are at most 60 boxes.
const CALLS: usize = 29;
/// Lines of source that are shown; the file has the others.
const LINES: u32 = 400;
/// Tests that are listed.
const TESTS: usize = 20;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let asked = asker.argument("s");
    if asked.is_empty() {
        return Ok(Reply::Redirect(asker.subject().page("search", &[])));
    }
    let shown = asker.ask::<ShowRequest>(json!({"symbol": asked}))?;
    let hit = &shown.symbol.hit.hit;
    if hit.symbol_id.is_none() {
        return Ok(Reply::Redirect(asker.subject().line(&hit.path, hit.line_start)));
    }
    // From here on exactly this definition is meant.
    let exact = format!("{}:{}", hit.path, hit.name_line);
    let offset = asker.number("offset");
    if asker.is_brief()? {
        return brief(asker, &shown, &exact);
    }
    let facts = SymbolFacts {
        calls: asker.ask::<CallsRequest>(json!({"symbol": exact, "direction": "both", "limit": CALLS})),
        uses: asker.ask::<RefsRequest>(json!({"symbol": exact, "limit": USES, "offset": offset, "tests": "exclude"})),
        tests: asker.ask::<RefsRequest>(json!({"symbol": exact, "limit": TESTS, "tests": "only"})).ok(),
        relatives: asker.ask::<HierarchyRequest>(json!({"symbol": exact})).ok(),
    };
    let mut html = Html::new();
    head(&mut html, asker, &shown, &facts.numbers());
    match &facts.calls {
        Ok(calls) => butterfly(&mut html, asker, calls, &exact),
        Err(error) => _ = html.leaf("p", &[("class", "note")], &error.message),
    }
    source(&mut html, asker, &shown)?;
    match &facts.uses {
        Ok(refs) => references(&mut html, asker, refs, &exact),
        Err(error) => _ = html.leaf("p", &[("class", "note")], &error.message),
    }
    if let Some(relatives) = &facts.relatives {
        hierarchy(&mut html, asker, relatives);
    }
    if let Some(tests) = &facts.tests {
        tested(&mut html, asker, tests);
    }
    Ok(PageContent::new("", hit.local_name.clone(), html).into())
}

/// The page without what may take long: the symbol and its source.
fn brief(asker: &Asker<'_>, shown: &ShowAnswer, exact: &str) -> Result<Reply, AppError> {
    let hit = &shown.symbol.hit.hit;
    let mut html = Html::new();
    head(&mut html, asker, shown, &[]);
    let offset = asker.argument("offset");
    let whole = asker.subject().page("symbol", &[("s", exact), ("offset", offset), (WHOLE, "1")]);
    let note = "This repository is large: finding callers, uses and relatives may take up to a minute.";
    parts::later(&mut html, note, &whole);
    source(&mut html, asker, shown)?;
    Ok(PageContent::new("", hit.local_name.clone(), html).into())
}

/// Answers about a symbol, as far as there are any.
struct SymbolFacts {
    calls: Result<CallsAnswer, AppError>,
    uses: Result<RefsAnswer, AppError>,
    tests: Option<RefsAnswer>,
    relatives: Option<HierarchyAnswer>,
}

impl SymbolFacts {
    /// Returns the numbers of its calls, uses and so on, with their places on the page.
    fn numbers(&self) -> Vec<(String, &'static str)> {
        let calls = self.calls.iter().flat_map(|calls| &calls.levels).filter(|level| level.depth == 1);
        let mut numbers: Vec<(String, &'static str)> = calls
            .map(|level| match level.direction {
                Direction::Callers => (format!("{} to it", count(level.total, "call")), "#calls"),
                Direction::Callees => (format!("{} from it", count(level.total, "call")), "#calls"),
            })
            .collect();
        numbers.extend(self.uses.iter().map(|refs| (count(refs.total, "use"), "#uses")));
        let tests = self.tests.iter().filter(|refs| refs.total > 0);
        numbers.extend(tests.map(|refs| (format!("{} in tests", count(refs.total, "use")), "#tests")));
        let relatives = self.relatives.iter().filter(|it| it.totals.subtypes > 0);
        numbers.extend(relatives.map(|it| (count(it.totals.subtypes, "subtype"), "#hierarchy")));
        numbers
    }
}

/// Leads from a use to the uses of what it means.
pub(super) fn uses(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let shown = asker.ask::<ShowRequest>(json!({"symbol": asker.argument("s")}))?;
    let hit = &shown.symbol.hit.hit;
    Ok(Reply::Redirect(format!("{}#uses", asker.subject().symbol(&hit.path, hit.name_line))))
}

fn head(html: &mut Html, asker: &Asker<'_>, shown: &ShowAnswer, numbers: &[(String, &'static str)]) {
    let (subject, hit) = (asker.subject(), &shown.symbol.hit.hit);
    html.element("div", &[("class", "symbolhead")], |html| {
        html.element("h1", &[], |html| {
            html.text(&hit.local_name).markup(" ");
            parts::kind(html, hit.kind.as_str());
        });
        html.element("p", &[], |html| {
            parts::place(html, subject, &hit.path, hit.name_line);
            html.markup(" · ")
                .link(&subject.page("history", &[("symbol", &format!("{}:{}", hit.path, hit.name_line))]), "History");
            let named = format!("{}::{}", hit.path, hit.local_name);
            html.markup(" · ").link(&subject.page("symbol", &[("s", &named)]), "Link by name");
        });
        if !hit.signature.is_empty() {
            html.leaf("p", &[("class", "signature")], &hit.signature);
        }
        if let Some(doc) = &hit.doc {
            html.leaf("p", &[("class", "doc multi")], doc.trim());
        }
        chips(html, numbers);
        others(html, asker, shown);
    });
    notes(html, &shown.metadata);
}

fn others(html: &mut Html, asker: &Asker<'_>, shown: &ShowAnswer) {
    if shown.others.is_empty() {
        return;
    }
    html.element("details", &[("class", "others")], |html| {
        html.leaf("summary", &[], &format!("{} others have this name", shown.others_total));
        hits(html, asker, &shown.others);
    });
}

fn hits(html: &mut Html, asker: &Asker<'_>, list: &[HitView]) {
    html.element("ul", &[("class", "plain")], |html| {
        for view in list {
            html.element("li", &[], |html| parts::hit_line(html, asker.subject(), &view.hit));
        }
    });
}

fn butterfly(html: &mut Html, asker: &Asker<'_>, calls: &CallsAnswer, exact: &str) {
    section_head(html, "calls", "Callers and callees", None);
    let drawing = graph::butterfly(asker.subject(), calls, exact);
    if drawing.is_empty() {
        parts::empty(html, "No call to it or from it was found.", "Its uses below may name it in another way.");
        return;
    }
    html.element(
        "div",
        &[("class", "drawing"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Call graph")],
        |html| {
            html.add(drawing);
        },
    );
    html.markup(
        "<p class=\"legend dim\"><span class=\"line\"></span> static <span class=\"line dashed\"></span> likely ",
    );
    html.markup("<span class=\"line dotted\"></span> possible</p>");
}

fn source(html: &mut Html, asker: &Asker<'_>, shown: &ShowAnswer) -> Result<(), AppError> {
    let hit = &shown.symbol.hit.hit;
    let first = shown.source_line.unwrap_or(hit.line_start);
    let last = hit.line_end.min(first + LINES - 1);
    section_head(html, "source", "Source", None);
    let lines = read(asker, &hit.path, Some((first, last)))?;
    let address = asker.subject().path(&hit.path);
    listing(html, &lines, &SourceListing { address: &address, has_ids: false, marked: None });
    if last < hit.line_end {
        html.element("p", &[("class", "dim")], |html| {
            html.text(&format!("{} more lines in ", hit.line_end - last));
            parts::place(html, asker.subject(), &hit.path, last + 1);
        });
    }
    Ok(())
}

fn references(html: &mut Html, asker: &Asker<'_>, refs: &RefsAnswer, exact: &str) {
    section_head(html, "uses", "Uses", Some(refs.total));
    if let Some(accounting) = refs.metadata.extra.as_ref().and_then(|extra| extra.accounting.as_ref()) {
        account(html, accounting);
    }
    if refs.references.is_empty() {
        parts::empty(html, "No use outside of tests was found.", "Tests that use it are listed below.");
        return;
    }
    use_list(html, asker, &refs.references);
    let pager = Pager {
        page: "symbol",
        arguments: &[("s", exact), (WHOLE, asker.argument(WHOLE))],
        offset_name: "offset",
        offset: asker.number("offset") as usize,
        shown: refs.references.len(),
        total: refs.total,
        step: USES,
    };
    parts::pager(html, asker, &pager);
}

/// Writes the account of all occurrences of the name.
fn account(html: &mut Html, account: &AccountingView) {
    let classes = [
        (account.definitions, "in definitions of it"),
        (account.proven, "static"),
        (account.likely, "likely"),
        (account.possible, "possible"),
        (account.other, "of other symbols"),
        (account.text, "in comments and texts"),
    ];
    let parts: Vec<String> =
        classes.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
    let text = format!("The name stands {} times: {}.", account.occurrences, parts.join(", "));
    html.leaf("p", &[("class", "dim")], &text);
}

/// Writes uses with their lines, by file.
fn use_list(html: &mut Html, asker: &Asker<'_>, uses: &[UseView]) {
    for group in uses.chunk_by(|a, b| a.path == b.path) {
        let Some(first) = group.first() else { continue };
        html.element("section", &[("class", "uses")], |html| {
            html.element("h3", &[], |html| {
                html.leaf("a", &[("class", "place"), ("href", &asker.subject().path(&first.path))], &first.path);
            });
            html.element("ol", &[("class", "lines")], |html| group.iter().for_each(|site| one_use(html, asker, site)));
        });
    }
}

fn one_use(html: &mut Html, asker: &Asker<'_>, site: &UseView) {
    html.element("li", &[], |html| {
        let address = asker.subject().line(&site.path, site.line);
        html.leaf("a", &[("class", "lineno"), ("href", &address)], &site.line.to_string()).markup(" ");
        html.leaf("code", &[], site.source.trim()).markup(" ");
        let enclosing = site.enclosing.as_ref().map(|around| format!("in {}", around.shown_name()));
        html.leaf("span", &[("class", "dim")], enclosing.as_deref().unwrap_or(""));
        parts::class_badge(html, site.confidence);
    });
}

fn hierarchy(html: &mut Html, asker: &Asker<'_>, answer: &HierarchyAnswer) {
    let relatives = [
        ("Supertypes", &answer.supertypes, answer.totals.supertypes),
        ("Subtypes", &answer.subtypes, answer.totals.subtypes),
        ("Overrides", &answer.overrides, answer.totals.overrides),
        ("Implementations", &answer.implementations, answer.totals.implementations),
    ];
    let has_any = !answer.containers.is_empty()
        || !answer.children.is_empty()
        || relatives.iter().any(|(_, list, _)| !list.is_empty());
    if !has_any {
        return;
    }
    section_head(html, "hierarchy", "Hierarchy", None);
    html.element("div", &[("class", "columns")], |html| {
        let lists = [
            ("Inside of", &answer.containers, answer.containers.len()),
            ("Members", &answer.children, answer.totals.children),
        ];
        for (title, list, total) in lists.into_iter().filter(|(_, list, _)| !list.is_empty()) {
            html.element("section", &[], |html| {
                sub_head(html, title, total);
                hits(html, asker, list);
            });
        }
        for (title, list, total) in relatives.into_iter().filter(|(_, list, _)| !list.is_empty()) {
            html.element("section", &[], |html| {
                sub_head(html, title, total);
                html.element("ul", &[("class", "plain")], |html| list.iter().for_each(|it| relative(html, asker, it)));
            });
        }
    });
}

fn sub_head(html: &mut Html, title: &str, total: usize) {
    html.element("h3", &[], |html| {
        _ = html.text(title).markup(" <span class=\"count\">").number(total as u64).markup("</span>")
    });
}

fn relative(html: &mut Html, asker: &Asker<'_>, relative: &RelativeView) {
    html.element("li", &[], |html| match &relative.symbol {
        RelativeSymbol::Defined(view) => parts::hit_line(html, asker.subject(), &view.hit),
        RelativeSymbol::Named { name } => _ = html.text(name).markup(" <span class=\"badge\">elsewhere</span>"),
    });
}

fn tested(html: &mut Html, asker: &Asker<'_>, tests: &RefsAnswer) {
    if tests.references.is_empty() {
        return;
    }
    section_head(html, "tests", "Uses in tests", Some(tests.total));
    use_list(html, asker, &tests.references);
    if tests.total > tests.references.len() {
        html.leaf("p", &[("class", "dim")], &format!("The first {} are shown.", tests.references.len()));
    }
}
