//! The facts of one file: definitions, references, imports, chunks and syntax problems.
//!
//! Facts depend on the file's path and text alone, so they can be stored by content and shared by
//! every branch that holds it. Lines are 1-based and inclusive, columns are 1-based and count UTF-8
//! bytes, byte ranges are half open.

mod arguments;
mod chain;
mod decorators;
mod types;

use serde::{Deserialize, Serialize};

pub use self::chain::{Chain, ChainExpr, ChainRoot, ChainStep, StepExpr};
pub(crate) use self::decorators::decorator_names;
pub use self::types::{DeclaredType, TypeExpr};
pub(crate) use self::types::{TypeForm, TypeNode};

/// Everything extracted from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Number of lines, counting a last line without a newline.
    pub line_count: u32,
    /// Every name that references, bindings and chains use, once each; see [`Reference::name`].
    pub names: Vec<String>,
    /// Every type that bindings are declared to have and chains name, once each; see
    /// [`Binding::declared`].
    pub types: Vec<DeclaredType>,
    /// Every receiver and value, once each; see [`Reference::receiver`].
    pub chains: Vec<Chain>,
    /// In source order; a parent stands before its children.
    pub definitions: Vec<Definition>,
    /// In source order. Uses of a function's own locals are left out: no other file can mean them.
    pub references: Vec<Reference>,
    /// The arguments of calls of which something is known, in the order of references and places;
    /// only in languages whose overloads are chosen by the types of arguments.
    pub arguments: Vec<CallArgument>,
    /// Names of functions' own that receivers, values, arguments and other bindings start with, in
    /// source order.
    pub bindings: Vec<Binding>,
    /// Comments and literal texts in source order; none overlap. Code in a literal (`"${name}"`)
    /// lies inside.
    pub texts: Vec<TextSpan>,
    /// The first byte of each name that a function binds for itself, where it is bound and where it
    /// is used; sorted.
    pub locals: Vec<u32>,
    /// In source order.
    pub imports: Vec<Import>,
    /// In source order, together covering the file; none overlap.
    pub chunks: Vec<Chunk>,
    /// Places the grammar could not make sense of, at most [`MAX_PROBLEMS`].
    pub problems: Vec<Problem>,
}

/// More syntax problems than this in one file are not recorded.
pub const MAX_PROBLEMS: usize = 20;

/// A stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start_byte: u32,
    /// One past the last byte.
    pub end_byte: u32,
    /// First line.
    pub start_line: u32,
    /// Last line that holds a character of it.
    pub end_line: u32,
}

/// The place of a comment or literal text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSpan {
    /// First byte.
    pub start: u32,
    /// Number of bytes.
    pub length: u32,
}

/// A named thing that a file declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The bare name.
    pub name: String,
    /// The name with its containers, as the language's users write it (`Store::open`,
    /// `QuerySet.filter`).
    pub qualified_name: String,
    /// The kind of thing it is.
    pub kind: Kind,
    /// The declaration without its body, on one line.
    pub signature: String,
    /// The doc comment's text without comment marks.
    pub doc: Option<String>,
    /// The code that may use it.
    pub visibility: Visibility,
    /// `async`, `static` and the like.
    pub modifiers: Modifiers,
    /// Decorators, annotations or attributes, as written without line breaks.
    pub decorators: Vec<String>,
    /// Index of the enclosing definition in [`FileFacts::definitions`].
    pub parent: Option<u32>,
    /// From the first word of the declaration (after decorators) to its end.
    pub span: Span,
    /// First line of what belongs to it: doc comment, decorators, or the declaration itself.
    pub outer_start_line: u32,
    /// First byte of the same.
    pub outer_start_byte: u32,
    /// Line of the name.
    pub name_line: u32,
    /// Column of the name.
    pub name_column: u32,
    /// Hash of the declaration with its body; line ends and indentation do not count.
    pub body_hash: u64,
    /// The part it plays in a program.
    pub role: SymbolRole,
    /// The parameters of a function, or those in the head of a type; `None` where they are not
    /// known.
    pub parameters: Option<Vec<Parameter>>,
    /// The type it is declared to have or to return.
    pub declared_type: Option<DeclaredType>,
    /// The first value of a variable, or the result of a function: an index into
    /// [`FileFacts::chains`].
    pub value: Option<u32>,
    /// The binding that the value starts with: an index into [`FileFacts::bindings`].
    pub value_root: Option<u32>,
}

