//! Advice: what a user can do next, worded for people at a terminal and for agents that have only
//! the tools.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::units::count;

/// The reader of advice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Commands and flags.
    #[default]
    Cli,
    /// Tools and their arguments.
    Tools,
}

/// One piece of advice. Variants exist for everything that names a command, a tool, a flag or an
/// argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Text that names neither commands nor flags.
    Text(Cow<'static, str>),
    /// Advice to the person who starts the program: flags of `serve-mcp`, `install` and other
    /// commands without a tool.
    Startup(Cow<'static, str>),
    /// The flags or arguments are wrong in a way that their description explains.
    SeeUsage,
    /// A text pattern is no regular expression.
    SearchLiterally,
    /// A text pattern extends over several lines.
    SearchMultiLine,
    /// There is no such ref.
    ListRefs,
    /// The workspace is not a readable directory.
    GiveDirectory,
    /// The current directory is gone.
    ChangeDirectory,
    /// The index is damaged.
    Rebuild,
    /// The index comes from a newer version.
    UpdateOrRebuild,
    /// The index comes from an older version.
    Reindex,
    /// There is no index yet.
    IndexFirst,
    /// An index run stopped.
    ResumeIndexing,
    /// An archive belongs to another workspace.
    IndexHere,
    /// A bug or an unreadable index.
    Bug,
    /// The database or the text index fails.
    CheckAndRebuild,
    /// A file is known and left out of the index.
    ListSkipped,
    /// A path is not in the index.
    CheckPath,
    /// A path leaves the workspace.
    StayInWorkspace,
    /// No definition has the name.
    DescribeInWords,
    /// No definition stands at the place.
    ListDefinitions,
    /// The ref that `switch` chose is gone.
    ResetSwitch,
    /// A place lacks its column.
    GiveFullPlace,
    /// There is no default branch to compare with.
    NameBase,
    /// Two refs have no common commit.
    CompareExactly,
    /// The token budget must be from the first number to the second.
    GiveMaxTokens(usize, usize),
    /// The strategy must be one of these words.
    GiveStrategy(String),
    /// Too many calls were followed.
    NarrowTrace,
    /// More chains exist than the first number, which may be raised to the second.
    RaiseMaxPaths(u32, u32),
    /// More chains exist than can be asked for.
    GiveTraceStart,
    /// An answer in a token budget is cut; the number is a budget that would give more.
    ShowOrRaiseTokens(usize),
    /// A diff lists only some of what is affected.
    ListImpact,
    /// The index lacks vectors of this model.
    MakeVectors(String),
    /// So many search documents got no vector, for this reason.
    RetryVectors(usize, String),
    /// A setting leaves out files whose content was looked at.
    RaiseAndRebuild,
    /// The watcher met an error.
    WatcherRetries,
    /// A call took longer than the server allows.
    NarrowSlowCall,
}

impl Remedy {
    /// Returns the advice in terms of commands and flags.
    pub(crate) fn for_cli(&self) -> String {
        self.words(Voice::Cli).into_owned()
    }

    /// Returns the advice in terms of tools and arguments.
    pub(crate) fn for_tools(&self) -> String {
        self.words(Voice::Tools).into_owned()
    }

    /// Returns the advice for a reader.
    pub(crate) fn words(&self, voice: Voice) -> Cow<'_, str> {
        let by_reader = |cli: &'static str, tools: &'static str| match voice {
            Voice::Cli => Cow::Borrowed(cli),
            Voice::Tools => Cow::Borrowed(tools),
        };
        match self {
            Remedy::Text(text) | Remedy::Startup(text) => Cow::Borrowed(text),
            Remedy::SeeUsage => by_reader("see `codecompass help`", "see the tool's schema"),
            Remedy::SearchLiterally => by_reader(
                "correct it, or give -F to search for it as it is",
                "correct it, or give `fixed_strings: true` to search for it as it is",
            ),
            Remedy::SearchMultiLine => {
                by_reader("give -U to search across lines", "give `multi_line: true` to search across lines")
            }
            Remedy::ListRefs => by_reader(
                "`codecompass branches` lists what there is; a shallow or partial clone may lack old commits",
                "`list_refs` lists what there is; a shallow or partial clone may lack old commits",
            ),
            Remedy::GiveDirectory => by_reader(
                "give an existing, readable directory with --workspace, or change into one",
                "give an existing, readable directory as `workspace`",
            ),
            Remedy::ChangeDirectory => by_reader(
                "change into a directory that exists, or give one with --workspace",
                "give a directory that exists as `workspace`",
            ),
            Remedy::Rebuild => by_reader(
                "run `codecompass index --force` to build the index anew",
                "run `index_repo` with `force` to build the index anew",
            ),
            Remedy::UpdateOrRebuild => by_reader(
                "update codecompass, or run `codecompass index --force` to replace the index with one of this version",
                "update codecompass, or run `index_repo` with `force` to replace the index with one of this version",
            ),
            Remedy::Reindex => by_reader("run `codecompass index` to replace it", "run `index_repo` to replace it"),
            Remedy::IndexFirst => by_reader("run `codecompass index` first", "run `index_repo` first"),
            Remedy::ResumeIndexing => by_reader(
                "run `codecompass index`; it goes on where the run stopped",
                "run `index_repo`; it goes on where the run stopped",
            ),
            Remedy::IndexHere => by_reader(
                "import it where it belongs; `codecompass index` indexes this workspace",
                "import it where it belongs; `index_repo` indexes this workspace",
            ),
            Remedy::Bug => by_reader(
                "this is a bug; `codecompass doctor --full` shows the state of the index, `codecompass index --force` \
                 builds it anew",
                "this is a bug; `health_check` with `full` shows the state of the index, `index_repo` with `force` \
                 builds it anew",
            ),
            Remedy::CheckAndRebuild => by_reader(
                "run `codecompass doctor --full`; `codecompass index --force` builds the index anew",
                "run `health_check` with `full`; `index_repo` with `force` builds the index anew",
            ),
            Remedy::ListSkipped => by_reader(
                "`codecompass index --show-ignored` lists what is skipped, and why",
                "`health_check` says what is skipped, and why",
            ),
            Remedy::CheckPath => by_reader(
                "give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and \
                 why",
                "give a path below the workspace root; `health_check` says what is skipped, and why",
            ),
            Remedy::StayInWorkspace => by_reader(
                "give a path below the workspace root, or another --workspace",
                "give a path below the workspace root",
            ),
            Remedy::DescribeInWords => by_reader(
                "check the spelling, or describe it in words with `codecompass search`",
                "check the spelling, or describe it in words with `search_code`",
            ),
            Remedy::ListDefinitions => by_reader(
                "`codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; \
                 path:line without a column means the definition around it",
                "`get_file_outline` lists what a file defines, `locate_symbol` with `at` says what a name means; \
                 path:line without a column means the definition around it",
            ),
            Remedy::ResetSwitch => by_reader(
                "`codecompass switch` chose this ref; `codecompass switch --reset` returns to the files on disk",
                "`switch_ref` chose this ref; `switch_ref` with `reset` returns to the files on disk",
            ),
            Remedy::GiveFullPlace => by_reader(
                "give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column",
                "give PATH:LINE:COLUMN, such as src/app.py:12:8; PATH:LINE as `symbol` needs no column",
            ),
            Remedy::NameBase => by_reader(
                "inside a git repository, name a commit: `codecompass diff BASE`",
                "inside a git repository, name a commit: `diff_context` with `base`",
            ),
            Remedy::CompareExactly => by_reader(
                "compare the two as they are with --exact; a shallow clone may lack the commit: `git fetch --unshallow`",
                "compare the two as they are with `exact`; a shallow clone may lack the commit: `git fetch --unshallow`",
            ),
            Remedy::GiveMaxTokens(least, most) => match voice {
                Voice::Cli => format!("give a number from {least} to {most} with --max-tokens").into(),
                Voice::Tools => format!("give a number from {least} to {most} as `max_tokens`").into(),
            },
            Remedy::GiveStrategy(known) => match voice {
                Voice::Cli => format!("give {known} with --strategy").into(),
                Voice::Tools => format!("give {known} as `strategy`").into(),
            },
            Remedy::NarrowTrace => by_reader(
                "say where chains start with --from, or allow fewer calls with --depth",
                "say where chains start with `from`, or allow fewer calls with `depth`",
            ),
            Remedy::RaiseMaxPaths(now, most) => match voice {
                Voice::Cli => format!("raise --max-paths (now {now}, at most {most})").into(),
                Voice::Tools => format!("raise max_paths (now {now}, at most {most})").into(),
            },
            Remedy::GiveTraceStart => {
                by_reader("say where chains start with --from", "say where chains start with `from`")
            }
            Remedy::ShowOrRaiseTokens(more) => match voice {
                Voice::Cli => format!("`codecompass show PATH:LINE` has all lines, --max-tokens {more} more").into(),
                Voice::Tools => format!("`get_symbol` of PATH:LINE has all lines, `max_tokens` {more} more").into(),
            },
            Remedy::ListImpact => by_reader(
                "`codecompass impact --diff` lists all that is affected, page by page",
                "`analyze_impact` with `base` lists all that is affected, page by page",
            ),
            Remedy::MakeVectors(model) => {
                let maker = by_reader("`codecompass index`", "`index_repo`");
                format!("answered by words alone: the index has no vectors of {model}; {maker} makes them").into()
            }
            Remedy::RetryVectors(documents, problem) => {
                let documents = count(*documents, "search document");
                let maker = by_reader("`codecompass index`", "`index_repo`");
                format!("{documents} got no vector: {problem}; the next {maker} makes up for it").into()
            }
            Remedy::RaiseAndRebuild => by_reader(
                "raise the setting, then run `codecompass index --force`",
                "raise the setting, then run `index_repo` with `force`",
            ),
            Remedy::WatcherRetries => by_reader(
                "it tries again by itself; `codecompass watch --status` says more",
                "it tries again by itself",
            ),
            Remedy::NarrowSlowCall => by_reader(
                "narrow the question with a smaller depth or limit",
                "narrow the question with a smaller depth or limit; the setting server.call_timeout allows more time",
            ),
        }
    }
}

