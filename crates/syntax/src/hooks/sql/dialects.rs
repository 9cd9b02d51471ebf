//! Overwrites what the grammar does not know of the dialects, so that it can read the rest.

use super::tokens::{Token, TokenKind, group};
use super::{HEAD_WORDS, Splitter};

/// Words between `CREATE` and what is created that the grammar knows.
const KNOWN: [&str; 10] =
    ["or", "replace", "temp", "temporary", "unlogged", "unique", "materialized", "external", "constraint", "recursive"];

/// Kinds of things that are created.
const CREATED: [&str; 17] = [
    "package",
    "table",
    "view",
    "index",
    "function",
    "procedure",
    "proc",
    "trigger",
    "type",
    "domain",
    "aggregate",
    "schema",
    "database",
    "sequence",
    "extension",
    "role",
    "user",
];

/// Things that have no definition of their own here, and whose statements name other kinds of things.
const OTHERS: [&str; 12] = [
    "operator",
    "cast",
    "text",
    "policy",
    "rule",
    "publication",
    "subscription",
    "server",
    "collation",
    "access",
    "statistics",
    "transform",
];

/// Column types that the grammar reads with a size.
const TYPES_WITH_SIZE: [&str; 20] = [
    "bit",
    "binary",
    "varbinary",
    "tinyint",
    "smallint",
    "mediumint",
    "int",
    "integer",
    "bigint",
    "decimal",
    "numeric",
    "float",
    "char",
    "character",
    "varchar",
    "nchar",
    "nvarchar",
    "time",
    "timestamp",
    "enum",
];

/// Column types; a column may be called as a constraint begins.
const TYPES: [&str; 12] =
    ["text", "varchar", "char", "int", "integer", "bigint", "smallint", "boolean", "bytea", "uuid", "json", "jsonb"];

/// First words of constraints.
const CONSTRAINTS: [&str; 9] = ["primary", "foreign", "unique", "key", "index", "check", "exclude", "like", "period"];

