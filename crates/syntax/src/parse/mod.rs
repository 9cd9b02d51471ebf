//! From a text to syntax trees, where need be around what a grammar cannot read.
//!
//! [`trees`] runs the parser, [`conditionals`] hides `#if` lines, [`grammar_patches`] hides what a
//! grammar does not know, [`embedded`] shows it the code in the arguments of macros, [`mending`]
//! hides statements that it cannot read, [`inspect`] shows trees to people who write queries.

mod conditionals;
mod embedded;
mod grammar_patches;
pub(crate) mod inspect;
mod mending;
mod trees;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

use regex::Regex;
use tree_sitter::{Parser, Tree};

use self::grammar_patches::GrammarPatches;
pub(crate) use self::mending::Mended;
use crate::hooks::{EmbeddedHook, Hooks, PieceHook};
use crate::settings::{HideConditionals, HideUnread, Settings};
use crate::tree::GrammarNames;

/// A grammar with everything that is done to a text before it is parsed.
pub(crate) struct Grammar {
    pub language: tree_sitter::Language,
    pub names: GrammarNames,
    patches: GrammarPatches,
    hide_conditionals: HideConditionals,
    max_indent: usize,
    hide_unread: HideUnread,
    /// Source of the expression that finds ends of top-level definitions in broken code.
    resync_after: Option<String>,
    resync: OnceLock<Option<Regex>>,
    pieces: Option<PieceHook>,
    embedded: Option<EmbeddedHook>,
}

/// A text and its syntax trees.
pub(crate) struct SyntaxTrees<'text> {
    /// The text without hidden conditionals; every byte stays in its place.
    pub text: Cow<'text, str>,
    /// One tree, or one for each piece that a hook made.
    pub trees: Vec<Tree>,
    /// The trees of the text's pieces where the grammar lost its way in the whole; they may tell
    /// more.
    pub pieces: Vec<Tree>,
    /// The same without the statements that the grammar cannot read; it may tell more, too.
    pub mended: Option<Mended>,
    pub has_errors: bool,
    /// Parts of the text whose definitions reach further than their nodes, and how far; in source
    /// order.
    pub reaches: Vec<(Range<usize>, usize)>,
}

impl Grammar {
    pub(crate) fn new(language: tree_sitter::Language, settings: &Settings, hooks: Hooks) -> Result<Grammar, String> {
        Ok(Grammar {
            names: GrammarNames::new(&language),
            language,
            patches: GrammarPatches::new(&settings.grammar_patches)?,
            hide_conditionals: settings.hide_conditionals,
            max_indent: settings.max_indent,
            hide_unread: settings.hide_unread,
            resync_after: settings.resync_after.clone(),
            resync: OnceLock::new(),
            pieces: hooks.pieces,
            embedded: hooks.embedded,
        })
    }

    /// Returns the first line that is indented deeper than the grammar's scanner can bear.
    pub(crate) fn too_deep(&self, text: &str) -> Option<u32> {
        trees::too_deep(text, self.max_indent)
    }

    /// Parses `text`; `None` when `deadline` passes.
    pub(crate) fn parse<'text>(&self, text: &'text str, deadline: Instant) -> Option<SyntaxTrees<'text>> {
        if let Some(hook) = self.pieces {
            let pieces = hook(text);
            let trees = trees::of_pieces(self, &pieces, deadline)?;
            let has_errors = trees.iter().any(|tree| tree.root_node().has_error());
            let reaching = pieces.pieces.iter().filter(|piece| piece.until > piece.range.end);
            let reaches = reaching.map(|piece| (piece.range.clone(), piece.until)).collect();
            return Some(SyntaxTrees {
                text: text.into(),
                trees,
                pieces: Vec::new(),
                mended: None,
                has_errors,
                reaches,
            });
        }
        let (text, tree) = self.without_conditionals(text, deadline)?;
        let mut shown = self.patches.apply(&text);
        let mut tree = tree;
        if let Some(hook) = self.embedded {
            (shown, tree) = embedded::reveal(shown, tree, self, hook, deadline)?;
        }
        let has_errors = tree.root_node().has_error();
        let pieces = if has_errors { trees::pieces(&text, &shown, self, &tree, deadline) } else { Vec::new() };
        let mended = self.mended(&shown, &tree, deadline);
        drop(shown);
        Some(SyntaxTrees { text, trees: vec![tree], pieces, mended, has_errors, reaches: Vec::new() })
    }

    /// Hides the statements that cannot be read from a grammar that may lose its way in everything
    /// behind them.
    fn mended(&self, shown: &str, tree: &Tree, deadline: Instant) -> Option<Mended> {
        if self.hide_unread == HideUnread::Never || !tree.root_node().has_error() {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&self.language).ok()?;
        mending::mend(&mut parser, shown, tree, self.hide_unread == HideUnread::ForMore, deadline)
    }

    /// Parses the whole text, with conditional compilation hidden where the grammar reads it better
    /// so.
    fn without_conditionals<'text>(&self, text: &'text str, deadline: Instant) -> Option<(Cow<'text, str>, Tree)> {
        let hidden = if self.hide_conditionals == HideConditionals::Always { conditionals::hidden(text) } else { None };
        let shown = hidden.map_or(Cow::Borrowed(text), Cow::Owned);
        let tree = trees::whole(&shown, self, deadline)?;
        if self.hide_conditionals == HideConditionals::OnErrors
            && tree.root_node().has_error()
            && let Some(hidden) = conditionals::hidden(text)
        {
            let other = trees::whole(&hidden, self, deadline)?;
            if trees::error_count(&other) < trees::error_count(&tree) {
                return Some((Cow::Owned(hidden), other));
            }
        }
        Some((shown, tree))
    }

    /// Returns the expression that finds the ends of top-level definitions in broken code.
    fn resync_after(&self) -> Option<&Regex> {
        let compile = || self.resync_after.as_deref().and_then(|expression| Regex::new(expression).ok());
        self.resync.get_or_init(compile).as_ref()
    }
}
