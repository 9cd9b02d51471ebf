//! Advice: what a user can do next, worded for people at a terminal and for agents that have only
//! the tools.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// The reader of advice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Commands and flags.
    #[default]
    Cli,
    /// Tools and their arguments.
    Tools,
}

impl Audience {
    /// Returns an option as the reader gives it.
    pub fn option(self, name: &str) -> String {
        match self {
            Audience::Cli => format!("--{name}"),
            Audience::Tools => format!("`{}`", name.replace('-', "_")),
        }
    }

    /// Returns the reader's name of a question: a command, or a tool.
    pub fn question(self, command: &str, tool: &str) -> String {
        match self {
            Audience::Cli => format!("`codecompass {command}`"),
            Audience::Tools => format!("`{tool}`"),
        }
    }
}

macro_rules! remedies {
    ($($(#[doc = $doc:literal])+ $name:ident $(($($field:ident: $type:ty),+))? = $cli:literal, $tools:literal;)+) => {
        /// One piece of advice. Variants exist for everything that names a command, a tool, a flag
        /// or an argument.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Remedy {
            /// Text that names neither commands nor flags.
            Text(Cow<'static, str>),
            /// Advice to the person who starts the program: flags of `serve-mcp`, `install` and
            /// other commands without a tool.
            Startup(Cow<'static, str>),
            $($(#[doc = $doc])+ $name $(($($type),+))?,)+
        }

        impl Remedy {
            /// Returns the advice for a reader.
            pub fn words(&self, audience: Audience) -> Cow<'_, str> {
                match (self, audience) {
                    (Remedy::Text(text) | Remedy::Startup(text), _) => Cow::Borrowed(text),
                    $(
                        (Remedy::$name $(($($field),+))?, Audience::Cli) => format!($cli).into(),
                        (Remedy::$name $(($($field),+))?, Audience::Tools) => format!($tools).into(),
                    )+
                }
            }
        }
    };
}

// Each with its words for people at a terminal, then those for agents.
remedies! {
    /// The flags or arguments are wrong in a way that their description explains.
    SeeUsage =
        "see `codecompass help`",
        "see the tool's schema";
    /// A text pattern is no regular expression.
    SearchLiterally =
        "correct it, or give -F to search for it as it is",
        "correct it, or give `fixed_strings: true` to search for it as it is";
    /// A pattern of a question about commits is no regular expression.
    CorrectPattern =
        "correct it; --changes takes a text as it is",
        "correct it; `changes` takes a text as it is";
    /// A text pattern extends over several lines.
    SearchMultiLine =
        "give -U to search across lines",
        "give `multi_line: true` to search across lines";
    /// There is no such ref.
    ListRefs =
        "`codecompass branches` lists what there is; a shallow or partial clone may lack old commits",
        "`list_refs` lists what there is; a shallow or partial clone may lack old commits";
    /// The question is about branches or commits, and there are none.
    NeedsGit =
        "ask in a git repository, or name one with --workspace; `git init` makes one here",
        "name a git repository as `workspace`";
    /// The workspace is not a readable directory.
    GiveDirectory =
        "give an existing, readable directory with --workspace, or change into one",
        "give an existing, readable directory as `workspace`";
    /// The current directory is gone.
    ChangeDirectory =
        "change into a directory that exists, or give one with --workspace",
        "give a directory that exists as `workspace`";
    /// The question is about one workspace.
    OneWorkspace =
        "give one --workspace; `search`, `locate`, lists and questions about symbols and paths take several",
        "give one `workspace`; `search_code`, `locate_symbol`, lists and questions about symbols and paths take several";
    /// There are too many workspaces.
    NameWorkspaces =
        "name some of them with --workspace",
        "name some of them as `workspaces`";
    /// The index is damaged.
    Rebuild =
        "run `codecompass index --force` to build the index anew",
        "run `index_repo` with `force` to build the index anew";
    /// The index comes from a newer version.
    UpdateOrRebuild =
        "update codecompass, or run `codecompass index --force` to replace the index with one of this version",
        "update codecompass, or run `index_repo` with `force` to replace the index with one of this version";
    /// The index comes from an older version.
    Reindex =
        "run `codecompass index` to replace it",
        "run `index_repo` to replace it";
    /// There is no index yet.
    IndexFirst =
        "run `codecompass index` first",
        "run `index_repo` first";
    /// An index run stopped.
    ResumeIndexing =
        "run `codecompass index`; it goes on where the run stopped",
        "run `index_repo`; it goes on where the run stopped";
    /// An archive belongs to another workspace.
    IndexHere =
        "import it where it belongs; `codecompass index` indexes this workspace",
        "import it where it belongs; `index_repo` indexes this workspace";
    /// A bug or an unreadable index.
    Bug =
        "this is a bug; `codecompass doctor --full` shows the state of the index, `codecompass index --force` \
         builds it anew",
        "this is a bug; `health_check` with `full` shows the state of the index, `index_repo` with `force` builds \
         it anew";
    /// The database or the text index fails.
    CheckAndRebuild =
        "run `codecompass doctor --full`; `codecompass index --force` builds the index anew",
        "run `health_check` with `full`; `index_repo` with `force` builds the index anew";
    /// A file is known and left out of the index.
    ListSkipped =
        "`codecompass index --show-ignored` lists what is skipped, and why",
        "`health_check` says what is skipped, and why";
    /// A path is not in the index.
    CheckPath =
        "give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why",
        "give a path below the workspace root; `health_check` says what is skipped, and why";
    /// There is no such project, and no other.
    NoProjects =
        "no manifest of a project was found; `codecompass projects` says what was read, --path takes folders",
        "no manifest of a project was found; `list_projects` says what was read, `path` takes folders";
    /// There is no such project.
    NearProjects(names: String) =
        "did you mean {names}? `codecompass projects` lists all",
        "did you mean {names}? `list_projects` lists all";
    /// There is no such project and none like it.
    OtherProjects(names: String) =
        "there are {names}; `codecompass projects` lists all",
        "there are {names}; `list_projects` lists all";
    /// Several projects may be meant.
    SeveralProjects(names: String) =
        "give the whole name or the folder of one: {names}; `codecompass projects` lists all",
        "give the whole name or the folder of one: {names}; `list_projects` lists all";
    /// A file was asked for, and this is a folder.
    ListFolder(path: String) =
        "`codecompass ls {path}` lists it",
        "`list_directory` with `path` {path} lists it";
    /// A file is too large to be read as a whole.
    GiveLines(path: String) =
        "read a range of its lines: `codecompass read {path}:1-200`",
        "read a range of its lines: `path` {path}:1-200";
    /// A symbol was asked for, and this is a range of lines.
    ReadLines(place: String) =
        "`codecompass read {place}` shows them; PATH:LINE means the definition around a line",
        "`read_file` with `path` {place} shows them; path:line means the definition around a line";
    /// Lines of files did not fit into the answer.
    ReadOn(path: String) =
        "`codecompass read {path}` goes on",
        "cut; `path` {path} goes on";
    /// A path leaves the workspace.
    StayInWorkspace =
        "give a path below the workspace root, or another --workspace",
        "give a path below the workspace root";
    /// No definition has the name.
    DescribeInWords =
        "check the spelling, or describe it in words with `codecompass search`",
        "check the spelling, or describe it in words with `search_code`";
    /// The question names something that looks like a definition.
    LocateName(name: String) =
        "`codecompass locate {name}`: the question names it",
        "`locate_symbol {{\"symbol\": {name:?}}}`: the question names it";
    /// No definition has the name, and nothing has the word.
    DescribeName =
        "no definition has this name; say in words what the code does: `codecompass search \"parse a date\"`",
        "no definition has this name; say in words what the code does: `search_code {{\"query\": \"parse a date\"}}`";
    /// No definition is like the name.
    SearchFor(name: String) =
        "`codecompass search {name}` finds code by what it does, `codecompass grep -F {name}` by its text",
        "`search_code {{\"query\": {name:?}}}` finds code by what it does, `grep_code` by its text";
    /// The name fits only roughly.
    GrepName(name: String) =
        "the name fits only roughly: `codecompass grep -F {name}` lists its lines, or ask in words what the code does",
        "the name fits only roughly: `grep_code {{\"pattern\": {name:?}, \"fixed_strings\": true}}` lists its \
         lines, or ask in words what the code does";
    /// No file has the path; its last name may be right.
    SearchFileName(name: String) =
        "no file has this path: check the spelling, or `codecompass search {name}`",
        "no file has this path: check the spelling, or `search_code {{\"query\": {name:?}}}`";
    /// Nothing was found.
    Broaden =
        "use broader terms, or see with `codecompass status` whether the code is indexed",
        "use broader terms, or see with `index_status` whether the code is indexed";
    /// The name stands only in files that are too large to be indexed.
    GrepOversized(name: String) =
        "`codecompass grep -wF {name}` shows the lines; the setting index.max_file_bytes decides what is indexed",
        "`grep_code {{\"pattern\": {name:?}, \"fixed_strings\": true, \"word\": true}}` shows the lines; the \
         setting index.max_file_bytes decides what is indexed";
    /// No definition stands at the place.
    ListDefinitions =
        "`codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; \
         path:line without a column means the definition around it",
        "`get_file_outline` lists what a file defines, `locate_symbol` with `at` says what a name means; path:line \
         without a column means the definition around it";
    /// The ref that `switch` chose is gone.
    ResetSwitch =
        "`codecompass switch` chose this ref; `codecompass switch --reset` returns to the files on disk",
        "`switch_ref` chose this ref; `switch_ref` with `reset` returns to the files on disk";
    /// A place lacks its column.
    GiveFullPlace =
        "give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column",
        "give PATH:LINE:COLUMN, such as src/app.py:12:8; PATH:LINE as `symbol` needs no column";
    /// There is no default branch to compare with.
    NameBase =
        "inside a git repository, name a commit: `codecompass diff BASE`",
        "inside a git repository, name a commit: `diff_context` with `base`";
    /// Two refs have no common commit.
    CompareExactly =
        "compare the two as they are with --exact; a shallow clone may lack the commit: `git fetch --unshallow`",
        "compare the two as they are with `exact`; a shallow clone may lack the commit: `git fetch --unshallow`";
    /// The token budget must be from the first number to the second.
    GiveMaxTokens(least: usize, most: usize) =
        "give a number from {least} to {most} with --max-tokens",
        "give a number from {least} to {most} as `max_tokens`";
    /// The strategy must be one of these words.
    GiveStrategy(known: String) =
        "give {known} with --strategy",
        "give {known} as `strategy`";
    /// Too many calls were followed.
    NarrowTrace =
        "say where chains start with --from, or allow fewer calls with --depth",
        "say where chains start with `from`, or allow fewer calls with `depth`";
    /// More chains exist than the first number, which may be raised to the second.
    RaiseMaxPaths(now: u32, most: u32) =
        "raise --max-paths (now {now}, at most {most})",
        "raise max_paths (now {now}, at most {most})";
    /// A trace is of a symbol, a value or an error.
    NameTraceEnd =
        "give one of SYMBOL, --value NAME and --raises ERROR",
        "give one of `to`, `value` and `raises`";
    /// More chains exist than can be asked for.
    GiveTraceStart =
        "say where chains start with --from",
        "say where chains start with `from`";
    /// An answer in a token budget is cut; the number is a budget that would give more.
    ShowOrRaiseTokens(more: usize) =
        "--max-tokens {more} shows more; `codecompass show PATH:LINE` has all lines of one",
        "`max_tokens` {more} shows more; `get_symbol` of PATH:LINE has all lines of one";
    /// A diff lists only some of what is affected.
    ListImpact =
        "`codecompass impact --diff` lists all that is affected, page by page",
        "`analyze_impact` with `base` lists all that is affected, page by page";
    /// The index lacks vectors of this model.
    MakeVectors(model: String) =
        "answered by words alone: the index has no vectors of {model}; `codecompass index` makes them",
        "answered by words alone: the index has no vectors of {model}; `index_repo` makes them";
    /// So many search documents got no vector, for this reason.
    RetryVectors(documents: String, problem: String) =
        "{documents} got no vector: {problem}; the next `codecompass index` makes up for it",
        "{documents} got no vector: {problem}; the next `index_repo` makes up for it";
    /// A setting leaves out files whose content was looked at.
    RaiseAndRebuild =
        "raise the setting, then run `codecompass index --force`",
        "raise the setting, then run `index_repo` with `force`";
    /// The watcher met an error.
    WatcherRetries =
        "it tries again by itself; `codecompass watch --status` says more",
        "it tries again by itself";
    /// No chat model is configured.
    ConfigureChat =
        "set provider, model and base_url in [semantic.chat] and both switches of [semantic]",
        "a chat model is set up in [semantic.chat] of the settings; answer from this code";
    /// A privacy switch blocks the chat model.
    AllowChat =
        "switch it on in your own settings to let code leave this machine",
        "answer from this code";
    /// The chat model failed.
    CheckChat =
        "try again, or correct [semantic.chat]",
        "answer from this code, or call again";
    /// A call took longer than the server allows.
    NarrowSlowCall =
        "narrow the question with a smaller depth or limit",
        "narrow the question with a smaller depth or limit; the setting server.call_timeout allows more time";
}

impl Remedy {
    /// Returns the advice in terms of commands and flags.
    pub fn for_cli(&self) -> String {
        self.words(Audience::Cli).into_owned()
    }

    /// Returns the advice in terms of tools and arguments.
    pub fn for_tools(&self) -> String {
        self.words(Audience::Tools).into_owned()
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
pub struct Advice {
    remedy: Remedy,
    audience: Audience,
}

impl Advice {
    /// Sets the reader.
    pub fn address(&mut self, audience: Audience) {
        self.audience = audience;
    }

    /// Returns the advice in the words of its reader.
    pub fn text(&self) -> Cow<'_, str> {
        self.remedy.words(self.audience)
    }
}

impl From<Remedy> for Advice {
    fn from(remedy: Remedy) -> Advice {
        Advice { remedy, audience: Audience::default() }
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
        advice.address(Audience::Tools);
        assert_eq!(serde_json::to_value(&advice).unwrap(), "give a number from 100 to 900 as `max_tokens`");
    }
}
