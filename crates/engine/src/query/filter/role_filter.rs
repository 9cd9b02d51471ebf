//! Restrictions on roles, as questions take them.

use std::fmt;

use codecompass_syntax::facts::SymbolRole;
use rustc_hash::FxHashMap;

use crate::model::Role;
use crate::query::hit::Hit;

/// The role of a definition, or of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindRole {
    /// The role of the file; a test elsewhere is one, too.
    File(Role),
    /// The role of the definition.
    Symbol(SymbolRole),
}

impl FindRole {
    /// Returns the role of this name.
    pub fn from_name(word: &str) -> Option<FindRole> {
        let of_file = Role::ALL.into_iter().find(|role| role.as_str() == word).map(FindRole::File);
        let of_symbol = SymbolRole::from_name(word).filter(|role| *role != SymbolRole::Plain).map(FindRole::Symbol);
        of_file.or(of_symbol)
    }

    /// Returns the names of all roles.
    pub fn names() -> Vec<&'static str> {
        let of_symbols = SymbolRole::ALL.iter().filter(|role| !matches!(role, SymbolRole::Plain | SymbolRole::Test));
        Role::ALL.iter().map(|role| role.as_str()).chain(of_symbols.map(|role| role.as_str())).collect()
    }
}

/// Roles one of which a result must have. Empty restricts nothing.
#[derive(Clone, Default)]
pub struct RoleFilter {
    wanted: Vec<FindRole>,
    /// Roles that endpoints and services tell, by the file and number of a definition.
    pub(in crate::query) told: FxHashMap<(String, u32), SymbolRole>,
}

impl fmt::Debug for RoleFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RoleFilter").field(&self.wanted).finish()
    }
}

impl RoleFilter {
    /// Restricts results to some roles.
    pub fn new(wanted: Vec<FindRole>) -> RoleFilter {
        RoleFilter { wanted, ..RoleFilter::default() }
    }

    /// Returns whether nothing is restricted.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Returns whether only endpoints and services tell some of the roles.
    pub(in crate::query) fn needs_program(&self) -> bool {
        let is_told = |role: &FindRole| {
            matches!(role, FindRole::Symbol(SymbolRole::Handler | SymbolRole::Router | SymbolRole::EntryPoint))
        };
        self.wanted.iter().any(is_told)
    }

    /// Returns the role of a definition that endpoints and services tell.
    pub(in crate::query) fn role_of(&self, path: &str, ordinal: u32) -> Option<SymbolRole> {
        if self.told.is_empty() { None } else { self.told.get(&(path.to_string(), ordinal)).copied() }
    }

    /// Gives a result the role that endpoints and services tell.
    pub(in crate::query) fn tell(&self, hit: &mut Hit) {
        let told = hit.symbol_id.and_then(|id| self.role_of(&hit.path, id.ordinal));
        hit.symbol_role = told.unwrap_or(hit.symbol_role);
    }

    /// Returns whether a file of a role may have results.
    pub(in crate::query) fn admits_file(&self, role: Role) -> bool {
        let may_have = |wanted: &FindRole| match wanted {
            // A test may stand in any file.
            FindRole::File(wanted) => *wanted == role || *wanted == Role::Test,
            FindRole::Symbol(_) => true,
        };
        self.wanted.is_empty() || self.wanted.iter().any(may_have)
    }

    /// Returns whether a result has one of the roles.
    pub(in crate::query) fn accepts_hit(&self, hit: &Hit) -> bool {
        let told = hit.symbol_id.and_then(|id| self.role_of(&hit.path, id.ordinal));
        self.accepts(told.unwrap_or(hit.symbol_role), hit.file_role)
    }

    /// Returns whether code with a role, in a file of a role, has one of those that are wanted.
    pub(in crate::query) fn accepts(&self, symbol: SymbolRole, file: Role) -> bool {
        let has = |wanted: &FindRole| match wanted {
            FindRole::File(Role::Test) => file == Role::Test || symbol == SymbolRole::Test,
            FindRole::File(wanted) => file == *wanted,
            FindRole::Symbol(wanted) => symbol == *wanted,
        };
        self.wanted.is_empty() || self.wanted.iter().any(has)
    }
}
