//! Settings of a language that say how its names are resolved.

use std::collections::HashMap;

use serde::Deserialize;

/// Rules by which a name in one place finds its definition in another.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResolveRules {
    /// Languages with the same word here use each other's definitions; the language's own name when
    /// empty.
    pub group: String,
    /// The way imports name modules.
    pub modules: ModuleSystem,
    /// Receivers that mean an instance of the type around.
    pub instance_words: Vec<String>,
    /// Receivers and type names that mean the type around.
    pub type_words: Vec<String>,
    /// Receivers that mean the supertypes of the type around.
    pub super_words: Vec<String>,
    /// The first parameter of a method is an instance of the type around, or the type itself.
    pub first_parameter_is_self: bool,
    /// A method may name members of the type around without a receiver.
    pub implicit_members: bool,
    /// The body of a type is code, in which values may name members without a receiver.
    pub runs_type_bodies: bool,
    /// Members of types are seen wherever the types are.
    pub open_members: bool,
    /// All members of a type stand inside of it, in one place.
    pub whole_types: bool,
    /// Definitions of other files are seen without an import.
    pub shares_names: bool,
    /// The macro that says what a module which uses its own takes in, supertypes among it.
    pub using_macro: String,
    /// An import without a name is a path to a file, and never a symbol.
    pub imports_files: bool,
    /// Folders of a project in which imports that are paths begin; all others begin in the folder
    /// of the importing file.
    pub load_paths: Vec<String>,
    /// A capitalised name is a constant, which the scopes around are asked for, each for its own,
    /// then what the innermost type inherits. Any other name is a member of the innermost type.
    pub scoped_constants: bool,
    /// A package sees what the packages around it define.
    pub packages_nest: bool,
    /// The word that paths from the root of all packages start with (`global::System`).
    pub root_alias: String,
    /// A name that no package has is looked for outside of all packages.
    pub global_fallback: bool,
    /// Words for a parameter that has no name of its own: nothing is known of them.
    pub placeholder_words: Vec<String>,
    /// The mark before the name of an instance's variable that an attribute of the same name reads
    /// and writes (`@`).
    pub attribute_mark: String,
    /// The mark before every name of a variable, and before no other name (`$`).
    pub variable_mark: String,
    /// The mark before a name that makes it a value of its own (`:name`).
    pub symbol_mark: String,
    /// Endings of types that may be left out where they are applied (`Attribute`).
    pub optional_endings: Vec<String>,
    /// The word before the first parameter of a function that makes it a member of that parameter's
    /// type.
    pub extension_word: String,
    /// Kinds of which several definitions of one name in one place are one symbol.
    pub merged_kinds: Vec<String>,
    /// The part of a program in which definitions of one name exclude each other: they are there
    /// for different conditions.
    pub alternatives: AlternativeScope,
    /// Modifiers of definitions that stand for one symbol in several files (`expect`, `actual`).
    pub alternative_modifiers: Vec<String>,
    /// Names that may be defined any number of times (`init`).
    pub repeated_names: Vec<String>,
    /// The name of the type in a block whose members its type has too (`Target` of `Deref`).
    pub forwarded_type: String,
    /// The word of a member that waits for a value.
    pub await_word: String,
    /// The type in a block that says what is waited for, of blocks that name one of
    /// `awaited_traits`.
    pub awaited_type: String,
    /// See `awaited_type`.
    pub awaited_traits: Vec<String>,
    /// Whatever a file has imported can be imported from it.
    pub passes_imports_on: bool,
    /// The word of imports that hold for all files of a project.
    pub global_import_word: String,
    /// Ends of the names of files that make their folder a project.
    pub project_files: Vec<String>,
    /// A function is called by its name alone.
    pub bare_calls: bool,
    /// Functions of one name with other numbers of parameters are others, each with a body.
    pub overloads_apart: bool,
    /// The decorator whose argument is the name of a definition in the other languages of the
    /// group.
    pub naming_decorator: String,
    /// The labels of arguments tell functions of one name apart.
    pub labels_overload: bool,
    /// Types of one name with other numbers of type parameters are others.
    pub types_by_arity: bool,
    /// Words that call a constructor of the type around, or of its supertype if they stand for that
    /// (`super(name)`, `new this`).
    pub constructor_words: Vec<String>,
    /// A call gives exactly the arguments that the parameters ask for, but for default values and
    /// variadic parameters.
    pub exact_arguments: bool,
    /// A file is called like the public type in it.
    pub files_named_by_types: bool,
    /// A word alone in braces may be a key and a value (`{ name }`).
    pub shorthand_keys: bool,
    /// The mark between the name of a parameter and the argument that a call gives for it.
    pub keyword_mark: String,
    /// The part of a program that sees what is private.
    pub private_scope: PrivateScope,
    /// Words of a declaration one of which says that it is private; without any, the visibility
    /// says it.
    pub private_words: Vec<String>,
    /// Words one of which every declaration has that no macro makes.
    pub declaring_words: Vec<String>,
    /// Types that give the members of their first argument.
    pub transparent: Vec<String>,
    /// Functions and methods that give back what they are called on, or what is in it.
    pub passing_methods: Vec<String>,
    /// Properties of types outside that do the same.
    pub passing_properties: Vec<String>,
    /// Methods of types outside that give an element of what they are called on.
    pub element_methods: Vec<String>,
    /// Methods of collections that give all of their elements.
    pub elements_methods: Vec<String>,
    /// Properties of types outside that give an element.
    pub element_properties: Vec<String>,
    /// Functions and methods that give an instance of the type that their argument names.
    pub class_argument_functions: Vec<String>,
    /// Methods that name the type which a class passes the calls of other static methods on to.
    pub facade_methods: Vec<String>,
    /// Doc comments of types declare members, by tags such as `@property` and `@mixin`.
    pub doc_members: bool,
    /// The name that code gives to an object without one, whose members are those of the type
    /// around it.
    pub unnamed_object: String,
    /// Overloads of a type hide those of its supertypes if one of them can be called.
    pub overloads_hide: bool,
    /// The values that can be given where another type is declared.
    pub conversions: ConversionRules,
    /// The type of a literal text; `str` if empty.
    pub text_type: String,
    /// The type of a literal number; nothing is known of it if empty.
    pub number_type: String,
    /// Types that say nothing of a value's members (`any`).
    pub dynamic_types: Vec<String>,
    /// A type parameter without a bound has whatever members are used of it.
    pub open_type_parameters: bool,
    /// Members that give the type of an instance (`x.class`).
    pub type_members: Vec<String>,
    /// A type does not have the members of its instances, nor they those of the type.
    pub sides_apart: bool,
    /// Types that all others inherit from.
    pub root_types: Vec<String>,
    /// Decorators of functions of a type that take no instance.
    pub static_decorators: Vec<String>,
    /// Decorators of methods whose first parameter is the type.
    pub class_decorators: Vec<String>,
    /// A type and a value of one name in one place are one symbol, which is imported as one.
    pub joins_types_and_values: bool,
    /// The name of what a module exports without one.
    pub default_export: String,
    /// The name of what a module is as a whole when it is not a set of names.
    pub whole_export: String,
    /// First words of a path from the root of all modules.
    pub root_words: Vec<String>,
    /// Words of a path that mean the module around.
    pub parent_words: Vec<String>,
    /// Words of a path that mean the module itself.
    pub here_words: Vec<String>,
    /// The root files of a crate that another names, from the crate's folder.
    pub crate_files: Vec<String>,
    /// The root files of a crate around one of its files, from each folder around it.
    pub crate_root_files: Vec<String>,
    /// The files that are the module of their folder.
    pub folder_module_files: Vec<String>,
    /// The files that name the module of their folder.
    pub module_manifests: Vec<String>,
    /// Modules that every program has; a name with a colon at its end is a mark of them (`node:`).
    pub standard_modules: Vec<String>,
    /// Types implement an interface by having its methods, without naming it.
    pub structural_interfaces: bool,
    /// Types of the language that have no other name, so that two of different names are two.
    pub basic_types: Vec<String>,
    /// A value has neither the static members of its class nor the functions of a module.
    pub closed_values: bool,
    /// The ending of the names of packages, and of files in them, that hold the tests of their
    /// folder: no other package can name what they define.
    pub test_ending: String,
    /// Type names that mean the type of the instance that a method is called on.
    pub self_types: Vec<String>,
    /// A function of a type with one of these names makes instances of it when its result is not
    /// declared.
    pub makers: Vec<String>,
    /// Methods of types outside that many programs call; a bare name match is no evidence for one
    /// of these.
    pub common_methods: Vec<String>,
}