impl Splitter<'_> {
    /// Blanks what the grammar does not know between `CREATE` and what is created, and calls that by a word it knows.
    /// Returns the place of the latter.
    pub(super) fn plain_head(&mut self, tokens: &[Token]) -> Option<usize> {
        let is_created = |token: &Token| CREATED.iter().any(|word| self.is(token, word));
        let is_other =
            |token: &&Token| token.kind == TokenKind::Mark(b'(') || OTHERS.iter().any(|word| self.is(token, word));
        let place = tokens.iter().take(2 * HEAD_WORDS).take_while(|token| !is_other(token)).position(is_created)?;
        // `CREATE OR ALTER`
        let altered = tokens[..place].windows(2).any(|pair| self.is(&pair[0], "or") && !self.is(&pair[1], "replace"));
        for token in &tokens[1..place] {
            if !KNOWN.iter().any(|word| self.is(token, word)) || (altered && self.is(token, "or")) {
                self.put(token.start..token.end, b"");
            }
        }
        let created = tokens[place];
        if self.is(&created, "package") {
            self.put(tokens[0].end..created.start, b"");
            if let Some(body) = tokens.get(place + 1).filter(|token| self.is(token, "body")) {
                self.put(body.start..body.end, b"");
            }
            self.put(created.start..created.end, b"SCHEMA");
        } else if self.is(&created, "procedure") || self.is(&created, "aggregate") {
            self.put(created.start..created.end, b"FUNCTION");
        } else if self.is(&created, "proc") || self.is(&created, "domain") {
            self.put(created.start..created.end, b"TYPE");
        } else if self.is(&created, "view") {
            // `WITH (security_barrier) AS`
            let find = |word: &str| tokens.iter().position(|token| self.is(token, word));
            if let (Some(with), Some(body)) = (find("with"), find("as"))
                && with < body
            {
                self.put(tokens[with].start..tokens[body - 1].end, b"");
            }
        }
        Some(place)
    }

    /// Blanks what the grammar does not know in the columns of a table.
    pub(super) fn plain_columns(&mut self, tokens: &[Token]) {
        let Some(open) = tokens.iter().position(|token| token.kind == TokenKind::Mark(b'(')) else { return };
        let mut nesting = 0usize;
        let mut first = open + 1;
        for (index, token) in tokens.iter().enumerate().skip(open + 1) {
            match token.kind {
                TokenKind::Mark(b'(') => nesting += 1,
                TokenKind::Mark(b')') if nesting > 0 => nesting -= 1,
                TokenKind::Mark(b')' | b',') if nesting == 0 => {
                    self.plain_column(&tokens[first..index]);
                    first = index + 1;
                    if token.kind == TokenKind::Mark(b')') {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn plain_column(&mut self, column: &[Token]) {
        let text = self.text;
        let word_of = |token: &Token| &text[token.start..token.end];
        let any = |token: &Token, words: &[&str]| {
            token.kind == TokenKind::Word && words.iter().any(|word| word_of(token).eq_ignore_ascii_case(word))
        };
        let [name, kind, rest @ ..] = column else { return };
        let (name, kind) = (*name, *kind);
        if any(&name, &["key", "index"]) && any(&kind, &TYPES) {
            self.put(name.start..name.end, b"_____");
        } else if any(&name, &["fulltext", "spatial"]) {
            self.put(name.start..name.end, b"");
        } else if any(&name, &["constraint"]) {
            if rest.first().is_some_and(|word| any(word, &["foreign", "unique"])) {
                self.put(name.start..kind.end, b"");
            }
        } else if let Some(group) = group(rest).filter(|_| !any(&name, &CONSTRAINTS)) {
            let is_number = |token: &Token| token.kind != TokenKind::Word || word_of(token).parse::<u32>().is_ok();
            let fits = any(&kind, &TYPES_WITH_SIZE) && rest[..group].iter().all(is_number);
            if !fits {
                self.put(rest[0].start..rest[group - 1].end, b"");
            }
        }
        self.blank_options(rest);
    }

    /// Blanks options of a column that the grammar does not know.
    fn blank_options(&mut self, rest: &[Token]) {
        let text = self.text;
        let any = |token: &Token, words: &[&str]| {
            let word = &text[token.start..token.end];
            token.kind == TokenKind::Word && words.iter().any(|known| word.eq_ignore_ascii_case(known))
        };
        let mut at = 0;
        while at < rest.len() {
            let is = |offset: usize, words: &[&str]| rest.get(at + offset).is_some_and(|token| any(token, words));
            let length = match () {
                () if is(0, &["identity"]) => 1 + group(&rest[at + 1..]).unwrap_or(0),
                () if is(0, &["generated"]) => {
                    let words = rest[at..].iter().take(5).position(|token| any(token, &["identity"]));
                    words.map_or(0, |last| last + 1 + group(&rest[at + last + 1..]).unwrap_or(0))
                }
                () if is(0, &["enable", "disable", "clustered", "nonclustered", "autoincrement", "rowguidcol"]) => 1,
                () if is(0, &["character"]) && is(1, &["set"]) => 3,
                () if is(0, &["collate", "charset", "using"]) => 2,
                () if is(0, &["on"]) && is(1, &["conflict"]) => 3,
                () if is(0, &["on"]) && is(1, &["update"]) && is(2, &["current_timestamp", "now"]) => {
                    3 + group(&rest[(at + 3).min(rest.len())..]).unwrap_or(0)
                }
                () => 0,
            };
            if length > 0 {
                let last = (at + length).min(rest.len()) - 1;
                self.put(rest[at].start..rest[last].end, b"");
            }
            at += length.max(1);
        }
    }

    /// Returns where the part of a table's or domain's definition ends that the grammar can be trusted with: dialects differ
    /// most in what follows it.
    pub(super) fn end_of_columns(&self, tokens: &[Token], created: usize) -> Option<usize> {
        let of_domain = self.is(&tokens[created], "domain");
        let has_list = self.is(&tokens[created], "table") || self.is(&tokens[created], "aggregate");
        if of_domain || !has_list {
            let before_as = tokens.iter().position(|token| self.is(token, "as"))?.checked_sub(1)?;
            return of_domain.then(|| tokens[before_as].end);
        }
        let open = tokens.iter().position(|token| token.kind == TokenKind::Mark(b'('))?;
        // `CREATE VIRTUAL TABLE words USING fts5(body)`
        if let Some(using) = tokens[..open].iter().position(|token| self.is(token, "using")) {
            return Some(tokens[using - 1].end);
        }
        let mut nesting = 0usize;
        for (index, token) in tokens.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Mark(b'(') => nesting += 1,
                TokenKind::Mark(b')') if nesting == 1 => {
                    let has_query = tokens[index..].iter().any(|token| self.is(token, "as"));
                    let is_first = !tokens[created..open].iter().any(|token| self.is(token, "as"));
                    return (is_first && !has_query).then_some(token.end);
                }
                TokenKind::Mark(b')') => nesting -= 1,
                _ => {}
            }
        }
        None
    }

    /// Blanks parameters that stand without brackets between a routine's name and `AS`.
    pub(super) fn drop_bare_parameters(&mut self, head: &[Token]) {
        let Some(first) = head.iter().position(|token| token.kind == TokenKind::Mark(b'@')) else { return };
        let has_brackets = head[..first].iter().any(|token| token.kind == TokenKind::Mark(b'('));
        let Some(last) = head.iter().rposition(|token| self.is(token, "as")).filter(|last| *last > first) else {
            return;
        };
        if !has_brackets {
            self.put(head[first].start..head[last - 1].end, b"");
        }
    }

    /// Blanks `INTO a, b` of a query in a routine.
    pub(super) fn drop_targets(&mut self, query: &[Token]) {
        let Some(into) = query.iter().position(|token| self.is(token, "into")) else { return };
        if query[..into].last().is_some_and(|before| self.is(before, "insert") || self.is(before, "merge")) {
            return;
        }
        let mut end = into;
        let mut expects_name = true;
        for (index, token) in query.iter().enumerate().skip(into + 1) {
            match token.kind {
                TokenKind::Word if self.is(token, "strict") => {}
                TokenKind::Word | TokenKind::Quoted if expects_name => expects_name = false,
                TokenKind::Mark(b',' | b'.') => expects_name = true,
                TokenKind::Mark(b'@' | b':') if expects_name => {}
                _ => break,
            }
            end = index;
        }
        self.put(query[into].start..query[end].end, b"");
    }
}
