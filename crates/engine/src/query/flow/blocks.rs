//! The blocks of a text by indentation, which formatted code of all languages has: the lines that
//! open the blocks around a line, and the condition under which a line is reached.

/// Lines of the head of a block, or of a call, that are joined at most.
const MAX_HEAD_LINES: u32 = 6;
/// Bytes of a condition that are kept.
const MAX_CONDITION: usize = 100;

/// Words that begin the head of a block which is not always run.
const CONDITIONAL: [&str; 19] = [
    "if", "unless", "guard", "while", "until", "for", "foreach", "loop", "match", "switch", "select", "cond", "catch",
    "except", "rescue", "else", "elif", "elsif", "elseif",
];
/// Conditions that are the value of a statement.
const CONDITIONAL_VALUES: [&str; 6] = ["= if ", "= match ", "=> if ", "=> match ", "return if ", "return match "];
/// Words that begin another part of a block which was begun further up.
const OTHER_PART: [&str; 9] = ["else", "elif", "elsif", "elseif", "except", "rescue", "catch", "finally", "ensure"];
/// Words of the head of a choice among several arms.
const CHOICES: [&str; 6] = ["match", "switch", "select", "when", "case", "cond"];

/// The condition under which a line is reached: the head of the innermost block around it that is
/// not always run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The line of the head.
    pub line: u32,
    /// The head on one line, without what opens the block.
    pub text: String,
}

/// The lines of a text, numbered from 1.
pub(super) struct Blocks<'t> {
    lines: Vec<&'t str>,
}

impl<'t> Blocks<'t> {
    pub(super) fn new(text: &'t str) -> Blocks<'t> {
        Blocks { lines: text.lines().collect() }
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// Returns a line; an empty one where there is none.
    pub(super) fn line(&self, number: u32) -> &'t str {
        (number as usize).checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or("")
    }

    /// Returns the last line of the statement or head that begins on a line: where its brackets are
    /// closed again.
    pub(super) fn end_of_head(&self, first: u32, last: u32) -> u32 {
        let mut open = 0;
        for number in first..=last.min(first.saturating_add(MAX_HEAD_LINES)) {
            open += open_brackets(self.line(number));
            if open <= 0 {
                return number;
            }
        }
        first
    }

    /// Returns the lines that open the blocks around a line, innermost first, with the heads of
    /// other branches of their conditions. Those above `first` are not looked at.
    pub(super) fn openers(&self, line: u32, first: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = line;
        let Some(mut depth) = self.depth(line).or_else(|| self.depth(line.saturating_sub(1))) else { return found };
        while at > first {
            at -= 1;
            let Some(indent) = self.depth(at).filter(|indent| *indent < depth) else { continue };
            depth = indent;
            if is_end_of_statement(self.line(at).trim()) {
                continue;
            }
            found.push(at);
            self.add_heads(at, first, &mut found);
        }
        found
    }

    /// Adds the heads above a line that only goes on with what they begin: the `if` of an `else`,
    /// the `switch` of a `case`, the statement that a bracket on a line of its own belongs to.
    fn add_heads(&self, opener: u32, first: u32, found: &mut Vec<u32>) {
        let Some(depth) = self.depth(opener) else { return };
        let mut part = BlockPart::of(self.line(opener).trim());
        let mut at = opener;
        while part != BlockPart::Head && at > first {
            at -= 1;
            let Some(indent) = self.depth(at) else { continue };
            if indent < depth {
                return;
            }
            let next = BlockPart::of(self.line(at).trim());
            if indent > depth || next == BlockPart::Bracket || part == BlockPart::Arm && next == BlockPart::Arm {
                continue;
            }
            // A statement before a choice whose arms are not indented is not its head.
            if part == BlockPart::Arm && !has_word(self.line(at), &CHOICES) {
                return;
            }
            found.push(at);
            part = next;
        }
    }

    /// Returns the condition under which what stands at a place is reached, in the lines from
    /// `first` on.
    pub(super) fn condition(&self, line: u32, column: u32, first: u32) -> Option<Condition> {
        let rest = self.line(line).get((column as usize).saturating_sub(1)..).unwrap_or("");
        if let Some(text) = postfix_condition(rest) {
            return Some(Condition { line, text: shortened(text) });
        }
        let openers = self.openers(line, first);
        let own = self.line(line).trim();
        if let Some(head) = openers.first()
            && let Some(pattern) = arm_pattern(own)
            && has_word(self.line(*head), &CHOICES)
        {
            return Some(Condition { line, text: shortened(&format!("{pattern} of {}", self.head_text(*head))) });
        }
        for (at, opener) in openers.iter().copied().enumerate() {
            // What stands in the head itself, such as the condition, does not depend on it.
            if self.end_of_head(opener, self.count()) >= line {
                continue;
            }
            let head = condition_in(strip_closers(self.line(opener).trim()));
            let outer = openers.get(at + 1).copied();
            let arm = outer.filter(|outer| has_word(self.line(*outer), &CHOICES));
            let is_arm = BlockPart::of(head) == BlockPart::Arm || arm_pattern(head).is_some() && arm.is_some();
            let text = match outer.filter(|_| is_arm || first_word(head) == "else" && is_bare(head)) {
                Some(outer) if is_arm => format!("{} of {}", arm_pattern(head).unwrap_or(head), self.head_text(outer)),
                Some(outer) => format!("else of {}", self.head_text(outer)),
                None if CONDITIONAL.contains(&first_word(head)) => self.head_text(opener),
                None => continue,
            };
            return Some(Condition { line: opener, text: shortened(&text) });
        }
        None
    }

    /// Returns the head of a block on one line.
    fn head_text(&self, opener: u32) -> String {
        let end = self.end_of_head(opener, self.count());
        let lines = (opener..=end).map(|number| self.line(number).trim()).collect::<Vec<_>>().join(" ");
        let mut text = condition_in(strip_closers(&lines));
        for end in ["{", "=>", "->", ":", " then", " do"] {
            text = text.strip_suffix(end).unwrap_or(text).trim_end();
        }
        text.to_string()
    }

    /// Returns how far a line is indented; `None` for lines that tell nothing about blocks: empty
    /// ones, comments, labels, and lines of a preprocessor.
    fn depth(&self, number: u32) -> Option<usize> {
        let line = self.line(number);
        let text = line.trim();
        let is_comment = ["//", "/*", "* ", "*/", "#", "\"\"\"", "'''"].iter().any(|mark| text.starts_with(mark));
        let label = text
            .strip_suffix(':')
            .filter(|label| label.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()));
        let is_label = label.is_some_and(|label| !["else", "try", "finally", "except", "default"].contains(&label));
        if text.is_empty() || is_comment || is_label {
            return None;
        }
        let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        Some(blanks.fold(0, |depth, blank| if blank == b'\t' { (depth / 8 + 1) * 8 } else { depth + 1 }))
    }
}

