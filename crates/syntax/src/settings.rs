//! `language.toml`: what a language's folder says about itself besides its queries.
//!
//! The keys are explained in CONTRIBUTING.md, "Add a language"; unknown keys are errors.

use std::collections::HashMap;

use serde::Deserialize;

use crate::code::{CodeRules, FlowRules};
use crate::facts::{Kind, Modifiers, RefKind, Visibility};
pub use crate::resolve_rules::{AlternativeScope, ConversionRules, ModuleSystem, PrivateScope, ResolveRules};
use crate::toml_source::read;

/// The contents of one `language.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// The name people use.
    pub display_name: String,
    /// The language that it is a form of: who asks for that one means this one, too.
    pub dialect_of: String,
    /// File extensions without the dot.
    pub extensions: Vec<String>,
    /// Whole file names.
    pub filenames: Vec<String>,
    /// Interpreter names in a `#!` line.
    pub shebangs: Vec<String>,
    /// The contents of the files: `code`, `prose` (headings are its outline) or `data` (keys are).
    pub content: Content,
    /// Extensions of another language that are this one's when the text matches the expression (C++
    /// in a `.h`).
    pub contested: HashMap<String, String>,
    /// The separator between the parts of a qualified name.
    pub separator: String,
    /// By kind, what stands before a member of a type instead.
    pub member_separators: HashMap<String, String>,
    /// Modules hold methods as types do, and can be mixed into them.
    pub modules_hold_members: bool,
    /// Marks around a name that are not part of it (`$`, `:`), besides quotes.
    pub name_trim: String,
    /// Nodes around a captured name and the field that leads inwards; an empty field means the
    /// first named child.
    pub declarators: HashMap<String, String>,
    /// Names that end before a mark in them, by node kind (`operator bool() const` before the
    /// bracket).
    pub name_stops: HashMap<String, String>,
    /// Those of `declarators` whose other part names the container (`Store::open`), and leaf kinds
    /// that hold both as one word.
    pub qualified_nodes: Vec<String>,
    /// Kinds of which adjacent definitions with one name and arity are clauses of a single one.
    pub merge_clauses: Vec<String>,
    /// A called name is never a variable, even if there is one of that name.
    pub calls_apart: bool,
    /// A called name is a function of the file rather than a variable of that name that is given a
    /// value without a declared type.
    pub calls_before_variables: bool,
    /// A name in a path (`a::b`) is never a variable, even if there is one of that name.
    pub paths_apart: bool,
    /// A separator before the first name of a path means the root of all names.
    pub root_separator: bool,
    /// Kinds of which all definitions with one qualified name are one symbol, wherever they stand
    /// (namespaces).
    pub open_kinds: Vec<String>,
    /// Modifiers of definitions that are one symbol with all others of their qualified name and
    /// project (`partial`).
    pub part_modifiers: Vec<String>,
    /// Each package clause continues the one before it.
    pub packages_join: bool,
    /// The last part of an imported path is the name taken from the rest.
    pub imports_split: bool,
    /// Selects when lines of conditional compilation are hidden from the grammar.
    pub hide_conditionals: HideConditionals,
    /// Node kinds of comments.
    pub comments: Vec<String>,
    /// Nodes around a definition that belong to it (`export …`, a decorated definition).
    pub wrappers: Vec<String>,
    /// Nodes right before a definition that belong to it (Rust attributes).
    pub attributes: Vec<String>,
    /// Nodes that only group others: a comment before one documents its first child, a comment at
    /// its end what follows.
    pub groups: Vec<String>,
    /// Nodes inside a definition or wrapper, before the name, that decorate it.
    pub decorators: Vec<String>,
    /// Nodes before the name whose words are modifiers or visibility.
    pub modifier_nodes: Vec<String>,
    /// Marks before the name that stand for a modifier (`*` for `generator`).
    pub modifier_marks: HashMap<String, String>,
    /// Decorators, by patterns with `*` at either end for their names or texts, that stand for a
    /// modifier.
    pub modifier_decorators: HashMap<String, String>,
    /// Beginnings of lines of a doc that stand for a modifier (`@deprecated`).
    pub modifier_docs: HashMap<String, String>,
    /// Leaf kinds that are names, and what a bare one means: `read` or `type`.
    pub identifiers: HashMap<String, String>,
    /// Leaf kinds in literal texts, and words of the language, that are names where a query says so
    /// (`[$this, 'run']`, `super(name)`).
    pub quoted_names: Vec<String>,
    /// The mark before such a leaf whose first word is a name (`"$name"`), where the grammar has no
    /// node for that.
    pub interpolation_mark: String,
    /// Nodes of the form `object.member`.
    pub members: Vec<MemberRule>,
    /// Nodes in which every name is a type (an annotation), where the grammar has no leaf kind of
    /// its own for them.
    pub type_nodes: Vec<String>,
    /// Nodes whose contents the grammar leaves as a row of words: one right before `(` is called
    /// there.
    pub token_nodes: Vec<String>,
    /// Method names that make instances.
    pub constructors: Vec<String>,
    /// `MAX_SIZE = 1` declares a constant rather than a variable.
    pub upper_case_constants: bool,
    /// A variable or field is declared by its first assignment; later ones only write it.
    pub assignment_declares: bool,
    /// A function inside another is a variable of it, which assignments to its name write.
    pub functions_are_variables: bool,
    /// A call of a name that was taken out of an object by a pattern calls the object's member.
    pub calls_taken_members: bool,
    /// Objects before a member of which an assigned function is a definition and nothing else. A
    /// function that is assigned to a member of another object is also written to it.
    pub defining_objects: Option<Vec<String>>,
    /// A local name holds only behind its declaration, not in the value it is set to.
    pub declared_before_use: bool,
    /// Nodes at whose end the names that are bound in them end.
    pub block_scopes: Vec<String>,
    /// Words of declarations whose names hold in the whole function, whatever block they are in.
    pub hoisting_words: Vec<String>,
    /// Nodes with names of their own whether or not they are definitions: functions without a name.
    pub scopes: Vec<String>,
    /// Nodes whose variables are not the module's, though no function is around them.
    pub blocks: Vec<String>,
    /// Nodes whose presence makes a capitalised function a component.
    pub component_markers: Vec<String>,
    /// Lines indented by this many columns or more make the file plain text: the grammar's scanner
    /// keeps its state in a buffer of fixed size. 0 means no limit.
    pub max_indent: usize,
    /// Matches what ends a top-level definition wherever it stands (a `}` at the start of a line).
    /// Where the grammar loses its way, the text is parsed in pieces cut there.
    pub resync_after: Option<String>,
    /// Selects when the statements that the grammar cannot read are hidden from it.
    pub hide_unread: HideUnread,
    /// Texts that the grammar does not know, and as what it reads them.
    pub grammar_patches: Vec<GrammarPatch>,
    /// Doc comment rules.
    pub docs: DocRules,
    /// Visibility rules.
    pub visibility: VisibilityRules,
    /// Patterns that give a definition a role.
    pub roles: RoleRules,
    /// The rules by which a file's path becomes a module path.
    pub module: ModuleRules,
    /// The rules for counting the arguments of calls.
    pub arguments: ArgumentRules,
    /// The rules for reading parameters.
    pub parameters: ParameterRules,
    /// The rules for reading types.
    pub types: TypeRules,
    /// The rules for reading receivers and values.
    pub expressions: ExpressionRules,
    /// The rules by which names are resolved.
    pub resolve: ResolveRules,
    /// Kinds of nodes that routes are read from.
    pub code: CodeRules,
    /// Kinds of nodes and words by which values decide and errors travel.
    pub flow: FlowRules,
    /// Rules for the comparison with Universal Ctags.
    pub ctags: CtagsRules,
}

