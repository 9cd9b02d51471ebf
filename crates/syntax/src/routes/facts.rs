//! Facts about the routes of one file: routers, what is mounted where, routes, and places where a
//! router is handed on. What other files say about them is for the reader of facts to find out.

use crate::code::CodePlace;

/// Everything that one file says about the routes of one framework.
#[derive(Clone, Debug, Default)]
pub struct RouteFacts {
    /// Routers, by number.
    pub routers: Vec<RouterFact>,
    /// Routes, in source order.
    pub routes: Vec<RouteFact>,
    /// Routers below others.
    pub mounts: Vec<MountFact>,
    /// Routers that are one.
    pub aliases: Vec<(RouterRef, RouterRef)>,
    /// Routers that are given to functions.
    pub passes: Vec<PassFact>,
    /// Variables and fields that hold routers.
    pub variables: Vec<VariableFact>,
    /// Functions and classes.
    pub functions: Vec<FunctionFact>,
    /// The router that the file exports without a name.
    pub export: Option<RouterRef>,
    /// The function that the file exports without a name: an index into `functions`.
    pub export_function: Option<usize>,
    /// Prefixes of all routes.
    pub globals: Vec<PathTemplate>,
    /// Prefixes that are given to calls of which nothing else is known: they may make routers.
    pub makings: Vec<(CodePlace, PathTemplate)>,
    /// Settings that name the first module.
    pub roots: Vec<String>,
    /// Classes, for handlers that are classes.
    pub classes: Vec<ClassFact>,
    /// True if the file imports the framework.
    pub imports_framework: bool,
}

/// A router.
#[derive(Clone, Debug, Default)]
pub struct RouterFact {
    /// The way in which it came about.
    pub origin: RouterOrigin,
    /// The prefixes that it has by itself.
    pub prefixes: Vec<PathTemplate>,
    /// The module or class that controllers are looked for in.
    pub scope: String,
}

/// The way in which a router came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouterOrigin {
    /// An application: nothing is before its paths.
    Root,
    /// A router that is mounted somewhere.
    Router,
    /// A router that a call made below another.
    Group,
    /// A parameter that is declared to be a router.
    Typed,
    /// A parameter of which nothing is known.
    Parameter,
    /// A value of which nothing is known.
    #[default]
    Value,
}

/// A router as an expression names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RouterRef {
    /// A router of this file.
    Node(u32),
    /// A name that another part of the program gives a value.
    Value {
        /// Its place.
        place: CodePlace,
        /// As it is written.
        text: String,
    },
    /// The result of a function.
    Result {
        /// The place of the function's name in the call.
        place: CodePlace,
        /// Its name.
        name: String,
    },
    /// A router of a module that is named by a text.
    Module {
        /// The module.
        module: String,
        /// The variable; empty for what it exports.
        variable: String,
    },
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathPart {
    /// As it is written.
    Literal(String),
    /// A constant that is defined elsewhere.
    Constant(CodePlace, String),
    /// Something that only a run of the program tells.
    Unknown,
}

/// A path as it is written.
pub type PathTemplate = Vec<PathPart>;

/// A route.
#[derive(Clone, Debug)]
pub struct RouteFact {
    /// The router that it is of.
    pub router: RouterRef,
    /// HTTP methods; empty for all.
    pub verbs: Vec<String>,
    /// The HTTP methods are those of routes that say nothing about them.
    pub has_default_verbs: bool,
    /// The path below the router.
    pub path: PathTemplate,
    /// The code that answers.
    pub handler: HandlerFact,
    /// The line that declares it.
    pub line: u32,
    /// The action of a resource.
    pub action: String,
    /// The handler is a class, whose actions are routes.
    pub is_view_set: bool,
}

/// The code that answers requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerFact {
    /// The name at a place means it.
    Named {
        /// The place.
        place: CodePlace,
        /// As it is written.
        text: String,
    },
    /// The function whose name stands at a place.
    Function {
        /// The place.
        place: CodePlace,
        /// The name, with its class.
        name: String,
    },
    /// A function without a name.
    Inline(CodePlace),
    /// A call that is given the handler, or makes one.
    Wrapped {
        /// The place of the function's name.
        place: CodePlace,
        /// The function's name.
        text: String,
        /// The argument that is given to it.
        inner: Box<HandlerFact>,
    },
    /// A method of a class that is named by a text.
    Method {
        /// The class, perhaps with its modules.
        class: String,
        /// The method.
        method: String,
        /// The place that names it.
        place: CodePlace,
    },
    /// A class, whose methods are called like HTTP methods or actions.
    Class {
        /// The place that names it.
        place: CodePlace,
        /// As it is written.
        text: String,
    },
    /// Nothing names it.
    Unknown,
}

/// A router below another.
#[derive(Clone, Debug)]
pub struct MountFact {
    /// The upper one.
    pub parent: RouterRef,
    /// The path between them.
    pub prefix: PathTemplate,
    /// The lower one.
    pub child: RouterRef,
    /// The prefix is instead of the child's own.
    pub overrides: bool,
    /// The child is a function that adds routes to its first argument.
    pub is_plugin: bool,
}

/// A router that is given to a function.
#[derive(Clone, Debug)]
pub struct PassFact {
    /// The place of the function's name.
    pub callee: CodePlace,
    /// The function's name.
    pub name: String,
    /// The module whose exported function it is, if a text names it.
    pub module: Option<String>,
    /// The place of the argument among those without a name; `None` for what the function is called
    /// on.
    pub argument: Option<u32>,
    /// The name of the argument.
    pub keyword: Option<String>,
    /// The router.
    pub router: RouterRef,
}

/// A variable or field that holds a router.
#[derive(Clone, Debug)]
pub struct VariableFact {
    /// Its name.
    pub name: String,
    /// The line that gives it a value.
    pub line: u32,
    /// The router.
    pub router: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionFact {
    /// Its name.
    pub name: String,
    /// The line of its name.
    pub line: u32,
    /// Its parameters: names and routers.
    pub parameters: Vec<(String, u32)>,
    /// The router that it is called on.
    pub receiver: Option<u32>,
    /// Its result.
    pub result: u32,
    /// The router that is the function, with the routes of its decorators.
    pub own: u32,
}

/// A class.
#[derive(Clone, Debug)]
pub struct ClassFact {
    /// Its name.
    pub name: String,
    /// The line of its name.
    pub line: u32,
    /// Its supertypes, as written.
    pub supertypes: Vec<String>,
    /// Its methods: names and places.
    pub methods: Vec<(String, CodePlace)>,
    /// Actions that decorators add to those of a resource.
    pub extras: Vec<ExtraAction>,
    /// Texts that it gives to names.
    pub texts: Vec<(String, String)>,
    /// The router of its decorated methods.
    pub router: u32,
}

/// An action that a decorator adds to those of a resource.
#[derive(Clone, Debug)]
pub struct ExtraAction {
    /// The method.
    pub name: String,
    /// Its place.
    pub place: CodePlace,
    /// Its HTTP methods.
    pub verbs: Vec<String>,
    /// Its path below the resource.
    pub path: String,
    /// It is about one item.
    pub is_detail: bool,
}
