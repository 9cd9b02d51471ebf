//! The questions of a developer who is about to carry out a deprecation in Django, and the shortest
//! way to each answer with `rg` for a reader who knows the answer already.

pub(super) struct Question {
    /// As the agent would put it to itself.
    pub words: &'static str,
    pub tool: &'static str,
    pub arguments: &'static str,
    pub grep: &'static [Step],
    /// Words that an answer must have.
    pub needed: &'static [&'static str],
    /// A remark on the two answers.
    pub remark: &'static str,
    pub is_after_the_edit: bool,
}

pub(super) enum Step {
    /// `rg -n -t py` with these arguments.
    Search(&'static [&'static str]),
    /// `rg -n -t py -w` for all names in this list of our answer.
    Follow(&'static str),
    /// The file, or the lines around the first one that has this text.
    Read(&'static str, &'static str),
    Git(&'static [&'static str]),
}

/// File, text before and after.
pub(super) const EDIT: (&str, &str, &str) = (
    "django/utils/crypto.py",
    "def salted_hmac(key_salt, value, secret=None, *, algorithm=None):",
    "def salted_hmac(key_salt, value, secret=None, *, algorithm=\"sha256\"):",
);

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        words: "Which code makes a password reset token that expires?",
        tool: "search_code",
        arguments: r#"{"query": "make a password reset token that expires", "limit": 5}"#,
        grep: &[Step::Search(&["-i", "reset.*token"]), Step::Read("django/contrib/auth/tokens.py", "def make_token")],
        needed: &["django/contrib/auth/tokens.py", "make_token"],
        remark: "",
        is_after_the_edit: false,
    },
    Question {
        words: "It calls `salted_hmac`. Where is that defined?",
        tool: "locate_symbol",
        arguments: r#"{"symbol": "salted_hmac"}"#,
        grep: &[Step::Search(&["def salted_hmac"])],
        needed: &["django/utils/crypto.py", "23", "salted_hmac"],
        remark: "Whoever knows the name and how the language writes definitions does not need us.",
        is_after_the_edit: false,
    },
    Question {
        words: "What does it do?",
        tool: "get_symbol",
        arguments: r#"{"symbol": "salted_hmac"}"#,
        grep: &[Step::Read("django/utils/crypto.py", "def salted_hmac")],
        needed: &["def salted_hmac", "hmac.new("],
        remark: "",
        is_after_the_edit: false,
    },
    Question {
        words: "Who uses it?",
        tool: "find_references",
        arguments: r#"{"symbol": "salted_hmac"}"#,
        grep: &[Step::Search(&["-w", "salted_hmac"])],
        needed: &[
            "django/contrib/auth/base_user.py",
            "django/contrib/auth/tokens.py",
            "django/core/signing.py",
            "_get_session_auth_hash",
            "_make_token_with_timestamp",
            "base64_hmac",
        ],
        remark: "The name has one meaning here, so `rg` finds the same lines; it does not say which functions they are in.",
        is_after_the_edit: false,
    },
    Question {
        words: "Who uses `Signer.sign`, not the other things that are called `sign`?",
        tool: "find_references",
        arguments: r#"{"symbol": "Signer.sign"}"#,
        grep: &[
            Step::Search(&["-w", "sign"]),
            Step::Read("django/core/signing.py", "def sign_object"),
            Step::Read("tests/signing/tests.py", "def test_sign_unsign_non_string"),
        ],
        needed: &["sign_object", "TimestampSigner", "test_sign_unsign_non_string"],
        remark: "The lines of `rg` are uses of every `sign` there is, and comments; the right ones are among them, unmarked.",
        is_after_the_edit: false,
    },
    Question {
        words: "What leads to `Signer.unsign`, two calls back?",
        tool: "get_call_graph",
        arguments: r#"{"symbol": "Signer.unsign", "direction": "callers", "depth": 2}"#,
        grep: &[
            Step::Search(&["-w", "unsign"]),
            Step::Read("django/core/signing.py", "def unsign_object"),
            Step::Search(&["-w", "-e", "unsign_object", "-e", "TimestampSigner"]),
            Step::Read("django/core/signing.py", "def loads("),
            Step::Read("tests/signing/tests.py", "def test_timestamp_signer"),
        ],
        needed: &["unsign_object", "TimestampSigner", "loads", "test_timestamp_signer"],
        remark: "Of the tests, only one is read; the functions around the other lines would have to be, too.",
        is_after_the_edit: false,
    },
    Question {
        words: "What may change with `salted_hmac`, and which tests are to be run?",
        tool: "analyze_impact",
        arguments: r#"{"symbol": "salted_hmac"}"#,
        grep: &[Step::Search(&["-w", "salted_hmac"]), Step::Follow("affected_symbols")],
        needed: &[
            "PasswordResetConfirmView",
            "update_session_auth_hash",
            "tests/auth_tests/test_tokens.py",
            "test_token_with_different_secret_subclass",
            "test_base64_hmac_default_algorithm_deprecation",
        ],
        remark: "The names that `rg` looks for are those of our answer; somebody without it would have to find each in turn. \
                 Which functions and tests the lines are in, it does not say.",
        is_after_the_edit: false,
    },
    Question {
        words: "What is in `django/core/signing.py`?",
        tool: "get_file_outline",
        arguments: r#"{"path": "django/core/signing.py"}"#,
        grep: &[Step::Search(&["^ *(async )?(def|class) ", "-g", "django/core/signing.py"])],
        needed: &["b62_encode", "class TimestampSigner", "BASE62_ALPHABET", "get_cookie_signer"],
        remark: "For a language whose definitions one expression finds, that is much cheaper. It has no constants, no ends, and \
                 signatures only as far as their first line goes.",
        is_after_the_edit: false,
    },
    Question {
        words: "How does the CSRF middleware check Origin and Referer?",
        tool: "get_code_context",
        arguments: r#"{"query": "how does the CSRF middleware check the Origin and Referer of a request", "max_tokens": 2000}"#,
        grep: &[
            Step::Search(&["-i", "csrf.*(origin|referer)|(origin|referer).*csrf"]),
            Step::Read("django/middleware/csrf.py", "def _origin_verified"),
            Step::Read("django/middleware/csrf.py", "def _check_referer"),
        ],
        needed: &["_origin_verified", "_check_referer", "csrf_trusted_origins_hosts"],
        remark: "The two functions that are read are known from the answer; `rg` gives no order in which to look.",
        is_after_the_edit: false,
    },
    Question {
        words: "Where does `Signature age 5 > 3 seconds` come from?",
        tool: "search_code",
        arguments: r#"{"query": "Signature age 5 > 3 seconds", "limit": 3}"#,
        grep: &[Step::Search(&["Signature age"])],
        needed: &["django/core/signing.py"],
        remark: "A literal text is what `rg` is best at, if the right half of it is chosen. It gives the line, we the function.",
        is_after_the_edit: false,
    },
    Question {
        words: "(The default of `algorithm` has been edited on a branch.) What did this branch change?",
        tool: "diff_context",
        arguments: r#"{}"#,
        grep: &[Step::Git(&["diff", "origin/HEAD"])],
        needed: &["salted_hmac", "algorithm=None", "sha256"],
        remark: "For one small edit, `git diff` says it in fewer words. Ours grows with the symbols that changed, not with the lines.",
        is_after_the_edit: true,
    },
];
