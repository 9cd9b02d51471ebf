//! Reads one parsed file: the paths it uses, the types and functions it defines, its string
//! literals. Code that is compiled for tests alone is left out, and its lines are recorded.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Product code of one file, as far as the rules need it.
#[derive(Debug, Default)]
pub(crate) struct Extract {
    pub modules: Vec<ModuleDecl>,
    pub imports: Vec<Import>,
    pub paths: Vec<PathUse>,
    /// First names of all paths by inline module, outside of `use` declarations.
    pub names: HashSet<(Vec<String>, String)>,
    pub types: Vec<TypeDef>,
    /// Names of all items by inline module, for finding the module that a path ends in.
    pub items: Vec<(Vec<String>, String)>,
    pub functions: Vec<Function>,
    /// Lines of each `match` with `true` or `false` as a pattern.
    pub boolean_matches: Vec<usize>,
    pub strings: Vec<(String, usize)>,
    /// Lines of items that are compiled for tests alone.
    pub test_lines: Vec<RangeInclusive<usize>>,
}

/// `mod name;` or `mod name { … }`.
#[derive(Debug)]
pub(crate) struct ModuleDecl {
    /// Inline modules around the declaration, outermost first.
    pub within: Vec<String>,
    pub name: String,
    pub is_inline: bool,
    /// The value of a `#[path]` attribute.
    pub file: Option<String>,
    pub test_only: bool,
    pub cfg: Option<String>,
}

/// One name of a `use` declaration.
#[derive(Debug)]
pub(crate) struct Import {
    pub within: Vec<String>,
    pub segments: Vec<String>,
    /// The name in scope; `*` for a glob.
    pub name: String,
    pub is_reexport: bool,
    pub line: usize,
}

/// A path with at least two segments in an expression, type, pattern or macro.
#[derive(Debug)]
pub(crate) struct PathUse {
    pub within: Vec<String>,
    pub segments: Vec<String>,
    pub line: usize,
}

/// A struct, enum, union, trait or type alias.
#[derive(Debug)]
pub(crate) struct TypeDef {
    pub name: String,
    pub line: usize,
    pub is_public: bool,
    /// The condition under which it is compiled, if it has one of its own.
    pub cfg: Option<String>,
}

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: String,
    pub line: usize,
    /// Lines from the signature to the closing brace.
    pub length: usize,
    /// Parameters that take a tuple apart.
    pub tuples: usize,
}

/// Extracts what the rules need from a parsed file.
pub(crate) fn extract(file: &syn::File) -> Extract {
    let mut visitor = Visitor::default();
    visitor.visit_file(file);
    visitor.found
}

#[derive(Default)]
struct Visitor {
    found: Extract,
    /// Inline modules around the current item.
    within: Vec<String>,
    /// Conditions of the inline modules and functions around the current item.
    conditions: Vec<String>,
    /// Depth of function bodies: names inside are not items of the module.
    bodies: usize,
}

impl Visitor {
    fn skips(&mut self, attributes: &[syn::Attribute], node: &impl Spanned) -> bool {
        let test_only = is_test_only(attributes);
        if test_only {
            let start = attributes.first().map_or_else(|| node.span().start(), |first| first.span().start());
            self.found.test_lines.push(start.line..=node.span().end().line);
        }
        test_only
    }

