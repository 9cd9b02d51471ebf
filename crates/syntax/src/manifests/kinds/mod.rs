//! One file for each kind of manifest.

pub(super) mod cargo;
pub(super) mod composer;
pub(super) mod dotnet;
pub(super) mod gemspec;
pub(super) mod go_module;
pub(super) mod gradle;
pub(super) mod maven;
pub(super) mod mix;
pub(super) mod npm;
pub(super) mod pyproject;