/// The part of a program that sees what is private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrivateScope {
    /// It is not certain.
    #[default]
    Unknown,
    /// The file.
    File,
    /// The folder of the file.
    Folder,
    /// The module of the file, and those below it.
    Tree,
}

/// The part of a program in which a name can be defined once, unless conditions choose one of
/// several definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlternativeScope {
    /// It is not certain.
    #[default]
    Unknown,
    /// The file, or the definition around it.
    Place,
    /// All files of a package in one folder.
    Folder,
}

/// The way imports name modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleSystem {
    /// They do not, or in ways that cannot be followed.
    #[default]
    None,
    /// By the path of a file with dots, leading dots meaning the folder of the importer.
    Dotted,
    /// By the relative path of a file, or the name of a package.
    Files,
    /// By the path of a folder below a module's root.
    Folders,
    /// By a tree of modules that starts at a crate's root file.
    Crates,
    /// By the qualified name of what is imported.
    Names,
    /// By the path of a file, all of whose names are then seen.
    Includes,
}

/// The types of a language and of its library that overloads are chosen by.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConversionRules {
    /// Other names of types.
    pub aliases: HashMap<String, String>,
    /// Types of plain values, and of the objects that they are boxed in. Where there are any, an
    /// overload that needs a box comes after those that need none, and one with any number of
    /// arguments comes last.
    pub boxes: HashMap<String, String>,
    /// Types that the values of a type are widened to, the nearest first.
    pub widened: HashMap<String, Vec<String>>,
    /// Types that nothing inherits from, and the types of the library above them.
    pub finals: HashMap<String, Vec<String>>,
    /// Those of them that are numbers.
    pub numbers: Vec<String>,
    /// A value of one of `finals` fits no other types of libraries than those above it.
    pub closed: bool,
    /// The words in the signature of a member that converts values of its type.
    pub operator: String,
    /// A test of a variable's type may be what lets it be given for another one.
    pub smart_casts: bool,
    /// A type parameter is the very type of what is given for it.
    pub exact_parameters: bool,
}

impl ConversionRules {
    /// Returns the name that a type goes by.
    pub fn plain<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// Returns whether nothing inherits from a type.
    pub fn is_final(&self, name: &str) -> bool {
        self.finals.contains_key(name) || self.boxes.contains_key(name)
    }
}

impl ResolveRules {
    /// Returns whether a path that starts with `word` is seen from a module of its own.
    pub fn starts_path(&self, word: &str) -> bool {
        self.root_words.iter().chain(&self.parent_words).any(|known| known == word)
    }

    /// The same for a word that more follows: it may be the module it stands in.
    pub fn begins_path(&self, word: &str) -> bool {
        self.starts_path(word) || self.here_words.iter().any(|known| known == word)
    }
}
