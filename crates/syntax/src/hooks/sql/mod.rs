//! SQL: statements are parsed one by one, and dialects are brought nearer to what the grammar knows.
//!
//! No grammar knows every dialect, and one procedural function body is enough to derail it for the rest of the file.
//! So the text is cut into statements here, which needs little more than strings, comments and `BEGIN … END`. A routine
//! becomes its head, which reaches to the end of the routine, and the queries in its body. `[name]` and `` `name` ``
//! become `"name"`, byte for byte, so that every position stays true.

mod dialects;
mod tokens;

use std::ops::Range;

use self::tokens::{Token, TokenKind, dollar_body};
use super::{Piece, Pieces};

/// Cuts a text into statements.
pub(crate) fn statements(text: &str) -> Pieces {
    let is_alone = |line: &str, mark: &str| line.trim_end().eq_ignore_ascii_case(mark);
    let has_batches = text.lines().any(|line| is_alone(line, "go") || is_alone(line, "/"));
    let mut splitter = Splitter {
        text,
        out: text.as_bytes().to_vec(),
        pieces: Vec::new(),
        has_batches,
        // Only there is a backslash an escape everywhere.
        backslashes: text.contains('`'),
        delimiter: None,
        open_tags: 0,
    };
    splitter.run();
    let Splitter { out, pieces, .. } = splitter;
    // Only ASCII bytes are put in, and only for whole ASCII marks or whole quoted words.
    Pieces { text: String::from_utf8(out).unwrap_or_else(|_| text.to_string()), pieces }
}

struct Splitter<'text> {
    text: &'text str,
    out: Vec<u8>,
    pieces: Vec<Piece>,
    /// The file has lines that end a batch: `GO`, or `/` alone.
    has_batches: bool,
    backslashes: bool,
    delimiter: Option<&'text str>,
    /// Opening tags without a closing one.
    open_tags: usize,
}

/// The statement that is being read.
#[derive(Default)]
struct Statement {
    /// The start of the comments before it.
    lead: Option<usize>,
    /// All but spaces and comments.
    tokens: Vec<Token>,
    /// The number of open `BEGIN`s and `CASE`s.
    depth: usize,
    is_routine: bool,
    after_end: bool,
    /// The number of open brackets.
    nesting: usize,
}

/// A routine's kind stands among the first words of its statement.
const HEAD_WORDS: usize = 10;

/// First words of statements that define or use something.
const WORTH_READING: [&str; 13] = [
    "create", "alter", "select", "insert", "update", "delete", "with", "merge", "replace", "drop", "truncate", "do",
    "refresh",
];

const QUERIES: [&str; 6] = ["select", "insert", "update", "delete", "with", "merge"];

impl<'text> Splitter<'text> {
    fn run(&mut self) {
        let mut statement = Statement::default();
        let mut at = 0;
        while at < self.text.len() {
            if let Some(delimiter) = self.delimiter.filter(|mark| self.text[at..].starts_with(mark)) {
                self.finish(std::mem::take(&mut statement));
                at += delimiter.len();
                continue;
            }
            if statement.tokens.is_empty()
                && let Some(after) = self.client_command(at)
            {
                statement.lead = None;
                at = after;
                continue;
            }
            let token = self.token(at);
            at = token.end;
            match token.kind {
                TokenKind::Space => continue,
                TokenKind::Comment => {
                    if statement.tokens.is_empty() {
                        statement.lead.get_or_insert(token.start);
                    }
                    continue;
                }
                TokenKind::Mark(b';') => {
                    let goes_on = statement.is_routine && (self.has_batches || statement.depth > 0);
                    if self.delimiter.is_none() && !goes_on {
                        let is_copy = self.is_copy_from_stdin(&statement);
                        self.finish(std::mem::take(&mut statement));
                        at = if is_copy { self.after_copied_rows(at) } else { self.after_trailing_comment(at) };
                        continue;
                    }
                }
                TokenKind::Word | TokenKind::Mark(b'/') => {
                    let word = &self.text[token.start..token.end];
                    if (word == "/" || word.eq_ignore_ascii_case("go")) && self.stands_alone(token) {
                        self.finish(std::mem::take(&mut statement));
                        continue;
                    }
                    let goes_on = statement.is_routine || statement.nesting > 0 || self.delimiter.is_some();
                    if self.has_batches && !goes_on && self.starts_unmarked(&statement.tokens, &token) {
                        self.finish(std::mem::take(&mut statement));
                    }
                    // What starts a line so starts a statement, whatever was left open before it.
                    let at_line_start = token.start == 0 || self.text.as_bytes()[token.start - 1] == b'\n';
                    if at_line_start && word.eq_ignore_ascii_case("create") && self.may_end(&statement) {
                        self.finish(std::mem::take(&mut statement));
                    }
                    self.count(&mut statement, word);
                }
                TokenKind::Mark(b'(') => statement.nesting += 1,
                TokenKind::Mark(b')') => statement.nesting = statement.nesting.saturating_sub(1),
                _ => {}
            }
            statement.tokens.push(token);
        }
        self.finish(statement);
    }

