//! The marked block in an agent's instructions: which tool answers which question. Everything
//! outside the marks belongs to the user.

use super::{Problem, newline};

const START: &str = "<!-- codecompass:start -->";
const END: &str = "<!-- codecompass:end -->";

const TEXT: &str = "\
## CodeCompass

Questions about this code are answered by the MCP server `codecompass`, from an index that follows every edit and branch.
Ask it before you search with grep or read whole files:

- Code for a task or a question in words: `get_code_context` (give it a token budget) or `search_code`.
- Where a name is defined, and its source: `locate_symbol`, `get_symbol`.
- What is in a file: `get_file_outline`; lines of files and definitions: `read_file`.
- Who uses or calls a symbol, and what it calls: `find_references`, `get_call_graph`, `trace_path`.
- What a change may affect, before you make it: `analyze_impact`.
- What this branch changed, in symbols: `diff_context`.
- Several of these questions in one call: `ask_many`.

Answers name `path:line` and say how sure they are. For plain text that no symbol carries, grep is fine.
";

/// The block as it is written, without a final line end.
pub(super) fn written(newline: &str) -> String {
    format!("{START}\n{TEXT}{END}").replace('\n', newline)
}

/// The block in `text`, marks included.
pub(super) fn find(text: &str) -> Result<Option<&str>, Problem> {
    let line =
        |at: usize| format!("`{}` without its other half", if text[at..].starts_with(START) { START } else { END });
    match (text.find(START), text.find(END)) {
        (None, None) => Ok(None),
        (Some(start), Some(end)) if start < end && text.matches(START).count() + text.matches(END).count() == 2 => {
            Ok(Some(&text[start..end + END.len()]))
        }
        (Some(start), Some(_)) => {
            Err(Problem::at(text, start, "the marks of the block stand more than once, or swapped"))
        }
        (Some(at), None) | (None, Some(at)) => Err(Problem::at(text, at, line(at))),
    }
}

/// `text` with the block at its end, or anew where it is.
pub(super) fn put(text: &str, preamble: &str) -> Result<String, Problem> {
    let newline = newline(text);
    let block = written(newline);
    if let Some(there) = find(text)? {
        return Ok(text.replacen(there, &block, 1));
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let preamble = if text.is_empty() { preamble } else { "" };
    Ok(format!("{text}{gap}{preamble}{block}{newline}"))
}

/// `text` without the block and the empty line before it.
pub(super) fn remove(text: &str) -> Result<String, Problem> {
    let Some(block) = find(text)? else { return Ok(text.to_string()) };
    let (before, after) = text.split_once(block).unwrap_or((text, ""));
    let newline = newline(text);
    let after = after.strip_prefix(newline).unwrap_or(after);
    let ends_paragraph = before.ends_with(&newline.repeat(2)) && (after.is_empty() || after.starts_with(newline));
    let before = if ends_paragraph { before.strip_suffix(newline).unwrap_or(before) } else { before };
    Ok(format!("{before}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_comes_and_goes() {
        for text in ["# Rules\n", "# Rules\r\n\r\nMore.\r\n", "Häuser\n\n"] {
            let with = put(text, "").unwrap();
            assert_eq!(find(&with).unwrap(), Some(written(newline(text)).as_str()));
            assert_eq!(put(&with, "").unwrap(), with);
            assert_eq!(remove(&with).unwrap(), text);
        }
        assert_eq!(remove(&put("no line end", "").unwrap()).unwrap(), "no line end\n");
        assert_eq!(remove(&put("", "---\na: b\n---\n").unwrap()).unwrap(), "---\na: b\n---\n");
    }

    #[test]
    fn old_block_is_replaced_in_place() {
        let text = format!("before\n\n{START}\nold\n{END}\nafter\n");
        let with = put(&text, "").unwrap();
        assert_eq!(with, format!("before\n\n{}\nafter\n", written("\n")));
        assert_eq!(remove(&with).unwrap(), "before\n\nafter\n");
    }

    #[test]
    fn broken_marks_are_refused() {
        assert_eq!(put(&format!("a\n{START}\n"), "").unwrap_err().line, Some(2));
        assert!(put(&format!("{END}\n"), "").is_err());
        assert!(remove(&format!("{END}{START}")).is_err());
        assert!(remove(&format!("{START}{END}{START}{END}")).is_err());
    }
}
