//! Every number that decides the order of an answer, with its range and its effect.
//!
//! `cargo xtask docs` writes docs/ranking.md from these tables. A weight that users may change is a
//! [`Tunable`]: the table has its default and range, [`SearchConfig`](crate::config::SearchConfig)
//! the value in force. Limits of work, which only bound the cost of an answer, stay with the code
//! that they bound.
//!
//! The weights are round on purpose: the order hardly changes when one of them is a third larger or
//! smaller. This module is a leaf: it knows kinds and roles, but neither the store nor a question.

use codecompass_syntax::facts::Kind;

use crate::model::Role;

/// One weight, as documented.
pub struct Weight {
    /// The name of the constant.
    pub name: &'static str,
    /// The value as written.
    pub value: &'static str,
    /// The smallest and the largest sensible value.
    pub range: (&'static str, &'static str),
    /// The effect of the weight.
    pub effect: &'static str,
}

/// Weights that belong together.
pub struct Section {
    /// The name of the module.
    pub name: &'static str,
    /// The decision that the weights are part of.
    pub about: &'static str,
    /// The weights.
    pub weights: &'static [Weight],
}

/// A weight that a setting may change.
pub struct Tunable {
    /// The setting below `search`.
    pub setting: &'static str,
    /// The value without a setting.
    pub default: f64,
    /// The smallest and the largest allowed value.
    pub range: (f64, f64),
    /// The effect of the weight.
    pub effect: &'static str,
}