    /// Returns whether a statement that was not ended could be over.
    fn may_end(&self, statement: &Statement) -> bool {
        let first = statement.tokens.first().map(|token| self.word(token));
        first.is_some_and(|word| !word.eq_ignore_ascii_case("explain"))
    }

    fn word(&self, token: &Token) -> &'text str {
        &self.text[token.start..token.end]
    }

    fn is(&self, token: &Token, word: &str) -> bool {
        token.kind == TokenKind::Word && self.word(token).eq_ignore_ascii_case(word)
    }

    /// Keeps track of `BEGIN … END`.
    fn count(&self, statement: &mut Statement, word: &str) {
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        let first_is_create =
            statement.tokens.first().is_some_and(|first| self.is(first, "create") || self.is(first, "alter"));
        if first_is_create && statement.tokens.len() < HEAD_WORDS && !statement.is_routine {
            // What was named before is no routine.
            let named = ["table", "view", "index", "type", "sequence", "role", "policy"];
            let is_other = statement.tokens.iter().any(|token| named.iter().any(|word| self.is(token, word)));
            let routine = ["function", "procedure", "proc", "trigger", "package", "event"].iter().any(|kind| is(kind));
            statement.is_routine = routine && !is_other;
            return;
        }
        if !statement.is_routine {
            return;
        }
        if statement.tokens.last().is_some_and(|last| self.is(last, "end")) && statement.after_end {
            // `END IF` ends what was never counted; `END CASE` and `END TRY` are as good as `END`.
            statement.after_end = false;
            if ["if", "loop", "while", "repeat", "for"].iter().any(|kind| is(kind)) {
                statement.depth += 1;
            }
            return;
        }
        statement.after_end = is("end");
        if is("begin") || (is("case") && statement.depth > 0) {
            statement.depth += 1;
        } else if is("end") {
            statement.depth = statement.depth.saturating_sub(1);
        } else if is("tran") || is("transaction") {
            let begun = statement.tokens.last().is_some_and(|last| self.is(last, "begin"));
            statement.depth -= usize::from(begun && statement.depth > 0);
        }
    }

    fn finish(&mut self, statement: Statement) {
        let tokens = &statement.tokens;
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return };
        let start = statement.lead.unwrap_or(first.start);
        if !WORTH_READING.iter().any(|word| self.is(first, word)) {
            return;
        }
        if self.is(first, "do") {
            let bodies = tokens.iter().filter_map(dollar_body);
            bodies.for_each(|body| self.body(body, true));
            return;
        }
        let second_is =
            |words: &[&str]| tokens.get(1).is_some_and(|token| words.iter().any(|word| self.is(token, word)));
        let is_create = self.is(first, "create");
        let is_known = if self.is(first, "alter") {
            statement.is_routine || second_is(&["table"])
        } else {
            !self.is(first, "drop") || second_is(&["table", "view"])
        };
        let created = if is_create { self.plain_head(tokens) } else { None };
        if created.is_some_and(|created| self.is(&tokens[created], "table")) {
            self.plain_columns(tokens);
        }
        if !is_known || (is_create && created.is_none()) {
            return;
        }
        if !statement.is_routine {
            self.quote_dollars(tokens);
            let end = created.and_then(|created| self.end_of_columns(tokens, created)).unwrap_or(last.end);
            self.pieces.push(Piece { range: start..end, until: last.end });
            return;
        }
        self.finish_routine(tokens, start..last.end, created);
    }

    /// Adds the head of a routine and the queries in its body.
    fn finish_routine(&mut self, tokens: &[Token], whole: Range<usize>, created: Option<usize>) {
        let (start, end) = (whole.start, whole.end);
        if !self.is(&tokens[0], "create") {
            if let Some(body) = tokens.iter().position(|token| self.is(token, "as")) {
                self.body(tokens[body].end..end, false);
            }
            return;
        }
        if let Some(token) = tokens.iter().find(|token| matches!(token.kind, TokenKind::Dollar(_))) {
            if let Some(body) = dollar_body(token) {
                // The whole tag, since its second byte may be the half of a letter.
                self.quote(token.start..body.start);
                self.pieces.push(Piece { range: start..body.start, until: end });
                self.body(body, false);
            }
            return;
        }
        if let Some(place) =
            tokens.windows(2).position(|pair| self.is(&pair[0], "as") && pair[1].kind == TokenKind::String)
        {
            self.pieces.push(Piece { range: start..tokens[place + 1].end, until: end });
            return;
        }
        let event = tokens.get(1).filter(|token| self.is(token, "event"));
        if let Some(action) = tokens.iter().position(|token| event.is_some() && self.is(token, "execute")) {
            self.pieces.push(Piece { range: start..tokens[action - 1].end, until: end });
            return;
        }
        if let Some(package) = created.filter(|created| self.is(&tokens[*created], "package")) {
            let is_mark = |token: &Token| self.is(token, "as") || self.is(token, "is");
            if let Some(mark) = tokens.iter().position(is_mark).filter(|mark| *mark > package) {
                self.pieces.push(Piece { range: start..tokens[mark - 1].end, until: end });
                self.body(tokens[mark].end..end, false);
            }
            return;
        }
        let begin = tokens.iter().position(|token| self.is(token, "begin") || self.is(token, "return"));
        let body = begin.or_else(|| self.query_after_as(tokens));
        let Some(body) = body.filter(|body| *body > 0) else {
            self.pieces.push(Piece { range: start..end, until: end });
            return;
        };
        self.drop_bare_parameters(&tokens[..body]);
        self.pieces.push(Piece { range: start..tokens[body - 1].end, until: end });
        self.body(tokens[body].start..end, false);
    }

    /// The first token of the body of a routine that is not put between `BEGIN` and `END`.
    fn query_after_as(&self, tokens: &[Token]) -> Option<usize> {
        let mut after_as = tokens.iter().enumerate().skip_while(|(_, token)| !self.is(token, "as"));
        after_as.find(|(_, token)| QUERIES.iter().any(|word| self.is(token, word))).map(|(index, _)| index)
    }

    /// Adds the queries in a routine's body; in a nameless one, definitions count too.
    fn body(&mut self, range: Range<usize>, is_nameless: bool) {
        let mut segment: Vec<Token> = Vec::new();
        let (mut nesting, mut cases) = (0usize, 0usize);
        let mut at = range.start;
        while at < range.end {
            let mut token = self.token(at);
            token.end = token.end.min(range.end);
            at = token.end;
            let word = self.word(&token);
            let is_end = token.kind == TokenKind::Word && cases == 0 && word.eq_ignore_ascii_case("end");
            match token.kind {
                TokenKind::Space | TokenKind::Comment => continue,
                TokenKind::Mark(b'(') => nesting += 1,
                TokenKind::Mark(b')') => nesting = nesting.saturating_sub(1),
                TokenKind::Word if word.eq_ignore_ascii_case("case") => cases += 1,
                TokenKind::Word if word.eq_ignore_ascii_case("end") => cases = cases.saturating_sub(1),
                _ => {}
            }
            if nesting == 0 && self.has_batches && self.starts_unmarked(&segment, &token) {
                self.query(&std::mem::take(&mut segment), is_nameless);
            }
            let ends = token.kind == TokenKind::Mark(b';')
                || is_end
                || (nesting == 0
                    && cases == 0
                    && token.kind == TokenKind::Word
                    && ["begin", "then", "loop", "do", "declare"].iter().any(|kind| word.eq_ignore_ascii_case(kind)));
            if ends {
                (nesting, cases) = (0, 0);
                self.query(&std::mem::take(&mut segment), is_nameless);
            } else {
                segment.push(token);
            }
        }
        self.query(&segment, is_nameless);
    }

    /// Returns whether `token` starts a statement though the one before it was not ended, which is usual where batches are.
    fn starts_unmarked(&self, before: &[Token], token: &Token) -> bool {
        let Some(last) = before.last() else { return false };
        if token.kind != TokenKind::Word || !self.starts_line(token.start) {
            return false;
        }
        let any = |token: &Token, words: &[&str]| words.iter().any(|word| self.is(token, word));
        if any(
            token,
            &["insert", "update", "delete", "merge", "set", "exec", "execute", "return", "if", "while", "print"],
        ) {
            return !any(last, &["for", "on", "or", "after", "before", "then", "of", "as", "into"])
                && last.kind != TokenKind::Mark(b',');
        }
        let first = before.iter().find(|token| any(token, &QUERIES));
        any(token, &["select"])
            && first.is_some_and(|first| self.is(first, "select"))
            && !any(last, &["union", "all", "except", "intersect"])
    }

    fn query(&mut self, segment: &[Token], is_nameless: bool) {
        let starts = |token: &Token| {
            QUERIES.iter().any(|word| self.is(token, word))
                || self.is(token, "perform")
                || (is_nameless && (self.is(token, "create") || self.is(token, "alter")))
        };
        let Some(first) = segment.iter().position(starts) else { return };
        let (segment, before) = (&segment[first..], &segment[..first]);
        if let (Some(first), Some(last)) = (segment.first(), segment.last()) {
            // In `(SELECT …) > 1` the rest is not the query's.
            let opened = before.iter().filter(|token| token.kind == TokenKind::Mark(b'(')).count();
            let end = if opened == 0 { last.end } else { self.closing(segment).unwrap_or(last.end) };
            if self.is(first, "perform") {
                self.put(first.start..first.end, b"SELECT");
            }
            if self.is(first, "select") || self.is(first, "with") {
                self.drop_targets(segment);
            }
            self.quote_dollars(segment);
            self.pieces.push(Piece { range: first.start..end, until: end });
        }
    }

    /// Returns where the bracket around a query closes.
    fn closing(&self, query: &[Token]) -> Option<usize> {
        let mut nesting = 0usize;
        for (index, token) in query.iter().enumerate() {
            match token.kind {
                TokenKind::Mark(b'(') => nesting += 1,
                TokenKind::Mark(b')') if nesting == 0 => return query.get(index.checked_sub(1)?).map(|last| last.end),
                TokenKind::Mark(b')') => nesting -= 1,
                _ => {}
            }
        }
        None
    }

    /// Writes `bytes` over a range and blanks the rest of it, line ends apart.
    fn put(&mut self, range: Range<usize>, bytes: &[u8]) {
        for (index, byte) in self.out[range].iter_mut().enumerate() {
            match bytes.get(index) {
                Some(new) => *byte = *new,
                None if matches!(byte, b'\n' | b'\r') => {}
                None => *byte = b' ',
            }
        }
    }

    /// Makes dollar-quoted texts plain strings: the grammar's scanner loses memory over their tags (see `notes.md`).
    fn quote_dollars(&mut self, tokens: &[Token]) {
        for token in tokens.iter().filter(|token| matches!(token.kind, TokenKind::Dollar(_))) {
            self.quote(token.start..token.end);
        }
    }

    /// Makes a stretch a string of blanks.
    fn quote(&mut self, range: Range<usize>) {
        let end = range.end;
        self.put(range, b"'");
        self.put(end - 1..end, b"'");
    }

    /// Returns what follows a command to the client rather than the server: `DELIMITER //`, `\connect`, `USE x`, `.mode`.
    fn client_command(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        if !rest.starts_with(['\\', '.', 'd', 'D']) {
            return None;
        }
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let word = line.split_whitespace().next()?;
        if line.len() > word.len() && word.eq_ignore_ascii_case("delimiter") && line.starts_with(word) {
            let mark = line[word.len()..].trim();
            self.delimiter = Some(mark).filter(|mark| *mark != ";" && !mark.is_empty());
            return Some(at + line.len());
        }
        let at_line_start = at == 0 || self.text.as_bytes()[at - 1] == b'\n';
        (at_line_start && (line.starts_with('\\') || line.starts_with('.'))).then_some(at + line.len())
    }

    /// Returns whether only spaces stand before a byte in its line.
    fn starts_line(&self, byte: usize) -> bool {
        let before = self.text[..byte].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    fn stands_alone(&self, token: Token) -> bool {
        let after = self.text[token.end..].trim_start_matches([' ', '\t', ';', '\r']);
        self.starts_line(token.start) && (after.is_empty() || after.starts_with('\n'))
    }

    fn is_copy_from_stdin(&self, statement: &Statement) -> bool {
        let tokens = &statement.tokens;
        tokens.first().is_some_and(|first| self.is(first, "copy")) && tokens.iter().any(|token| self.is(token, "stdin"))
    }

    fn after_copied_rows(&self, at: usize) -> usize {
        self.text[at..].find("\n\\.").map_or(self.text.len(), |end| at + end + 3)
    }

    /// A comment behind a statement on its last line says nothing about the next one.
    fn after_trailing_comment(&self, at: usize) -> usize {
        let rest = self.text[at..].trim_start_matches([' ', '\t']);
        if !rest.starts_with("--") {
            return at;
        }
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let Pieces { text: prepared, pieces } = statements(text);
        assert_eq!(prepared.len(), text.len());
        pieces
            .iter()
            .map(|piece| prepared[piece.range.clone()].split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn statements_end_where_they_end() {
        let text =
            "BEGIN; create table a (x text default ';'); -- a\nselect 1 /* ; */ from [b c]; set x = 1; drop table d";
        assert_eq!(
            split(text),
            ["create table a (x text default ';')", "select 1 /* ; */ from \"b c\"", "drop table d"]
        );
        assert_eq!(split("CREATE TABLE a (x int)\nGO\nCREATE TABLE b (x int)\nGO\n").len(), 2);
        assert_eq!(
            split("create table a (x int\ncreate table b (x int);"),
            ["create table a (x int", "create table b (x int)"]
        );
    }

    #[test]
    fn routines_are_heads_and_queries() {
        let text = "create function f() returns int as $$ declare n int; begin \
                    if x then perform g(1); end if; select a into n from t; return n; end $$ language plpgsql; select 1";
        assert_eq!(
            split(text),
            ["create function f() returns int as ''", "SELECT g(1)", "select a from t", "select 1"]
        );
        let text = "create trigger t after insert on a begin update b set x = case when 1 then 2 end; delete from c; end; \
                    create view v as select 1";
        assert_eq!(
            split(text),
            [
                "create trigger t after insert on a",
                "update b set x = case when 1 then 2 end",
                "delete from c",
                "create view v as select 1"
            ]
        );
        let text = "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT `a` FROM b; END //\nDELIMITER ;\nSELECT 1;";
        assert_eq!(split(text), ["CREATE FUNCTION p()", "SELECT \"a\" FROM b", "SELECT 1"]);
    }
}
