//! Lines of an outline in as few tokens as its file is worth.
//!
//! An outline that costs much more than a tenth of its file is not worth asking for. So there are
//! several forms, from whole signatures to names alone, and the first that costs little enough is
//! shown.

use codecompass_engine::query::estimate_tokens;

use crate::api::symbols::outline::{FileOutlineView, OutlineNodeView};
use crate::render::shown;

/// An outline may cost this many tokens whatever the size of its file.
const MIN_TOKENS: usize = 100;
/// The bytes of a file for which its outline may cost a token. A token of code has about three
/// bytes, so that this is 14% of the tokens.
const BYTES_PER_TOKEN: usize = 21;
/// The most names that follow each other in the shortest form; fewer if that costs too much.
const MAX_NAMES: [usize; 4] = [256, 64, 24, 8];
/// The bytes at which lines of names are broken.
const MAX_LINE_BYTES: usize = 160;

/// The amount that is shown of each definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Whole signatures, every definition on a line of its own.
    Full,
    /// Signatures; values that follow each other on one line.
    Signatures,
    /// Signatures without long lists of parameters, nothing inside functions.
    Short,
    /// Names, those that follow each other on one line.
    Names,
    /// The first names of each container, at most so many in a row.
    FirstNames(usize),
}

/// A line of an outline.
pub(super) struct Row {
    pub depth: usize,
    pub line: u32,
    pub last_line: u32,
    /// Not escaped yet.
    pub text: String,
}

/// Returns the lines of a file's outline, and their form.
pub(super) fn rows(file: &FileOutlineView, is_full: bool) -> (Vec<Row>, Form) {
    let form_rows = |form: Form| {
        let mut rows = Vec::new();
        let writer = RowWriter { form, half: file.line_count / 2 };
        writer.add(&file.symbols, 0, &mut rows);
        rows
    };
    if is_full {
        return (form_rows(Form::Full), Form::Full);
    }
    // A page of the outline has its part of what the whole may cost.
    let shown: usize = file.symbols.iter().map(OutlineNodeView::count).sum();
    let whole = file.byte_count as usize / BYTES_PER_TOKEN;
    let most = (whole * shown / file.symbol_count.max(1)).max(MIN_TOKENS);
    let mut chosen = (Vec::new(), Form::Full);
    for form in [Form::Signatures, Form::Short, Form::Names].into_iter().chain(MAX_NAMES.map(Form::FirstNames)) {
        chosen = (form_rows(form), form);
        if chosen.0.iter().map(Row::cost).sum::<usize>() <= most {
            break;
        }
    }
    chosen
}

impl Row {
    fn cost(&self) -> usize {
        const NUMBER_AND_LINE_END: usize = 3;
        estimate_tokens(&self.text) + NUMBER_AND_LINE_END
    }

    /// Returns the lines that the row is about, as text.
    pub(super) fn lines(&self) -> String {
        if self.last_line > self.line { format!("{}-{}", self.line, self.last_line) } else { self.line.to_string() }
    }
}

struct RowWriter {
    form: Form,
    /// The lines of half the file.
    half: u32,
}

impl RowWriter {
    fn add(&self, nodes: &[OutlineNodeView], depth: usize, rows: &mut Vec<Row>) {
        let mut rest = nodes;
        while let Some(node) = rest.first() {
            let run = rest.iter().take_while(|node| self.is_brief(node)).count();
            // What is of one sort stands together: fields, then methods.
            let run = rest[..run].iter().take_while(|other| other.is_value == node.is_value).count();
            match run {
                0 | 1 => {
                    self.add_one(node, depth, rows);
                    rest = &rest[1..];
                }
                _ => {
                    self.add_group(&rest[..run], depth, rows);
                    rest = &rest[run..];
                }
            }
        }
    }

    /// Returns whether a definition can share a line with others.
    fn is_brief(&self, node: &OutlineNodeView) -> bool {
        let is_leaf = self.children(node).next().is_none();
        match self.form {
            Form::Full => false,
            Form::Signatures | Form::Short => is_leaf && node.is_value,
            Form::Names | Form::FirstNames(_) => is_leaf,
        }
    }

