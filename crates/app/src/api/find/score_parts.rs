//! The meaning of the parts of a score.

use codecompass_engine::model::Role;
use codecompass_engine::query::Feature;

/// Returns what a part of a score rewards, or holds against a result.
pub fn meaning(feature: Feature) -> &'static str {
    match feature {
        Feature::Text => "its text has words of the query; the best text gets most",
        Feature::NamedByTests => "tests with words of the query use it",
        Feature::SameFolder => "better results of the same folder come first",
        Feature::File => "its whole file has words of the query",
        Feature::FileTerms => "its whole file has many of the words of the text",
        Feature::FileNames => "its file defines names of the text",
        Feature::FileFrame => "the stack trace leads through its file",
        Feature::Meaning => "it means something near to the query",
        Feature::FileMeaning => "something in its file means nearly that",
        Feature::Coverage => "share of the query's words that it has",
        Feature::FileName => "the file's name and the query say the same",
        Feature::Folder => "the folder's name and the query say the same",
        Feature::Name => "its name and the query say the same",
        Feature::Identifier => "the query spells out its name",
        Feature::Kind => "types and functions are meant more often than variables",
        Feature::NameMatch => "its name is the one asked for: exactly, by its start, its parts, or a typo away",
        Feature::NameLength => "letters that its name has beyond what was asked for",
        Feature::Container => "it is in the container that was asked for",
        Feature::PathMatch => "its path is the one asked for",
        Feature::StackFrame => "the error message points at it",
        Feature::ExactText => "it has the text of the query as it is written",
        Feature::UsesText => "it uses the constant that has the text of the query",
        Feature::Visibility => "others may use it",
        Feature::HasBody => "it is more than one line",
        Feature::Declaration => "it only declares what is defined elsewhere",
        Feature::Documented => "it has a doc comment",
        Feature::FileRole => "its file is no source: a test, docs, generated, vendored",
        Feature::PathDepth => "it lies deep in the tree",
        Feature::Test => role_meaning(Role::Test),
        Feature::Role(role) => role_meaning(role),
        Feature::Old => "its path says that it is old",
        Feature::SameFile => "better results of its file stand above it",
        Feature::Rerank => "what the external reranker says",
        Feature::PathRule => "the settings have a factor for its path or the role of its file",
        Feature::TestsIt
        | Feature::TestsItsUser
        | Feature::NamedAsItsTest
        | Feature::CalledByIt
        | Feature::UsedByIt
        | Feature::InItsSignature
        | Feature::CommonUsers
        | Feature::WidelyUsed
        | Feature::SameType
        | Feature::Near
        | Feature::Identical
        | Feature::NameParts
        | Feature::Spelling
        | Feature::Body
        | Feature::ParameterCount
        | Feature::ParameterNames
        | Feature::ParameterTypes
        | Feature::Size => "part of the score",
    }
}

/// Returns what is held against a result in a file of a role.
fn role_meaning(role: Role) -> &'static str {
    match role {
        Role::Source => "part of the score",
        Role::Test => "it is a test, and the query does not ask for tests",
        Role::Generated => "its file is generated",
        Role::Vendored => "its file is a copy of another project",
        Role::Docs => "its file is documentation",
        Role::Config => "its file is configuration",
        Role::Example => "its file is an example",
    }
}
