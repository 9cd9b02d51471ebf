//! Nodes and edges of the graph of uses, as the answers that walk it show them.

use codecompass_engine::ResolutionEvidence;
use codecompass_engine::query::{Affected, Direction, Edge, HitKind, LeftOut, LinePlace, Node, UseClass};
use codecompass_engine::syntax::facts::RefKind;
use serde::{Serialize, Serializer};

use crate::api::arguments::is_zero;
use crate::api::part::parts;

/// A definition, or the top level of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeView {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    /// The qualified name as text shows it, without the package of its file.
    #[serde(skip)]
    pub local_name: String,
    #[serde(serialize_with = "kind_word")]
    pub kind: HitKind,
    pub path: String,
    pub line: u32,
    /// Absent of a plain definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
}
parts!(NodeView { name, qualified_name, path }, |node, reduction| {
    if reduction.location_only {
        node.qualified_name = None;
    }
});

impl NodeView {
    /// Returns the name as text shows it: with its containers, as far as the answer has them.
    pub fn full_name(&self) -> &str {
        if self.qualified_name.is_some() { &self.local_name } else { &self.name }
    }
}

impl From<Node> for NodeView {
    fn from(node: Node) -> NodeView {
        NodeView {
            name: node.name,
            qualified_name: Some(node.qualified_name),
            local_name: node.local_name,
            kind: node.kind,
            path: node.path,
            line: node.line,
            role: Some(node.role.as_str()).filter(|role| *role != "plain"),
            is_test: node.is_test,
        }
    }
}

/// A use that connects two nodes.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeView {
    pub path: String,
    pub line: u32,
    pub column: u32,
    #[serde(serialize_with = "use_word")]
    pub kind: RefKind,
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
    #[serde(serialize_with = "evidence_word")]
    pub evidence: ResolutionEvidence,
    pub from: NodeView,
    pub to: NodeView,
    /// The method named there, if `to` overrides or implements it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<NodeView>,
    /// The number of other calls between the same two that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The number of definitions that the name may mean, of which `to` is one, if it was not
    /// resolved.
    #[serde(skip_serializing_if = "is_zero")]
    pub candidates: usize,
    /// The line of source, where lines are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
parts!(EdgeView { path, from, to, through, source });

impl EdgeView {
    /// Returns false if `from` does not call `to` itself, but passes it on, defines it or makes its
    /// type.
    pub fn is_call(&self) -> bool {
        let is_value = self.kind != RefKind::Call && self.confidence != UseClass::Static;
        !is_value && self.evidence != ResolutionEvidence::InstanceMade
    }

    /// Returns the place of the use whose line is shown.
    pub(super) fn line_place(&self) -> LinePlace<'_> {
        let is_argument = matches!(self.kind, RefKind::Read | RefKind::Address);
        LinePlace { path: &self.path, line: self.line, argument: is_argument.then_some(self.column) }
    }
}

impl From<Edge> for EdgeView {
    fn from(edge: Edge) -> EdgeView {
        EdgeView {
            path: edge.path,
            line: edge.line,
            column: edge.column,
            kind: edge.kind,
            confidence: edge.confidence,
            evidence: edge.evidence,
            from: edge.from.into(),
            to: edge.to.into(),
            through: edge.through.map(NodeView::from),
            more: edge.more,
            candidates: edge.candidates,
            source: None,
        }
    }
}

/// The number of things that each filter leaves out.
#[derive(Clone, Debug, Default)]
pub struct LeftOutView(pub LeftOut);

impl LeftOutView {
    pub fn is_empty(&self) -> bool {
        self.0.total() == 0
    }
}

impl From<LeftOut> for LeftOutView {
    fn from(left_out: LeftOut) -> LeftOutView {
        LeftOutView(left_out)
    }
}

impl Serialize for LeftOutView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.counts().map(|(restriction, count)| (restriction.as_str(), count)))
    }
}

/// Code that may feel a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AffectedView {
    #[serde(flatten)]
    pub node: NodeView,
    /// Uses between it and the change, at least.
    pub depth: u32,
    /// That of the least certain use on the way.
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
    pub uses: UsedView,
    pub use_kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<&'static str>,
    /// True if it used only what is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_broken: bool,
    /// Absent where the use is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_line: Option<u32>,
    /// That line, where lines are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
parts!(AffectedView { uses, source, ..node }, |affected, reduction| {
    if reduction.location_only {
        affected.evidence = None;
    }
});

/// A symbol that affected code uses and that is changed or affected itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedView {
    pub qualified_name: String,
    /// The qualified name as text shows it, without the package of its file.
    #[serde(skip)]
    pub local_name: String,
    pub path: String,
    pub line: u32,
}
parts!(UsedView { qualified_name, path });

impl From<Affected> for AffectedView {
    fn from(affected: Affected) -> AffectedView {
        let Node { qualified_name, local_name, path, line, .. } = affected.uses;
        AffectedView {
            node: affected.node.into(),
            depth: affected.depth,
            confidence: affected.confidence,
            uses: UsedView { qualified_name, local_name, path, line },
            use_kind: affected.kind.as_str(),
            evidence: Some(affected.evidence.as_str()),
            is_broken: affected.is_broken,
            use_line: (!affected.is_broken).then_some(affected.line),
            source: None,
        }
    }
}

fn kind_word<S: Serializer>(kind: &HitKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

fn use_word<S: Serializer>(kind: &RefKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// Serializes a confidence as its word.
pub(super) fn confidence_word<S: Serializer>(confidence: &UseClass, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(confidence.as_str())
}

/// Serializes a direction as its word.
pub(super) fn direction_word<S: Serializer>(direction: &Direction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(direction.as_str())
}

/// Serializes evidence as its word.
pub(super) fn evidence_word<S: Serializer>(evidence: &ResolutionEvidence, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(evidence.as_str())
}
