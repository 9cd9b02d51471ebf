//! The last round: lines and neighbours of results.

use serde::{Deserialize, Serialize};

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::query::hit::Hit;
use crate::query::search::rounds::{Asked, Repositories, Round, Shard};
use crate::query::search::snippet::{Snippet, SnippetOptions, snippets};
use crate::query::symbols::neighbours::{Neighbours, neighbours};
use crate::scan::Source;
use crate::store::Snapshot;

/// The texts that results have.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct TextOptions {
    /// Lines of source.
    pub snippets: Option<SnippetOptions>,
    /// True to add the definitions around each.
    pub has_neighbours: bool,
}

/// A result with its texts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HitTexts {
    /// The result.
    pub hit: Hit,
    /// The lines that show best why it was found.
    pub snippet: Option<Snippet>,
    /// The definitions around it.
    pub neighbours: Option<Neighbours>,
}

/// Adds texts to the results of one repository.
pub fn with_texts(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    query: &str,
    hits: Vec<Hit>,
    options: TextOptions,
) -> Result<Vec<HitTexts>> {
    let snippets = match options.snippets {
        Some(options) => snippets(snapshot, source, config, query, &hits, options)?,
        None => Vec::new(),
    };
    let neighbours = if options.has_neighbours { neighbours(snapshot, &hits)? } else { Vec::new() };
    let (mut snippets, mut neighbours) = (snippets.into_iter(), neighbours.into_iter());
    let texts = |hit| HitTexts { hit, snippet: snippets.next(), neighbours: neighbours.next() };
    Ok(hits.into_iter().map(texts).collect())
}

/// Adds texts to the results of several repositories.
pub fn texts_of_several(
    repositories: &dyn Repositories,
    query: &str,
    hits: Vec<Hit>,
    options: TextOptions,
) -> Result<Vec<HitTexts>> {
    let asked = Asked::Several(repositories, query);
    let order: Vec<usize> = hits.iter().map(|hit| hit.repository).collect();
    let replies =
        asked.ask_for(hits.into_iter().map(|hit| (hit.repository, hit)), |_, hits| Texts { hits, options })?;
    let mut parts: Vec<_> = (0..asked.count()).map(|_| Vec::new().into_iter()).collect();
    replies.into_iter().for_each(|(repository, texts)| parts[repository] = texts.into_iter());
    Ok(order.into_iter().filter_map(|repository| parts[repository].next()).collect())
}

/// Asks for the texts of results.
#[derive(Serialize, Deserialize)]
pub(crate) struct Texts {
    hits: Vec<Hit>,
    options: TextOptions,
}

impl Round for Texts {
    type Reply = Vec<HitTexts>;

    fn answer(mut self, shard: &mut Shard<'_>) -> Result<Vec<HitTexts>> {
        let (Some(source), Some(config)) = (&shard.options.source, shard.config) else {
            return Err(Error::UnreadableRound { detail: "there is no source to read".into() });
        };
        self.hits.iter_mut().for_each(|hit| shard.options.roles.tell(hit));
        with_texts(shard.snapshot, source, config, shard.query, self.hits, self.options)
    }
}
