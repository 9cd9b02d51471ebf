//! The frame of all pages: head, navigation, choice of the ref, and pages about errors.

use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Audience;

use super::asker::{PageContent, PageRequest};
use super::assets;
use super::html::Html;
use super::links::Subject;

/// Pages of the navigation: name, address below `-/`, and title. The first two have other
/// addresses.
const NAVIGATION: [(&str, &str); 10] = [
    ("home", "Overview"),
    ("search", "Search"),
    ("branch", "Branch"),
    ("map", "Modules"),
    ("endpoints", "Endpoints"),
    ("services", "Services"),
    ("projects", "Projects"),
    ("history", "History"),
    ("branches", "Refs"),
    ("health", "Health"),
];

/// Returns a whole page.
pub(super) fn whole(request: &PageRequest, page: PageContent) -> String {
    let subject = &request.subject;
    let title = format!("{} · {}", page.title, subject.repository);
    let root = request.root.to_string_lossy();
    let reference = subject.reference.as_deref().unwrap_or("");
    let home = subject.home();
    let mut html = head(&title);
    let live = if subject.reference.is_none() { "yes" } else { "no" };
    let attributes = [("data-workspace", &*root), ("data-ref", reference), ("data-home", &home), ("data-live", live)];
    html.element("body", &attributes, |html| {
        html.markup("<a class=\"skip\" href=\"#main\">Skip to content</a>");
        header(html, request, &page);
        let class = if page.is_wide { "wide" } else { "" };
        html.element("main", &[("id", "main"), ("tabindex", "-1"), ("class", class)], |html| _ = html.add(page.body));
        footer(html);
    });
    html.markup("</html>");
    html.into_string()
}

fn head(title: &str) -> Html {
    let mut html = Html::new();
    html.markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.markup("<meta name=\"color-scheme\" content=\"light dark\">");
    html.leaf("title", &[], title);
    html.open("link", &[("rel", "stylesheet"), ("href", &assets::address("style.css"))]);
    html.open("link", &[("rel", "icon"), ("href", &assets::address("icon.svg"))]);
    html.element("script", &[("type", "module"), ("src", &assets::address("app.js"))], |_| {});
    // Otherwise they would be asked for when the first one has come.
    for name in assets::imported() {
        html.open("link", &[("rel", "modulepreload"), ("href", &assets::address(name))]);
    }
    html.markup("</head>");
    html
}

fn header(html: &mut Html, request: &PageRequest, page: &PageContent) {
    let subject = &request.subject;
    html.element("header", &[("class", "top")], |html| {
        html.element("a", &[("class", "brand"), ("href", &subject.home())], |html| {
            html.markup("<svg aria-hidden=\"true\" viewBox=\"0 0 16 16\" width=\"18\" height=\"18\">");
            html.markup(
                "<circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>",
            );
            html.markup("<path d=\"M11.5 4.5 9.2 9.2 4.5 11.5 6.8 6.8Z\" fill=\"currentColor\"/></svg> ");
            html.leaf("span", &[], &subject.repository);
        });
        search_form(html, request);
        ref_form(html, request);
    });
    html.element("nav", &[("class", "pages"), ("aria-label", "Pages")], |html| {
        html.element("ul", &[], |html| {
            for (name, title) in NAVIGATION {
                let address = if name == "home" { subject.home() } else { subject.page(name, &[]) };
                let current = if name == page.name { "page" } else { "" };
                let mut attributes = vec![("href", address.as_str())];
                if !current.is_empty() {
                    attributes.push(("aria-current", current));
                }
                html.element("li", &[], |html| _ = html.leaf("a", &attributes, title));
            }
        });
    });
}

fn search_form(html: &mut Html, request: &PageRequest) {
    let query = request.query.iter().find(|(name, _)| name == "q").map_or("", |(_, value)| value.as_str());
    let action = request.subject.page("search", &[]);
    html.element("form", &[("class", "find"), ("role", "search"), ("action", &action)], |html| {
        html.markup("<label class=\"unseen\" for=\"q\">Search the code</label>");
        html.open(
            "input",
            &[
                ("id", "q"),
                ("name", "q"),
                ("type", "search"),
                ("value", query),
                ("placeholder", "Name, path, error message or question"),
                ("autocomplete", "off"),
                ("spellcheck", "false"),
            ],
        );
        html.markup("<button type=\"submit\">Search</button>");
    });
}

