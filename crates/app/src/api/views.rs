//! Symbols, places and uses as answers show them.

use std::borrow::Cow;

use codecompass_engine::query::{
    Enclosing, Explanation, Hit, LinePlace, Neighbours, Subject, SubjectDefinition, UseClass, UseSite,
};
use codecompass_engine::syntax::facts::RefKind;
use codecompass_engine::{Confidence, ResolutionEvidence};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::part::{Fields, Part, Reduction, parts};
use crate::choices::{Detail, Explain};

/// A definition, or a piece of a file, that was found. It is serialized by its detail level; text
/// has all of it.
#[derive(Clone, Debug)]
pub struct HitView {
    pub hit: Hit,
    /// The repository, in a question to several.
    pub repository: Option<String>,
    detail: Detail,
    has_score: bool,
    /// True if the line of the name is given.
    has_line: bool,
    other_places: Vec<PlaceView>,
    ranking_reasons: Option<Vec<ReasonView>>,
}

/// Lines of a file.
#[derive(Clone, Debug, Serialize)]
pub struct PlaceView {
    path: String,
    line_start: u32,
    line_end: u32,
    /// True if it only declares the symbol.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_declaration: bool,
}
parts!(PlaceView { path });

/// One part of a score.
#[derive(Clone, Debug, Serialize)]
pub struct ReasonView {
    pub reason: &'static str,
    pub value: f64,
}
parts!(ReasonView {});

impl HitView {
    /// Returns a result, which has a score.
    pub fn result(hit: Hit, detail: Detail, explain: Explain) -> HitView {
        let places = hit.other_places.iter().map(|place| PlaceView {
            path: place.path.clone(),
            line_start: place.line_start,
            line_end: place.line_end,
            is_declaration: place.is_declaration,
        });
        let ranking_reasons = (explain != Explain::Off).then(|| reasons(&hit.explanation, explain));
        let other_places = places.collect();
        let repository = None;
        HitView { hit, repository, detail, has_score: true, has_line: false, other_places, ranking_reasons }
    }

    /// Returns a definition without a score.
    pub fn unscored(hit: Hit, detail: Detail) -> HitView {
        HitView { has_score: false, ..HitView::result(hit, detail, Explain::Off) }
    }

    /// Returns the symbol that an answer is about: without a score, with the line of its name.
    pub fn symbol(hit: Hit) -> HitView {
        HitView { has_score: false, has_line: true, ..HitView::result(hit, Detail::Signature, Explain::Off) }
    }
}

/// Returns the similarity of a hit to the query with the digits that mean something: vectors are
/// stored with eight bits for each number.
pub fn shown_similarity(explanation: &Explanation) -> Option<f64> {
    explanation.similarity.map(|cosine| (f64::from(cosine) * 1000.0).round() / 1000.0)
}

/// Returns the parts of a score that `explain` asks for.
pub fn reasons(explanation: &Explanation, explain: Explain) -> Vec<ReasonView> {
    let mut parts: Vec<ReasonView> =
        explanation.parts.iter().map(|part| ReasonView { reason: part.name(), value: part.value }).collect();
    if explain == Explain::Basic {
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        parts.truncate(3);
    }
    parts
}

impl Serialize for HitView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hit = &self.hit;
        let mut map = serializer.serialize_map(None)?;
        if let Some(repository) = &self.repository {
            map.serialize_entry("repository", repository)?;
        }
        map.serialize_entry("path", &hit.path)?;
        map.serialize_entry("line_start", &hit.line_start)?;
        map.serialize_entry("line_end", &hit.line_end)?;
        map.serialize_entry("kind", hit.kind.as_str())?;
        map.serialize_entry("name", &hit.name)?;
        if hit.is_declaration {
            map.serialize_entry("is_declaration", &true)?;
        }
        if self.has_line {
            map.serialize_entry("line", &hit.name_line)?;
        }
        if self.detail >= Detail::Signature {
            map.serialize_entry("qualified_name", &hit.qualified_name)?;
            map.serialize_entry("language", &hit.language)?;
            if let Some(symbol_id) = &hit.symbol_id {
                map.serialize_entry("signature", &hit.signature)?;
                map.serialize_entry("visibility", &hit.visibility.map(|visibility| visibility.as_str()))?;
                map.serialize_entry("symbol_id", symbol_id)?;
                map.serialize_entry("symbol_stable_id", &hit.symbol_stable_id)?;
            }
            if !self.other_places.is_empty() {
                map.serialize_entry("other_places", &self.other_places)?;
            }
            if self.has_score {
                map.serialize_entry("score", &hit.score)?;
                if let Some(similarity) = shown_similarity(&hit.explanation) {
                    map.serialize_entry("similarity", &similarity)?;
                }
            }
        }
        if let Some(reasons) = &self.ranking_reasons {
            map.serialize_entry("ranking_reasons", reasons)?;
        }
        map.end()
    }
}

