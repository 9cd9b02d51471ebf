//! Scores that explain themselves: a score is the sum of named parts, to the last digit.

use crate::model::Role;

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it rewards, or, when negative, what it holds against the hit.
    pub name: PartName,
    /// Its share of the score, rounded to four digits.
    pub value: f64,
}

/// The names of the parts of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartName {
    /// Text score of the result.
    Text,
    /// Text score of its file.
    File,
    /// Nearness of its meaning.
    Meaning,
    /// Nearness of the nearest piece of its file.
    FileMeaning,
    /// Share of the query's terms that it contains.
    Coverage,
    /// Similarity of the file's name.
    FileName,
    /// Similarity of the folder's name.
    Folder,
    /// Similarity of its name.
    Name,
    /// The query contains its name.
    Identifier,
    /// Its kind.
    Kind,
    /// The match of its name.
    NameMatch,
    /// Letters beyond those asked for.
    NameLength,
    /// It is in the container asked for.
    Container,
    /// The match of its path.
    PathMatch,
    /// An error message points at it.
    StackFrame,
    /// It is public.
    Visibility,
    /// It has more than one line.
    HasBody,
    /// It only declares a symbol.
    Declaration,
    /// It has a doc comment.
    Documented,
    /// The role of its file, in a lookup by name.
    FileRole,
    /// Folders of its path.
    PathDepth,
    /// It is a test, or its file has the role.
    Test,
    /// The role of its file.
    Generated,
    /// The role of its file.
    Vendored,
    /// The role of its file.
    Docs,
    /// The role of its file.
    Config,
    /// The role of its file.
    Example,
    /// Its path says that it is old.
    Old,
    /// A factor from the settings for its path or role.
    PathRule,
    /// Better results are in its file.
    SameFile,
    /// The score of an external reranker.
    Rerank,
    /// It tests the symbol.
    TestsIt,
    /// It tests a user of the symbol.
    TestsItsUser,
    /// It is named as the symbol's test.
    NamedAsItsTest,
    /// The symbol calls it.
    CalledByIt,
    /// The symbol uses it otherwise.
    UsedByIt,
    /// It is a type in the symbol's signature.
    InItsSignature,
    /// Functions that use both.
    CommonUsers,
    /// Its name is in many files.
    WidelyUsed,
    /// It is a member of the same type.
    SameType,
    /// It is near the symbol in the file.
    Near,
    /// Its body is equal.
    Identical,
    /// Parts that both names have.
    NameParts,
    /// Few edits between both names.
    Spelling,
    /// Names that both bodies use.
    Body,
    /// The number of parameters is equal.
    ParameterCount,
    /// Names of parameters that both have.
    ParameterNames,
    /// Types of parameters that both have.
    ParameterTypes,
    /// The numbers of lines are similar.
    Size,
}

impl PartName {
    /// Returns the word used in JSON and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            PartName::Text => "text",
            PartName::File => "file",
            PartName::Meaning => "meaning",
            PartName::FileMeaning => "file_meaning",
            PartName::Coverage => "coverage",
            PartName::FileName => "file_name",
            PartName::Folder => "folder",
            PartName::Name => "name",
            PartName::Identifier => "identifier",
            PartName::Kind => "kind",
            PartName::NameMatch => "name_match",
            PartName::NameLength => "name_length",
            PartName::Container => "container",
            PartName::PathMatch => "path_match",
            PartName::StackFrame => "stack_frame",
            PartName::Visibility => "visibility",
            PartName::HasBody => "has_body",
            PartName::Declaration => "declaration",
            PartName::Documented => "documented",
            PartName::FileRole => "file_role",
            PartName::PathDepth => "path_depth",
            PartName::Test => "test",
            PartName::Generated => "generated",
            PartName::Vendored => "vendored",
            PartName::Docs => "docs",
            PartName::Config => "config",
            PartName::Example => "example",
            PartName::Old => "old",
            PartName::PathRule => "path_rule",
            PartName::SameFile => "same_file",
            PartName::Rerank => "rerank",
            PartName::TestsIt => "tests_it",
            PartName::TestsItsUser => "tests_its_user",
            PartName::NamedAsItsTest => "named_as_its_test",
            PartName::CalledByIt => "called_by_it",
            PartName::UsedByIt => "used_by_it",
            PartName::InItsSignature => "in_its_signature",
            PartName::CommonUsers => "common_users",
            PartName::WidelyUsed => "widely_used",
            PartName::SameType => "same_type",
            PartName::Near => "near",
            PartName::Identical => "identical",
            PartName::NameParts => "name_parts",
            PartName::Spelling => "spelling",
            PartName::Body => "body",
            PartName::ParameterCount => "parameter_count",
            PartName::ParameterNames => "parameter_names",
            PartName::ParameterTypes => "parameter_types",
            PartName::Size => "size",
        }
    }

    /// Returns the part in which the role of a file lowers a score; source code has none.
    pub(crate) fn of_role(role: Role) -> Option<PartName> {
        match role {
            Role::Source => None,
            Role::Test => Some(PartName::Test),
            Role::Generated => Some(PartName::Generated),
            Role::Vendored => Some(PartName::Vendored),
            Role::Docs => Some(PartName::Docs),
            Role::Config => Some(PartName::Config),
            Role::Example => Some(PartName::Example),
        }
    }
}

/// The parts of a score in the order they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Non-zero parts only.
    pub parts: Vec<Part>,
}

impl Explanation {
    /// Adds a part; values are rounded first, so that the sum of what is shown is the score.
    pub(crate) fn add(&mut self, name: PartName, value: f64) {
        let value = round(value);
        if value != 0.0 {
            self.parts.push(Part { name, value });
        }
    }

    /// Takes away a share of what has been added so far.
    pub(crate) fn discount(&mut self, name: PartName, share: f64) {
        self.add(name, -self.score() * share);
    }

    /// Multiplies what has been added so far; a factor of 1 adds no part.
    pub(crate) fn multiply(&mut self, name: PartName, factor: f64) {
        self.add(name, self.score() * (factor - 1.0));
    }

    /// Returns whether the score has a part of this name.
    pub fn has(&self, name: PartName) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }

    /// The sum of the parts.
    pub fn score(&self) -> f64 {
        round(self.parts.iter().map(|part| part.value).sum())
    }
}

fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_score() {
        let mut explanation = Explanation::default();
        explanation.add(PartName::Text, 1.0 / 3.0);
        explanation.add(PartName::Folder, 0.00001);
        explanation.add(PartName::Name, 2.0 / 3.0);
        explanation.discount(PartName::Old, 0.25);
        explanation.multiply(PartName::PathRule, 1.0);
        let sum: f64 = explanation.parts.iter().map(|part| part.value).sum();
        assert_eq!(explanation.score(), round(sum));
        assert_eq!(explanation.parts.len(), 3);
        assert!(explanation.has(PartName::Old) && !explanation.has(PartName::Folder));
    }

    #[test]
    fn factors_multiply_the_score() {
        let mut explanation = Explanation::default();
        explanation.add(PartName::Text, 10.0);
        explanation.multiply(PartName::PathRule, 1.5);
        assert_eq!(explanation.score(), 15.0);
        explanation.multiply(PartName::PathRule, 0.5);
        assert_eq!(explanation.score(), 7.5);
    }
}