/// One parameter of a definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name; empty for a pattern or a parameter without one.
    pub name: String,
    /// The declared type.
    pub declared: Option<DeclaredType>,
    /// The way in which arguments are given for it.
    pub kind: ParameterKind,
}

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// All values, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word used in query files, JSON and flags.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The value a word stands for.
            pub fn from_name(word: &str) -> Option<$name> {
                match word { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

named_enum! {
    /// The kind of a definition.
    Kind {
        /// A module, package or namespace block.
        Module = "module",
        /// A class.
        Class = "class",
        /// A struct.
        Struct = "struct",
        /// A union.
        Union = "union",
        /// A type with a single instance.
        Object = "object",
        /// An interface.
        Interface = "interface",
        /// A trait or protocol.
        Trait = "trait",
        /// An enumeration.
        Enum = "enum",
        /// One value of an enumeration.
        Variant = "variant",
        /// Another name for a type.
        TypeAlias = "type",
        /// A block that adds members to a type defined elsewhere.
        Impl = "impl",
        /// A free function.
        Function = "function",
        /// A function that belongs to a type.
        Method = "method",
        /// A method that makes instances.
        Constructor = "constructor",
        /// A user-interface component.
        Component = "component",
        /// A macro.
        Macro = "macro",
        /// A data member of a type.
        Field = "field",
        /// A member read like data and computed by code.
        Property = "property",
        /// A member that others subscribe to.
        Event = "event",
        /// A value that does not change.
        Constant = "constant",
        /// A module-level variable.
        Variable = "variable",
        /// A table of a database.
        Table = "table",
        /// A view of a database.
        View = "view",
        /// An index of a database.
        Index = "index",
        /// A trigger of a database.
        Trigger = "trigger",
        /// A labelled block of a configuration language.
        Block = "block",
        /// A heading of a text.
        Heading = "heading",
        /// A key of a data file.
        Key = "key",
    }
}

impl Kind {
    /// True for what can hold methods and fields.
    pub fn is_type(self) -> bool {
        use Kind::*;
        matches!(self, Class | Struct | Union | Object | Interface | Trait | Enum | TypeAlias | Impl | Table | View)
    }

    /// True for what has a body of statements.
    pub fn is_callable(self) -> bool {
        use Kind::*;
        matches!(self, Function | Method | Constructor | Component | Macro | Property)
    }

    /// True for what gives a text or a data file its outline and is no symbol of a program.
    pub fn is_outline_only(self) -> bool {
        matches!(self, Kind::Heading | Kind::Key)
    }

    /// True for what holds a value.
    pub fn is_value(self) -> bool {
        use Kind::*;
        matches!(self, Variable | Constant | Field | Variant | Event)
    }
}

named_enum! {
    /// The code that may use a definition.
    Visibility {
        /// Everyone.
        Public = "public",
        /// The same package, crate or assembly.
        Internal = "internal",
        /// The type and its subtypes.
        Protected = "protected",
        /// The same module or type only.
        Private = "private",
        /// The same package or assembly, and subtypes anywhere.
        ProtectedInternal = "protected_internal",
    }
}

named_enum! {
    /// The part a definition plays in a program.
    SymbolRole {
        /// Nothing special.
        Plain = "plain",
        /// The start of a program.
        EntryPoint = "entry_point",
        /// Code that answers a request or an event.
        Handler = "handler",
        /// Code that maps requests to handlers.
        Router = "router",
        /// A test.
        Test = "test",
    }
}

/// A set of declaration words, one bit each; the order of [`Modifiers::WORDS`] is part of the
/// stored format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// The words that count as modifiers, in bit order.
    pub const WORDS: [&'static str; 27] = [
        "async",
        "static",
        "abstract",
        "const",
        "unsafe",
        "final",
        "override",
        "readonly",
        "export",
        "default",
        "extern",
        "declare",
        "get",
        "set",
        "mut",
        "virtual",
        "sealed",
        "partial",
        "inline",
        "generator",
        "lazy",
        "open",
        "suspend",
        "volatile",
        "deprecated",
        "expect",
        "actual",
    ];

    /// Adds `word` if it is a modifier, and says whether it is.
    pub fn insert(&mut self, word: &str) -> bool {
        match Self::WORDS.iter().position(|known| *known == word) {
            Some(bit) => {
                self.0 |= 1 << bit;
                true
            }
            None => false,
        }
    }

    /// Returns whether `word` is in the set.
    pub fn contains(self, word: &str) -> bool {
        self.words().any(|known| known == word)
    }

    /// Returns whether `word` is in the set, or its like in another language.
    pub fn means(self, word: &str) -> bool {
        self.contains(word) || word == "async" && self.is_async()
    }

    /// Returns whether calls give their results later.
    pub fn is_async(self) -> bool {
        self.contains("async") || self.contains("suspend")
    }

    /// The words in the set, in bit order.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().enumerate().filter(move |(bit, _)| self.0 & (1 << bit) != 0).map(|(_, word)| word)
    }
}

