//! Removes secrets from texts: private keys, tokens of known services, passwords in addresses, and
//! values that are assigned to names such as `password` and look random.
//!
//! It is a net, not a proof: secrets of other forms pass.

use std::borrow::Cow;
use std::ops::Range;

/// Stands for a secret.
const REDACTED: &str = "[redacted]";

/// Beginnings of tokens that services give out, and the least number of characters that follow.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 30),
    ("pa-", 30),
    ("nk-", 20),
    ("ya29", 20),
    ("dop_v1_", 30),
];

/// Parts of names whose values are secret.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "access-key",
    "private_key",
    "privatekey",
    "auth_key",
    "credential",
];

/// A name and its type are looked for so far before the sign.
const MAX_NAME_BYTES: usize = 200;
const LEAST_QUOTED: usize = 8;
/// Without quotes a value may be an expression, so it must be longer.
const LEAST_BARE: usize = 16;
/// Bits for each character. Words and names have fewer, or have no digits.
const LEAST_ENTROPY: f64 = 3.0;

/// The text with `[redacted]` in the place of each secret.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut found = private_keys(text);
    tokens(text, &mut found);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        assignments(line, start, &mut found);
        passwords_of_addresses(line, start, &mut found);
        start += line.len();
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let (mut redacted, mut end) = (String::with_capacity(text.len()), 0);
    for range in found {
        if range.start >= end {
            redacted.push_str(&text[end..range.start]);
            redacted.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    redacted.push_str(&text[end..]);
    Cow::Owned(redacted)
}

/// Blocks of private keys. One without an end goes to the end of the text.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        let kind_at = start + BEGIN.len();
        from = kind_at;
        let kind = text[kind_at..].split("-----").next().unwrap_or_default();
        if kind.contains('\n') || !kind.contains("PRIVATE KEY") {
            continue;
        }
        let end = text[kind_at..].find(END).map_or(text.len(), |at| {
            let name = kind_at + at + END.len();
            text[name..].find("-----").map_or(text.len(), |dashes| name + dashes + 5)
        });
        found.push(start..end);
        from = end;
    }
    found
}

/// Tokens of known services, and signed tokens in three parts that begin with `eyJ`.
fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let word = &text[start..at];
        let is_token = TOKENS.iter().any(|(prefix, least)| {
            word.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *least && is_random(rest))
        });
        if is_token {
            found.push(start..at);
        } else if word.starts_with("eyJ") && word.len() >= 12 && text[at..].starts_with(".eyJ") {
            at += bytes[at..].iter().take_while(|byte| is_part(**byte) || **byte == b'.').count();
            found.push(start..at);
        }
    }
}

/// Values that are assigned to names of secrets, as code, settings and JSON write it.
fn assignments(line: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let lower = line.to_ascii_lowercase();
    if !NAMES.iter().any(|name| lower.contains(name)) {
        return;
    }
    let bytes = line.as_bytes();
    let signs = bytes.iter().enumerate().filter(|(_, byte)| matches!(**byte, b'=' | b':'));
    for (sign, _) in signs {
        let near = lower.floor_char_boundary(sign.saturating_sub(MAX_NAME_BYTES));
        let name = name_before(&lower[near..sign]);
        if !NAMES.iter().any(|secret| name.contains(secret)) {
            continue;
        }
        let after = line[sign + 1..].trim_start_matches([' ', '\t', '=', '>', ':']);
        let from = line.len() - after.len();
        if let Some(value) = value(after) {
            found.push(start + from + value.start..start + from + value.end);
        }
    }
}

/// The name that ends a text, without quotes, brackets and types after it.
fn name_before(text: &str) -> &str {
    // `const token: string = …` has its name before the type.
    let text = text.trim_end_matches([' ', '\t', ':', '"', '\'', '`', ']', '?', '!']);
    let text = match text.rsplit_once(": ") {
        Some((before, kind)) if kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"&<>[]'_".contains(&byte)) => {
            before
        }
        _ => text,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = text.trim_end_matches(is_name);
    &text[name.len()..]
}