    fn define(&mut self, name: &syn::Ident, attributes: &[syn::Attribute], visibility: &syn::Visibility) {
        let mut conditions = self.conditions.clone();
        conditions.extend(condition(attributes));
        self.found.types.push(TypeDef {
            name: name.to_string(),
            line: name.span().start().line,
            is_public: matches!(visibility, syn::Visibility::Public(_)) && self.bodies == 0,
            cfg: (!conditions.is_empty()).then(|| conditions.join(" and ")),
        });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.span().start().line;
        let length = block.span().end().line + 1 - line;
        let is_tuple = |input: &&syn::FnArg| matches!(input, syn::FnArg::Typed(typed) if takes_tuple(&typed.pat));
        let tuples = signature.inputs.iter().filter(is_tuple).count();
        self.found.functions.push(Function { name: signature.ident.to_string(), line, length, tuples });
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], is_reexport: bool) {
        let mut segments = prefix.to_vec();
        let (name, last) = match tree {
            syn::UseTree::Path(path) => {
                segments.push(path.ident.to_string());
                return self.import(&path.tree, &segments, is_reexport);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.import(item, prefix, is_reexport));
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            syn::UseTree::Rename(rename) => (rename.rename.to_string(), rename.ident.to_string()),
            syn::UseTree::Glob(_) => ("*".to_string(), "*".to_string()),
        };
        // `use a::{self, b}` imports `a` itself.
        let name = if name == "self" { segments.last().cloned().unwrap_or_default() } else { name };
        if last != "self" || segments.is_empty() {
            segments.push(last);
        }
        let line = tree.span().start().line;
        self.found.imports.push(Import { within: self.within.clone(), segments, name, is_reexport, line });
    }

    fn path(&mut self, segments: Vec<String>, line: usize) {
        if let Some(first) = segments.first() {
            self.found.names.insert((self.within.clone(), first.clone()));
        }
        if segments.len() > 1 {
            self.found.paths.push(PathUse { within: self.within.clone(), segments, line });
        }
    }

    /// Macro arguments are tokens, not syntax: finds strings and paths in them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        let mut segments: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !segments.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) if colons == 2 => {
                    segments.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                _ => {}
            }
            self.path(std::mem::take(&mut segments), line);
            colons = 0;
            match token {
                TokenTree::Ident(ident) => {
                    line = ident.span().start().line;
                    segments = vec![ident.to_string()];
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let line = literal.span().start().line;
                    if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                        self.found.strings.push((text.value(), line));
                    }
                }
                // Attributes, of which doc comments are one kind.
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    let is_list = |next: &TokenTree| match next {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Bracket,
                        _ => false,
                    };
                    tokens.next_if(is_list);
                }
                TokenTree::Punct(_) => {}
            }
        }
        self.path(segments, line);
    }

    /// Types that a macro definition or an invocation spells out: `enum Name`.
    fn types_in_tokens(&mut self, tokens: TokenStream) {
        let mut is_keyword = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(name) if is_keyword => self.define(name, &[], &syn::Visibility::Inherited),
                TokenTree::Group(group) => self.types_in_tokens(group.stream()),
                _ => {}
            }
            is_keyword =
                matches!(&token, TokenTree::Ident(word) if ["struct", "enum", "trait"].iter().any(|kind| word == kind));
        }
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = attributes_of(item);
        if self.skips(attributes, item) {
            if let syn::Item::Mod(module) = item {
                self.found.modules.push(declaration(module, &self.within, true));
            }
            return;
        }
        if self.bodies == 0
            && let Some(name) = name_of(item)
        {
            self.found.items.push((self.within.clone(), name));
        }
        match item {
            syn::Item::Struct(item) => self.define(&item.ident, &item.attrs, &item.vis),
            syn::Item::Enum(item) => self.define(&item.ident, &item.attrs, &item.vis),
            syn::Item::Union(item) => self.define(&item.ident, &item.attrs, &item.vis),
            syn::Item::Trait(item) => self.define(&item.ident, &item.attrs, &item.vis),
            syn::Item::Type(item) => self.define(&item.ident, &item.attrs, &item.vis),
            syn::Item::Macro(item) => self.types_in_tokens(item.mac.tokens.clone()),
            syn::Item::Fn(item) => self.function(&item.sig, &item.block),
            _ => {}
        }
        let conditions = self.conditions.len();
        self.conditions.extend(condition(attributes));
        visit::visit_item(self, item);
        self.conditions.truncate(conditions);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.found.modules.push(declaration(module, &self.within, false));
        self.within.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.within.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, &[], is_reexport);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            syn::ImplItem::Type(item) => &item.attrs,
            syn::ImplItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if self.skips(attributes, item) {
            return;
        }
        if let syn::ImplItem::Fn(function) = item {
            self.function(&function.sig, &function.block);
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !self.skips(&field.attrs, field) {
            visit::visit_field(self, field);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.bodies += 1;
        visit::visit_block(self, block);
        self.bodies -= 1;
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        if expression.arms.iter().any(|arm| is_boolean(&arm.pat)) {
            self.found.boolean_matches.push(expression.match_token.span().start().line);
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.path(segments, path.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.visit_path(&invocation.path);
        self.tokens(invocation.tokens.clone());
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.found.strings.push((text.value(), text.span().start().line));
    }

    // Neither attributes nor visibilities make a file depend on another.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn takes_tuple(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Tuple(_) => true,
        syn::Pat::Reference(reference) => takes_tuple(&reference.pat),
        _ => false,
    }
}

fn is_boolean(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Guard(guard) => is_boolean(&guard.pat),
        pattern => matches!(pattern, syn::Pat::Lit(syn::PatLit { lit: syn::Lit::Bool(_), .. })),
    }
}