    /// Returns the definitions inside another that are shown: in a function, only functions and
    /// types.
    fn children<'n>(&self, node: &'n OutlineNodeView) -> impl Iterator<Item = &'n OutlineNodeView> {
        let is_whole_file = node.line_end - node.line_start >= self.half.max(1);
        let (is_inside_code, form) = (node.is_callable || node.is_value, self.form);
        node.children.iter().filter(move |child| match form {
            Form::Full => true,
            _ if !is_inside_code => true,
            Form::Signatures => !child.is_value,
            _ => !child.is_value && is_whole_file,
        })
    }

    fn add_one(&self, node: &OutlineNodeView, depth: usize, rows: &mut Vec<Row>) {
        let text = match self.form {
            Form::Names | Form::FirstNames(_) if self.is_brief(node) => node.name.clone(),
            _ => self.signature(node),
        };
        rows.push(Row { depth, line: node.line_start, last_line: node.line_start, text });
        let children: Vec<OutlineNodeView> = self.children(node).cloned().collect();
        self.add(&children, depth + 1, rows);
    }

    /// Adds lines with several definitions each. Functions have their line numbers, values are
    /// found by those of the first and the last.
    fn add_group(&self, nodes: &[OutlineNodeView], depth: usize, rows: &mut Vec<Row>) {
        let most = if let Form::FirstNames(most) = self.form { most } else { usize::MAX };
        let shown = &nodes[..nodes.len().min(most)];
        let mut row: Option<Row> = None;
        for node in shown {
            let text = self.brief(node);
            match &mut row {
                Some(row) if row.text.len() + text.len() < MAX_LINE_BYTES => {
                    let number = if node.is_value { String::new() } else { format!("{} ", node.line_start) };
                    row.text.push_str(&format!(", {number}{text}"));
                    row.last_line = if node.is_value { node.line_start } else { row.line };
                }
                _ => {
                    rows.extend(row.take());
                    row = Some(Row { depth, line: node.line_start, last_line: node.line_start, text });
                }
            }
        }
        if let (Some(row), more @ 1..) = (&mut row, nodes.len() - shown.len()) {
            row.text.push_str(&format!(", {more} more"));
        }
        rows.extend(row);
    }

    /// Returns the shortest text of a definition in a group: a field with its type where signatures
    /// are shown, else its name.
    fn brief(&self, node: &OutlineNodeView) -> String {
        const MAX_BYTES: usize = 40;
        let signature = node.signature.as_deref().unwrap_or_default().trim_end_matches([',', ';']);
        let is_typed =
            node.kind == "field" && signature.len() <= MAX_BYTES && !signature.contains(['=', '(', '{', ',']);
        if self.form == Form::Signatures && is_typed && !signature.is_empty() {
            signature.to_string()
        } else {
            node.name.clone()
        }
    }

    fn signature(&self, node: &OutlineNodeView) -> String {
        let Some(signature) = node.signature.as_deref().filter(|signature| !signature.is_empty()) else {
            return format!("{} {}", node.kind, node.name);
        };
        // The beginning of a value says nothing.
        let opens = |text: &str| text.ends_with(['[', '{', '(', '=']);
        let signature = if node.is_value && opens(signature) {
            signature.trim_end_matches(['[', '{', '(', '=', ' '])
        } else {
            signature
        };
        match self.form {
            Form::Full => signature.to_string(),
            Form::Signatures => cut(signature, 120),
            Form::Short | Form::Names | Form::FirstNames(_) => {
                let short = cut(&without_parameters(signature, &node.name), 60);
                // A long type or receiver before the name must not push it out.
                if short.contains(&node.name) { short } else { node.name.clone() }
            }
        }
    }
}

/// Returns a signature without the parameters behind the name if it is long.
fn without_parameters(signature: &str, name: &str) -> String {
    const MAX_BYTES: usize = 48;
    // A receiver in parentheses may stand before the name.
    let after = |name: &str| signature.find(name).map(|at| at + name.len());
    let start = after(&format!("{name}(")).map(|end| end - 1).or_else(|| after(name)).unwrap_or(0);
    let open = signature[start..].find('(').map(|at| start + at);
    let parameters = open.zip(open.and_then(|open| closing(signature, open)));
    match parameters.filter(|_| signature.len() > MAX_BYTES) {
        Some((open, close)) => format!("{}(…){}", &signature[..open], &signature[close + 1..]),
        None => signature.to_string(),
    }
}

/// Returns the place of the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn cut(text: &str, most: usize) -> String {
    if text.len() > most {
        format!("{}…", text[..text.floor_char_boundary(most)].trim_end())
    } else {
        text.to_string()
    }
}

/// Returns imports, one line per module, as rows.
pub(super) fn import_rows(file: &FileOutlineView) -> Vec<Row> {
    let mut rows: Vec<(&str, Row)> = Vec::new();
    for import in file.imports.iter().flatten() {
        let name = import.name.as_deref().unwrap_or_default();
        let alias = import.alias.as_deref().map(|alias| format!(" as {alias}")).unwrap_or_default();
        let what = format!("{name}{alias}");
        match rows.last_mut() {
            Some((module, row)) if *module == import.module && row.text.len() < MAX_LINE_BYTES && !what.is_empty() => {
                row.text.push_str(&format!(", {what}"));
            }
            _ => {
                let text = match (name.is_empty(), what.is_empty()) {
                    (_, true) => import.module.clone(),
                    (true, false) => format!("{}{alias}", import.module),
                    (false, _) => format!("{}: {what}", import.module),
                };
                rows.push((&import.module, Row { depth: 1, line: import.line, last_line: import.line, text }));
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns the names of top-level definitions, and how many more there are.
pub(super) fn names(file: &FileOutlineView) -> String {
    let mut names: Vec<String> = file.symbols.iter().map(|node| shown(&cut(&node.name, 60)).into_owned()).collect();
    names.dedup();
    let more = file.more_symbols.map(|more| format!(", {more} more")).unwrap_or_default();
    format!("{}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_give_way_and_names_stay() {
        let short = |signature: &str, name: &str| without_parameters(signature, name);
        assert_eq!(
            short("func (mx *Mux) Handle(pattern string, handler http.Handler) error", "Handle"),
            "func (mx *Mux) Handle(…) error"
        );
        assert_eq!(
            short("def read(self, callback: Callable[[int], int] = (lambda x: x)) -> int", "read"),
            "def read(…) -> int"
        );
        assert_eq!(
            short("public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) throws X", "create"),
            "public <T> TypeAdapter<T> create(…) throws X"
        );
        assert_eq!(short("fn open(path: &str)", "open"), "fn open(path: &str)");
        assert_eq!(
            short("fn unclosed(first: &str, second: &str, third: &str, fourth", "unclosed"),
            "fn unclosed(first: &str, second: &str, third: &str, fourth"
        );
    }
}
