//! `symbols`, `find_symbols`: the definitions with given attributes.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use codecompass_engine::query::{
    self, DecoratorPattern, FindOptions, FindOrder, FindRole, FoundSymbol, NamePattern, Navigator,
};
use codecompass_engine::syntax::facts::{Kind, Modifiers, SymbolRole, Visibility};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::attributes::{AttributesView, CountsView};
use crate::api::arguments::{Bounded, DetailArgs, FilterArgs, PageArgs, PathArgs, RefArgs, filter, one_or_more};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::views::HitView;
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// The largest number of definitions in an answer.
pub type FindLimit = Bounded<1, 100_000, 1000>;

const DEFAULT_LIMIT: FindLimit = FindLimit::new(100);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FindRequest {
    /// Only definitions of this name or qualified name, or names that match this glob; may be given
    /// several times.
    #[arg(value_name = "NAME")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "Names or globs.")]
    pub name: Vec<String>,
    /// Only names that this regular expression matches; may be given several times.
    #[arg(long, value_name = "REGEX")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "")]
    pub name_regex: Vec<String>,
    /// Only this kind of definition (function, class, method, …); may be given several times.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "function, class, method, ...")]
    pub kind: Vec<String>,
    /// Only definitions of this visibility: public, internal, protected, private or
    /// protected_internal.
    #[arg(long, value_name = "VISIBILITY", value_delimiter = ',')]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "public, internal, protected, private, protected_internal.")]
    pub visibility: Vec<String>,
    /// Only definitions with this modifier (static, abstract, async, override, deprecated, …), or
    /// without it if `!` stands before it; of several, all must fit.
    #[arg(long, value_name = "MODIFIER", value_delimiter = ',')]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(
        with = "Vec<String>",
        description = "static, abstract, async, override, deprecated, ...; !static: not."
    )]
    pub modifier: Vec<String>,
    /// Only functions whose declared result has this type in it, as whole words.
    #[arg(long, value_name = "TYPE")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "Types in the declared result.")]
    pub returns: Vec<String>,
    /// Only functions with so many parameters, the instance not counted: N, N..M, N.. or ..M.
    #[arg(long, value_name = "RANGE")]
    #[schemars(description = "N, N..M or N..")]
    pub parameters: Option<CountRange>,
    /// Only definitions with this decorator, annotation or attribute: its name, the last part of
    /// it, or a glob.
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "app.route, Deprecated, ...")]
    pub decorator: Vec<String>,
    /// Only definitions with or without a doc comment.
    #[arg(long, value_enum, value_name = "WHETHER")]
    #[schemars(description = "")]
    pub doc: Option<DocArg>,
    /// Only what code outside of the project can name, or with =false only the rest.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    #[schemars(description = "")]
    pub public_api: Option<bool>,
    /// Only definitions of this role, or in files of it: source, test, generated, vendored, docs,
    /// config, example, entry_point, handler or router.
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "source, test, generated, entry_point, handler, ...")]
    pub role: Vec<String>,
    /// Only types whose declaration names this supertype, and their members.
    #[arg(long, value_name = "TYPE")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "Supertypes that the type names.")]
    pub base: Vec<String>,
    /// Only files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "")]
    pub lang: Vec<String>,
    /// Only below this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "Folders or globs.")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub paths: PathArgs,
    /// The order of the definitions.
    #[arg(long, value_enum, default_value_t = OrderArg::Path, value_name = "ORDER")]
    #[serde(default)]
    #[schemars(with = "Option<OrderArg>", description = "")]
    pub sort: OrderArg,
    /// Show only the numbers of definitions, by kind.
    #[arg(long, short = 'c')]
    #[serde(default)]
    #[schemars(description = "Only numbers.")]
    pub count: bool,
    /// Show visibility, modifiers, doc, public API, role and decorators of each.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Show them.")]
    pub attributes: bool,
    /// Count callers, files that call and subtypes of each.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Count callers and subtypes of each.")]
    pub counts: bool,
    /// At most this many definitions.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: FindLimit,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> FindLimit {
    DEFAULT_LIMIT
}

/// The presence of a doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocArg {
    /// There is one.
    Present,
    /// There is none.
    Absent,
}

/// The order of definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderArg {
    /// By path and line.
    #[default]
    Path,
    /// By the number of callers, most first; of at most 500 definitions.
    Callers,
}

/// A range of counts: `N`, `N..M`, `N..` or `..M`, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRange(RangeInclusive<usize>);

impl FromStr for CountRange {
    type Err = String;

    fn from_str(text: &str) -> Result<CountRange, String> {
        let number = |text: &str, open: usize| match text.trim() {
            "" => Ok(open),
            text => text.parse::<usize>().map_err(|_| format!("`{text}` is no count; give N, N..M, N.. or ..M")),
        };
        let (low, high) = match text.split_once("..") {
            Some((low, high)) => (number(low, 0)?, number(high.trim_start_matches('='), usize::MAX)?),
            None if text.trim().is_empty() => return Err("give N, N..M, N.. or ..M".into()),
            None => (number(text, 0)?, number(text, 0)?),
        };
        if low <= high { Ok(CountRange(low..=high)) } else { Err(format!("`{text}` is reversed; give {high}..{low}")) }
    }
}

