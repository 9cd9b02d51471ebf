//! Settings of a cluster. They are the user's alone, as those of the remote index.

use codecompass_engine::objects::Credentials;

/// The settings of a cluster.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// `postgres://user@host/database`, without a password.
    pub database: Option<String>,
    /// The password, which only the environment has.
    pub password: Option<String>,
    /// A file of certificate authorities for the database.
    pub authorities: Option<String>,
    /// `file:///folder` or `s3://bucket/prefix`.
    pub objects: Option<String>,
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub path_style: Option<bool>,
    /// The folder of a node's cache.
    pub cache: Option<String>,
    /// The most MiB in it.
    pub cache_mib: u64,
    /// Seconds for which a job belongs to the node that works on it.
    pub lease_seconds: u64,
    /// Seconds after which a node that was not heard of counts as gone.
    pub alive_seconds: u64,
    /// Seconds between two looks for new commits.
    pub poll_seconds: u64,
    /// Jobs at a time on a node.
    pub jobs: usize,
    /// Schemes of git URLs.
    pub git_schemes: Vec<String>,
    /// Hosts of git URLs; any if there are none.
    pub git_hosts: Vec<String>,
    /// True if git URLs may lead to this machine and to private networks.
    pub git_private: bool,
    /// The most MiB of a clone.
    pub git_mib: u64,
    /// The longest time of a fetch.
    pub git_seconds: u64,
    /// Keys of S3, which only the environment has.
    pub credentials: Option<Credentials>,
}

impl Default for ClusterSettings {
    fn default() -> ClusterSettings {
        ClusterSettings {
            database: None,
            password: None,
            authorities: None,
            objects: None,
            endpoint: None,
            region: None,
            path_style: None,
            cache: None,
            cache_mib: 20_480,
            lease_seconds: 30,
            alive_seconds: 10,
            poll_seconds: 300,
            jobs: 1,
            git_schemes: vec!["https".into(), "ssh".into()],
            git_hosts: Vec::new(),
            git_private: false,
            git_mib: 2048,
            git_seconds: 1800,
            credentials: None,
        }
    }
}

/// Returns the address of a database without what may be a password, to be shown.
pub(super) fn shown(database: &str) -> String {
    match database.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?))) {
        Some((scheme, (user, host))) => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{scheme}://{user}@{host}")
        }
        None => database.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(shown("postgres://me:s3:cr@t@host/db"), "postgres://me@host/db");
        assert_eq!(shown("postgres://me@a,b/db?x=1"), "postgres://me@a,b/db?x=1");
        assert_eq!(shown("postgres://host/db"), "postgres://host/db");
    }
}
