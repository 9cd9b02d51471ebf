//! Questions about commits, made from a repository's own history, and git's answers to them.

use std::collections::BTreeSet;
use std::path::Path;

use codecompass_engine::history::{
    BlamePlace, BlameRun, ChangeStatus, HistoryOptions, TextQuery, blame, search_history,
};
use codecompass_engine::query::{Filter, PathPattern};
use codecompass_engine::{Engine, NoProgress};
use codecompass_testkit::{Git, Random};

/// A question, and the arguments of `git log` that ask the same.
pub(crate) struct LogQuestion {
    pub(crate) options: HistoryOptions,
    pub(crate) git: Vec<String>,
}

impl LogQuestion {
    fn new(reference: &str) -> LogQuestion {
        let options =
            HistoryOptions { range: Some(reference.to_string()), limit: usize::MAX, ..HistoryOptions::default() };
        LogQuestion { options, git: vec![reference.to_string()] }
    }

    fn git(&mut self, argument: impl Into<String>) {
        self.git.push(argument.into());
    }

    /// The question as a person would ask git.
    pub(crate) fn shown(&self) -> String {
        format!("git log {}", self.git.join(" "))
    }
}

/// Makes questions about the commits of one ref, the same ones for the same seed.
pub(crate) struct LogQuestions<'g> {
    git: &'g Git,
    reference: String,
    random: Random,
    commits: Vec<String>,
}

impl<'g> LogQuestions<'g> {
    pub(crate) fn new(git: &'g Git, reference: &str, seed: u64) -> LogQuestions<'g> {
        let listed = git.ask(&["rev-list", reference]).unwrap_or_default();
        let commits = listed.lines().map(str::to_string).collect();
        LogQuestions { git, reference: reference.to_string(), random: Random::new(seed), commits }
    }

    /// The next question; `None` in a history without commits.
    pub(crate) fn next(&mut self) -> Option<LogQuestion> {
        let mut question = LogQuestion::new(&self.reference);
        match self.random.below(100) {
            0..30 => self.changed_text(&mut question)?,
            30..55 => self.changed_lines(&mut question)?,
            55..63 => self.message(&mut question)?,
            63..71 => self.author(&mut question)?,
            71..79 => self.times(&mut question)?,
            79..90 => self.path(&mut question)?,
            90..95 => {
                self.changed_text(&mut question)?;
                self.path(&mut question)?;
            }
            _ => self.kind(&mut question),
        }
        Some(question)
    }

    fn commit(&mut self) -> Option<String> {
        let at = self.random.below(self.commits.len().max(1) as u64) as usize;
        self.commits.get(at).cloned()
    }

    /// A line that some commit added or removed.
    fn line(&mut self) -> Option<String> {
        for _ in 0..20 {
            let commit = self.commit()?;
            let shown = self.git.ask(&["show", "--format=", "--unified=0", &commit]).unwrap_or_default();
            let is_change = |line: &&str| {
                line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---") && line.len() > 6
            };
            let lines: Vec<&str> = shown.lines().filter(is_change).collect();
            if !lines.is_empty() && !shown.contains('\u{fffd}') {
                return Some(self.random.pick(&lines)[1..].to_string());
            }
        }
        None
    }

    /// A word of such a line.
    fn word(&mut self) -> Option<String> {
        for _ in 0..20 {
            let line = self.line()?;
            let words: Vec<&str> =
                line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| word.len() >= 4).collect();
            if !words.is_empty() {
                return Some(self.random.pick(&words).to_string());
            }
        }
        None
    }

    fn changed_text(&mut self, question: &mut LogQuestion) -> Option<()> {
        let text = match self.random.chance(50) {
            true => self.word()?,
            false => {
                let line = self.line()?;
                let line: Vec<char> = line.trim().chars().take(24).collect();
                line.into_iter().collect()
            }
        };
        if text.len() < 4 {
            return self.changed_text(question);
        }
        question.git(format!("-S{text}"));
        question.options.text = Some(TextQuery::Changed(text));
        Some(())
    }

    fn changed_lines(&mut self, question: &mut LogQuestion) -> Option<()> {
        let (word, other) = (self.word()?, self.word()?);
        let pattern = match self.random.below(6) {
            0 => word,
            1 => format!("({word}|{other})"),
            2 => format!("{word}[a-z_]+"),
            3 => format!("^[ \t]*{word}"),
            4 => format!("{word}.*{other}"),
            _ => format!("{word} *[(=:]"),
        };
        question.git(format!("-G{pattern}"));
        question.options.text = Some(TextQuery::Regex(pattern));
        Some(())
    }

