//! The questions users ask, one file each. All take a [`Snapshot`](crate::Snapshot) and an options
//! struct and give plain answers.

mod arguments;
mod context;
mod diff;
mod endpoints;
mod explain;
mod files;
mod filter;
mod flow;
mod grep;
mod hit;
mod large_files;
mod left_out;
mod navigate;
mod near_names;
mod open_file;
mod overview;
mod page;
mod program_roles;
mod projects;
mod rank;
mod relations;
mod rename;
mod search;
mod services;
mod similarity;
mod status;
mod subject;
mod suggest;
mod symbols;

pub use crate::query::arguments::{ignored_query_bytes, parse_place};
pub use crate::query::context::answer::{
    Code, ContextAnswer, ContextDetail, ContextOptions, Excerpt, Piece, Shown, Strategy,
};
pub use crate::query::context::context;
pub use crate::query::context::tokens::estimate_tokens;
pub use crate::query::diff::{ChangeKind, DiffAnswer, FileChange, PairingEvidence, Side, SymbolChange, diff};
pub use crate::query::endpoints::answer::{
    ANY_METHOD, DetectedFramework, Endpoint, EndpointHandler, EndpointOptions, EndpointsAnswer,
};
pub use crate::query::endpoints::changes::{EndpointChange, endpoint_changes};
pub use crate::query::endpoints::endpoints;
pub use crate::query::explain::{Asked, ExplainAnswer, Standing, explain};
pub use crate::query::files::citations::{Citation, citations};
pub use crate::query::files::list::{FolderAnswer, FolderEntry, FolderTotals, list};
pub use crate::query::files::paths::{ViewPath, paths_below, require_paths, resolve_file_or_folder, resolve_path};
pub use crate::query::files::read::{FileLines, LineRange, ReadLimits, read};
pub use crate::query::filter::project_scope::ProjectScope;
pub use crate::query::filter::role_filter::{FindRole, RoleFilter};
pub use crate::query::filter::{Filter, PathPattern};
pub use crate::query::flow::blocks::Condition;
pub use crate::query::flow::body::FlowBody;
pub use crate::query::flow::raises::{RaiseEvent, RaiseStep, RaisesAnswer, RaisesOptions, raises};
pub use crate::query::flow::values::{ValueStep, ValueUse, ValuesAnswer, ValuesOptions, values};
pub use crate::query::flow::{
    Arrival, Flow, FlowCall, FlowCandidate, FlowOpenCall, FlowOptions, FlowStep, FollowedCall, flow,
};
pub use crate::query::grep::{CaseMode, GrepAnswer, GrepMatch, GrepOptions, grep, oversized_files_with};
pub use crate::query::hit::{Hit, HitKind, Place};
pub use crate::query::left_out::{LeftOut, Restriction};
pub use crate::query::navigate::Navigator;
pub use crate::query::navigate::calls::{
    CallLevel, CallsAnswer, CallsOptions, Direction, HUB_CALLS, OverriddenCalls, calls,
};
pub use crate::query::navigate::graph::{Edge, MAX_EXPANDED, Node};
pub use crate::query::navigate::impact::{
    Affected, AffectedRoute, ImpactAnswer, ImpactOptions, MAX_LOOKED_AT, impact, impact_of_diff,
};
pub use crate::query::navigate::reach::{Gap, Reach};
pub use crate::query::navigate::references::{RefsAnswer, RefsOptions, TestUses, refs};
pub use crate::query::navigate::scope::Scope;
pub use crate::query::navigate::tally::Accounting;
pub use crate::query::navigate::trace::{Trace, TraceAnswer, TraceOptions, trace};
pub use crate::query::navigate::use_sites::{Enclosing, Meaning, UnresolvedCallee, UseClass, UseSite};
pub use crate::query::overview::central::CentralUnit;
pub use crate::query::overview::{EntryPoint, LanguageSum, MAX_ENDPOINT_FILES, Overview, TestSum, overview};
pub use crate::query::page::Listed;
pub use crate::query::projects::answer::{Project, ProjectDependency, ProjectProblem, ProjectsAnswer, ProjectsOptions};
pub use crate::query::projects::import_edges::{ProjectEdge, project_edges};
pub use crate::query::projects::project_map::ProjectMap;
pub use crate::query::projects::{project_map, project_scope, projects};
pub use crate::query::rank::profile::rank_profile_version;
pub use crate::query::rank::score::{Explanation, Feature, Part};
pub use crate::query::relations::deps::{Cycle, CycleStep, DepsAnswer, DepsOptions, EdgeKind, ImportEdge, deps};
pub use crate::query::relations::folder_map::{FolderEdge, FolderMap, FolderNode, folder_map};
pub use crate::query::relations::hierarchy::{HierarchyAnswer, HierarchyOptions, Overriding, Relative, hierarchy};
pub use crate::query::relations::related::{Related, RelatedAnswer, RelatedOptions, Tie, related};
pub use crate::query::relations::similar::{Similar, SimilarAnswer, SimilarOptions, similar};
pub use crate::query::relations::type_relations::Relation;
pub use crate::query::rename::{RenameAnswer, RenameClass, RenamePlace, rename};
pub use crate::query::search::answer::{Duplicate, GroupBy, QueryParts, SearchAnswer, SearchOptions};
pub use crate::query::search::confidence::{AnswerConfidence, NextStep};
pub use crate::query::search::intent::{Intent, QueryClass, Routed, class, route};
pub use crate::query::search::lookup::locate_several;
pub use crate::query::search::rerank::{Reranked, Reranking};
pub use crate::query::search::rounds::{AskedRound, Repositories};
pub use crate::query::search::semantic::{Near, Semantic, SemanticProblem, SemanticReport, Skipped, nearest};
pub use crate::query::search::snippet::{Snippet, SnippetChoice, SnippetOptions, snippets};
pub use crate::query::search::texts::{HitTexts, TextOptions, texts_of_several, with_texts};
pub use crate::query::search::{search, search_several};
pub use crate::query::services::answer::{
    Message, Rpc, Service, ServiceImplementation, ServiceKind, ServiceOptions, ServiceSite, ServicesAnswer, UnreadFile,
};
pub use crate::query::services::specifications::{Operation, Specification, SpecificationsAnswer, specifications};
pub use crate::query::services::{ServiceCounts, services};
pub use crate::query::status::{ContentCounts, StatusAnswer, content_counts, is_empty, status};
pub use crate::query::subject::{Subject, SubjectDefinition};
pub use crate::query::suggest::{Step, SuggestAnswer, SuggestOptions, Suggestion, suggest};
pub use crate::query::symbols::attributes::{Attributes, attributes};
pub use crate::query::symbols::counts::{SymbolCounts, TieCounts};
pub use crate::query::symbols::find::{
    DecoratorPattern, FindAnswer, FindOptions, FindOrder, FoundSymbol, MAX_COUNTED, NamePattern, find_symbols,
};
pub use crate::query::symbols::goto_definition::{AtAnswer, AtMeaning, at};
pub use crate::query::symbols::locate::{LocateAnswer, LocateOptions, MatchClass, locate};
pub use crate::query::symbols::marks::{LineMark, line_marks};
pub use crate::query::symbols::neighbours::{Neighbours, neighbours};
pub use crate::query::symbols::outline::{OutlineAnswer, OutlineNode, outline};
pub use crate::query::symbols::source_lines::{LinePlace, source_lines};
pub use crate::query::symbols::source_text::{ShowAnswer, hit_lines, show};