/// Rules for counting the arguments of a call. Without `lists` they are not: calls may then leave
/// out or add any, or functions take one after the other.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArgumentRules {
    /// Nodes in a call whose named children are its arguments.
    pub lists: Vec<String>,
    /// Nodes around such a list, or around one argument.
    pub wrappers: Vec<String>,
    /// Arguments that stand for any number of them (`*xs`).
    pub spreads: Vec<String>,
    /// Nodes behind the list, or instead of it, that are one more argument (a lambda).
    pub blocks: Vec<String>,
    /// Such a node stands behind the call, in a node around both.
    pub blocks_outside: bool,
    /// Arguments that may stand for several where there is no other (a call with several results).
    pub several_alone: Vec<String>,
    /// The types of literals by kind of node, `()` for a function, empty for those that fit
    /// several. Types of arguments are kept if there are any.
    pub types: HashMap<String, String>,
    /// The types of what methods give that all objects have.
    pub results: HashMap<String, String>,
    /// The types of literal numbers that end with a letter.
    pub suffixes: HashMap<String, String>,
    /// Whatever is added to a text makes a text.
    pub joins_any: bool,
    /// The field of an argument with its label. Labels are kept if there is one.
    pub label: String,
}

/// Rules for reading the parameters of a definition. Marks are node kinds; a word or sign is its
/// own kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ParameterRules {
    /// Nodes whose children are parameters.
    pub lists: Vec<String>,
    /// Nodes around such a list, beside the name.
    pub wrappers: Vec<String>,
    /// Definitions that hold their parameters themselves, between `(` and `)`.
    pub inline: Vec<String>,
    /// Nodes in a list that hold some of its parameters.
    pub groups: Vec<String>,
    /// A function without a list takes no parameters.
    pub may_be_left_out: bool,
    /// Marks of the instance that a method is called on, besides `instance_words` and `type_words`.
    pub receivers: Vec<String>,
    /// Marks of a parameter that takes any number of arguments.
    pub variadic: Vec<String>,
    /// Marks of a parameter that may be left out; `=` if empty.
    pub optional: Vec<String>,
    /// Marks of parameters that take no counted argument: keywords, blocks.
    pub keywords: Vec<String>,
    /// Words at the start of a list whose arguments may be left to the compiler.
    pub implicit: Vec<String>,
    /// Marks between parameters.
    pub separators: Vec<String>,
    /// Words that stand for an empty list.
    pub none: Vec<String>,
}