/// The part of a block that a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockPart {
    /// All of it.
    Head,
    /// Another branch or part of it.
    Other,
    /// One arm of a choice.
    Arm,
    /// Nothing but a bracket, or the end of a head on several lines.
    Bracket,
}

impl BlockPart {
    fn of(line: &str) -> BlockPart {
        let text = strip_closers(line);
        let word = first_word(text);
        let is_arm = match word {
            "case" => text.ends_with(':') || text.contains(": ") || text.contains("=>") || text.contains("->"),
            "default" => text.ends_with(':') || text.contains(": ") || text.contains("=>") || text.contains("->"),
            "when" => !text.ends_with('{'),
            _ => false,
        };
        match word {
            _ if is_arm => BlockPart::Arm,
            word if OTHER_PART.contains(&word) => BlockPart::Other,
            _ if text.is_empty() || text.starts_with(['{', '(', '[']) => BlockPart::Bracket,
            _ if text.len() < line.len() => BlockPart::Bracket,
            _ => BlockPart::Head,
        }
    }
}

/// Returns whether a line ends a statement that began further up, so that what is indented below it
/// is not inside of it.
fn is_end_of_statement(line: &str) -> bool {
    let rest = strip_closers(line);
    rest.len() < line.len()
        && BlockPart::of(line) == BlockPart::Bracket
        && !line.ends_with(['{', '(', '[', ':', '|', '>'])
}

/// Returns a line without the brackets that it closes at its beginning.
fn strip_closers(line: &str) -> &str {
    line.trim_start_matches([')', ']', '}', ';', ',', ' '])
}

/// Returns the word that a line begins with, empty if it begins with none.
fn first_word(line: &str) -> &str {
    let end = line.bytes().position(|byte| byte != b'_' && !byte.is_ascii_alphanumeric());
    &line[..end.unwrap_or(line.len())]
}

/// Returns whether a line is only its first word, and what opens a block.
fn is_bare(line: &str) -> bool {
    line[first_word(line).len()..].trim_start_matches([':', '{', ' ']).is_empty()
}

fn has_word(line: &str, words: &[&str]) -> bool {
    line.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| words.contains(&word))
}

/// Returns what stands before the arrow or colon of an arm.
fn arm_pattern(line: &str) -> Option<&str> {
    let is_arm = matches!(first_word(line), "case" | "default" | "when");
    let end = line.find("=>").or_else(|| line.find("->"));
    let of_arm = || Some(line.find(": ").unwrap_or(line.strip_suffix(':').unwrap_or(line).len())).filter(|_| is_arm);
    let end = end.or_else(of_arm)?;
    let pattern = line[..end].trim_end();
    // A function without a name has an arrow, too.
    let is_pattern = !pattern.is_empty() && open_brackets(pattern) == 0 && !pattern.contains(" = ");
    is_pattern.then_some(pattern)
}