fn declaration(module: &syn::ItemMod, within: &[String], test_only: bool) -> ModuleDecl {
    let file =
        module.attrs.iter().find(|attribute| attribute.path().is_ident("path")).and_then(|attribute| match &attribute
            .meta
            .require_name_value()
            .ok()?
            .value
        {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        });
    ModuleDecl {
        within: within.to_vec(),
        name: module.ident.to_string(),
        is_inline: module.content.is_some(),
        file,
        test_only,
        cfg: condition(&module.attrs),
    }
}

/// Returns whether the attributes leave an item out of every build but that of tests.
fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Meta>().is_ok_and(|predicate| !may_hold_outside_tests(&predicate))
    })
}

/// Everything but `test` counts as unknown, so it may hold.
fn may_hold_outside_tests(predicate: &syn::Meta) -> bool {
    let parts = |list: &syn::MetaList| {
        let parse = syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
        list.parse_args_with(parse).map(|parts| parts.into_iter().collect::<Vec<_>>()).unwrap_or_default()
    };
    match predicate {
        syn::Meta::Path(path) => !path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("all") => parts(list).iter().all(may_hold_outside_tests),
        syn::Meta::List(list) if list.path.is_ident("any") => parts(list).iter().any(may_hold_outside_tests),
        _ => true,
    }
}

/// The predicates of all `#[cfg]` attributes as one text.
fn condition(attributes: &[syn::Attribute]) -> Option<String> {
    let predicates: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .map(|list| list.tokens.to_string())
        .collect();
    (!predicates.is_empty()).then(|| predicates.join(" and "))
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::TraitAlias(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Extract {
        extract(&syn::parse_file(text).unwrap())
    }

    #[test]
    fn tests_are_left_out() {
        let found = of("struct A;\n#[cfg(test)]\nmod tests { struct B; }\n#[cfg(any(test, unix))]\nstruct C;\n\
                        impl A { #[cfg(all(test, unix))] fn d() {} }\n#[test]\nfn e() {}\nstruct F;\n");
        let names: Vec<&str> = found.types.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["A", "C", "F"]);
        assert!(found.functions.is_empty());
        assert_eq!(found.test_lines, [2..=3, 6..=6, 7..=8]);
    }

    #[test]
    fn paths_imports_and_strings_are_found_in_syntax_and_macros() {
        let found = of("use crate::a::{self, B as C, d::*};\npub use x::Y;\n\
                        fn f(a: super::T) { format!(\"{} {}\", crate::m::n(1), \"two\"); let _ = \"one\"; }\n\
                        make! { #[doc = \"none\"] enum E { } }\n");
        let imports: Vec<String> =
            found.imports.iter().map(|found| format!("{}={}", found.name, found.segments.join("::"))).collect();
        assert_eq!(imports, ["a=crate::a", "C=crate::a::B", "*=crate::a::d::*", "Y=x::Y"]);
        assert!(found.imports[3].is_reexport && !found.imports[0].is_reexport);
        let paths: Vec<String> = found.paths.iter().map(|found| found.segments.join("::")).collect();
        assert_eq!(paths, ["super::T", "crate::m::n"]);
        let strings: Vec<&str> = found.strings.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(strings, ["{} {}", "two", "one"]);
        assert_eq!(found.types[0].name, "E");
    }

    #[test]
    fn functions_are_measured_without_their_comments() {
        let found = of("/// One.\n#[inline]\nfn f(\n    a: u8,\n) {\n}\n");
        assert_eq!((found.functions[0].line, found.functions[0].length), (3, 4));
    }
}
