//! `framework.toml`: what a folder of `frameworks/` says about its framework. The keys are
//! explained in CONTRIBUTING.md, "Add a framework"; unknown keys are errors.

use std::collections::HashMap;

use serde::Deserialize;

/// The contents of one `framework.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrameworkSettings {
    /// The name people use.
    pub display_name: String,
    /// Names of the languages that it is written in.
    pub languages: Vec<String>,
    /// Texts one of which every file has that imports it.
    pub detect: Vec<String>,
    /// Texts one of which a file has that declares routes without importing it.
    pub hints: Vec<String>,
    /// The ways in which parameters are written: `colon`, `brace`, `angle`, `regex`, `bracket`.
    pub params: Vec<String>,
    /// A slash at the end of a path means nothing.
    pub drop_slash: bool,
    /// Prefixes and paths are put together as they are, without a slash between them.
    pub plain_join: bool,
    /// Types of parameters that are routers.
    pub types: Vec<String>,
    /// Types whose members are on the router around (`class App < Base`).
    pub bases: Vec<String>,
    /// Members of a router that mean the router.
    pub transparent: Vec<String>,
    /// Methods around a handler that mean it (`view.as_view()`).
    pub unwrap: Vec<String>,
    /// Functions that load the module that a text names (`require("./users")`).
    pub loads: Vec<String>,
    /// Calls without a receiver are on the router around them.
    pub implicit: bool,
    /// A file that imports it is a router.
    pub file_is_router: bool,
    /// Classes are routers of their decorated methods.
    pub class_is_router: bool,
    /// The variable that is a router of the module that has it.
    pub module_variable: String,
    /// The setting that names the first of such modules.
    pub root_setting: String,
    /// Prefixes of all routes of files, by the end of their path.
    pub file_prefixes: HashMap<String, String>,
    /// The ending of names of controllers that texts leave out.
    pub controller_ending: String,
    /// A class has the prefix of its superclass if it has none.
    pub inherits_prefix: bool,
    /// A path of a method that begins with a slash is not below the prefix of the class.
    pub absolute_paths: bool,
    /// Decorators of classes that call other programs' endpoints.
    pub client_classes: Vec<String>,
    /// Actions of a resource that a class has by inheriting from another.
    pub provides: HashMap<String, Vec<String>>,
    /// Calls, decorators and their meaning; the first that fits counts.
    pub rule: Vec<RouteRule>,
    /// Routes of a resource.
    pub action: Vec<ActionRule>,
    /// Files that are routes by their path.
    pub file: Vec<FileRule>,
    /// The name of the manifest of a package, and of the dependency in it, for files that are
    /// routes by their path.
    pub manifest: String,
    /// See `manifest`.
    pub dependency: String,
}

/// The meaning of a call or decorator.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouteRule {
    /// Names of the function or method.
    pub names: Vec<String>,
    /// The meaning.
    pub does: RuleEffect,
    /// The receiver that it needs.
    pub on: RuleReceiver,
    /// The name of the receiver, where it must have one.
    pub receiver: String,
    /// The number of arguments without a name that it needs.
    pub args: Option<usize>,
    /// The router is an application: nothing is before its paths.
    pub root: bool,
    /// HTTP methods.
    pub verbs: Vec<String>,
    /// The name is the HTTP method.
    pub verb_is_name: bool,
    /// The name of the rule's call without this beginning is the HTTP method.
    pub verb_after: String,
    /// The name of the rule's call without this end is the HTTP method.
    pub verb_before: String,
    /// The argument with HTTP methods.
    pub verbs_in: String,
    /// HTTP methods where the argument is absent.
    pub default_verbs: Vec<String>,
    /// The path may begin with an HTTP method.
    pub path_has_verb: bool,
    /// The argument with the path or prefix.
    pub path: String,
    /// All arguments without a name from this one on are paths.
    pub paths_from: Option<usize>,
    /// The argument with the router that a group is below.
    pub parent: String,
    /// The path is the empty one if there is none.
    pub path_optional: bool,
    /// The argument with the handler.
    pub handler: String,
    /// The handler may be named by the path or the resource around.
    pub handler_optional: bool,
    /// The argument before the path is a text, the name of the route.
    pub named_first: bool,
    /// The handler is a chain of calls that are HTTP methods (`get(a).post(b)`).
    pub handler_chain: bool,
    /// The argument with the name of the handler's method, where `handler` is its class.
    pub action: String,
    /// The argument with the router that is mounted.
    pub child: String,
    /// The prefix is instead of the child's own.
    pub overrides: bool,
    /// The function that is given makes the routes of a router that is its first argument.
    pub plugin: bool,
    /// Calls around what is mounted (`include("x.urls")`).
    pub includes: Vec<String>,
    /// The handler is a class, whose methods are called like HTTP methods.
    pub class_handler: bool,
    /// The argument with the name of the module of controllers, or with the class of them.
    pub scope: String,
    /// The resource has one item, without an identifier.
    pub singular: bool,
    /// The name of the group is part of its path.
    pub named: bool,
    /// Actions of the resource, where not all are meant.
    pub actions: Vec<String>,
    /// Routes are of all items of the resource around (`collection`), or of one (`member`).
    pub of: String,
}

/// The meaning of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Makes a router.
    #[default]
    Router,
    /// Adds a route.
    Route,
    /// Makes a router below another.
    Group,
    /// Puts a router below another.
    Mount,
    /// Gives the prefix of a class.
    Prefix,
    /// Gives HTTP methods to the routes before it.
    Narrow,
    /// Gives the prefix of all routes.
    Global,
    /// Makes a router of all arguments.
    List,
    /// Adds the routes of a resource.
    Resource,
    /// Adds the routes of the actions that a class has.
    ViewSet,
    /// Adds an action to those of the class.
    ExtraAction,
    /// Keeps some of the actions of a resource.
    Only,
    /// Leaves some of the actions of a resource out.
    Except,
}

/// The receiver that a rule needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleReceiver {
    /// A router.
    #[default]
    Router,
    /// A router that a call made below another.
    Group,
    /// None: the router is around.
    Free,
    /// None: it decorates a method of a class, or a function.
    Method,
    /// None: it decorates a class.
    Class,
    /// Anything.
    Any,
}

/// One route of a resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ActionRule {
    /// The action.
    pub name: String,
    /// Its HTTP methods.
    pub verbs: Vec<String>,
    /// Its path below the resource, with `{id}` for the identifier.
    pub path: String,
    /// The resource may have one item, without an identifier, and has this action then.
    pub singular: bool,
}

/// Files that are routes by their path.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileRule {
    /// The folder that paths begin below.
    pub below: String,
    /// The stem of the files; any if empty.
    pub stem: String,
    /// The beginning of paths below the folder.
    pub only: String,
    /// The names of exported functions are HTTP methods; else the exported function is for all.
    pub verb_functions: bool,
    /// A page, which is read with GET.
    pub page: bool,
}