/// Makes a module of constants from each section, and the table of all sections.
macro_rules! sections {
    ($(
        $(#[doc = $about:literal])+
        $section:ident {
            $($(#[doc = $effect:literal])+ $name:ident: $type:ty = $value:literal, $low:literal to $high:literal;)+
        }
    )+) => {
        $(
            $(#[doc = $about])+
            pub(crate) mod $section {
                $($(#[doc = $effect])+ pub(crate) const $name: $type = $value;)+
            }
        )+

        /// All weights that no setting changes.
        pub static SECTIONS: &[Section] = &[$(Section {
            name: stringify!($section),
            about: concat!($($about),+),
            weights: &[$(Weight {
                name: stringify!($name),
                value: stringify!($value),
                range: (stringify!($low), stringify!($high)),
                effect: concat!($($effect),+),
            }),+],
        }),+];
    };
}

/// Makes a constant from each tunable, and the table of all of them.
macro_rules! tunables {
    ($($(#[doc = $effect:literal])+ $name:ident: $setting:literal = $default:literal, $low:literal to $high:literal;)+) => {
        $(
            $(#[doc = $effect])+
            pub const $name: Tunable = Tunable {
                setting: $setting,
                default: $default,
                range: ($low, $high),
                effect: concat!($($effect),+),
            };
        )+

        /// All weights that a setting changes.
        pub static TUNABLES: &[&Tunable] = &[$(&$name),+];
    };
}

tunables! {
    /// Points for the share of the question's terms that a result contains (score part `coverage`).
    LOCAL_RERANK_TOKEN_OVERLAP_WEIGHT: "local_rerank_token_overlap_weight" = 2.0, 0.0 to 20.0;
    /// Share of the similarity of a name that depends on the question spelling the name out in
    /// full.
    LOCAL_RERANK_PHRASE_BOOST: "local_rerank_phrase_boost" = 0.5, 0.0 to 2.0;
    /// Weight of the best score in the confidence of an answer. The three weights are divided by
    /// their sum.
    CONFIDENCE_TOP_SCORE_WEIGHT: "confidence_top_score_weight" = 0.5, 0.0 to 1.0;
    /// Weight of the lead over the best result of another file in the confidence of an answer.
    CONFIDENCE_SCORE_MARGIN_WEIGHT: "confidence_score_margin_weight" = 0.2, 0.0 to 1.0;
    /// Weight of the agreement of words and meaning in the confidence of an answer.
    CONFIDENCE_CHANNEL_AGREEMENT_WEIGHT: "confidence_channel_agreement_weight" = 0.3, 0.0 to 1.0;
    /// Multiplies the number of search documents that words bring (`candidates.BY_WORDS`).
    LEXICAL_FANOUT_MULTIPLIER: "lexical_fanout_multiplier" = 1.0, 0.1 to 10.0;
    /// Multiplies the number of search documents that meaning alone may add (`meaning.NEAREST`).
    SEMANTIC_LIMIT_MULTIPLIER: "semantic_limit_multiplier" = 1.0, 0.1 to 10.0;
    /// Multiplies the number of vectors that are compared in full for each document that meaning
    /// may add (`meaning.OVERSAMPLING`). Changes answers only in views of 100,000 search documents
    /// and more; smaller ones compare all.
    SEMANTIC_FANOUT_MULTIPLIER: "semantic_fanout_multiplier" = 1.0, 0.1 to 10.0;
    /// Factor of the score of results in files of a role. Tests and docs are exempt in questions
    /// that ask for them.
    ROLE_FACTOR: "role_factors.ROLE" = 1.0, 0.1 to 10.0;
    /// Factor of the score of results below a path.
    PATH_FACTOR: "path_factors" = 1.0, 0.1 to 10.0;
}

sections! {
    /// The text score of a search document, by BM25F; the fields have a table of their own.
    text {
        /// Saturation of term frequency: the larger, the more a repeated term counts.
        K1: f32 = 1.3, 0.5 to 3.0;
        /// Weight of a term from a word that looks like an identifier; other terms have 1.
        IDENTIFIER_TERM: f32 = 1.4, 1.0 to 3.0;
        /// Terms of a question that are searched for.
        MAX_TERMS: usize = 48, 1 to 63;
    }

    /// The number of candidates that are scored.
    candidates {
        /// Search documents that words bring.
        BY_WORDS: usize = 300, 50 to 3000;
        /// The best of them, which tell how confident words are.
        FOR_CONFIDENCE: usize = 20, 2 to 100;
        /// Definitions by name, and files by path.
        BY_NAME: usize = 300, 50 to 3000;
        /// Stack frames of an error message.
        FRAMES: usize = 50, 1 to 500;
    }

    /// Points of a result of a question in words. They stay below 60, the score of a name that
    /// starts with the one asked for.
    evidence {
        /// Text score of the result, as a share of the best one (`text`).
        TEXT: f64 = 14.0, 0.0 to 30.0;
        /// Text score of its file, as a share of the best one (`file`).
        FILE: f64 = 8.0, 0.0 to 30.0;
        /// Share of each next search document of a file in the file's text score.
        FILE_DECAY: f64 = 0.65, 0.0 to 1.0;
        /// Search documents of a file that make up its text score.
        FILE_CHUNKS: usize = 6, 1 to 20;
        /// Similarity of the file's name to the question (`file_name`).
        FILE_NAME: f64 = 12.0, 0.0 to 30.0;
        /// Similarity of the folder's name to the question (`folder`).
        FOLDER: f64 = 6.0, 0.0 to 30.0;
        /// Similarity of the definition's name to the question (`name`).
        NAME: f64 = 9.0, 0.0 to 30.0;
        /// The question contains the definition's name as an identifier (`identifier`).
        IDENTIFIER: f64 = 8.0, 0.0 to 30.0;
        /// Factor of the points by kind below (`kind`).
        KIND: f64 = 0.3, 0.0 to 2.0;
        /// Share of the score that a test loses, unless the question asks for tests (`test`).
        TEST_DISCOUNT: f64 = 0.2, 0.0 to 0.9;
        /// Share of the score that code loses whose path says that it is old (`old`).
        OLD_DISCOUNT: f64 = 0.3, 0.0 to 0.9;
    }

    /// Points of a result of a long text, such as an issue, and the weights of its parts.
    issue {
        /// Weight of words in the title; those in prose have `PROSE`.
        TITLE: f64 = 2.0, 0.0 to 5.0;
        /// Weight of words in a message of a program.
        MESSAGE: f64 = 1.2, 0.0 to 5.0;
        /// Weight of words in prose.
        PROSE: f64 = 1.0, 0.0 to 5.0;
        /// Weight of words in code.
        CODE: f64 = 0.6, 0.0 to 5.0;
        /// Weight of words in a stack trace.
        TRACE: f64 = 0.4, 0.0 to 5.0;
        /// Factor of a word that looks like an identifier.
        IDENTIFIER_TERM: f64 = 1.4, 1.0 to 3.0;
        /// Growth of a word's weight with each further e-fold of its occurrences.
        REPEATED: f64 = 0.25, 0.0 to 1.0;
        /// Terms whose rarity is looked at, those with the greatest weights.
        COUNTED_TERMS: usize = 200, 63 to 1000;
        /// Factor of a name that is not written as code: a capital within a sentence.
        MAYBE_NAME: f64 = 0.5, 0.0 to 1.0;
        /// Factor of a qualified name whose container has the definition.
        QUALIFIED: f64 = 1.5, 1.0 to 4.0;
        /// Factor of a qualified name whose container has no such definition.
        OTHER_CONTAINER: f64 = 0.5, 0.0 to 1.0;
        /// The power of the number of definitions that divides the points of a name.
        RARITY: f64 = 0.5, 0.0 to 1.0;
        /// Points of a module that a qualified name begins with, for each weight of its part.
        MODULE: f64 = 0.4, 0.0 to 1.0;
        /// Points of a path that the text names.
        PATH: f64 = 1.0, 0.0 to 1.0;
        /// Share of the next frame, counted from the nearer end of a trace.
        FRAME_DECAY: f64 = 0.7, 0.0 to 1.0;
        /// Length normalization of whole files.
        FILE_LENGTH: f64 = 0.4, 0.0 to 1.0;
        /// The usual number of search documents of a file.
        FILE_PIVOT: f64 = 20.0, 1.0 to 200.0;
        /// Saturation of the number of search documents of a file that hold a term.
        FILE_K1: f64 = 1.5, 0.1 to 10.0;
        /// Text score of the result, as a share of the best one (`text`).
        TEXT: f64 = 12.0, 0.0 to 30.0;
        /// Text score of the best stretches of its file (`file`).
        FILE: f64 = 10.0, 0.0 to 30.0;
        /// Text score of its whole file (`file_terms`).
        WHOLE_FILE: f64 = 15.0, 0.0 to 30.0;
        /// Nearness in meaning (`meaning`, `file_meaning`).
        MEANING: f64 = 12.0, 0.0 to 30.0;
        /// Similarity of the file's name to the title (`file_name`).
        FILE_NAME: f64 = 3.0, 0.0 to 30.0;
        /// Similarity of the folder's name to the title (`folder`).
        FOLDER: f64 = 1.0, 0.0 to 30.0;
        /// Names of the text that its file defines (`file_names`).
        FILE_NAMES: f64 = 4.0, 0.0 to 30.0;
        /// Paths and modules that the text names (`path_match`).
        PATHS: f64 = 12.0, 0.0 to 30.0;
        /// Frames that lead into its file (`file_frame`).
        FILE_FRAMES: f64 = 6.0, 0.0 to 30.0;
        /// The text has its name (`identifier`).
        NAMES: f64 = 6.0, 0.0 to 30.0;
        /// The text has the name of its container (`container`).
        CONTAINER: f64 = 3.0, 0.0 to 30.0;
        /// A frame leads into it (`stack_frame`).
        FRAMES: f64 = 8.0, 0.0 to 30.0;
        /// It has, or uses, a message of the text (`exact_text`).
        MESSAGES: f64 = 8.0, 0.0 to 30.0;
        /// Similarity of its name to the title (`name`).
        TITLE_NAME: f64 = 3.0, 0.0 to 30.0;
        /// Factor of the points by kind below (`kind`).
        KIND: f64 = 0.3, 0.0 to 2.0;
        /// Share of the score that results in test files lose.
        TEST_FILE_DISCOUNT: f64 = 0.6, 0.0 to 0.9;
        /// Least share of the score that results in other files than source and tests lose.
        OTHER_FILE_DISCOUNT: f64 = 0.5, 0.0 to 0.9;
        /// Share of its points that each further result of one file loses.
        SAME_FILE_DISCOUNT: f64 = 0.1, 0.0 to 1.0;
        /// The largest such share.
        MAX_SAME_FILE_DISCOUNT: f64 = 0.3, 0.0 to 1.0;
    }

    /// Points for code that tests name which have the words of a question.
    tested {
        /// The tests whose names are looked at.
        TESTS: usize = 15, 1 to 100;
        /// Tests name it (`named_by_tests`).
        NAMED: f64 = 8.0, 0.0 to 30.0;
    }

    /// The similarity of a name to a question, from 0 to 1: the setting `local_rerank_phrase_boost`
    /// for a name that the question spells out, and these shares.
    similarity {
        /// Share of the parts of the name that the question has.
        OF_NAME: f64 = 0.35, 0.0 to 1.0;
        /// Share of the terms of the question that the name has.
        OF_QUESTION: f64 = 0.15, 0.0 to 1.0;
        /// Terms of the question beyond this many do not lower that share.
        QUESTION_TERMS: usize = 4, 1 to 48;
        /// Factor for a name of a single word: one word is in a question by chance more often than
        /// two.
        SINGLE_WORD: f64 = 0.8, 0.0 to 1.0;
        /// Similarity of two words of which one is the start of the other (`auth`,
        /// `authentication`).
        PREFIX: f64 = 0.9, 0.0 to 1.0;
        /// Letters that such a start must have.
        PREFIX_LETTERS: usize = 3, 1 to 10;
    }

    /// Meaning, that is nearness of vectors, beside words.
    meaning {
        /// Share of the result's own nearness in what meaning adds (`meaning`).
        OWN: f64 = 0.6, 0.0 to 1.0;
        /// Share of the nearest search document of its file (`file_meaning`).
        FILE: f64 = 0.4, 0.0 to 1.0;
        /// The largest share of meaning in the evidence, whatever the settings say.
        MAX_RATIO: f64 = 0.9, 0.0 to 0.95;
        /// Share of the ratio that is lost where words are certain of the answer.
        LOST_TO_WORDS: f64 = 0.5, 0.0 to 1.0;
        /// Search documents that meaning alone may add.
        NEAREST: usize = 100, 0 to 1000;
        /// Vectors that are compared in full for each of them, in large views.
        OVERSAMPLING: usize = 50, 1 to 500;
        /// The least cosine of a search document that meaning alone adds.
        NEAR: f32 = 0.3, -1.0 to 1.0;
        /// The cosine from which on the nearest search document counts in full.
        VERY_NEAR: f32 = 0.5, 0.01 to 1.0;
    }

    /// All results of a search.
    order {
        /// Share of the score that the second result of a file loses; the third loses twice this,
        /// and so on (`same_file`).
        SAME_FILE_DISCOUNT: f64 = 0.5, 0.0 to 1.0;
        /// The most that a result loses in this way.
        MAX_SAME_FILE_DISCOUNT: f64 = 0.75, 0.0 to 1.0;
        /// The same for further results of a folder, where a question asks for every place
        /// (`same_folder`).
        SAME_FOLDER_DISCOUNT: f64 = 0.1, 0.0 to 1.0;
        /// The largest such share.
        MAX_SAME_FOLDER_DISCOUNT: f64 = 0.3, 0.0 to 1.0;
        /// Equal bodies are copies if they have more than this many lines after the first.
        COPY_LINES: u32 = 2, 0 to 20;
        /// Results that an external reranker scores.
        RERANKED: usize = 50, 2 to 1000;
        /// Share of an external reranker in the score (`rerank`).
        RERANK_SHARE: f64 = 0.7, 0.0 to 1.0;
    }

    /// Points of a definition that is looked up by name. The points of a match are far apart, so
    /// that a worse match never comes before a better one.
    locate {
        /// The place or symbol id given (`name_match`).
        PLACE: f64 = 100.0, 0.0 to 100.0;
        /// The very name.
        EXACT: f64 = 100.0, 0.0 to 100.0;
        /// The name in another case.
        CASE_INSENSITIVE: f64 = 85.0, 0.0 to 100.0;
        /// A name that starts with it.
        PREFIX: f64 = 60.0, 0.0 to 100.0;
        /// A name whose parts contain all parts asked for.
        SUB_WORD: f64 = 45.0, 0.0 to 100.0;
        /// A name that is a typo away.
        FUZZY: f64 = 30.0, 0.0 to 100.0;
        /// For each letter beyond those asked for (`name_length`).
        EXTRA_LETTER: f64 = -0.3, -5.0 to 0.0;
        /// Letters that count for that.
        MAX_EXTRA_LETTERS: usize = 40, 0 to 200;
        /// The definition is in the container asked for (`container`).
        CONTAINER: f64 = 6.0, 0.0 to 30.0;
        /// It is public (`visibility`).
        PUBLIC: f64 = 1.0, 0.0 to 10.0;
        /// It has more than one line (`has_body`).
        BODY: f64 = 1.0, 0.0 to 10.0;
        /// It is a declaration of what is defined elsewhere (`declaration`).
        DECLARATION: f64 = -1.5, -10.0 to 0.0;
        /// It has a doc comment (`documented`).
        DOCUMENTED: f64 = 0.5, 0.0 to 10.0;
        /// It is a test (`test`).
        TEST: f64 = -3.0, -10.0 to 0.0;
        /// For each folder of its path (`path_depth`).
        FOLDER: f64 = -0.1, -5.0 to 0.0;
        /// Folders that count for that.
        MAX_FOLDERS: usize = 10, 0 to 100;
        /// Share of the score that a definition in old code loses in a search (`old`).
        OLD_DISCOUNT: f64 = 0.1, 0.0 to 0.9;
        /// Definitions whose scores differ by less than this are about equal: the one with the most
        /// uses is meant by a SYMBOL argument.
        ABOUT_EQUAL: f64 = 2.0, 0.0 to 10.0;
        /// The best definitions that are compared by their uses.
        COMPARED_BY_USES: usize = 8, 1 to 100;
        /// References that are sampled for that comparison.
        SAMPLED_USES: usize = 100, 1 to 10000;
    }

    /// Points of a file that is looked up by path, and of the stack frames of an error message.
    path {
        /// The very path (`path_match`).
        EXACT: f64 = 100.0, 0.0 to 100.0;
        /// A path that ends with it.
        END: f64 = 90.0, 0.0 to 100.0;
        /// A file below a folder of that name.
        BELOW_FOLDER: f64 = 60.0, 0.0 to 100.0;
        /// A file whose name contains it.
        NAME: f64 = 50.0, 0.0 to 100.0;
        /// A path that contains it.
        ANYWHERE: f64 = 40.0, 0.0 to 100.0;
        /// For each folder of the path.
        FOLDER: f64 = -0.1, -5.0 to 0.0;
        /// Folders that count for that.
        MAX_FOLDERS: usize = 20, 0 to 100;
        /// The definition at the first stack frame; each next one has 1 less (`stack_frame`).
        FRAME: f64 = 60.0, 0.0 to 100.0;
    }

    /// Points of code that has the text of a query as it is written: more than words can give.
    exact_text {
        /// The first line that has it (`exact_text`).
        LINE: f64 = 95.0, 60.0 to 100.0;
        /// Less for each line before it.
        PER_LINE: f64 = 0.5, 0.0 to 5.0;
        /// The least for a line.
        LEAST: f64 = 70.0, 60.0 to 100.0;
        /// Code that uses the constant that has the text (`uses_text`).
        USE: f64 = 65.0, 0.0 to 100.0;
        /// Uses of one constant that are found.
        MAX_USES: usize = 10, 0 to 100;
        /// Lines that are found.
        MAX_LINES: usize = 50, 1 to 1000;
    }

    /// The confidence of an answer, from 0 to 1; the weights of the results are settings.
    confidence {
        /// The score of a result that has all a question asks for: its words, in its text, its name
        /// and its file's name.
        FULL_SCORE: f64 = 45.0, 1.0 to 100.0;
        /// A lead over the next file that leaves no doubt, as a share of the score.
        CLEAR_LEAD: f64 = 0.3, 0.01 to 1.0;
        /// A name, path or stack frame that scores more than this many full scores is certain.
        NAMED: f64 = 1.2, 1.0 to 3.0;
        /// Agreement where words and meaning prefer different files; otherwise 1.
        DISAGREEMENT: f64 = 0.4, 0.0 to 1.0;
        /// Weight of the share of the question's terms that the view has, by rarity; the results
        /// have 1.
        KNOWN: f64 = 1.0, 0.0 to 5.0;
        /// Weight of the similarity of the nearest document; the results have 1.
        NEARNESS: f64 = 1.0, 0.0 to 5.0;
        /// Similarity of the nearest document that says nothing.
        NO_NEARNESS: f64 = 0.25, 0.0 to 0.5;
        /// Similarity of the nearest document from which on it leaves no doubt.
        FULL_NEARNESS: f64 = 0.6, 0.5 to 1.0;
        /// Factor of the confidence where nothing has the name that was asked for, nor all of its
        /// words.
        UNNAMED: f64 = 0.5, 0.0 to 1.0;
        /// Weight of the best score where words alone are judged.
        WORDS_SCORE: f64 = 0.6, 0.0 to 1.0;
        /// Weight of the lead where words alone are judged.
        WORDS_LEAD: f64 = 0.4, 0.0 to 1.0;
    }

    /// Points of a symbol that is related to another.
    related {
        /// A test that uses it (`tests_it`).
        TESTS_IT: f64 = 20.0, 0.0 to 50.0;
        /// A test that uses one of its users (`tests_its_user`).
        TESTS_ITS_USER: f64 = 8.0, 0.0 to 50.0;
        /// A test that is named after it (`named_as_its_test`).
        NAMED_AS_ITS_TEST: f64 = 10.0, 0.0 to 50.0;
        /// A function that it calls; the logarithm of the number of calls is added
        /// (`called_by_it`).
        CALLED: f64 = 10.0, 0.0 to 50.0;
        /// A symbol that it uses otherwise; the logarithm of the number of uses is added
        /// (`used_by_it`).
        USED: f64 = 6.0, 0.0 to 50.0;
        /// A type in its signature (`in_its_signature`).
        IN_SIGNATURE: f64 = 6.0, 0.0 to 50.0;
        /// For each doubling of the users that both have (`common_users`).
        COMMON_USERS: f64 = 4.0, 0.0 to 50.0;
        /// The most that a name loses that is in many files (`widely_used`).
        MAX_WIDELY_USED: f64 = 0.8, 0.0 to 1.0;
        /// A member of the same type (`same_type`).
        SAME_TYPE: f64 = 3.0, 0.0 to 50.0;
        /// The definition beside it (`near`).
        NEAR: f64 = 4.0, 0.0 to 50.0;
        /// Definitions between the two at which those points are halved.
        NEAR_DISTANCE: f64 = 3.0, 1.0 to 100.0;
    }

    /// Points of a symbol that is similar to another; shares are multiplied by them.
    similar {
        /// Equal bodies (`identical`).
        IDENTICAL: f64 = 100.0, 0.0 to 200.0;
        /// Shared parts of the names (`name_parts`).
        NAME_PARTS: f64 = 20.0, 0.0 to 100.0;
        /// Few edits between the names (`spelling`).
        SPELLING: f64 = 8.0, 0.0 to 100.0;
        /// The least share of equal letters that counts for that.
        MIN_SPELLING: f64 = 0.5, 0.0 to 0.9;
        /// Shared names in the bodies (`body`).
        BODY: f64 = 40.0, 0.0 to 100.0;
        /// Names that the smaller body must have to count in full.
        BODY_NAMES: f64 = 4.0, 1.0 to 50.0;
        /// Text score (`text`).
        TEXT: f64 = 6.0, 0.0 to 100.0;
        /// Near vectors (`meaning`).
        MEANING: f64 = 40.0, 0.0 to 100.0;
        /// The least cosine that counts for that.
        MIN_COSINE: f64 = 0.5, 0.0 to 0.9;
        /// The same number of parameters (`parameter_count`).
        PARAMETER_COUNT: f64 = 3.0, 0.0 to 100.0;
        /// Shared names of parameters (`parameter_names`).
        PARAMETER_NAMES: f64 = 6.0, 0.0 to 100.0;
        /// Shared types of parameters and results (`parameter_types`).
        PARAMETER_TYPES: f64 = 6.0, 0.0 to 100.0;
        /// The same kind (`kind`). Kind and size count in full from `FULL_SCORE` other points on.
        KIND: f64 = 3.0, 0.0 to 100.0;
        /// Similar numbers of lines (`size`).
        SIZE: f64 = 5.0, 0.0 to 100.0;
        /// Other points from which on kind and size count in full.
        FULL_SCORE: f64 = 40.0, 1.0 to 200.0;
        /// Symbols with fewer points are not similar.
        MIN_SCORE: f64 = 18.0, 0.0 to 100.0;
        /// Weight of the terms of the name in the search for candidates.
        NAME_TERM: f32 = 1.5, 0.0 to 5.0;
        /// Weight of the terms of the body.
        BODY_TERM: f32 = 1.0, 0.0 to 5.0;
        /// Weight of the terms of parameters.
        PARAMETER_TERM: f32 = 0.5, 0.0 to 5.0;
    }
}

/// The weights of one field of a search document.
#[derive(Clone, Copy)]
pub struct FieldWeights {
    /// The field.
    pub name: &'static str,
    /// Weight of a term in it.
    pub weight: f32,
    /// Effect of the field's length, from 0 (none) to 1; BM25's b.
    pub length_normalization: f32,
    /// The usual length in terms, which takes the place of an average: a score must not depend on
    /// what else the store holds.
    pub pivot: f32,
}

/// The fields of a search document, in the order of the text index.
pub const FIELDS: [FieldWeights; 5] = [
    FieldWeights { name: "name", weight: 5.0, length_normalization: 0.4, pivot: 6.0 },
    FieldWeights { name: "signature", weight: 1.5, length_normalization: 0.5, pivot: 16.0 },
    FieldWeights { name: "doc", weight: 1.6, length_normalization: 0.5, pivot: 30.0 },
    FieldWeights { name: "path", weight: 2.2, length_normalization: 0.4, pivot: 9.0 },
    FieldWeights { name: "body", weight: 0.7, length_normalization: 0.6, pivot: 140.0 },
];

/// The weights of a file's role in search, in lookups by name and in lists.
#[derive(Clone, Copy)]
pub struct RoleWeights {
    /// Share of the score that a result of a question in words loses.
    pub search_discount: f64,
    /// Points of a definition that is looked up by name.
    pub locate_points: f64,
    /// Position among lists that are read from the top, such as references; smaller is earlier.
    pub reading_rank: u8,
}

/// Returns the weights of a role.
pub const fn role(role: Role) -> RoleWeights {
    let (search_discount, locate_points, reading_rank) = match role {
        Role::Source => (0.0, 0.0, 0),
        Role::Test => (0.35, -5.0, 2),
        Role::Generated => (0.4, -6.0, 3),
        Role::Vendored => (0.4, -6.0, 3),
        Role::Docs => (0.45, -4.0, 1),
        Role::Config => (0.25, -2.0, 1),
        Role::Example => (0.3, -4.0, 1),
    };
    RoleWeights { search_discount, locate_points, reading_rank }
}

/// Returns the points of a kind: of several things with one name, types and functions are meant
/// more often than variables.
pub const fn kind(kind: Kind) -> f64 {
    match kind {
        Kind::Class | Kind::Struct | Kind::Object | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Union => 4.0,
        Kind::Component | Kind::Table | Kind::View => 4.0,
        Kind::Function | Kind::Macro | Kind::TypeAlias => 3.5,
        Kind::Method | Kind::Constructor => 3.0,
        Kind::Block => 3.0,
        Kind::Module | Kind::Index | Kind::Trigger => 2.5,
        Kind::Constant | Kind::Property | Kind::Event | Kind::Variant => 2.0,
        Kind::Field | Kind::Variable => 1.0,
        Kind::Impl | Kind::Heading | Kind::Key => 0.0,
    }
}

/// Returns a number of candidates after a multiplier of the settings; at least 1.
pub(crate) fn multiplied(count: usize, multiplier: f64) -> usize {
    ((count as f64 * multiplier).round() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_in_its_range() {
        let number = |text: &str| text.parse::<f64>().unwrap();
        for section in SECTIONS {
            for weight in section.weights {
                let (low, high) = (number(weight.range.0), number(weight.range.1));
                let value = number(weight.value);
                assert!(low < high && (low..=high).contains(&value), "{}.{}", section.name, weight.name);
            }
        }
        for tunable in TUNABLES {
            let (low, high) = tunable.range;
            assert!(low < high && (low..=high).contains(&tunable.default), "{}", tunable.setting);
        }
    }
}