/// A place where a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name as written: an index into [`FileFacts::names`].
    pub name: u32,
    /// The kind of use.
    pub kind: RefKind,
    /// The expression before the name (`self` in `self.run()`, `a.get().b` in `a.get(x).b.run()`):
    /// an index into [`FileFacts::chains`].
    pub receiver: Option<u32>,
    /// The binding that the receiver starts with: an index into [`FileFacts::bindings`].
    pub root: Option<u32>,
    /// Index of the innermost definition around it.
    pub enclosing: Option<u32>,
    /// Line of the name.
    pub line: u32,
    /// Column of the name.
    pub column: u32,
    /// The numbers of its arguments and type arguments, packed; see [`Reference::call_arguments`]
    /// and [`Reference::type_arguments`].
    pub arguments: Option<u8>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallArgument {
    /// The call: an index into [`FileFacts::references`].
    pub reference: u32,
    /// The number of arguments before it, [`CallArgument::LAST`], or [`CallArgument::LABELS`].
    pub position: u8,
    /// The expression, or the type of a literal: an index into [`FileFacts::chains`].
    pub value: u32,
    /// The binding that the expression starts with: an index into [`FileFacts::bindings`].
    pub root: Option<u32>,
}

impl CallArgument {
    /// The position of a function that stands behind the list, given for the last parameter.
    pub const LAST: u8 = u8::MAX;
    /// The position of the labels of all arguments in the list (`_:with:`), in languages where they
    /// belong to the name; they stand for the type of the value.
    pub const LABELS: u8 = u8::MAX - 1;
}

/// A parameter, local variable or type parameter, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name: an index into [`FileFacts::names`].
    pub name: u32,
    /// Index of the innermost definition around it.
    pub enclosing: Option<u32>,
    /// Line of the name.
    pub line: u32,
    /// The type it is declared to have, or the bound of a type parameter: an index into
    /// [`FileFacts::types`].
    pub declared: Option<u32>,
    /// The value it is bound to: an index into [`FileFacts::chains`].
    pub value: Option<u32>,
    /// The binding that the value starts with: an index into [`FileFacts::bindings`].
    pub root: Option<u32>,
    /// The part of the value that it holds.
    pub projection: Projection,
    /// The kind of name.
    pub kind: BindingKind,
}

named_enum! {
    /// The way in which arguments are given for a parameter.
    ParameterKind {
        /// One argument must be given.
        Required = "required",
        /// One argument may be given.
        Optional = "optional",
        /// Any number of arguments may be given.
        Variadic = "variadic",
        /// The instance that a method is called on.
        Receiver = "receiver",
        /// An argument that is not counted: a keyword or a block.
        Keyword = "keyword",
        /// The compiler may find the argument.
        Implicit = "implicit",
    }
}

named_enum! {
    /// The kind of a binding.
    BindingKind {
        /// A local variable, or a parameter that the query says no more of.
        Variable = "variable",
        /// The first parameter of a function.
        First = "first",
        /// A type parameter.
        Type = "type",
    }
}

/// The part of a value that a name is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    /// All of it.
    #[default]
    Whole,
    /// Its elements, one after the other.
    Element,
    /// The part at this place (`a, b = f()`).
    Part(u8),
    /// The member of the binding's own name (`const { a } = f()`).
    Member,
    /// The field of the type or variant that the value names, by its place (`Shape::Circle(radius)
    /// => …`).
    Payload(u8),
}

named_enum! {
    /// The way in which a reference uses its name.
    RefKind {
        /// Called, instantiated or applied.
        Call = "call",
        /// Named as a type.
        Type = "type",
        /// Named as a supertype, trait or interface.
        Inherit = "inherit",
        /// Named in an import.
        Import = "import",
        /// Assigned to.
        Write = "write",
        /// Anything else.
        Read = "read",
        /// Its address is taken; it may be written through that.
        Address = "address",
        /// Another clause of what is defined, or a specification of it.
        Declaration = "declaration",
    }
}