/// Returns the condition that a statement has as its value, or the whole line.
fn condition_in(line: &str) -> &str {
    let value = |word: &&'static str| line.find(*word).map(|at| line[at..].trim_start_matches(['=', '>', ' ']));
    let value = CONDITIONAL_VALUES.iter().find_map(value);
    value.map_or(line, |value| value.strip_prefix("return ").unwrap_or(value))
}

/// Returns the condition that stands behind a statement on its line.
fn postfix_condition(rest: &str) -> Option<&str> {
    let code = rest.split("//").next().unwrap_or(rest);
    let at = [" if ", " unless "].into_iter().filter_map(|word| code.find(word)).min()?;
    let is_quoted = code[..at].contains(['"', '\'', '#', '`']);
    Some(code[at..].trim().trim_end_matches([';', ']'])).filter(|_| !is_quoted)
}

/// Returns the number of round and square brackets that a line opens, less those that it closes.
/// Those in quotes do not count.
fn open_brackets(line: &str) -> i32 {
    let bytes = line.as_bytes();
    let (mut open, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1..).unwrap_or_default()) {
            (b'(' | b'[', _) => open += 1,
            (b')' | b']', _) => open -= 1,
            (b'"', rest) => at += end_of_quote(rest).map_or(0, |end| end + 1),
            (b'\'', [b'\\', _, b'\'', ..]) => at += 3,
            (b'\'', [_, b'\'', ..]) => at += 2,
            _ => {}
        }
        at += 1;
    }
    open
}

/// Returns the place of the quote that ends a text; none if it goes on on the next line.
fn end_of_quote(rest: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    rest.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })
}

fn shortened(text: &str) -> String {
    if text.len() <= MAX_CONDITION {
        return text.to_string();
    }
    format!("{}…", text[..text.floor_char_boundary(MAX_CONDITION)].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the condition of the line that has `here(`.
    fn condition(text: &str) -> Option<String> {
        let at = text.lines().position(|line| line.contains("here(")).unwrap();
        let column = text.lines().nth(at).unwrap().find("here(").unwrap() + 1;
        Blocks::new(text).condition(at as u32 + 1, column as u32, 1).map(|it| format!("{}: {}", it.line, it.text))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(condition(text).as_deref().unwrap_or("none"), expected, "{text}");
    }

    #[test]
    fn conditions_in_languages_with_indentation() {
        check("def f():\n    here()\n", "none");
        check("def f():\n    if a:\n        with b:\n            here()\n", "2: if a");
        check("def f():\n    if (a and\n            b):\n        here()\n", "2: if (a and b)");
        check("def f():\n    if (a and\n            here()):\n        b()\n", "none");
        check("def f():\n    if a:\n        b()\n    # why\n    else:\n        here()\n", "5: else of if a");
        check("def f():\n    try:\n        a()\n    except E as e:\n        here()\n", "4: except E as e");
        check("def f():\n    if a:\n        return\n    here()\n", "none");
        check("def f():\n    match a:\n        case 1:\n            here()\n", "3: case 1 of match a");
        check("def f():\n    x = here() if a else b\n", "2: if a else b");
        check("def f\n  here(1) unless a\nend\n", "2: unless a");
        check("def f\n  case a\n  when B::C\n    here()\n  end\nend\n", "3: when B::C of case a");
    }

    #[test]
    fn conditions_in_languages_with_braces() {
        check("fn f() {\n    if a {\n        b();\n    }\n    here();\n}\n", "none");
        check("void f()\n{\n    if (a)\n    {\n        here();\n    }\n}\n", "3: if (a)");
        check(
            "void f()\n{\n    if (a)\n    {\n        b();\n    }\n    else\n    {\n        here();\n    }\n}\n",
            "7: else of if (a)",
        );
        check("f() {\n  if (a) {\n    b()\n  } else if (c) {\n    here()\n  }\n}\n", "4: else if (c)");
        check("f() {\n  if (\n    a\n  ) {\n    here()\n  }\n}\n", "2: if ( a )");
        check("f() {\n  if (a &&\n      here() &&\n      c) {\n    b()\n  }\n}\n", "none");
        check("f() {\n  try {\n    b()\n  } catch (e) {\n    here()\n  }\n}\n", "4: catch (e)");
        check("f() {\n  a.map(x => {\n    here(x)\n  })\n}\n", "none");
        check("fn f() {\n    match a {\n        Some(b) => here(b),\n    }\n}\n", "3: Some(b) of match a");
        check(
            "fn f() {\n    let c = match a {\n        Some(b) => {\n            here(b)\n        }\n    };\n}\n",
            "3: Some(b) of match a",
        );
        check("func f() {\n\tswitch a {\n\tcase 1:\n\t\there()\n\t}\n}\n", "3: case 1 of switch a");
        check("f() {\n  switch (a) {\n    case ')':\n      here();\n  }\n}\n", "3: case ')' of switch (a)");
        check("int f() {\n#ifdef X\n    for (;;) {\nout:\n        here();\n    }\n}\n", "3: for (;;)");
    }
}
