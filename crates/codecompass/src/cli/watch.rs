//! The flags of `watch`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Watch in a process of its own, and print its id.
    #[arg(long, conflicts_with_all = ["status", "stop"])]
    pub background: bool,
    /// Say whether the checkout is being watched, by which process and how; the exit code is 1 if
    /// it is not.
    #[arg(long, conflicts_with = "stop")]
    pub status: bool,
    /// End the watcher of the checkout; the exit code is 1 if there is none.
    #[arg(long)]
    pub stop: bool,
    /// Look at the files every few seconds even where the system reports changes.
    #[arg(long, conflicts_with_all = ["status", "stop"])]
    pub poll: bool,
    /// The process that --background starts.
    #[arg(long, hide = true, conflicts_with_all = ["background", "status", "stop"])]
    pub detached: bool,
}