/// Rules for reading types, as node kinds. A node that is not listed is a name, a name with
/// arguments, or wraps a type.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TypeRules {
    /// Unions, intersections and bounds: one of their parts, or all at once.
    pub any_of: Vec<String>,
    /// Types that a condition chooses: the fields `consequence` and `alternative`.
    pub branches: Vec<String>,
    /// Names of types that nothing has.
    pub empty_words: Vec<String>,
    /// Several values, or parameters that are a function's results.
    pub tuples: Vec<String>,
    /// Many values of one type: the field `element`, `value` or `type`, or the last part.
    pub lists: Vec<String>,
    /// Functions: their result is the field `return_type`, `result` or `type`, or stands behind an
    /// arrow.
    pub functions: Vec<String>,
    /// Names of types with arguments whose last is what they give when called.
    pub callables: Vec<String>,
    /// Lists of type arguments behind a name.
    pub arguments: Vec<String>,
    /// Nodes of a name and its arguments without a list.
    pub subscripts: Vec<String>,
    /// Nodes that name the type of a value.
    pub queries: Vec<String>,
    /// Texts that hold a type.
    pub quoted: Vec<String>,
    /// Parts that say nothing of the members: lifetimes, qualifiers.
    pub skipped: Vec<String>,
    /// Nodes that have no members of their own to find.
    pub unknown: Vec<String>,
    /// Names that stand for any type, or for the one of the value.
    pub unknown_words: Vec<String>,
}