impl<'de> Deserialize<'de> for CountRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CountRange, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum CountOrText {
            Number(usize),
            Text(String),
        }
        match CountOrText::deserialize(deserializer)? {
            CountOrText::Number(count) => Ok(CountRange(count..=count)),
            CountOrText::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

impl JsonSchema for CountRange {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CountRange".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct FindAnswer {
    /// Absent where only numbers are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<FoundView>>,
    pub total: usize,
    pub metadata: Metadata<FindMetadata>,
    /// The results behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(FindAnswer { results });

#[derive(Clone, Debug, Serialize)]
pub struct FindMetadata {
    /// The number of files with results.
    pub files: usize,
    pub by_kind: BTreeMap<&'static str, usize>,
}

/// A definition with its attributes.
#[derive(Clone, Debug, Serialize)]
pub struct FoundView {
    #[serde(flatten)]
    pub hit: HitView,
    /// The bare name of the type or function around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Absent if it is nothing special.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    pub file_role: &'static str,
    #[serde(flatten)]
    pub attributes: Option<AttributesView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountsView>,
}
parts!(FoundView { container, ..hit }, |found, reduction| {
    if reduction.location_only {
        (found.attributes, found.role) = (None, None);
    }
});

impl From<FoundSymbol> for FoundView {
    fn from(found: FoundSymbol) -> FoundView {
        let role = found.hit.symbol_role;
        FoundView {
            role: Some(role).filter(|role| *role != SymbolRole::Plain).map(SymbolRole::as_str),
            file_role: found.hit.file_role.as_str(),
            hit: HitView::symbol(found.hit),
            container: found.container,
            attributes: Some(found.attributes.into()),
            counts: found.counts.map(|counts| CountsView::new(counts, None)),
        }
    }
}

impl Answer for FindAnswer {
    answer_fields!(FindMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::optional("results", self.results.as_mut())]
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

/// Reads words with a fixed set of values; the error lists them.
fn words<T>(
    what: &str,
    words: &[String],
    known: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, AppError> {
    let unknown = |word: &str| {
        AppError::invalid(format!("unknown {what} `{word}`"), format!("known {what} words are {}", known.join(", ")))
    };
    words.iter().map(|word| read(word).ok_or_else(|| unknown(word))).collect()
}

impl FindRequest {
    fn options(&self, page: Page, session: &Session) -> Result<FindOptions, AppError> {
        let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        words("kind", &self.kind, &kinds, Kind::from_name)?;
        let visibilities: Vec<&str> = Visibility::ALL.iter().map(|visibility| visibility.as_str()).collect();
        let modifier = |word: &str| {
            let bare = word.strip_prefix('!').unwrap_or(word);
            let known = Modifiers::WORDS.into_iter().find(|known| *known == bare)?;
            Some((known, bare == word))
        };
        let (lang, kind, path, paths) = (self.lang.clone(), self.kind.clone(), self.path.clone(), self.paths.clone());
        let mut names = self.name.iter().map(|name| NamePattern::new(name)).collect::<Result<Vec<_>, _>>()?;
        for regex in &self.name_regex {
            names.push(NamePattern::regex(regex)?);
        }
        Ok(FindOptions {
            filter: filter(&FilterArgs { lang, kind, path, paths }, session)?,
            names,
            visibilities: words("visibility", &self.visibility, &visibilities, Visibility::from_name)?,
            modifiers: words("modifier", &self.modifier, &Modifiers::WORDS, modifier)?,
            returns: self.returns.clone(),
            parameters: self.parameters.as_ref().map(|range| range.0.clone()),
            decorators: self.decorator.iter().map(|name| DecoratorPattern::new(name)).collect::<Result<_, _>>()?,
            has_doc: self.doc.map(|doc| doc == DocArg::Present),
            is_public_api: self.public_api,
            roles: words("role", &self.role, &FindRole::names(), FindRole::from_name)?,
            bases: self.base.clone(),
            order: match self.sort {
                OrderArg::Path => FindOrder::Place,
                OrderArg::Callers => FindOrder::Callers,
            },
            counts: self.counts,
            offset: page.offset(),
            limit: if self.count { 0 } else { page.limit() },
        })
    }
}

impl Request for FindRequest {
    type Answer = FindAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<FindAnswer, AppError> {
        let page = Page::new(self.page, self.limit.len());
        let session = Session::open_at(context, self.at.name())?;
        let options = self.options(page, &session)?;
        let engine = &session.engine;
        let found = session.ask_in(&options.filter, |snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            query::find_symbols(&navigator, &options)
        })?;
        let mut metadata =
            Metadata::new(&session).with(FindMetadata { files: found.files, by_kind: found.by_kind.clone() });
        let results: Vec<FoundView> = found.symbols.into_iter().map(FoundView::from).collect();
        let shown = results.len();
        let mut behind = 0;
        if !self.count {
            metadata.count(found.total, shown);
            page.mark(&mut metadata, &[found.total]);
            behind = page.behind(found.total, shown);
        }
        Ok(FindAnswer { results: (!self.count).then_some(results), total: found.total, metadata, behind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_counts() {
        let read = |text: &str| text.parse::<CountRange>().map(|range| range.0);
        assert_eq!(read("2"), Ok(2..=2));
        assert_eq!(read("1..3"), Ok(1..=3));
        assert_eq!(read("1..=3"), Ok(1..=3));
        assert_eq!(read("3.."), Ok(3..=usize::MAX));
        assert_eq!(read("..2"), Ok(0..=2));
        assert_eq!(read("5..2"), Err("`5..2` is reversed; give 2..5".into()));
        assert_eq!(read("two"), Err("`two` is no count; give N, N..M, N.. or ..M".into()));
        assert_eq!(read(""), Err("give N, N..M, N.. or ..M".into()));
    }
}