/// The place of the secret that a text begins with, if it looks like one.
fn value(text: &str) -> Option<Range<usize>> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let (range, least) = match quote {
        Some(quote) => (1..1 + text[1..].find(quote)?, LEAST_QUOTED),
        None => {
            let is_value = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
            let end = text.find(|c: char| !is_value(c)).unwrap_or(text.len());
            let is_end = text[end..].chars().next().is_none_or(|c| c.is_whitespace() || c == ';' || c == ',');
            (0..end, if is_end { LEAST_BARE } else { usize::MAX })
        }
    };
    let value = &text[range.clone()];
    let is_place_holder = value.contains(['$', '{', '<', '%', ' ']);
    (value.len() >= least && !is_place_holder && is_random(value)).then_some(range)
}

/// Passwords between the user and the host of an address.
fn passwords_of_addresses(line: &str, start: usize, found: &mut Vec<Range<usize>>) {
    for (at, sign) in line.match_indices("://") {
        let from = at + sign.len();
        let rest = &line[from..];
        let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>".contains(c)).unwrap_or(rest.len());
        let Some((user, _)) = rest[..end].rsplit_once('@') else { continue };
        let Some((name, password)) = user.split_once(':') else { continue };
        if !password.is_empty() && !password.contains(['$', '{', '%']) {
            let from = start + from + name.len() + 1;
            found.push(from..from + password.len());
        }
    }
}

/// Returns whether a value has letters and digits, and as many different ones as chance would give.
fn is_random(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && entropy(value.as_bytes()) >= LEAST_ENTROPY
}

/// The Shannon entropy, in bits for each byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = bytes.len().max(1) as f64;
    let share = |count: &u32| f64::from(*count) / total;
    -counts.iter().filter(|count| **count > 0).map(share).map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text), expected);
    }

    #[test]
    fn tokens_of_services_go() {
        let tail = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for prefix in ["ghp_", "github_pat_", "sk-", "sk-proj-", "xoxb-", "glpat-", "AIza", "hf_", "sk_live_"] {
            check(&format!("call({prefix}{tail}, 1)"), "call([redacted], 1)");
        }
        check("id = AKIAIOSFODNN7EXAMPLE;", "id = [redacted];");
        check("a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K b", "a [redacted] b");
    }

    #[test]
    fn private_keys_go() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAbC/1+\n-----END RSA PRIVATE KEY-----";
        check(&format!("x = '''{key}'''\ny"), "x = '''[redacted]'''\ny");
        check("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "[redacted]");
        let public = "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----";
        check(public, public);
    }

    #[test]
    fn assigned_secrets_go() {
        check("password = \"hunter2-Xy9!q\"", "password = \"[redacted]\"");
        check("  \"api_key\": 'a8f5f167f44f4964e6c998dee827110c',", "  \"api_key\": '[redacted]',");
        check("DB_PASSWORD=a8f5f167f44f4964e6c998dee827110c\n", "DB_PASSWORD=[redacted]\n");
        check("const token: string = \"q8Zr1LmX0pTv\";", "const token: string = \"[redacted]\";");
        check(":secret => 'q8Zr1LmX0pTv'", ":secret => '[redacted]'");
        check("let accessToken := `q8Zr1LmX0pTv`", "let accessToken := `[redacted]`");
        check("größe = 1; password = \"q8Zr1LmX0pTvé\"", "größe = 1; password = \"[redacted]\"");
    }

    #[test]
    fn passwords_in_addresses_go() {
        check("postgres://app:s3cr3t@db:5432/x", "postgres://app:[redacted]@db:5432/x");
        check("https://example.com/a:b@c", "https://example.com/a:b@c");
        check("redis://:${PASSWORD}@host", "redis://:${PASSWORD}@host");
    }

    #[test]
    fn code_stays() {
        for code in [
            "fn password(&self) -> &str { self.password.as_str() }",
            "if token == Token::Identifier { parse_identifier_2(token) }",
            "password: Option<String>,",
            "let token = self.next_token_or_end_of_file1();",
            "secret = os.environ[\"APP_SECRET_KEY_1\"]",
            "password = \"changeme\"",
            "password = \"${DB_PASSWORD_1}\"",
            "class=\"sk-spinner-double-bounce-container\"",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sha = \"a8f5f167f44f4964e6c998dee827110c\"",
        ] {
            check(code, code);
        }
        assert!(matches!(redact("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn any_text_is_taken() {
        let parts =
            ["-----BEGIN ", "PRIVATE KEY-----", "password", "=", "\"", "é", "://", "@", ":", "\n", "eyJ", ".", "x1"];
        let mut random = 7_u64;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..12 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(parts[(random >> 33) as usize % parts.len()]);
            }
            redact(&text);
        }
    }
}
