//! Conditional compilation (`#if` … `#else` … `#endif`) hidden from a grammar that it confuses.
//!
//! Grammars know the directives around whole declarations or statements, but programmers put them anywhere: around a
//! `case`, in a list of base types, between `else` and its block. Then the lines of the directives are blanked, and of
//! the branches that leave a bracket open or close one too many only the first stays. Every byte keeps its place.

/// `text` without the lines of conditional compilation; `None` when it has none.
pub(crate) fn hidden(text: &str) -> Option<String> {
    let mut groups = Groups::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        groups.line(line, start);
        start += line.len();
    }
    if groups.blank.is_empty() {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in groups.blank {
        for byte in &mut bytes[range] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Deeper nesting is left to the grammar.
const MAX_DEPTH: usize = 64;

#[derive(Default)]
struct Groups {
    open: Vec<Group>,
    blank: Vec<std::ops::Range<usize>>,
}

/// The lines between `#if` and `#endif`.
#[derive(Default)]
struct Group {
    /// The starts of the branches after the first.
    branches: Vec<usize>,
    /// The number of brackets that the current branch has left open.
    balance: i32,
    /// Some branch was not balanced.
    is_torn: bool,
}

impl Groups {
    fn line(&mut self, line: &str, start: usize) {
        let word = line.trim_start().strip_prefix('#').map(|rest| {
            let rest = rest.trim_start();
            &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())]
        });
        match word {
            Some("if" | "ifdef" | "ifndef") if self.open.len() < MAX_DEPTH => self.open.push(Group::default()),
            Some("else" | "elif" | "elseif") => {
                let Some(group) = self.open.last_mut() else { return };
                group.close_branch();
                group.branches.push(start);
            }
            Some("endif") => {
                let Some(mut group) = self.open.pop() else { return };
                let last = group.balance;
                group.close_branch();
                match group.branches.first() {
                    Some(second) if group.is_torn => self.blank.push(*second..start),
                    _ => {
                        // What a lone branch opens stays open in the branch around it.
                        if let (true, Some(outer)) = (group.branches.is_empty(), self.open.last_mut()) {
                            outer.balance += last;
                        }
                    }
                }
            }
            _ => {
                if let Some(group) = self.open.last_mut() {
                    group.balance += balance(line);
                }
                return;
            }
        }
        self.blank.push(start..start + line.len());
    }
}

impl Group {
    fn close_branch(&mut self) {
        self.is_torn |= self.balance != 0;
        self.balance = 0;
    }
}

/// Counts how many more brackets a line opens than it closes, those in strings and after `//` aside.
fn balance(line: &str) -> i32 {
    let mut balance = 0;
    let mut in_string = false;
    let mut before = ' ';
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        // `'('` is a character; in `foldl')` the mark belongs to the name.
        let is_literal = before == '\'' && chars.peek() == Some(&'\'');
        match c {
            '"' if before != '\\' && before != '\'' => in_string = !in_string,
            _ if in_string => {}
            '/' if before == '/' => break,
            '{' | '(' | '[' if !is_literal => balance += 1,
            '}' | ')' | ']' if !is_literal => balance -= 1,
            _ => {}
        }
        before = c;
    }
    balance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_blanked_in_place() {
        let text = "a\n#if é\nb\n # endif\nc\n";
        let hidden = hidden(text).unwrap();
        assert_eq!(hidden, "a\n      \nb\n        \nc\n");
        assert_eq!(hidden.len(), text.len());
        assert_eq!(super::hidden("#region x\n"), None);
    }

    #[test]
    fn of_torn_branches_the_first_stays() {
        let words = |text: &str| hidden(text).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words("#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n"), "if (a) { }");
        assert_eq!(words("#if A\nf();\n#elif B\ng();\n#else\nh();\n#endif\n"), "f(); g(); h();");
        assert_eq!(words("#if A\na')\n#else\nb')\n#endif\n"), "a')");
        assert_eq!(words("#if A\nf('(')\n#else\ng(x')\n#endif\n"), "f('(') g(x')");
        assert_eq!(words("#if A\n#if B\nf();\n#endif\n#else\nh(\"{\"); // {\n#endif\n"), "f(); h(\"{\"); // {");
    }
}
