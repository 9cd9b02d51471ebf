//! GraphQL schemas: the fields of the types that questions start at.

/// Fields of one schema that are read.
const MAX_FIELDS: usize = 20_000;

/// Blocks that name the root types, of one schema, that are read.
const MAX_SCHEMAS: usize = 8;

/// A field of a root type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaField {
    /// The root: `Query`, `Mutation` or `Subscription`.
    pub root: &'static str,
    /// The name of the type that is the root, and the line of the block.
    pub owner: (String, u32),
    /// Its name.
    pub name: String,
    /// The line.
    pub line: u32,
    /// Its arguments as written, on one line.
    pub arguments: String,
    /// Its type as written.
    pub result: String,
}

/// The roots of a schema: the word in `schema { … }`, and the usual name of the type.
const ROOTS: [(&str, &str); 3] = [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")];

/// A token: a name or a sign, and its line.
#[derive(Clone, Copy)]
struct SchemaToken<'a> {
    text: &'a str,
    line: u32,
}

/// Returns the fields of the root types of a schema, in source order. Anything else is skipped, and
/// broken texts give what can be read of them.
pub fn schema_fields(text: &str) -> Vec<SchemaField> {
    let tokens = tokens(text);
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.text == word);
    let roots = root_names(&tokens);
    let mut fields = Vec::new();
    let mut at = 0;
    while at < tokens.len() && fields.len() < MAX_FIELDS {
        if !is(at, "type") {
            at += 1;
            continue;
        }
        let Some(name) = tokens.get(at + 1) else { break };
        let root = roots.iter().find(|(_, owner)| owner == name.text);
        let mut open = at + 2;
        // Directives and interfaces stand before the block.
        while open < tokens.len() && !is(open, "{") && !is(open, "type") {
            open += 1;
        }
        if !is(open, "{") {
            at = open;
            continue;
        }
        let end = closing(&tokens, open);
        if let Some((root, _)) = root {
            read_fields(&tokens[open + 1..end], root, *name, &mut fields);
        }
        at = end.max(at + 1);
    }
    fields
}

/// Returns the roots with the names of their types.
fn root_names(tokens: &[SchemaToken<'_>]) -> Vec<(&'static str, String)> {
    let mut roots: Vec<(&'static str, String)> = ROOTS.iter().map(|(_, name)| (*name, name.to_string())).collect();
    let is_block = |at: &usize| tokens[*at].text == "schema" && tokens[*at + 1].text == "{";
    for at in (0..tokens.len().saturating_sub(1)).filter(is_block).take(MAX_SCHEMAS) {
        for three in tokens[at + 2..closing(tokens, at + 1)].windows(3) {
            let root = ROOTS.iter().find(|(word, _)| *word == three[0].text && three[1].text == ":");
            if let Some((_, name)) = root {
                roots.retain(|(known, _)| known != name);
                roots.push((name, three[2].text.to_string()));
            }
        }
    }
    roots
}

/// Returns the place of the bracket that closes one.
fn closing(tokens: &[SchemaToken<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

fn read_fields(tokens: &[SchemaToken<'_>], root: &'static str, owner: SchemaToken<'_>, fields: &mut Vec<SchemaField>) {
    let joined = |tokens: &[SchemaToken<'_>]| {
        let mut text = String::new();
        for token in tokens {
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let needs_space =
                text.ends_with(|c: char| is_word(c) || c == ']' || c == '!') && token.text.starts_with(is_word);
            if needs_space || text.ends_with(':') {
                text.push(' ');
            }
            text.push_str(token.text);
        }
        text
    };
    let mut at = 0;
    while at < tokens.len() && fields.len() < MAX_FIELDS {
        let name = tokens[at];
        let is_name = name.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let mut next = at + 1;
        let mut arguments = String::new();
        if is_name && tokens.get(next).is_some_and(|token| token.text == "(") {
            let end = closing(tokens, next);
            if end == tokens.len() {
                return;
            }
            arguments = joined(&tokens[(next + 1).min(end)..end]);
            next = end + 1;
        }
        if !is_name || tokens.get(next).is_none_or(|token| token.text != ":") {
            at = next;
            continue;
        }
        let start = next + 1;
        let mut end = match tokens.get(start).map(|token| token.text) {
            Some("[") => closing(tokens, start) + 1,
            _ => start + 1,
        };
        while tokens.get(end).is_some_and(|token| token.text == "!") {
            end += 1;
        }
        let result = joined(tokens.get(start..end.min(tokens.len())).unwrap_or(&[]));
        let owner = (owner.text.to_string(), owner.line);
        fields.push(SchemaField { root, owner, name: name.text.to_string(), line: name.line, arguments, result });
        at = end;
        // Directives follow.
        while tokens.get(at).is_some_and(|token| token.text == "@") {
            at += 2;
            if tokens.get(at).is_some_and(|token| token.text == "(") {
                at = closing(tokens, at) + 1;
            }
        }
    }
}

/// Cuts a text into names and signs; comments, descriptions and values in quotes are left out.
fn tokens(text: &str) -> Vec<SchemaToken<'_>> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    let lines = |part: &str| part.bytes().filter(|byte| *byte == b'\n').count() as u32;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => {
                line += 1;
                at += 1;
            }
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'"' => {
                let mark = if text[at..].starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
                let inside = &text[at + mark.len()..];
                let length = inside.find(mark).unwrap_or(inside.len());
                let whole = (2 * mark.len() + length).min(text.len() - at);
                line += lines(&text[at..at + whole]);
                at += whole;
            }
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let end = text[at..]
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .map_or(text.len(), |end| at + end);
                found.push(SchemaToken { text: &text[at..end], line });
                at = end;
            }
            byte if byte.is_ascii_punctuation() => {
                found.push(SchemaToken { text: &text[at..at + 1], line });
                at += 1;
            }
            _ => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let field =
            |one: SchemaField| format!("{} {}({}): {} @{}", one.owner.0, one.name, one.arguments, one.result, one.line);
        schema_fields(text).into_iter().map(field).collect()
    }

    #[test]
    fn fields_of_root_types() {
        let text = "\"\"\"All that\ncan be read.\"\"\"\ntype Query @shared {\n  # people\n  users(first: Int = 10, after: [String!]!): [User!]! @auth(role: ADMIN)\n  \"one\" me: User\n}\ntype User { id: ID! query: Query }\nextend type Mutation {\n  addUser(input: AddUser!): User\n}\n";
        assert_eq!(
            shown(text),
            [
                "Query users(first: Int=10, after: [String!]!): [User!]! @5",
                "Query me(): User @6",
                "Mutation addUser(input: AddUser!): User @10"
            ]
            .map(|line| line.replace(", after", ",after"))
        );
    }

    #[test]
    fn roots_with_other_names() {
        let text = "schema { query: RootQuery }\ntype RootQuery { a: Int }\ntype Query { b: Int }\n";
        assert_eq!(shown(text), ["RootQuery a(): Int @2"]);
    }

    #[test]
    fn broken_texts_give_what_can_be_read() {
        for text in [
            "type Query {",
            "type Query { a(: }",
            "type",
            "\"\"\"",
            "type Query { a: }",
            "{ user { name } }",
            "é type Query { x: é }",
        ] {
            let _ = shown(text);
        }
        assert_eq!(shown("type Query { a: Int b(x"), ["Query a(): Int @1"]);
        for part in ["type Query { a(", "schema {", "a(", "{", "type Query { a: [", "@a("] {
            let _ = shown(&part.repeat(50_000));
        }
    }
}