impl From<&'static str> for Remedy {
    fn from(text: &'static str) -> Remedy {
        Remedy::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Remedy {
        Remedy::Text(Cow::Owned(text))
    }
}

/// Advice in an answer. It is serialized for its reader, who is known when the answer is rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    remedy: Remedy,
    voice: Voice,
}

impl Advice {
    /// Sets the reader.
    pub(crate) fn address(&mut self, voice: Voice) {
        self.voice = voice;
    }

    /// Returns the advice in the words of its reader.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        self.remedy.words(self.voice)
    }
}

impl From<Remedy> for Advice {
    fn from(remedy: Remedy) -> Advice {
        Advice { remedy, voice: Voice::default() }
    }
}

impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readers_get_their_own_words() {
        assert_eq!(Remedy::Rebuild.for_cli(), "run `codecompass index --force` to build the index anew");
        assert_eq!(Remedy::Rebuild.for_tools(), "run `index_repo` with `force` to build the index anew");
        let mut advice = Advice::from(Remedy::GiveMaxTokens(100, 900));
        assert_eq!(advice.text(), "give a number from 100 to 900 with --max-tokens");
        advice.address(Voice::Tools);
        assert_eq!(serde_json::to_value(&advice).unwrap(), "give a number from 100 to 900 as `max_tokens`");
    }
}
