//! The part of a view whose code an answer lists: paths, and the treatment of tests.

use crate::error::Result;
use crate::query::filter::Filter;
use crate::query::filter::role_filter::RoleFilter;
use crate::query::hit::{Hit, HitKind};
use crate::query::left_out::Restriction;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::Node;
use crate::query::navigate::references::TestUses;
use crate::query::navigate::use_sites::UseSite;
use codecompass_syntax::facts::SymbolRole;

use crate::model::Role;

/// Restrictions on the code that an answer lists. What leads there is followed all the same.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only these paths; its languages and kinds do not count.
    pub filter: Filter,
    /// The treatment of tests.
    pub tests: TestUses,
    /// Only code of these roles; only for answers about nodes.
    pub roles: RoleFilter,
}

impl Scope {
    /// Returns whether everything is listed.
    pub fn is_whole(&self) -> bool {
        !self.filter.restricts_paths() && self.tests == TestUses::Include && self.roles.is_empty()
    }

    /// Lets nodes have the roles that endpoints and services tell, if roles are restricted.
    pub(super) fn tell_roles(&self, navigator: &Navigator<'_>) -> Result<()> {
        if self.roles.is_empty() { Ok(()) } else { navigator.tell_roles() }
    }

    /// Returns the restriction that leaves out a node, if one does.
    pub(crate) fn refuses_node(&self, node: &Node) -> Option<Restriction> {
        self.refuses(&node.path, node.is_test).or_else(|| {
            let role = if node.is_test { SymbolRole::Test } else { node.role };
            (!self.roles.accepts(role, node.file_role)).then_some(Restriction::Role)
        })
    }

    /// Returns whether nothing of a file is listed.
    pub(super) fn refuses_file(&self, path: &str, role: Role) -> bool {
        self.refuses(path, role == Role::Test).is_some()
    }

    /// Returns the restriction that leaves out a use, if one does.
    pub(crate) fn refuses_site(&self, site: &UseSite) -> Option<Restriction> {
        self.refuses(&site.path, site.is_test)
    }

    /// Returns the restriction that leaves out a definition, if one does.
    pub(crate) fn refuses_hit(&self, hit: &Hit) -> Option<Restriction> {
        let is_test = hit.file_role == Role::Test || hit.symbol_role == SymbolRole::Test;
        if hit.kind == HitKind::External { None } else { self.refuses(&hit.path, is_test) }
    }

    fn refuses(&self, path: &str, is_test: bool) -> Option<Restriction> {
        if self.tests.refuse(is_test) {
            return Some(Restriction::Tests);
        }
        self.filter.refuses_path(path)
    }
}
