//! The meaning of the parts of a score.

/// Returns what a part of a score rewards, or holds against a result.
pub(crate) fn meaning(part: &str) -> &'static str {
    match part {
        "text" => "its text has words of the query; the best text gets most",
        "file" => "its whole file has words of the query",
        "meaning" => "it means something near to the query",
        "file_meaning" => "something in its file means nearly that",
        "coverage" => "share of the query's words that it has",
        "file_name" => "the file's name and the query say the same",
        "folder" => "the folder's name and the query say the same",
        "name" => "its name and the query say the same",
        "identifier" => "the query spells out its name",
        "kind" => "types and functions are meant more often than variables",
        "name_match" => "its name is the one asked for: exactly, by its start, its parts, or a typo away",
        "name_length" => "letters that its name has beyond what was asked for",
        "container" => "it is in the container that was asked for",
        "path_match" => "its path is the one asked for",
        "stack_frame" => "the error message points at it",
        "visibility" => "others may use it",
        "has_body" => "it is more than one line",
        "declaration" => "it only declares what is defined elsewhere",
        "documented" => "it has a doc comment",
        "file_role" => "its file is no source: a test, docs, generated, vendored",
        "path_depth" => "it lies deep in the tree",
        "test" => "it is a test, and the query does not ask for tests",
        "old" => "its path says that it is old",
        "generated" => "its file is generated",
        "vendored" => "its file is from somebody else",
        "docs" => "its file is documentation",
        "config" => "its file is configuration",
        "example" => "its file is an example",
        "same_file" => "better results of its file stand above it",
        "rerank" => "what the external reranker says",
        _ => "part of the score",
    }
}
