//! HTML under construction. Markup comes from literals in this program alone; everything else is
//! escaped, so that text of a repository cannot become markup by accident.

use std::fmt::Write as _;

use codecompass_app::render::shown;

/// Attributes that hold addresses. One that is not of this server is left out.
const ADDRESSES: [&str; 4] = ["href", "src", "action", "xlink:href"];

/// A piece of a page.
#[derive(Default)]
pub(super) struct Html(String);

/// An attribute with its value.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Html {
    pub(super) fn new() -> Html {
        Html::default()
    }

    /// Returns what was written.
    pub(super) fn into_string(self) -> String {
        self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds markup as it stands in the program.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Adds text. Control characters and marks that turn the direction of writing are shown as
    /// escapes; line ends stay.
    pub(super) fn text(&mut self, text: &str) -> &mut Html {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.0.push('\n');
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            escape(&mut self.0, &shown(line));
        }
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: impl Into<i128>) -> &mut Html {
        let _ = write!(self.0, "{}", number.into());
        self
    }

    /// Adds an element with what `inside` adds.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
        inside: impl FnOnce(&mut Html),
    ) -> &mut Html {
        self.open(name, attributes);
        inside(self);
        self.close(name)
    }

    /// Adds an element that has nothing but text in it.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) -> &mut Html {
        self.element(name, attributes, |html| _ = html.text(text))
    }

    /// Adds the start of an element.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) -> &mut Html {
        self.0.push('<');
        self.0.push_str(name);
        for (attribute, value) in attributes {
            if ADDRESSES.contains(attribute) && !is_own(value) {
                continue;
            }
            self.0.push(' ');
            self.0.push_str(attribute);
            if !value.is_empty() || ADDRESSES.contains(attribute) {
                self.0.push_str("=\"");
                escape(&mut self.0, &shown(value));
                self.0.push('"');
            }
        }
        self.0.push('>');
        self
    }

    /// Adds the end of an element.
    pub(super) fn close(&mut self, name: &'static str) -> &mut Html {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
        self
    }

    /// Adds a link with text.
    pub(super) fn link(&mut self, address: &str, text: &str) -> &mut Html {
        self.leaf("a", &[("href", address)], text)
    }

    /// Adds another piece.
    pub(super) fn add(&mut self, other: Html) -> &mut Html {
        self.0.push_str(&other.0);
        self
    }
}

/// Returns whether an address leads to this server: it is a path, a query or a place on the page.
fn is_own(address: &str) -> bool {
    let is_path = address.starts_with('/') && !address.starts_with("//") && !address.starts_with("/\\");
    is_path || address.starts_with('?') || address.starts_with('#')
}

fn escape(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(make: impl FnOnce(&mut Html)) -> String {
        let mut html = Html::new();
        make(&mut html);
        html.into_string()
    }

    #[test]
    fn text_is_no_markup() {
        let hostile = "<script>alert(1)</script> & \"x\" 'y'";
        let escaped = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; &#39;y&#39;";
        assert_eq!(html(|html| _ = html.text(hostile)), escaped);
        assert_eq!(html(|html| _ = html.leaf("b", &[("title", hostile)], "")), format!("<b title=\"{escaped}\"></b>"));
        assert_eq!(html(|html| _ = html.text("a\u{202e}b\0\r\nc")), "a\\u{202e}b\\u{0}\nc");
        assert_eq!(
            html(|html| _ = html.leaf("i", &[("title", "a\"\nonclick=x")], "")),
            "<i title=\"a&quot;\\nonclick=x\"></i>"
        );
    }

    #[test]
    fn addresses_lead_nowhere_else() {
        for own in ["/r/a", "?d=1:2", "#L1"] {
            assert_eq!(html(|html| _ = html.link(own, "x")), format!("<a href=\"{own}\">x</a>"));
        }
        for foreign in
            ["javascript:alert(1)", "//evil.example", "https://evil.example", "/\\evil.example", "", "data:x"]
        {
            assert_eq!(html(|html| _ = html.link(foreign, "x")), "<a>x</a>", "{foreign}");
        }
    }
}
