//! What `codecompass explain` says to people, and what the parts of a score mean.

use codecompass_engine::query::{Hit, PartName, Standing};

use super::explain::{Explained, compared, found_by, rounded};
use crate::choices::Explain;
use crate::cli::ExplainArgs;
use crate::render;
use crate::terminal::output::{DIM, NAME};

/// What a part of a score rewards, or holds against a result.
pub(super) fn meaning(part: PartName) -> &'static str {
    match part {
        PartName::Text => "its text has words of the query; the best text gets most",
        PartName::File => "its whole file has words of the query",
        PartName::Meaning => "it means something near to the query",
        PartName::FileMeaning => "something in its file means nearly that",
        PartName::Coverage => "share of the query's words that it has",
        PartName::FileName => "the file's name and the query say the same",
        PartName::Folder => "the folder's name and the query say the same",
        PartName::Name => "its name and the query say the same",
        PartName::Identifier => "the query spells out its name",
        PartName::Kind => "types and functions are meant more often than variables",
        PartName::NameMatch => "its name is the one asked for: exactly, by its start, its parts, or a typo away",
        PartName::NameLength => "letters that its name has beyond what was asked for",
        PartName::Container => "it is in the container that was asked for",
        PartName::PathMatch => "its path is the one asked for",
        PartName::StackFrame => "the error message points at it",
        PartName::Visibility => "others may use it",
        PartName::HasBody => "it is more than one line",
        PartName::Declaration => "it only declares what is defined elsewhere",
        PartName::Documented => "it has a doc comment",
        PartName::FileRole => "its file is no source: a test, docs, generated, vendored",
        PartName::PathDepth => "it lies deep in the tree",
        PartName::Test => "it is a test, and the query does not ask for tests",
        PartName::Old => "its path says that it is old",
        PartName::Generated => "its file is generated",
        PartName::Vendored => "its file is from somebody else",
        PartName::Docs => "its file is documentation",
        PartName::Config => "its file is configuration",
        PartName::Example => "its file is an example",
        PartName::SameFile => "better results of its file stand above it",
        PartName::Rerank => "what the external reranker says",
        PartName::PathRule => "the settings have a factor for its path or the role of its file",
        PartName::TestsIt
        | PartName::TestsItsUser
        | PartName::NamedAsItsTest
        | PartName::CalledByIt
        | PartName::UsedByIt
        | PartName::InItsSignature
        | PartName::CommonUsers
        | PartName::WidelyUsed
        | PartName::SameType
        | PartName::Near
        | PartName::Identical
        | PartName::NameParts
        | PartName::Spelling
        | PartName::Body
        | PartName::ParameterCount
        | PartName::ParameterNames
        | PartName::ParameterTypes
        | PartName::Size => "part of the score",
    }
}

pub(super) fn text(args: &ExplainArgs, explained: &Explained) -> String {
    let search = &explained.answer.search;
    let intent = search.routed.intent.as_str().replace('_', " ");
    let mut out = format!(
        "{DIM}asked as {intent}; {}; confidence {}{DIM:#}\n",
        render::count(search.total, "candidate"),
        search.confidence.value
    );
    let hits: Vec<(usize, &Hit)> =
        explained.ranked.iter().filter_map(|rank| Some((*rank, search.hits.get(rank.checked_sub(1)?)?))).collect();
    for (rank, hit) in &hits {
        out.push_str(&format!("\n{NAME}number {rank}{NAME:#}  "));
        let mut bare = (*hit).clone();
        (bare.signature, bare.doc) = (String::new(), None);
        render::hit_text(&mut out, &bare, None, Explain::Off);
        out.push_str(&format!("    score {}, found by {}\n", hit.score, found_by(hit).join(", ")));
        for part in &hit.explanation.parts {
            out.push_str(&format!(
                "    {:>+9.4}  {:<13} {DIM}{}{DIM:#}\n",
                part.value,
                part.name.as_str(),
                meaning(part.name)
            ));
        }
    }
    if let ([(first_rank, first), (second_rank, second)], 2) = (&hits[..], args.results.len()) {
        let difference = rounded(first.score - second.score);
        out.push_str(&format!("\n{NAME}number {first_rank} against number {second_rank}{NAME:#}: {difference:+}\n"));
        for (name, a, b) in compared(first, second).into_iter().filter(|(_, a, b)| rounded(a - b) != 0.0) {
            let name = name.as_str();
            out.push_str(&format!("    {:>+9.4}  {name:<13} {DIM}{a} against {b}{DIM:#}\n", rounded(a - b)));
        }
    }
    for missing in &explained.missing {
        out.push_str(&format!("\n{NAME}{}{NAME:#} is no result: {}\n", missing.argument, missing.why));
        if let Standing::NotConsidered { terms: (held, _), .. } = &missing.standing
            && !held.is_empty()
        {
            out.push_str(&format!("    {DIM}it has {}{DIM:#}\n", held.join(", ")));
        }
    }
    let duplicates = &explained.answer.duplicates;
    if !duplicates.is_empty() && args.results.is_empty() {
        out.push_str(&format!("\n{} left out because a better one has the same code:\n", duplicates.len()));
        for duplicate in duplicates.iter().take(args.limit as usize) {
            let (path, line) = &duplicate.of;
            let hit = &duplicate.hit;
            out.push_str(&format!("    {}:{} {DIM}like {path}:{line}{DIM:#}\n", hit.path, hit.line_start));
        }
    }
    if search.hits.is_empty() && args.results.is_empty() {
        out.push_str(&format!("nothing found for {:?}\n", args.query));
    }
    if let Some(action) = &search.suggested_action {
        out.push_str(&format!("\n{DIM}not sure: {action}{DIM:#}\n"));
    }
    out
}