impl Part for HitView {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn fields(&mut self) -> Fields<'_> {
        vec![
            ("path", &mut self.hit.path),
            ("name", &mut self.hit.name),
            ("qualified_name", &mut self.hit.qualified_name),
            ("signature", &mut self.hit.signature),
            ("other_places", &mut self.other_places),
            ("ranking_reasons", &mut self.ranking_reasons),
        ]
    }

    fn drop_detail(&mut self, reduction: Reduction) {
        if reduction.location_only {
            self.detail = Detail::Location;
        }
        if reduction.location_only || reduction.compact {
            self.ranking_reasons = None;
        }
    }
}

/// The definitions around a result, where its detail level is `context`.
#[derive(Clone, Debug, Serialize)]
pub struct NeighboursView {
    pub parent: Option<ParentView>,
    /// Names in it, or beside it.
    pub related_symbols: Vec<String>,
    /// The modules that a file imports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// The number of functions that call it; absent for text, like the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calling_file_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_public_api: Option<bool>,
}

/// The definition that a result stands in.
#[derive(Clone, Debug, Serialize)]
pub struct ParentView {
    pub kind: &'static str,
    pub name: String,
    pub path: String,
    pub line: u32,
}

impl NeighboursView {
    /// Returns the view of what stands around a hit in this file.
    pub fn new(neighbours: Neighbours, path: &str) -> NeighboursView {
        let parent = neighbours.parent.map(|parent| ParentView {
            kind: parent.kind.as_str(),
            name: parent.qualified_name,
            path: path.to_string(),
            line: parent.line,
        });
        NeighboursView {
            parent,
            related_symbols: neighbours.names,
            imports: neighbours.imports,
            caller_count: neighbours.counts.map(|counts| counts.callers),
            calling_file_count: neighbours.counts.map(|counts| counts.calling_files),
            is_public_api: neighbours.is_public_api,
        }
    }
}

/// The symbol that an argument means, and what else it could mean.
#[derive(Clone, Debug)]
pub struct SubjectView {
    pub symbol: HitView,
    pub others: Vec<HitView>,
    /// The number of others in all.
    pub others_total: usize,
    /// The definitions that the answer is about, if they are several, or those to choose from.
    pub definitions: Vec<SubjectDefinitionView>,
    /// True if there are too many definitions to answer for.
    pub is_open: bool,
}

/// One of several definitions that an answer is about.
#[derive(Clone, Debug, Serialize)]
pub struct SubjectDefinitionView {
    pub name: String,
    pub qualified_name: String,
    /// The qualified name as text shows it, without the package of its file.
    #[serde(skip)]
    pub local_name: String,
    pub kind: &'static str,
    pub path: String,
    pub line: u32,
    /// The number of uses that were resolved to it.
    pub uses: usize,
}
parts!(SubjectDefinitionView { name, qualified_name, path });

impl From<SubjectDefinition> for SubjectDefinitionView {
    fn from(definition: SubjectDefinition) -> SubjectDefinitionView {
        let SubjectDefinition { hit, uses } = definition;
        SubjectDefinitionView {
            name: hit.name,
            qualified_name: hit.qualified_name,
            local_name: hit.local_name,
            kind: hit.kind.as_str(),
            path: hit.path,
            line: hit.name_line,
            uses,
        }
    }
}

impl SubjectView {
    /// Returns the view with scores, and without the lines of names.
    pub fn scored(subject: Subject) -> SubjectView {
        let view = |hit| HitView::result(hit, Detail::Signature, Explain::Off);
        SubjectView {
            symbol: view(subject.hit),
            others: subject.others.into_iter().map(view).collect(),
            others_total: subject.others_total,
            definitions: Vec::new(),
            is_open: false,
        }
    }
}

