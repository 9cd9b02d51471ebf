//! Settings of the remote index. They are the user's alone: a repository can come from anywhere, so
//! it can neither name a place that its index is taken from nor one that it is sent to.

use codecompass_engine::objects::Credentials;

/// The settings of the remote index.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// `file:///folder` or `s3://bucket/prefix`.
    pub url: Option<String>,
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub path_style: Option<bool>,
    /// The key that states must be signed with.
    pub public_key: Option<String>,
    /// True if the first use of a repository takes its index from the remote.
    pub auto_pull: bool,
    /// The longest time for that, in seconds.
    pub auto_pull_seconds: u64,
    /// Requests at a time.
    pub concurrency: usize,
    /// Keys of S3, which only the environment has.
    pub credentials: Option<Credentials>,
}

impl Default for RemoteSettings {
    fn default() -> RemoteSettings {
        RemoteSettings {
            url: None,
            endpoint: None,
            region: None,
            path_style: None,
            public_key: None,
            auto_pull: true,
            auto_pull_seconds: 30,
            concurrency: 8,
            credentials: None,
        }
    }
}
