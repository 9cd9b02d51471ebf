//! What a declaration says of its parameters, read from its one-line signature by rules that hold in most languages.

use codecompass_syntax::facts::Definition;

use crate::tokenize;

/// How many parameters a definition takes, its own instance not counted.
pub(crate) fn parameter_count(definition: &Definition) -> usize {
    parameters(definition).len()
}

/// The parameters of a definition as written, without the one that is its own instance.
pub(crate) fn parameters(definition: &Definition) -> Vec<&str> {
    let inside = inside_parentheses(&definition.signature, &definition.name).unwrap_or("");
    let parts = split_at_commas(inside).into_iter().map(str::trim);
    parts.filter(|part| !part.is_empty() && !is_instance(part) && !matches!(*part, "/" | "*" | "void")).collect()
}

/// Whether a parameter is the instance that a method is called on.
pub(crate) fn is_instance(parameter: &str) -> bool {
    let plain = parameter.trim_start_matches(['&', '*', ' ']);
    // `&'a mut self`
    let plain = if plain.starts_with('\'') { plain.split_once(' ').map_or(plain, |(_, rest)| rest) } else { plain };
    let plain = plain.strip_prefix("mut ").unwrap_or(plain);
    matches!(plain.split([':', ' ']).next(), Some("self" | "cls" | "this"))
}

/// The words of a signature other than the name it declares: parameters, their types, the result.
pub(crate) fn words_beside_name(definition: &Definition) -> Vec<String> {
    let mut words: Vec<String> = tokenize::words(&definition.signature)
        .filter(|word| *word != definition.name && word.len() > 1)
        .map(str::to_string)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// What stands between the parentheses behind the name.
fn inside_parentheses<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    let after = signature.match_indices(name).find_map(|(at, _)| {
        let rest = &signature[at + name.len()..];
        let is_whole = !rest.starts_with(tokenize::is_word_char);
        let rest = behind_type_parameters(rest);
        let opens = rest.find('(')?;
        // Between name and parameters there is at most the arrow function that a value is.
        let between = rest[..opens].trim();
        let fits = between.is_empty() || between.starts_with(['=', ':']);
        (is_whole && fits).then_some(&rest[opens..])
    })?;
    let mut depth = 0usize;
    for (at, c) in after.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(&after[1..at]);
                }
            }
            _ => {}
        }
    }
    after.get(1..)
}

/// What follows type parameters in angle or square brackets, if there are any.
pub(crate) fn behind_type_parameters(text: &str) -> &str {
    if !text.starts_with(['<', '[']) {
        return text;
    }
    let (mut depth, mut previous) = (0usize, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' if matches!(previous, '=' | '-') => {}
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &text[at + c.len_utf8()..];
        }
        previous = c;
    }
    ""
}

/// Splits at commas that stand in no bracket.
fn split_at_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut previous) = (0usize, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if matches!(previous, '=' | '-') => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn parameters_in_many_notations() {
        for (name, signature, expected) in [
            ("total", "def total(self, lines: list[int], *, tax=0)", "lines: list[int]|tax=0"),
            ("find", "fn find<'a, T: Fn(u8) -> u8>(&'a self, number: u64) -> Option<&Order>", "number: u64"),
            ("Listen", "func (s *Server) Listen(a, b int, f func(x, y int)) error", "a|b int|f func(x, y int)"),
            ("get", "public <T> Map<K, V> get(Map<K, V> map, int... rest)", "Map<K, V> map|int... rest"),
            ("run", "const run = async (a: Map<string, () => void>, b?: B) => {", "a: Map<string, () => void>|b?: B"),
            ("main", "int main(void)", ""),
            ("MAX", "const MAX: u32 = 3", ""),
            ("open", "fn open(", ""),
        ] {
            let inside = inside_parentheses(signature, name).unwrap_or("");
            let definition = definition(name, signature);
            assert_eq!(parameters(&definition).join("|"), expected, "{signature}: {inside}");
        }
    }

    /// A function with this signature and nothing else.
    pub(crate) fn definition(name: &str, signature: &str) -> Definition {
        use codecompass_syntax::facts::*;
        Definition {
            name: name.into(),
            qualified_name: name.into(),
            kind: Kind::Function,
            signature: signature.into(),
            doc: None,
            visibility: Visibility::Public,
            modifiers: Modifiers::default(),
            decorators: Vec::new(),
            parent: None,
            span: Span::default(),
            outer_start_line: 1,
            outer_start_byte: 0,
            name_line: 1,
            name_column: 1,
            body_hash: 0,
            role: SymbolRole::Plain,
            declared_type: None,
            value: None,
            value_root: None,
        }
    }
}
