//! The table of generators: one row each; everything else stands in its folder.

use std::sync::OnceLock;

use super::settings::GeneratorSettings;
use crate::registry::Language;
use crate::toml_source::read;

/// A generator of gRPC code.
pub struct Generator {
    /// The stable lower-case name.
    pub name: &'static str,
    source: &'static str,
    settings: OnceLock<GeneratorSettings>,
}

macro_rules! generator {
    ($name:literal) => {
        Generator {
            name: $name,
            source: include_str!(concat!("../../generators/", $name, "/generator.toml")),
            settings: OnceLock::new(),
        }
    };
}

static GENERATORS: [Generator; 10] = [
    generator!("grpc-cpp"),
    generator!("grpc-dotnet"),
    generator!("grpc-java"),
    generator!("grpc-kotlin"),
    generator!("grpc-node"),
    generator!("grpc-php"),
    generator!("grpc-ruby"),
    generator!("grpcio"),
    generator!("protoc-gen-go"),
    generator!("tonic"),
];

/// Returns all generators, sorted by name.
pub fn generators() -> &'static [Generator] {
    &GENERATORS
}

impl Generator {
    /// Returns what its folder says.
    pub fn settings(&self) -> &GeneratorSettings {
        self.settings
            .get_or_init(|| read(self.source).expect("every generator.toml is read by the tests of this crate"))
    }

    /// Returns whether it makes code of a language.
    pub fn makes(&self, language: &Language) -> bool {
        self.settings().languages.iter().any(|name| name == language.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::language_named;

    #[test]
    fn every_folder_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/generators");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(GENERATORS.iter().any(|one| one.name == name), "generators/{name} has no row in GENERATORS");
        }
        assert!(GENERATORS.is_sorted_by_key(|generator| generator.name));
    }

    #[test]
    fn every_generator_is_read() {
        for generator in generators() {
            let read = read::<GeneratorSettings>(generator.source);
            let settings = read.unwrap_or_else(|error| panic!("{}: {error}", generator.name));
            assert!(!settings.methods.is_empty() && !settings.stubs.is_empty(), "{}", generator.name);
            for language in &settings.languages {
                assert!(language_named(language).is_some(), "{}: {language}", generator.name);
            }
        }
    }
}