impl From<Subject> for SubjectView {
    fn from(subject: Subject) -> SubjectView {
        SubjectView {
            symbol: HitView::symbol(subject.hit),
            others: subject.others.into_iter().map(HitView::symbol).collect(),
            others_total: subject.others_total,
            definitions: subject.definitions.into_iter().map(SubjectDefinitionView::from).collect(),
            is_open: subject.is_open,
        }
    }
}

/// A use of a symbol.
#[derive(Clone, Debug, Serialize)]
pub struct UseView {
    pub path: String,
    pub line: u32,
    pub column: u32,
    /// `declaration` of another declaration of the symbol, `unknown` where only the text of the
    /// name is known.
    pub kind: &'static str,
    pub name: String,
    #[serde(serialize_with = "class_word")]
    pub confidence: UseClass,
    /// Absent of possible uses.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "evidence_word")]
    pub evidence: Option<ResolutionEvidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<EnclosingView>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// The number of the definition that is used, from 0, in an answer about several; none where
    /// it may be more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<usize>,
    /// `generated`, `vendored` or `minified`, if the file is one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_mark: Option<&'static str>,
    /// The line of source, where the answer is text.
    #[serde(skip)]
    pub source: String,
}
parts!(UseView { path, name, enclosing }, |view, reduction| {
    if reduction.location_only {
        view.evidence = None;
    }
});

impl UseView {
    pub fn new(site: UseSite) -> UseView {
        UseView {
            kind: site.kind_name(),
            path: site.path,
            line: site.line,
            column: site.column,
            name: site.name,
            confidence: site.class,
            evidence: Some(site.evidence).filter(|_| site.class != UseClass::Possible),
            enclosing: site.enclosing.map(EnclosingView::from),
            is_test: site.is_test,
            definition: None,
            file_mark: site.file_mark,
            source: String::new(),
        }
    }
}

/// Returns uses with their lines of source, where the answer is text.
pub fn use_views(sites: Vec<UseSite>, lines: Vec<String>) -> Vec<UseView> {
    let lines = lines.into_iter().chain(std::iter::repeat(String::new()));
    sites.into_iter().zip(lines).map(|(site, source)| UseView { source, ..UseView::new(site) }).collect()
}

/// Returns the place of a use whose line is shown.
pub fn line_place(site: &UseSite) -> LinePlace<'_> {
    let is_argument = matches!(site.kind, None | Some(RefKind::Read | RefKind::Address)) && !site.is_declaration;
    LinePlace { path: &site.path, line: site.line, argument: is_argument.then_some(site.column) }
}

/// Serializes a class of uses as its word.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn class_word<S: Serializer>(class: &UseClass, serializer: S) -> Result<S::Ok, S::Error> {
    class.as_str().serialize(serializer)
}

/// Serializes a confidence as its word.
pub fn confidence_word<S: Serializer>(confidence: &Option<Confidence>, serializer: S) -> Result<S::Ok, S::Error> {
    confidence.map(Confidence::as_str).serialize(serializer)
}

/// Serializes evidence as its word.
pub fn evidence_word<S: Serializer>(evidence: &Option<ResolutionEvidence>, serializer: S) -> Result<S::Ok, S::Error> {
    evidence.map(ResolutionEvidence::as_str).serialize(serializer)
}

/// The definition around a use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnclosingView {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    /// The qualified name as text shows it, without the package of its file.
    #[serde(skip)]
    pub local_name: String,
    pub kind: &'static str,
    pub line: u32,
}
parts!(EnclosingView { name, qualified_name }, |view, reduction| {
    if reduction.location_only {
        view.qualified_name = None;
    }
});

impl EnclosingView {
    /// Returns the name as text shows it: with its containers, as far as the answer has them.
    pub fn shown_name(&self) -> &str {
        if self.qualified_name.is_some() { &self.local_name } else { &self.name }
    }
}

impl From<Enclosing> for EnclosingView {
    fn from(enclosing: Enclosing) -> EnclosingView {
        EnclosingView {
            name: enclosing.name,
            qualified_name: Some(enclosing.qualified_name),
            local_name: enclosing.local_name,
            kind: enclosing.kind.as_str(),
            line: enclosing.line,
        }
    }
}

/// Returns a declaration cut to about a line.
pub fn shortened(signature: &str) -> Cow<'_, str> {
    const MAX_BYTES: usize = 140;
    if signature.len() > MAX_BYTES {
        format!("{}…", signature[..signature.floor_char_boundary(MAX_BYTES)].trim_end()).into()
    } else {
        signature.into()
    }
}