fn ref_form(html: &mut Html, request: &PageRequest) {
    let subject = &request.subject;
    let action = subject.at(None).page("at", &[]);
    let rest = subject.rest(&request.address);
    let reference = subject.reference.as_deref().unwrap_or("");
    html.element("form", &[("class", "refs"), ("action", &action), ("aria-label", "Ref")], |html| {
        html.markup("<label class=\"unseen\" for=\"ref\">Branch, tag or commit</label>");
        html.open(
            "input",
            &[
                ("id", "ref"),
                ("name", "ref"),
                ("value", reference),
                ("placeholder", "files on disk"),
                ("list", "reflist"),
                ("autocomplete", "off"),
                ("spellcheck", "false"),
            ],
        );
        html.markup("<datalist id=\"reflist\"></datalist>");
        html.open("input", &[("type", "hidden"), ("name", "to"), ("value", rest)]);
        html.markup("<button type=\"submit\">Go</button>");
    });
    if request.repositories.len() > 1 {
        html.element("nav", &[("class", "repositories"), ("aria-label", "Repositories")], |html| {
            for repository in request.repositories.iter().filter(|name| **name != subject.repository) {
                let other = Subject { repository: repository.clone(), reference: None };
                html.link(&other.home(), repository).markup(" ");
            }
        });
    }
}

fn footer(html: &mut Html) {
    html.element("footer", &[], |html| {
        html.markup("<span id=\"state\" role=\"status\"></span> ");
        html.markup("<span class=\"hint\">Press <kbd>?</kbd> for keys</span>");
    });
}

/// Returns the page about an error, with what to do.
pub(super) fn error(error: &AppError, subject: Option<&Subject>) -> PageContent {
    let mut html = Html::new();
    let title = match error.code {
        Code::FileNotFound | Code::SymbolNotFound | Code::RefNotIndexed | Code::ProjectNotFound => "Not found",
        Code::IndexInProgress | Code::IndexStale => "Not ready yet",
        Code::WorkspaceNotAllowed => "Not shown",
        Code::InvalidInput | Code::AmbiguousSymbol => "That does not work",
        _ => "Something failed",
    };
    html.element("div", &[("class", "empty"), ("data-error", error.code.as_str())], |html| {
        html.leaf("h1", &[], title);
        html.leaf("p", &[], &error.message);
        html.leaf("p", &[("class", "advice")], &error.remediation.words(Audience::Cli));
        if error.code == Code::IndexInProgress {
            html.markup("<p>This page tries again by itself when scripts are on; else reload it.</p>");
        }
        let is_gone = matches!(error.code, Code::RefNotIndexed | Code::MergeBaseFailed);
        if let Some(subject) = subject.filter(|subject| is_gone && subject.reference.is_some()) {
            // All pages of a ref that is gone fail in the same way.
            let disk = subject.at(None);
            html.element("p", &[], |html| {
                html.link(&disk.home(), "Files on disk").markup(" · ");
                html.link(&disk.page("branches", &[]), "All refs");
            });
        } else if let Some(subject) = subject {
            html.element("p", &[], |html| {
                html.link(&subject.home(), "Overview").markup(" · ");
                html.link(&subject.page("search", &[]), "Search").markup(" · ");
                html.link(&subject.page("health", &[]), "Health");
            });
        }
    });
    PageContent::new("", title, html)
}

/// Returns a page that stands for itself, without a repository.
pub(super) fn bare(title: &str, body: impl FnOnce(&mut Html)) -> String {
    let mut html = head(title);
    html.markup("<body><main id=\"main\" class=\"bare\">");
    body(&mut html);
    html.markup("</main></body></html>");
    html.into_string()
}

/// Returns the form that asks for the token.
pub(super) fn login(is_wrong: bool) -> String {
    bare("Token", |html| {
        html.markup("<h1>CodeCompass</h1><p>This server asks for the token that it was started with.</p>");
        if is_wrong {
            html.markup("<p class=\"note\" role=\"alert\">That is not the token.</p>");
        }
        html.markup("<form method=\"post\" action=\"/login\"><label for=\"token\">Token</label> ");
        html.markup(
            "<input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required> ",
        );
        html.markup("<button type=\"submit\">Open</button></form>");
    })
}
