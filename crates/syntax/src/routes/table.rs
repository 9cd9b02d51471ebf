//! The table of frameworks: one row each; everything else stands in its folder.

use std::sync::OnceLock;

use super::framework::FrameworkSettings;
use crate::toml_source::read;

/// A web framework.
pub struct Framework {
    /// The stable lower-case name used in answers and filters.
    pub name: &'static str,
    source: &'static str,
    settings: OnceLock<FrameworkSettings>,
}

macro_rules! framework {
    ($name:literal) => {
        Framework {
            name: $name,
            source: include_str!(concat!("../../frameworks/", $name, "/framework.toml")),
            settings: OnceLock::new(),
        }
    };
}

static FRAMEWORKS: [Framework; 28] = [
    framework!("actix"),
    framework!("aiohttp"),
    framework!("aspnet"),
    framework!("axum"),
    framework!("chi"),
    framework!("django"),
    framework!("echo"),
    framework!("express"),
    framework!("fastapi"),
    framework!("fastify"),
    framework!("fiber"),
    framework!("flask"),
    framework!("gin"),
    framework!("gorilla"),
    framework!("hono"),
    framework!("jaxrs"),
    framework!("koa"),
    framework!("ktor"),
    framework!("laravel"),
    framework!("nestjs"),
    framework!("nethttp"),
    framework!("nextjs"),
    framework!("phoenix"),
    framework!("rails"),
    framework!("sinatra"),
    framework!("spring"),
    framework!("starlette"),
    framework!("symfony"),
];

/// Returns all frameworks, sorted by name.
pub fn frameworks() -> &'static [Framework] {
    &FRAMEWORKS
}

/// Returns the framework called `name`.
pub fn framework_named(name: &str) -> Option<&'static Framework> {
    FRAMEWORKS.iter().find(|framework| framework.name == name)
}

impl Framework {
    /// Returns what its folder says.
    pub fn settings(&self) -> &FrameworkSettings {
        self.settings
            .get_or_init(|| read(self.source).expect("every framework.toml is read by the tests of this crate"))
    }

    /// Returns whether a text imports the framework.
    pub fn is_imported_by(&self, text: &str) -> bool {
        self.settings().detect.iter().any(|mark| text.contains(mark.as_str()))
    }

    /// Returns whether a text may declare routes of the framework, imported or not.
    pub fn may_be_in(&self, text: &str) -> bool {
        self.is_imported_by(text) || self.settings().hints.iter().any(|hint| text.contains(hint.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::language_named;

    #[test]
    fn every_folder_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/frameworks");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(framework_named(&name).is_some(), "frameworks/{name} has no row in FRAMEWORKS");
        }
        assert!(FRAMEWORKS.is_sorted_by_key(|framework| framework.name));
    }

    #[test]
    fn every_framework_is_read() {
        for framework in frameworks() {
            let read = read::<FrameworkSettings>(framework.source);
            let settings = read.unwrap_or_else(|error| panic!("{}: {error}", framework.name));
            assert!(!settings.detect.is_empty() || !settings.file.is_empty(), "{}", framework.name);
            for language in &settings.languages {
                assert!(language_named(language).is_some(), "{}: {language}", framework.name);
            }
        }
    }
}
