//! The calls of one request to the host of workspaces: each is answered for itself, and they have
//! their progress in common.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::Implementation;
use rmcp::service::RequestContext;

use super::answerer::{Answerer, Answering, RequestAnswerer, ToolCall};
use super::audit::AuditEntry;
use super::calls::{Host, Progress, Weigh};

impl Answerer for Host {
    fn status(&self) -> String {
        Host::status(self).to_string()
    }

    fn are_several(&self) -> bool {
        self.workspaces.are_several()
    }

    fn patience(&self) -> Duration {
        self.longest_call()
    }

    fn begin<'a>(self: Arc<Self>, context: &'a RequestContext<RoleServer>) -> Box<dyn RequestAnswerer + 'a> {
        Box::new(HostRequest { host: self, context, progress: Progress::new(context), records: BTreeMap::new() })
    }
}

struct HostRequest<'a> {
    host: Arc<Host>,
    context: &'a RequestContext<RoleServer>,
    progress: Progress<'a>,
    /// The records of the calls, by their numbers.
    records: BTreeMap<usize, CallRecord>,
}

struct CallRecord {
    tool: &'static str,
    /// Writes its line when it is dropped.
    entry: AuditEntry,
    /// Weighs the answer for the savings ledger.
    weigh: Option<Weigh>,
}

impl RequestAnswerer for HostRequest<'_> {
    fn ask(&mut self, number: usize, call: ToolCall, until: Instant) -> Answering<'_> {
        let (host, context) = (Arc::clone(&self.host), self.context);
        let record = self.records.entry(number).or_insert_with(|| {
            // The SDK names itself where a client says nothing.
            let is_told = |client: &Implementation| *client != Implementation::default();
            let client = || context.client_info().filter(is_told).map(|client| client.name);
            let entry = AuditEntry::new(host.audit_log(), call.tool.name, &call.arguments, client);
            CallRecord { tool: call.tool.name, entry, weigh: None }
        });
        self.progress.go_on();
        let progress = &mut self.progress;
        Box::pin(async move {
            let (answer, weigh) = host.answer(call, until, context, &mut record.entry, progress).await;
            record.weigh = weigh;
            answer
        })
    }
}

impl Drop for HostRequest<'_> {
    fn drop(&mut self) {
        for record in self.records.values_mut() {
            if let Some(weigh) = record.weigh.take() {
                self.host.enter(record.tool, weigh);
            }
        }
    }
}
