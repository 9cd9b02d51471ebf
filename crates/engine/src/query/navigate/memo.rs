//! Everything that a navigator found about one state of a view, kept with that state for the next
//! question.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cache::Memo;
use crate::model::VersionId;
use crate::query::navigate::Use;
use crate::query::navigate::accounting::Claim;
use crate::query::navigate::tally::Account;
use crate::resolve::{Resolution, ResolverMemo, Symbol};
use crate::store::Snapshot;

/// References that bear one of some names: file and number.
pub(super) type Namesakes = Arc<Vec<(VersionId, u32)>>;

/// Names, the group of languages, and the file that exports what bears them without a name.
pub(super) type NamesakesKey = (Vec<String>, &'static str, Option<VersionId>);

/// Definitions of one name with the ranks of their files.
pub(super) type RankedSymbols = Arc<Vec<(u8, Symbol)>>;

/// Symbols, the line that the question named, and whether calls of any of them are uses.
type AccountKey = (Vec<Symbol>, Option<u32>, bool);

/// Resolved references beyond this many are not kept between questions.
const KEPT_RESOLUTIONS: usize = 200_000;
/// Uses of symbols and namesakes of names together, beyond which neither are.
const KEPT_USES: usize = 100_000;
/// Places in accounts of names, beyond which these are not.
const KEPT_SITES: usize = 20_000;

/// References with candidates, and definitions that are candidates, beyond which neither are.
const KEPT_CANDIDATES: usize = 50_000;

/// The definitions that a name which was not resolved may mean.
#[derive(Debug, Default)]
pub(crate) struct CalleeCandidates {
    /// The first of them, in the order of paths and places; none if very many have the name.
    pub symbols: Vec<Symbol>,
    /// The number of definitions.
    pub total: usize,
}

impl CalleeCandidates {
    /// A name with more candidates is named with their number and not followed.
    const FEW: usize = 3;

    /// Returns the candidates if they are few enough to follow each of them.
    pub(crate) fn few(&self) -> &[Symbol] {
        if self.total <= CalleeCandidates::FEW { &self.symbols } else { &[] }
    }
}

/// Uses and meanings that were found.
#[derive(Default)]
pub(crate) struct NavigatorMemo {
    pub(super) uses: RefCell<FxHashMap<Symbol, Arc<Vec<Use>>>>,
    /// By names, group of languages, and the file that exports the symbol without a name.
    pub(super) namesakes: RefCell<FxHashMap<NamesakesKey, Namesakes>>,
    pub(super) resolved: RefCell<FxHashMap<(VersionId, u32), Arc<Resolution>>>,
    /// By symbols and the line that the question named.
    pub(super) accounts: RefCell<FxHashMap<AccountKey, Account>>,
    /// By symbol: what decides whether a name that was not resolved may mean it.
    pub(super) claims: RefCell<FxHashMap<Symbol, Arc<Claim>>>,
    /// By name and group of languages.
    pub(super) ranked: RefCell<FxHashMap<(String, &'static str), RankedSymbols>>,
    /// By reference that was not resolved.
    pub(super) candidates: RefCell<FxHashMap<(VersionId, u32), Arc<CalleeCandidates>>>,
    /// Types and interfaces, with whether the type has all methods of the interface.
    pub(in crate::query) implemented: RefCell<FxHashMap<(Symbol, Symbol), bool>>,
    /// Whatever else questions find out about a view.
    pub(in crate::query) lists: Memo,
}

impl NavigatorMemo {
    /// Forgets what would take too much memory until the next question.
    fn trim(&mut self) {
        if self.resolved.borrow().len() > KEPT_RESOLUTIONS {
            self.resolved.take();
        }
        if self.candidates.borrow().len() + self.claims.borrow().len() > KEPT_CANDIDATES {
            self.candidates.take();
            self.claims.take();
            self.ranked.take();
        }
        let uses: usize = self.uses.borrow().values().map(|uses| uses.len() + 1).sum();
        let namesakes: usize = self.namesakes.borrow().values().map(|names| names.len() + 1).sum();
        if uses + namesakes > KEPT_USES {
            self.uses.take();
            self.namesakes.take();
        }
        if self.accounts.borrow().values().map(|account| account.sites.len() + 1).sum::<usize>() > KEPT_SITES {
            self.accounts.take();
        }
    }
}

/// All that is kept of one navigator.
#[derive(Default)]
pub(super) struct KeptMemo {
    pub(super) resolver: ResolverMemo,
    pub(super) navigator: NavigatorMemo,
}

impl KeptMemo {
    /// Takes what the last navigator of a snapshot's state left; nothing if there was none, or if
    /// another one is working with it.
    pub(super) fn take(snapshot: &Snapshot) -> KeptMemo {
        let kept = snapshot.kept().and_then(|mut kept| kept.take());
        kept.and_then(|kept| kept.downcast::<KeptMemo>().ok()).map(|kept| *kept).unwrap_or_default()
    }

    /// Leaves it for the next navigator of the snapshot's state. Of two that worked at the same
    /// time, the one that found more counts.
    pub(super) fn keep(mut self, snapshot: &Snapshot) {
        let Some(mut slot) = snapshot.kept().filter(|_| !std::thread::panicking()) else { return };
        self.resolver.trim();
        self.navigator.trim();
        let found = |memo: &KeptMemo| memo.navigator.resolved.borrow().len();
        let known = slot.as_ref().and_then(|kept| kept.downcast_ref::<KeptMemo>());
        if known.is_none_or(|known| found(known) <= found(&self)) {
            *slot = Some(Box::new(self));
        }
    }
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::query::navigate::Navigator;
    use crate::sync;
    use crate::sync::SyncOptions;

    /// The uses of the only definition in `a.py`, and the number of references that were resolved
    /// before.
    fn uses(engine: &Engine) -> (usize, usize) {
        let snapshot = engine.snapshot().unwrap().unwrap();
        let navigator = Navigator::new(&snapshot);
        let known = navigator.memo.resolved.borrow().len();
        let uses = navigator.references_at("a.py", 1, None).unwrap().len();
        drop(navigator);
        engine.return_snapshot(snapshot);
        (uses, known)
    }

    #[test]
    fn the_next_question_about_the_same_state_knows_what_was_found() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n//- /b.py\nfrom a import first\nfirst()\n");
        let open = || Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let asking = open().with_snapshot_cache(Arc::default());
        sync(&open(), SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!(uses(&asking), (2, 0));
        assert_eq!(uses(&asking), (2, 2));
        workspace.write("b.py", "from a import first\nfirst()\nfirst()\n");
        sync(&open(), SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!(uses(&asking), (3, 0), "another state");
        assert_eq!(uses(&open()), (3, 0), "a process for one question keeps nothing");
    }
}
