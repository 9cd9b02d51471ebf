//! Reading of the settings that are compiled in.

use serde::de::DeserializeOwned;

/// Reads settings from TOML. They go through a table: `toml::from_str` compiles the code of each
/// struct for three deserializers, and these structs are large.
pub(crate) fn read<T: DeserializeOwned>(source: &str) -> Result<T, String> {
    let table: toml::Table = source.parse().map_err(|error: toml::de::Error| error.to_string())?;
    T::deserialize(table).map_err(|error| error.to_string())
}