/// One name that a file brings in, or passes on, from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The module, package or file as written (`os.path`, `./util`, `crate::store`).
    pub module: String,
    /// The item taken from it; `None` for the module itself, `*` for everything.
    pub name: Option<String>,
    /// The name it has in this file when that differs.
    pub alias: Option<String>,
    /// True when the file passes it on (`pub use`, `export … from`).
    pub reexport: bool,
    /// Line of the statement.
    pub line: u32,
    /// True when it stands behind the package clause of a language whose packages nest: it may be
    /// relative to that package.
    pub nested: bool,
}

impl Import {
    /// Takes the last part of the module as the name: `a.b.C` is `C` of `a.b`.
    pub(crate) fn split(&mut self, separator: &str) {
        if let Some((module, name)) = self.module.rsplit_once(separator).filter(|(module, _)| !module.is_empty()) {
            self.name = Some(name.to_string());
            self.module = module.to_string();
        }
    }
}

/// A piece of the file that search treats as one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its place; whole lines.
    pub span: Span,
    /// The definition it shows, if it shows one.
    pub definition: Option<u32>,
    /// 0 for the first or only chunk of its definition, then 1, 2, …
    pub part: u16,
}

/// A place the grammar could not make sense of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// First line.
    pub line: u32,
    /// The fault, in words for people.
    pub message: String,
}

impl FileFacts {
    /// Returns the chain at an index of [`FileFacts::chains`], with its names.
    pub fn chain(&self, index: u32) -> ChainExpr<'_> {
        let chain = self.chains.get(index as usize);
        chain.map_or_else(ChainExpr::unknown, |chain| chain.expression(&self.names, &self.types))
    }
}

impl Definition {
    /// Returns whether the name is the title of a test, a text in quotes: nothing is called by it.
    pub fn is_title(&self) -> bool {
        let before = || Some(&self.signature[..self.signature.find(&self.name)?]);
        self.role == SymbolRole::Test && before().is_some_and(|before| before.ends_with(['"', '\'', '`']))
    }

    /// Returns the parameters but the instance that it is called on.
    pub fn own_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().flatten().filter(|parameter| parameter.kind != ParameterKind::Receiver)
    }

    /// Counts the parameters but the instance that it is called on; 0 where they are not known.
    pub fn parameter_count(&self) -> usize {
        self.own_parameters().count()
    }

    /// Returns the qualified name without the package, module or namespace that the file stands in,
    /// which repeats the path. `all` are the definitions of the file.
    pub fn local_name(&self, all: &[Definition]) -> &str {
        let parent = |definition: &Definition| definition.parent.and_then(|parent| all.get(parent as usize));
        let mut top = self;
        let mut below_top = None;
        while let Some(outer) = parent(top) {
            below_top = Some(top);
            top = outer;
        }
        if top.kind == Kind::Module
            && let Some(below) = below_top
        {
            top = below;
        }
        // A member that stands apart from its type has the type before its name; another definition
        // of the file tells the package then.
        if top.is_apart() {
            let is_plain =
                |other: &&Definition| other.parent.is_none() && !other.is_apart() && other.kind != Kind::Module;
            match all.iter().find(is_plain) {
                Some(other) => top = other,
                None => return &self.qualified_name,
            }
        }
        let package = top.qualified_name.strip_suffix(top.name.as_str()).unwrap_or_default();
        let local = self.qualified_name.strip_prefix(package).unwrap_or(&self.qualified_name);
        if local.starts_with(|c: char| c.is_alphanumeric() || c == '_') { local } else { &self.qualified_name }
    }

    /// Returns true for a kind of member at the top level, outside of its type's body.
    fn is_apart(&self) -> bool {
        matches!(self.kind, Kind::Method | Kind::Constructor | Kind::Field | Kind::Property)
    }

    /// The identity that survives line moves and file moves of the same qualified name: 16 hex
    /// digits.
    pub fn stable_id(&self, language: &str) -> String {
        // The parts of a partial type differ in what they repeat of its declaration.
        let signature = if self.modifiers.contains("partial") { "partial" } else { &self.signature };
        let mut hasher = blake3::Hasher::new();
        for part in ["stable_id:v1", language, self.kind.as_str(), &self.qualified_name, signature] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
        hasher.finalize().to_hex()[..16].to_string()
    }
}
