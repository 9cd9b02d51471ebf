//! The part of a view whose code an answer lists: paths, and the treatment of tests.

use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind};
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
}

impl Scope {
    /// Returns whether everything is listed.
    pub fn is_whole(&self) -> bool {
        !self.filter.restricts_paths() && self.tests == TestUses::Include
    }

    pub(crate) fn accepts_node(&self, node: &Node) -> bool {
        self.accepts(&node.path, node.is_test)
    }

    pub(crate) fn accepts_site(&self, site: &UseSite) -> bool {
        self.accepts(&site.path, site.is_test)
    }

    pub(crate) fn accepts_hit(&self, hit: &Hit) -> bool {
        let is_test = hit.file_role == Role::Test || hit.symbol_role == SymbolRole::Test;
        hit.kind == HitKind::External || self.accepts(&hit.path, is_test)
    }

    fn accepts(&self, path: &str, is_test: bool) -> bool {
        let fits_tests = match self.tests {
            TestUses::Include => true,
            TestUses::Exclude => !is_test,
            TestUses::Only => is_test,
        };
        fits_tests && self.filter.accepts_path(path)
    }
}