    fn message(&mut self, question: &mut LogQuestion) -> Option<()> {
        let commit = self.commit()?;
        let message = self.git.ask(&["log", "-1", "--format=%B", &commit])?;
        let words: Vec<&str> =
            message.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 2).collect();
        let word = if words.is_empty() { "the".to_string() } else { self.random.pick(&words).to_string() };
        question.options.ignore_case = self.random.chance(30);
        if question.options.ignore_case {
            question.git("-i");
        }
        question.git("-E");
        question.git(format!("--grep={word}"));
        question.options.grep = Some(word);
        Some(())
    }

    fn author(&mut self, question: &mut LogQuestion) -> Option<()> {
        let commit = self.commit()?;
        let format = if self.random.chance(50) { "--format=%aN" } else { "--format=%aE" };
        let name = self.git.ask(&["log", "-1", format, &commit])?;
        let words: Vec<&str> = name.split([' ', '@']).filter(|word| !word.is_empty()).collect();
        let part = if words.is_empty() { "x".to_string() } else { self.random.pick(&words).to_string() };
        question.git("-i");
        question.git("-F");
        question.git(format!("--author={part}"));
        question.options.authors = vec![part];
        Some(())
    }

    fn times(&mut self, question: &mut LogQuestion) -> Option<()> {
        let mut times = Vec::new();
        for _ in 0..2 {
            let commit = self.commit()?;
            times.push(self.git.ask(&["log", "-1", "--format=%ct", &commit])?.parse::<i64>().ok()?);
        }
        times.sort_unstable();
        question.git(format!("--since=@{} +0000", times[0]));
        question.options.since = Some(times[0]);
        if self.random.chance(50) {
            question.git(format!("--until=@{} +0000", times[1]));
            question.options.until = Some(times[1]);
        }
        Some(())
    }

    fn path(&mut self, question: &mut LogQuestion) -> Option<()> {
        for _ in 0..20 {
            let commit = self.commit()?;
            let listed = self.git.ask(&["-c", "core.quotePath=false", "show", "--format=", "--name-only", &commit])?;
            let is_plain =
                |path: &&str| !path.is_empty() && !path.contains(['*', '?', '[', '{', '"', '\\', ',', '\u{fffd}']);
            let paths: Vec<&str> = listed.lines().filter(is_plain).collect();
            if paths.is_empty() {
                continue;
            }
            let mut path = self.random.pick(&paths);
            if self.random.chance(40) {
                path = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
            }
            question.git("--full-history");
            question.git("--");
            question.git(format!(":(literal){path}"));
            question.options.filter = Filter { paths: vec![PathPattern::new(path).ok()?], ..Filter::default() };
            return Some(());
        }
        None
    }

    fn kind(&mut self, question: &mut LogQuestion) {
        let kinds = [
            ("A", ChangeStatus::Added),
            ("D", ChangeStatus::Deleted),
            ("R", ChangeStatus::Renamed),
            ("M", ChangeStatus::Modified),
        ];
        match self.random.below(6) {
            4 => {
                question.git("--merges");
                question.options.merges = Some(true);
            }
            5 => {
                question.git("--no-merges");
                question.options.merges = Some(false);
            }
            at => {
                let (letter, status) = kinds[at as usize];
                question.git(format!("--diff-filter={letter}"));
                question.options.kinds = vec![status];
            }
        }
    }
}

/// Asks both; returns what is different.
pub(crate) fn difference(engine: &Engine, git: &Git, question: &LogQuestion) -> Option<String> {
    let arguments: Vec<&str> =
        ["log", "--format=%H"].into_iter().chain(question.git.iter().map(String::as_str)).collect();
    let theirs = git.ask(&arguments)?;
    let theirs: BTreeSet<String> = theirs.lines().map(str::to_string).collect();
    let ours = match search_history(engine, &question.options, &NoProgress) {
        Ok(answer) => answer.commits.iter().map(|commit| commit.id.to_string()).collect::<BTreeSet<String>>(),
        Err(error) => return Some(format!("{}: {error}", question.shown())),
    };
    if ours == theirs {
        return None;
    }
    let first = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        let only: Vec<&str> = one.difference(other).take(3).map(String::as_str).collect();
        format!("{} such as {}", one.difference(other).count(), only.join(", "))
    };
    let (more, fewer) = (first(&ours, &theirs), first(&theirs, &ours));
    Some(format!("{}: {} commits; only ours: {more}; only git's: {fewer}", question.shown(), theirs.len()))
}

/// Opens the repository at `directory` with a store in `home`.
pub(crate) fn open(directory: &Path, home: &Path) -> Engine {
    Engine::open(directory, home, codecompass_engine::Config::default()).expect("a readable repository")
}

/// Compares the commits of the lines of a file with those of `git blame`, in the files on disk or,
/// if `reference` is given, in a commit that `engine` answers for. `None` if they are the same.
pub(crate) fn blame_difference(engine: &Engine, git: &Git, reference: Option<&str>, path: &str) -> Option<String> {
    let mut args = vec!["blame", "-l", "-s", "--root"];
    args.extend(reference);
    args.extend(["--", path]);
    // What is not committed has no blame.
    let listed = git.ask(&args)?;
    let commit = |line: &str| line.split([' ', ')']).next().unwrap_or_default().trim_start_matches('^').to_string();
    let theirs: Vec<String> = listed.lines().map(commit).collect();
    let found = match blame(engine, &BlamePlace::File(path.to_string()), &NoProgress) {
        Ok(found) => found,
        Err(error) => return Some(format!("blame {path}: {error}")),
    };
    let id = |run: &BlameRun| run.commit.as_ref().map_or_else(|| "0".repeat(40), |commit| commit.id.to_string());
    let ours: Vec<String> = found.runs.iter().flat_map(|run| run.lines.iter().map(|_| id(run))).collect();
    if ours.len() != theirs.len() {
        return Some(format!("blame {path}: {} lines, git has {}", ours.len(), theirs.len()));
    }
    let different: Vec<usize> =
        ours.iter().zip(&theirs).enumerate().filter(|(_, (a, b))| !a.starts_with(*b)).map(|(at, _)| at + 1).collect();
    let first = different.first()?;
    let (a, b) = (&ours[first - 1], &theirs[first - 1]);
    Some(format!("blame {path}: {} of {} lines differ, first {first}: {a}, git {b}", different.len(), ours.len()))
}