/// Rules for reading receivers and values, as node kinds. Tables give the field that the expression
/// goes on with; an empty one means the first named child. A node that is not listed is a member by
/// `members`, a word, or wraps a single other; else nothing is known of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpressionRules {
    /// Members besides `members`, with the field of the member; an empty one means the last named
    /// child. The object is the first.
    pub members: HashMap<String, String>,
    /// Calls. Those that are members too are calls where they have arguments.
    pub calls: HashMap<String, String>,
    /// Elements (`xs[i]`).
    pub indexes: HashMap<String, String>,
    /// Calls of macros.
    pub macros: HashMap<String, String>,
    /// Instances of types that are made by `new`.
    pub instances: HashMap<String, String>,
    /// Instances of types that are made by their fields (`Point { x: 1 }`).
    pub braces: HashMap<String, String>,
    /// Expressions that are said to be of a type, with the type.
    pub casts: HashMap<String, String>,
    /// Names with type arguments.
    pub generics: HashMap<String, String>,
    /// The same where a call is asked to give the type.
    pub asked: HashMap<String, String>,
    /// Values that are waited for, where a type says what it gives (`x.await`).
    pub awaits: HashMap<String, String>,
    /// Nodes that are as good as what they hold: parentheses, `await`.
    pub same: HashMap<String, String>,
    /// Operators, some of which give their first operand mostly (`||`).
    pub either: HashMap<String, String>,
    /// Operators before their operand, those that are marks of which hardly change it (`&x`).
    pub unary: HashMap<String, String>,
    /// Nodes of an object and an expression that starts with a member of it.
    pub around: HashMap<String, String>,
    /// Types with a bound (`<T as Trait>`), the bound last.
    pub bound: HashMap<String, String>,
    /// Values in parentheses, of which the first counts; without any there is no value.
    pub groups: HashMap<String, String>,
    /// Nodes that are as good as what they hold, if that is one.
    pub single: Vec<String>,
    /// Nodes whose last part is what a member behind them is one of, where the grammar binds it to
    /// the whole.
    pub last: Vec<String>,
    /// Nodes whose words are a path.
    pub paths: Vec<String>,
    /// Names that have parts.
    pub names: Vec<String>,
    /// Literal texts.
    pub strings: Vec<String>,
    /// Literal numbers.
    pub numbers: Vec<String>,
    /// Literal lists.
    pub lists: Vec<String>,
    /// Literal maps and objects.
    pub maps: Vec<String>,
    /// Types as values, by the word `class` at their end (`Point.class`).
    pub class_literals: Vec<String>,
    /// Words of which nothing is known.
    pub unknown: Vec<String>,
}

/// One `object.member` shape.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberRule {
    /// The node kind of the whole.
    pub node: String,
    /// The field with what stands before the member.
    pub object: String,
    /// The field with the member's name.
    pub member: String,
}

/// Text that is shown to the parser as something else of the same length; names and signatures keep
/// the real text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrammarPatch {
    /// An expression with groups.
    pub find: String,
    /// The text each group is read as: one character for all of its bytes, or one for each. The
    /// last holds for all that follow. What a match has after its last group is only looked at.
    pub groups: Vec<String>,
}

/// Rules for comparing with Universal Ctags.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CtagsRules {
    /// Its name for the language; empty when it has no parser for it.
    pub language: String,
    /// Its kinds of functions, methods, classes and types.
    pub kinds: Vec<String>,
    /// Tags on lines that match one of these expressions are its errors.
    pub misread: Vec<String>,
    /// Tags of a kind on lines that do not match the expression are its errors; `{name}` in it
    /// stands for the name.
    pub must: HashMap<String, String>,
}

/// The cases in which lines of conditional compilation (`#if`, `#else`, `#endif`) are hidden from
/// the grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HideConditionals {
    /// The grammar knows them.
    #[default]
    Never,
    /// If it finds fewer errors without them.
    OnErrors,
    /// It takes all that follows `#else` for one.
    Always,
}

/// When the statements that a grammar cannot read are hidden from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HideUnread {
    /// Never.
    #[default]
    Never,
    /// If more definitions are found so.
    ForMore,
    /// If there are fewer errors so: the grammar loses its way in everything behind an error.
    Always,
}

/// The contents of the files of a language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Content {
    /// Programs.
    #[default]
    Code,
    /// Text for people.
    Prose,
    /// Settings and records.
    Data,
}

/// Rules for the comments that document a definition.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DocRules {
    /// A comment must start with one of these; empty: any comment right above counts.
    pub prefixes: Vec<String>,
    /// Comments that start so never document (`//go:build`, `# type:`).
    pub not: Vec<String>,
    /// Comments that start so document what stands before them (`-- ^`).
    pub after: Vec<String>,
    /// They are written in XML.
    pub xml: bool,
    /// Lines that begin so stay where a long text is cut, the first of these first.
    pub kept_tags: Vec<String>,
    /// The first string statement of a body documents it.
    pub docstrings: bool,
    /// Attributes before a definition whose string documents it start so.
    pub attributes: Vec<String>,
    /// Attributes at the start of a body whose string documents the definition start so.
    pub inner_attributes: Vec<String>,
}

