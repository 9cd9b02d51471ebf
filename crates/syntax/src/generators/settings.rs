//! `generator.toml`.

use serde::Deserialize;

/// The names that a generator makes. Templates have `{service}` and `{rpc}` with `:pascal`,
/// `:camel` or `:snake` behind the word for another case; a dot stands for the separator of the
/// language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeneratorSettings {
    /// The name people use.
    pub display_name: String,
    /// Names of languages.
    pub languages: Vec<String>,
    /// Types that a server inherits from, implements or embeds.
    pub bases: Vec<String>,
    /// Types of stubs, and functions that make one; `new ` before a name that only an instance has.
    pub stubs: Vec<String>,
    /// Names of an rpc's method.
    pub methods: Vec<String>,
    /// The same on stubs, where it differs.
    pub client_methods: Vec<String>,
    /// A type with methods of the right names and types is a server, whatever it inherits from.
    pub is_structural: bool,
    /// Calls that are given a server.
    pub registration: Vec<RegistrationRule>,
    /// Decorators of methods that answer an rpc.
    pub decorator: Vec<DecoratorRule>,
    /// Calls that make a stub of the service that they are given.
    pub client_call: Vec<ClientCallRule>,
}

/// A call that registers a server.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RegistrationRule {
    /// Its name.
    pub name: String,
    /// The argument that names the service, if the call itself does not.
    pub service: Option<usize>,
    /// Names of the service there.
    pub service_names: Vec<String>,
    /// The argument with the server.
    pub implementation: usize,
}

/// A decorator whose arguments name a service and an rpc.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DecoratorRule {
    /// Its names.
    pub names: Vec<String>,
    /// The argument with the service.
    pub service: usize,
    /// The argument with the rpc; the method's own name if it is left out.
    pub rpc: usize,
}

/// A call that makes a stub.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientCallRule {
    /// Its names.
    pub names: Vec<String>,
    /// The argument with the service.
    pub service: usize,
    /// Names of the service there.
    pub service_names: Vec<String>,
}

impl GeneratorSettings {
    /// Returns the templates of an rpc's method on stubs.
    pub fn methods_of_stubs(&self) -> &[String] {
        if self.client_methods.is_empty() { &self.methods } else { &self.client_methods }
    }
}
