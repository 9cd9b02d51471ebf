//! Code on a page: lines with numbers, colours by the classes of their pieces, and names as links
//! to what they mean.

use codecompass_app::api::files::read::{LinesView, SpanView};
use codecompass_engine::syntax::MarkClass;

use super::html::Html;

/// Lines of a block. A browser lays out only the blocks that are in view.
const BLOCK_LINES: usize = 50;

/// The way lines are shown.
pub(super) struct SourceListing<'a> {
    /// The address of the file, for links that do not stand on its own page; empty on it.
    pub address: &'a str,
    /// True if lines are places that addresses can name (`#L10`).
    pub has_ids: bool,
    /// The first and last line to mark.
    pub marked: Option<(u32, u32)>,
}

/// Writes the lines of a file.
pub(super) fn listing(html: &mut Html, lines: &LinesView, options: &SourceListing<'_>) {
    let spans = lines.spans.as_deref().unwrap_or_default();
    let texts: Vec<&str> = lines.text.split_inclusive('\n').collect();
    let label = format!("Source of {}", lines.path);
    html.element("div", &[("class", "code"), ("tabindex", "0"), ("role", "region"), ("aria-label", &label)], |html| {
        let mut at = 0;
        for (number, block) in texts.chunks(BLOCK_LINES).enumerate() {
            let first = lines.line_start + (number * BLOCK_LINES) as u32;
            let class = if block.len() == BLOCK_LINES { "block" } else { "" };
            html.element("div", &[("class", class)], |html| {
                html.element("ol", &[("start", &first.to_string())], |html| {
                    for (line, text) in (first..).zip(block) {
                        let end = at + spans[at..].iter().take_while(|span| span.line <= line).count();
                        source_line(html, line, text, &spans[at..end], options);
                        at = end;
                    }
                });
            });
        }
    });
}

fn source_line(html: &mut Html, line: u32, text: &str, spans: &[SpanView], options: &SourceListing<'_>) {
    let id = format!("L{line}");
    let is_marked = options.marked.is_some_and(|(first, last)| (first..=last).contains(&line));
    let mut attributes = Vec::new();
    if options.has_ids {
        attributes.push(("id", id.as_str()));
    }
    if is_marked {
        attributes.push(("class", "marked"));
    }
    html.element("li", &attributes, |html| pieces(html, line, text, spans, options.address));
}

/// Writes the pieces of a line.
fn pieces(html: &mut Html, line: u32, text: &str, spans: &[SpanView], address: &str) {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut at = 0;
    for span in spans.iter().filter(|span| span.line == line) {
        let (start, end) = ((span.start as usize).saturating_sub(1), (span.end as usize).saturating_sub(1));
        let (Some(before), Some(piece)) = (text.get(at..start.max(at)), text.get(start..end.min(text.len()))) else {
            continue;
        };
        if start < at || piece.is_empty() {
            continue;
        }
        html.text(before);
        let class = class_of(span.class);
        if span.class.is_name() {
            let address = format!("{address}?d={line}:{}", span.start);
            html.leaf("a", &[("class", class), ("href", &address)], piece);
        } else {
            _ = html.leaf("i", &[("class", class)], piece);
        }
        at = start + piece.len();
    }
    html.text(text.get(at..).unwrap_or(""));
}

/// Returns the class in the style sheet.
fn class_of(class: MarkClass) -> &'static str {
    match class {
        MarkClass::Comment => "cm",
        MarkClass::Text => "s",
        MarkClass::Number => "n",
        MarkClass::Keyword => "k",
        MarkClass::Definition => "d",
        MarkClass::Call => "f",
        MarkClass::Type => "t",
        MarkClass::Local => "l",
        MarkClass::Name => "v",
    }
}

/// Writes a patch of unified lines side by side: what was, and what is.
pub(super) fn side_by_side(html: &mut Html, patch: &str) {
    let mut rows: Vec<(Option<&str>, Option<&str>)> = Vec::new();
    let mut unpaired = rows.len();
    for line in patch.lines() {
        let rest = line.get(1..).unwrap_or("");
        match line.as_bytes().first() {
            Some(b'-') => rows.push((Some(rest), None)),
            Some(b'+') => {
                // An added line stands beside the first removed one that has none yet.
                let free = (unpaired..rows.len()).find(|at| rows[*at].1.is_none());
                match free {
                    Some(at) => rows[at].1 = Some(rest),
                    None => rows.push((None, Some(rest))),
                }
            }
            _ => {
                let kept = if line.starts_with(' ') { rest } else { line };
                rows.push((Some(kept), Some(kept)));
                unpaired = rows.len();
            }
        }
    }
    html.element(
        "div",
        &[("class", "sides"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Change")],
        |html| {
            html.markup(
                "<table><thead><tr><th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead><tbody>",
            );
            for (before, after) in rows {
                let is_changed = before != after;
                html.element("tr", &[], |html| {
                    side(html, before, if is_changed { "gone" } else { "" });
                    side(html, after, if is_changed { "new" } else { "" });
                });
            }
            html.markup("</tbody></table>");
        },
    );
}

fn side(html: &mut Html, line: Option<&str>, class: &'static str) {
    match line {
        Some(line) => _ = html.leaf("td", &[("class", class)], line),
        None => _ = html.markup("<td class=\"none\"></td>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, spans: Vec<SpanView>) -> LinesView {
        LinesView {
            path: "a\"<b>.py".into(),
            line_start: 1,
            line_end: 2,
            line_count: Some(2),
            cut_lines: 0,
            lossy: false,
            symbol: None,
            text: text.into(),
            spans: Some(spans),
        }
    }

    fn shown(text: &str, spans: Vec<SpanView>) -> String {
        let mut html = Html::new();
        listing(&mut html, &lines(text, spans), &SourceListing { address: "", has_ids: true, marked: None });
        let html = html.into_string();
        html.split_once("<li").map_or(String::new(), |(_, rest)| format!("<li{rest}"))
    }

    #[test]
    fn names_are_links_and_code_is_escaped() {
        let span = |line, start, end, class| SpanView { line, start, end, class };
        let spans = vec![
            span(1, 1, 4, MarkClass::Keyword),
            span(1, 5, 8, MarkClass::Definition),
            span(2, 3, 14, MarkClass::Text),
        ];
        assert_eq!(
            shown("def run():\n  '</script>'\n", spans),
            "<li id=\"L1\"><i class=\"k\">def</i> <a class=\"d\" href=\"?d=1:5\">run</a>():</li>\
             <li id=\"L2\">  <i class=\"s\">&#39;&lt;/script&gt;&#39;</i></li></ol></div></div>"
        );
    }

    #[test]
    fn wrong_spans_do_no_harm() {
        let span = |line, start, end| SpanView { line, start, end, class: MarkClass::Name };
        let spans = vec![span(1, 2, 3), span(1, 2, 90), span(1, 0, 0), span(9, 1, 2)];
        assert!(shown("äöü\n", spans).contains("äöü"));
    }

    #[test]
    fn sides() {
        let mut html = Html::new();
        side_by_side(&mut html, " a\n-b\n-c\n+<d>\n e\n");
        let html = html.into_string();
        assert!(html.contains("<td class=\"gone\">b</td><td class=\"new\">&lt;d&gt;</td>"), "{html}");
        assert!(html.contains("<td class=\"gone\">c</td><td class=\"none\"></td>"), "{html}");
    }
}
