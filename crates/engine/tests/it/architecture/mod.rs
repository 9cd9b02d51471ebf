//! Questions about a whole system: its endpoints, services and projects.

mod endpoints;
mod projects;
mod services;
