//! Values with a fixed set of words that flags, settings and tool arguments share.

use clap::ValueEnum;
use codecompass_engine::model::Role;
use codecompass_engine::query::GroupBy;
use schemars::JsonSchema;
use serde::Deserialize;

/// The amount of metadata in answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetadataLevel {
    /// Only what is not as usual.
    #[default]
    Brief,
    /// Everything.
    Full,
}

/// The policy for waiting until the index has caught up with the files on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Freshness {
    /// Always.
    Strict,
    /// Unless a server has much to index: it answers from the last state and goes on in the
    /// background.
    #[default]
    Balanced,
    /// Never, if there is any state; the answer says so if it is not what is on disk.
    BestEffort,
}

impl Freshness {
    /// Returns the policy of this name in settings.
    pub fn from_name(name: &str) -> Option<Freshness> {
        match name {
            "strict" => Some(Freshness::Strict),
            "balanced" => Some(Freshness::Balanced),
            "best_effort" => Some(Freshness::BestEffort),
            _ => None,
        }
    }

    /// Returns the name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Freshness::Strict => "strict",
            Freshness::Balanced => "balanced",
            Freshness::BestEffort => "best_effort",
        }
    }
}

/// The role of a file in its repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Code of the program itself.
    Source,
    /// Tests.
    Test,
    /// Written by a program.
    Generated,
    /// Copies of other projects.
    Vendored,
    /// Documentation.
    Docs,
    /// Configuration.
    Config,
    /// Examples.
    Example,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Source => Role::Source,
            RoleArg::Test => Role::Test,
            RoleArg::Generated => Role::Generated,
            RoleArg::Vendored => Role::Vendored,
            RoleArg::Docs => Role::Docs,
            RoleArg::Config => Role::Config,
            RoleArg::Example => Role::Example,
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The amount of detail in each result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Path, lines, kind and name.
    Location,
    /// And the signature and ids.
    #[default]
    Signature,
    /// And lines of the source: those that the question speaks of with the blocks around them, or
    /// those that a change touched.
    Context,
}

/// Ways to put the results of one file together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// The best result of each file.
    File,
    /// Every definition for itself.
    Symbol,
}

impl From<Group> for GroupBy {
    fn from(group: Group) -> GroupBy {
        match group {
            Group::File => GroupBy::File,
            Group::Symbol => GroupBy::Symbol,
        }
    }
}

/// The amount of detail about scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explain {
    /// Nothing.
    #[default]
    Off,
    /// The largest parts.
    Basic,
    /// All parts; they add up to the score.
    Full,
}

/// The form in which an answer is carried: there is one copy of it, as every copy costs its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Answers {
    /// As a short text for a model.
    #[default]
    Text,
    /// As a text that is JSON, for programs that read only texts.
    Json,
    /// As an object in `structuredContent`, for programs; the list of contents is empty.
    Structured,
}

impl Answers {
    /// Returns the form of this name in settings.
    pub fn from_name(name: &str) -> Option<Answers> {
        Answers::from_str(name, false).ok()
    }

    /// Returns the name in settings.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
}

/// A part of a suite: one to choose weights on, one to check them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Questions that weights are chosen on.
    Tune,
    /// Questions that are kept back for checks.
    Held,
}