/// Rules for visibility.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VisibilityRules {
    /// Without any sign: `public`, `internal`, `protected` or `private`.
    pub default: String,
    /// The same for members of types, where it differs.
    pub member_default: Option<String>,
    /// The same for members of these kinds of types.
    pub members_of: HashMap<String, String>,
    /// If a file says what it exports, its other top-level definitions are private.
    pub export_list: bool,
    /// Modifier words and what they mean; several words together in the order of the alphabet.
    pub keywords: HashMap<String, String>,
    /// Name prefixes and what they mean; the longest match wins.
    pub prefixes: HashMap<String, String>,
    /// Names with this prefix and suffix are public whatever their prefix says (`__init__`).
    pub always_public_affix: Option<String>,
    /// A capital first letter means public, any other private.
    pub by_case: bool,
    /// Everything inside a definition with this modifier is public unless a keyword says otherwise
    /// (`declare module`).
    pub open_modifier: Option<String>,
    /// Folders whose code cannot be used from outside of the one around them (Go).
    pub hidden_folders: Vec<String>,
    /// Members of these kinds of parents are as visible as the parent.
    pub inherit_from: Vec<String>,
}

/// Patterns (`*` at either end) that give a definition a role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RoleRules {
    /// Names of tests.
    pub test_names: Vec<String>,
    /// Decorators or attributes of tests.
    pub test_decorators: Vec<String>,
    /// Qualified names of entry points.
    pub entry_names: Vec<String>,
    /// Decorators or attributes of request and event handlers.
    pub handler_decorators: Vec<String>,
}

/// Rules by which a file's path becomes a module path.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ModuleRules {
    /// File stems that stand for their folder (`mod`, `index`, `__init__`).
    pub index_stems: Vec<String>,
    /// Folders that start a module path and are not part of it (`src`).
    pub roots: Vec<String>,
    /// The folder, not the file, is the module (Go).
    pub folder_is_module: bool,
}

impl Settings {
    /// A name without the marks around it.
    pub(crate) fn trim_name<'text>(&self, name: &'text str) -> &'text str {
        if self.content == Content::Prose {
            // `## Title ##`; quotes are the text's own.
            let bare = name.trim_end().trim_end_matches('#');
            return if bare.ends_with(char::is_whitespace) { bare.trim() } else { name.trim() };
        }
        // What is quoted may itself end with a quote.
        for quote in ['"', '\'', '`'] {
            let inside = name.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
            if let Some(inside) = inside.filter(|inside| inside.len() > 1 && inside.contains('\\')) {
                return inside;
            }
        }
        let bare = unquoted(name.trim_matches(|c| self.name_trim.contains(c)));
        if bare.is_empty() { name } else { bare }
    }

    /// Reads a `language.toml`; the error says what is wrong and where.
    pub(crate) fn from_toml(source: &str) -> Result<Settings, String> {
        let settings: Settings = read(source)?;
        let visibilities = std::iter::once(&settings.visibility.default)
            .chain(&settings.visibility.member_default)
            .chain(settings.visibility.members_of.values())
            .chain(settings.visibility.keywords.values())
            .chain(settings.visibility.prefixes.values());
        for word in visibilities {
            if Visibility::from_name(word).is_none() {
                return Err(format!("unknown visibility `{word}`"));
            }
        }
        let modifiers = settings.modifier_decorators.values().chain(settings.modifier_docs.values());
        for word in modifiers {
            if !Modifiers::WORDS.contains(&word.as_str()) {
                return Err(format!("unknown modifier `{word}`"));
            }
        }
        let kinds = settings
            .member_separators
            .keys()
            .chain(&settings.merge_clauses)
            .chain(&settings.open_kinds)
            .chain(settings.visibility.members_of.keys());
        for word in kinds {
            if Kind::from_name(word).is_none() {
                return Err(format!("unknown kind `{word}`"));
            }
        }
        for word in settings.identifiers.values() {
            if RefKind::from_name(word).is_none() {
                return Err(format!("unknown reference kind `{word}`"));
            }
        }
        Ok(settings)
    }
}

/// `text` without quotes around it; a mark at its end alone is part of it (`foldl'`).
pub(crate) fn unquoted(text: &str) -> &str {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    if text.starts_with(QUOTES) { text.trim_matches(QUOTES) } else { text }
}

/// Matches `text` against a pattern with an optional `*` at either end.
pub(crate) fn glob_matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => text.contains(pattern.trim_matches('*')),
        (Some(suffix), None) => text.ends_with(suffix),
        (None, Some(prefix)) => text.starts_with(prefix),
        (None, None) => text == pattern,
    }
}
