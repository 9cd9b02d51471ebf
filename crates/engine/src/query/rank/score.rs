//! Scores that explain themselves: a score is the sum of named parts, to the last digit.

use crate::model::Role;
use serde::{Deserialize, Serialize};

/// A feature that a part of a score rewards or, when negative, holds against the hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feature {
    /// The way the name matches what was asked for.
    NameMatch,
    /// Letters of the name beyond what was asked for.
    NameLength,
    /// The name stands in the container that was asked for.
    Container,
    /// The kind of the definition.
    Kind,
    /// The definition is public.
    Visibility,
    /// The definition has more than one line.
    HasBody,
    /// It is only a declaration.
    Declaration,
    /// It has a doc comment.
    Documented,
    /// The role of its file, in a lookup by name.
    FileRole,
    /// It is a test.
    Test,
    /// Folders above its file.
    PathDepth,
    /// Its code is the same.
    Identical,
    /// Parts of the name in common.
    NameParts,
    /// Names that are spelt alike.
    Spelling,
    /// Words of the bodies in common.
    Body,
    /// Words of the question in its text.
    Text,
    /// As many parameters.
    ParameterCount,
    /// Parameter names in common.
    ParameterNames,
    /// Parameter types in common.
    ParameterTypes,
    /// About as long.
    Size,
    /// It tests the subject.
    TestsIt,
    /// It tests a user of the subject.
    TestsItsUser,
    /// It is named as a test of the subject.
    NamedAsItsTest,
    /// The subject calls it.
    CalledByIt,
    /// The subject uses it.
    UsedByIt,
    /// The signature of the subject names it.
    InItsSignature,
    /// Definitions that use both.
    CommonUsers,
    /// Used so widely that common users say little.
    WidelyUsed,
    /// A member of the same type.
    SameType,
    /// Close by in the same file.
    Near,
    /// The word of the reranker.
    Rerank,
    /// Marked as old by its path.
    Old,
    /// The path matches what was asked for.
    PathMatch,
    /// A frame of the stack trace.
    StackFrame,
    /// The text of the query as it is written.
    ExactText,
    /// It uses the constant that has the text of the query.
    UsesText,
    /// Better results of the same file.
    SameFile,
    /// Tests with words of the question name it.
    NamedByTests,
    /// Better results of the same folder, where a question asks for every place.
    SameFolder,
    /// Words of the question in its file.
    File,
    /// Words of an issue in its whole file.
    FileTerms,
    /// Names of an issue that its file defines.
    FileNames,
    /// A frame of the stack trace in its file.
    FileFrame,
    /// Nearness in meaning.
    Meaning,
    /// Nearness of its file in meaning.
    FileMeaning,
    /// Words of the question that occur at all.
    Coverage,
    /// Words of the question in the file name.
    FileName,
    /// Words of the question in the folder.
    Folder,
    /// Words of the question in the name.
    Name,
    /// An identifier of the question is its name.
    Identifier,
    /// The role of its file, in a search.
    Role(Role),
    /// A factor of the settings for the path or the role of its file.
    PathRule,
}

impl Feature {
    /// The word used in JSON and explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Feature::NameMatch => "name_match",
            Feature::NameLength => "name_length",
            Feature::Container => "container",
            Feature::Kind => "kind",
            Feature::Visibility => "visibility",
            Feature::HasBody => "has_body",
            Feature::Declaration => "declaration",
            Feature::Documented => "documented",
            Feature::FileRole => "file_role",
            Feature::Test => "test",
            Feature::PathDepth => "path_depth",
            Feature::Identical => "identical",
            Feature::NameParts => "name_parts",
            Feature::Spelling => "spelling",
            Feature::Body => "body",
            Feature::Text => "text",
            Feature::ParameterCount => "parameter_count",
            Feature::ParameterNames => "parameter_names",
            Feature::ParameterTypes => "parameter_types",
            Feature::Size => "size",
            Feature::TestsIt => "tests_it",
            Feature::TestsItsUser => "tests_its_user",
            Feature::NamedAsItsTest => "named_as_its_test",
            Feature::CalledByIt => "called_by_it",
            Feature::UsedByIt => "used_by_it",
            Feature::InItsSignature => "in_its_signature",
            Feature::CommonUsers => "common_users",
            Feature::WidelyUsed => "widely_used",
            Feature::SameType => "same_type",
            Feature::Near => "near",
            Feature::Rerank => "rerank",
            Feature::Old => "old",
            Feature::PathMatch => "path_match",
            Feature::StackFrame => "stack_frame",
            Feature::ExactText => "exact_text",
            Feature::UsesText => "uses_text",
            Feature::SameFile => "same_file",
            Feature::NamedByTests => "named_by_tests",
            Feature::SameFolder => "same_folder",
            Feature::File => "file",
            Feature::FileTerms => "file_terms",
            Feature::FileNames => "file_names",
            Feature::FileFrame => "file_frame",
            Feature::Meaning => "meaning",
            Feature::FileMeaning => "file_meaning",
            Feature::Coverage => "coverage",
            Feature::FileName => "file_name",
            Feature::Folder => "folder",
            Feature::Name => "name",
            Feature::Identifier => "identifier",
            Feature::Role(role) => role.as_str(),
            Feature::PathRule => "path_rule",
        }
    }
}

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The feature.
    pub feature: Feature,
    /// Its share of the score, rounded to four digits.
    pub value: f64,
}

impl Part {
    /// The word used in JSON and explanations.
    pub fn name(&self) -> &'static str {
        self.feature.as_str()
    }
}

/// The parts of a score in the order they were added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Non-zero parts only.
    pub parts: Vec<Part>,
    /// The cosine of the query's vector and the document's, from -1 to 1, if they were compared.
    pub similarity: Option<f32>,
}

impl Explanation {
    /// Adds a part; values are rounded first, so that the sum of what is shown is the score.
    pub(crate) fn add(&mut self, feature: Feature, value: f64) {
        let value = round(value);
        if value != 0.0 {
            self.parts.push(Part { feature, value });
        }
    }

    /// Takes away a share of what has been added so far.
    pub(crate) fn discount(&mut self, feature: Feature, share: f64) {
        self.add(feature, -self.score() * share);
    }

    /// Multiplies what has been added so far; a factor of 1 adds no part.
    pub(crate) fn multiply(&mut self, feature: Feature, factor: f64) {
        self.add(feature, self.score() * (factor - 1.0));
    }

    /// Returns whether a feature counts.
    pub fn has(&self, feature: Feature) -> bool {
        self.parts.iter().any(|part| part.feature == feature)
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
        explanation.add(Feature::Text, 1.0 / 3.0);
        explanation.add(Feature::Size, 0.00001);
        explanation.add(Feature::Name, 2.0 / 3.0);
        explanation.discount(Feature::Test, 0.25);
        let sum: f64 = explanation.parts.iter().map(|part| part.value).sum();
        assert_eq!(explanation.score(), round(sum));
        assert_eq!(explanation.parts.len(), 3);
        assert!(explanation.has(Feature::Test) && !explanation.has(Feature::Size));
    }

    #[test]
    fn factors_multiply_the_score() {
        let mut explanation = Explanation::default();
        explanation.add(Feature::Text, 10.0);
        explanation.multiply(Feature::PathRule, 1.5);
        assert_eq!(explanation.score(), 15.0);
        explanation.multiply(Feature::PathRule, 0.5);
        assert_eq!(explanation.score(), 7.5);
        explanation.multiply(Feature::PathRule, 1.0);
        assert_eq!(explanation.parts.len(), 3);
    }
}
