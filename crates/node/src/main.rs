//! The `codecompass-node` binary; everything is in the library beside it.

fn main() -> std::process::ExitCode {
    codecompass_node::run()
}
