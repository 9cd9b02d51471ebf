//! Text of `calls`.

use codecompass_engine::query::{Direction, HUB_CALLS, HitKind, UseClass};

use super::account::{account_text, definitions_text, is_proven};
use super::graph::{edge_reason, node_text, other_meanings, role_text, subject};
use super::refs::uses_text;
use super::steps::{TextSteps, steps_text};
use super::trace;
use crate::api::navigate::accounting::AccountingView;
use crate::api::navigate::calls::{
    CallLevelView, CallView, CallsAnswer, CallsForm, CallsRequest, UnresolvedCalleeView,
};
use crate::api::navigate::graph::{EdgeView, NodeView};
use crate::remedy::Audience;
use crate::render::by_file::{ByFile, name_in_file};
use crate::render::metadata::by_project_text;
use crate::render::{doubt_text, left_out_text, shown, source_text, text_tokens};
use crate::terminal::output::{DIM, LINE, NAME, PATH};
use crate::units;

pub fn text(request: &CallsRequest, answer: &CallsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    if let Some(chains) = &answer.chains {
        return trace::text_between(chains, answer.is_reversed, audience);
    }
    let argument = request.subject.only();
    let open = answer.is_open.then_some(answer.others_total);
    definitions_text(&mut out, &answer.definitions, open, audience);
    if answer.definitions.is_empty() {
        subject(&mut out, &answer.symbol, &answer.others, answer.others_total, argument, audience);
    } else {
        other_meanings(&mut out, &answer.others, answer.others_total, argument, audience);
    }
    if answer.is_open {
        return out;
    }
    let extra = answer.metadata.extra.as_ref();
    let has_callers = answer.levels.iter().any(|level| level.direction == Direction::Callers && level.total > 0);
    let accounting = extra.and_then(|extra| extra.accounting.as_ref());
    let is_told = |accounting: &&AccountingView| {
        !is_proven(accounting) || !has_callers && accounting.occurrences > accounting.definitions
    };
    if let Some(accounting) = accounting.filter(is_told) {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", account_text(accounting)));
    }
    if !answer.metadata.by_project.is_empty() {
        out.push_str(&format!(
            "{DIM}{}{DIM:#}\n",
            by_project_text("listed calls are in ", &answer.metadata.by_project)
        ));
    }
    for direction in [Direction::Callers, Direction::Callees] {
        direction_text(&mut out, answer, direction, audience);
    }
    steps_text(&mut out, &answer.flow, audience);
    if !answer.passed_on.is_empty() {
        let total = extra.map_or(0, |extra| extra.other_uses);
        let more = match total.saturating_sub(answer.passed_on.len()) {
            0 => String::new(),
            more => format!("; {} lists {more} more other uses", audience.question("refs", "find_references")),
        };
        out.push_str(&format!("\nnamed as a value, maybe called from there{DIM}{more}{DIM:#}\n"));
        uses_text(&mut out, &answer.passed_on, audience, false);
    }
    if !answer.possible_callers.is_empty() {
        let total = extra.map_or(0, |extra| extra.possible_calls);
        let more = match total.saturating_sub(answer.possible_callers.len()) {
            0 => String::new(),
            more => format!("; {more} are not shown, {} shows more", audience.option("limit")),
        };
        let heading = if has_callers {
            format!("{} may call it, or one of many others", units::count(total, "more place"))
        } else {
            format!("no proven caller; {total} possible")
        };
        out.push_str(&format!("\n{heading}{DIM}{more}{DIM:#}\n"));
        uses_text(&mut out, &answer.possible_callers, audience, has_callers);
    }
    not_followed_text(&mut out, &answer.not_followed, audience);
    possible_callees_text(&mut out, &answer.possible_callees);
    if !answer.flow.is_asked {
        unresolved_text(&mut out, &answer.unresolved_callees);
    }
    if let Some(extra) = extra.filter(|extra| extra.left_out_by_filters > 0) {
        out.push_str(&format!("\n{DIM}{}{DIM:#}\n", left_out_text(&extra.left_out_by, audience)));
        for EdgeView { path, line, from, to, .. } in &answer.left_out {
            let (from, to) = (shown(from.full_name()), shown(to.full_name()));
            out.push_str(&format!("  {PATH}{}{PATH:#}:{LINE}{line}{LINE:#}  {from} > {to}\n", shown(path)));
        }
    }
    let through = answer.may_also_be_called_through.iter().flatten();
    for overridden in through.filter(|overridden| overridden.calls > 0) {
        let calls = units::count(overridden.calls, "call");
        let node = node_text(&overridden.method);
        let overrides = audience.option("overrides");
        out.push_str(&format!("\nmay also be called through {node}  {DIM}{calls}; {overrides} includes them{DIM:#}\n"));
    }
    out
}

impl CallsForm for TextSteps {
    fn calls_tokens(&self, request: &CallsRequest, answer: &CallsAnswer) -> usize {
        text_tokens(&text(request, answer, self.audience))
    }
}

/// Writes the calls of one direction.
fn direction_text(out: &mut String, answer: &CallsAnswer, direction: Direction, audience: Audience) {
    let extra = answer.metadata.extra.as_ref();
    let other_uses = extra.map_or(0, |extra| extra.other_uses);
    let levels: Vec<GroupedLevel<'_>> = answer
        .levels
        .iter()
        .filter(|level| level.direction == direction)
        .map(|level| GroupedLevel::new(level, &answer.edges))
        .collect();
    let Some(first) = levels.first() else { return };
    let (what, none) = match direction {
        Direction::Callers => ("called by", "no call of it was found"),
        Direction::Callees => ("calls", "it calls nothing that is defined here"),
    };
    let is_filtered = extra.is_some_and(|extra| extra.left_out_by_filters > 0);
    let is_possible = match direction {
        Direction::Callers => !answer.possible_callers.is_empty(),
        Direction::Callees => {
            let may_lead_here = |callee: &UnresolvedCalleeView| callee.candidates > 0;
            !answer.possible_callees.is_empty() || answer.unresolved_callees.iter().any(may_lead_here)
        }
    };
    let none = match (is_filtered, is_possible, direction) {
        // What is possible is listed below, under a heading of its own.
        (_, true, Direction::Callers) if first.level.total == 0 => return,
        (_, true, Direction::Callees) => "it calls nothing that is proven to be defined here".to_string(),
        (true, ..) => format!("{what}: nothing that fits"),
        _ => none.to_string(),
    };
    if first.level.total == 0 {
        let others = match (direction, other_uses) {
            (Direction::Callees, _) | (_, 0) => String::new(),
            _ if !answer.passed_on.is_empty() => String::new(),
            (_, count) => {
                let refs = audience.question("refs", "find_references");
                format!("; {refs} lists {}", units::count(count, "other use"))
            }
        };
        out.push_str(&format!("\n{none}{others}\n"));
        return;
    }
    out.push_str(&format!("\n{what} {DIM}({}){DIM:#}\n", totals(&levels, audience)));
    if answer.flow.is_asked {
        return;
    }
    let graph = CallTree { direction, levels: &levels };
    let mut ends: Vec<&NodeView> = Vec::new();
    for group in &first.groups {
        let end = near(group.first, direction);
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    for end in ends.iter().copied() {
        let groups = first.groups.iter().filter(|group| near(group.first, direction) == end);
        if !answer.definitions.is_empty() {
            let (name, path, line) = (shown(end.full_name()), shown(&end.path), end.line);
            out.push_str(&format!("of {NAME}{name}{NAME:#} {DIM}({path}:{line}){DIM:#}\n"));
        }
        match audience {
            Audience::Cli => groups.for_each(|group| graph.group_text(out, group)),
            Audience::Tools => {
                let mut list = ByFile::default();
                groups.for_each(|group| graph.list(&mut list, group));
                list.write(out);
            }
        }
    }
}

/// Writes the callers whose own callers are not followed, and how to get them.
fn not_followed_text(out: &mut String, hubs: &[NodeView], audience: Audience) {
    if hubs.is_empty() {
        return;
    }
    let calls = audience.question("calls", "get_call_graph");
    let first = format!("{}:{}", shown(&hubs[0].path), hubs[0].line);
    out.push_str(&format!(
        "\nnot followed, each with more than {HUB_CALLS} calls{DIM}; {calls} of {first} lists those of the first{DIM:#}:\n"
    ));
    hubs.iter().for_each(|hub| out.push_str(&format!("  {}\n", node_text(hub))));
}

/// Writes the names that are called and lead to no definition here: a line for those that are
/// outside, and one for those that were not resolved. Of a chain of calls on one line the longest
/// is named, and what the language has without imports is only counted.
fn unresolved_text(out: &mut String, callees: &[UnresolvedCalleeView]) {
    let is_longer = |callee: &UnresolvedCalleeView, other: &UnresolvedCalleeView| {
        let rest = other.name.strip_prefix(callee.name.as_str());
        rest.is_some_and(|rest| rest.starts_with('(')) && other.lines == callee.lines
    };
    let last = callees.iter().filter(|callee| !callees.iter().any(|other| is_longer(callee, other)));
    let last: Vec<&UnresolvedCalleeView> = last.collect();
    for (is_external, title) in [(true, "calls outside"), (false, "calls, unresolved")] {
        let listed = last.iter().copied().filter(|callee| callee.external == is_external);
        let (builtin, listed): (Vec<&UnresolvedCalleeView>, Vec<&UnresolvedCalleeView>) =
            listed.partition(|callee| callee.builtin);
        let candidates = |callee: &UnresolvedCalleeView| match callee.candidates {
            0 => String::new(),
            count => format!(" (one of {count} candidates)"),
        };
        let mut names: Vec<String> = listed
            .iter()
            .map(|callee| format!("{} {}{}", shown(&callee.name), line_numbers(callee), candidates(callee)))
            .collect();
        match builtin.len() {
            0 => {}
            count => names.push(format!("{count} built in")),
        }
        if !names.is_empty() {
            out.push_str(&format!("\n{title}: {}\n", names.join("; ")));
        }
    }
}

fn line_numbers(callee: &UnresolvedCalleeView) -> String {
    callee.lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn possible_callees_text(out: &mut String, callees: &[EdgeView]) {
    if !callees.is_empty() {
        out.push_str("\nmay call through fields:\n");
    }
    for edge in callees {
        let field = edge.through.as_ref().map_or("", NodeView::full_name);
        let (node, line) = (node_text(&edge.to), edge.line);
        out.push_str(&format!("  {node}  {DIM}on line {line} through {}{DIM:#}\n", shown(field)));
    }
}

fn totals(levels: &[GroupedLevel<'_>], audience: Audience) -> String {
    let mut parts = Vec::new();
    for GroupedLevel { level, groups } in levels.iter().filter(|grouped| grouped.level.total > 0) {
        let depth = if levels.len() > 1 { format!("depth {}: ", level.depth) } else { String::new() };
        let shown = if level.total > level.returned {
            format!(", {} shown; {} shows more", level.returned, audience.option("limit"))
        } else {
            String::new()
        };
        let are_calls = groups.iter().all(|group| group.sites.iter().all(|site| site.edge.is_call()));
        let calls = units::count(level.total, if are_calls { "call" } else { "use" });
        let is_possible = |site: &&CallView| site.edge.confidence == UseClass::Possible;
        let possible = match groups.iter().flat_map(|group| &group.sites).copied().filter(is_possible).count() {
            0 => String::new(),
            possible if possible == level.total => ", none proven".to_string(),
            possible => format!(", {possible} of them possible"),
        };
        parts.push(format!("{depth}{calls}{possible}{shown}"));
    }
    parts.join("; ")
}

/// A level with its calls.
struct GroupedLevel<'a> {
    level: &'a CallLevelView,
    groups: Vec<CallGroup<'a>>,
}

impl<'a> GroupedLevel<'a> {
    fn new(level: &'a CallLevelView, calls: &'a [CallView]) -> GroupedLevel<'a> {
        let mut groups: Vec<CallGroup<'_>> = Vec::new();
        let is_here = |call: &&CallView| (call.direction, call.depth) == (level.direction, level.depth);
        for call in calls.iter().filter(is_here) {
            match groups.iter_mut().find(|group| group.holds(&call.edge)) {
                Some(group) => {
                    group.sites.push(call);
                    group.is_expanded |= call.is_expanded;
                }
                None => groups.push(CallGroup {
                    first: &call.edge,
                    sites: vec![call],
                    depth: level.depth,
                    is_expanded: call.is_expanded,
                }),
            }
        }
        GroupedLevel { level, groups }
    }
}

/// Calls between the same two nodes, shown on one line.
struct CallGroup<'a> {
    first: &'a EdgeView,
    sites: Vec<&'a CallView>,
    depth: u32,
    is_expanded: bool,
}

impl CallGroup<'_> {
    fn holds(&self, edge: &EdgeView) -> bool {
        (&self.first.from, &self.first.to, &self.first.through) == (&edge.from, &edge.to, &edge.through)
            && self.first.confidence == edge.confidence
    }

    fn lines(&self, separator: &str) -> String {
        let mut lines: Vec<String> = self.sites.iter().map(|site| site.edge.line.to_string()).collect();
        lines.dedup();
        lines.join(separator)
    }

    /// Returns the lines of the calls with their numbers, where they are asked for.
    fn sources(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut sites: Vec<&EdgeView> = self.sites.iter().map(|site| &site.edge).collect();
        sites.dedup_by_key(|edge| edge.line);
        sites.into_iter().filter_map(|edge| Some((edge.line, edge.source.as_deref()?)))
    }
}

/// The levels of one direction.
struct CallTree<'a> {
    direction: Direction,
    levels: &'a [GroupedLevel<'a>],
}

impl CallTree<'_> {
    fn group_text(&self, out: &mut String, group: &CallGroup<'_>) {
        let (first, direction) = (group.first, self.direction);
        let far = self.far(group);
        let indent = "  ".repeat(group.depth as usize);
        let doubt = doubt_text(first.confidence, &edge_reason(first));
        let full_name = shown(far.full_name());
        let name = match far.kind {
            HitKind::File => format!("{DIM}at top level{DIM:#}"),
            _ if direction == Direction::Callers => format!("in {NAME}{full_name}{NAME:#}"),
            _ => format!("{NAME}{full_name}{NAME:#}"),
        };
        // A caller is shown by its calls, a callee by its definition.
        match direction {
            Direction::Callers => out.push_str(&format!(
                "{indent}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {name}{}{doubt}",
                shown(&first.path),
                group.lines(","),
                role_text(far)
            )),
            Direction::Callees => out.push_str(&format!(
                "{indent}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {name}  {DIM}called on line {}{DIM:#}{doubt}",
                shown(&far.path),
                far.line,
                group.lines(", ")
            )),
        }
        let below = self.below(group);
        if !group.is_expanded && !below.is_empty() {
            out.push_str(&format!("  {DIM}(see above){DIM:#}"));
        }
        out.push('\n');
        for (line, source) in group.sources() {
            let source = source_text(source);
            out.push_str(&format!("{indent}    {LINE}{line}{LINE:#} {DIM}|{DIM:#} {source}\n"));
        }
        if group.is_expanded {
            below.iter().for_each(|group| self.group_text(out, group));
        }
    }

    /// Lists the calls of a group for agents, and those of the next level below them.
    fn list(&self, list: &mut ByFile, group: &CallGroup<'_>) {
        let (first, far, depth) = (group.first, self.far(group), group.depth as usize - 1);
        let doubt = doubt_text(first.confidence, &edge_reason(first));
        let below = self.below(group);
        let see = if !group.is_expanded && !below.is_empty() { "  (see above)" } else { "" };
        match self.direction {
            Direction::Callers => {
                let name = match far.kind {
                    HitKind::File => String::new(),
                    _ => format!("{}{}  ", shown(name_in_file(far.full_name(), &first.path)), role_text(far)),
                };
                // The first call names the caller, the others stand below it.
                let mut sites = group.sites.clone();
                sites.dedup_by_key(|site| site.edge.line);
                let is_alike =
                    |site: &&CallView, next: &&CallView| !site.source.is_empty() && site.source == next.source;
                for alike in sites.chunk_by(is_alike) {
                    let lines: Vec<String> = alike.iter().map(|site| site.edge.line.to_string()).collect();
                    let is_first = alike[0].edge.line == first.line;
                    let (name, end) =
                        if is_first { (name.as_str(), format!("{doubt}{see}")) } else { ("  ", String::new()) };
                    let source = source_text(&alike[0].source);
                    list.add(&first.path, depth, format!("{}  {name}{source}{end}", lines.join(", ")));
                }
            }
            Direction::Callees => {
                let name = shown(name_in_file(far.full_name(), &far.path));
                let sources: Vec<String> =
                    group.sources().map(|(line, source)| format!("{line}: {}", source_text(source))).collect();
                let lines = if sources.is_empty() { group.lines(", ") } else { sources.join("; ") };
                list.add(&far.path, depth, format!("{}  {name}  at {lines}{doubt}{see}", far.line));
            }
        }
        if group.is_expanded {
            below.iter().for_each(|group| self.list(list, group));
        }
    }

    /// Returns the end of a group's calls that is farther from the symbol asked for.
    fn far<'a>(&self, group: &CallGroup<'a>) -> &'a NodeView {
        match self.direction {
            Direction::Callers => &group.first.from,
            Direction::Callees => &group.first.to,
        }
    }

    /// Returns the calls of the next level that go on from a group.
    fn below(&self, group: &CallGroup<'_>) -> Vec<&CallGroup<'_>> {
        let next = self.levels.iter().find(|level| level.level.depth == group.depth + 1);
        let far = self.far(group);
        let is_below = |group: &&CallGroup<'_>| near(group.first, self.direction) == far;
        next.iter().flat_map(|level| &level.groups).filter(is_below).collect()
    }
}

/// Returns the end of a call that is nearer to the symbol asked for.
fn near(edge: &EdgeView, direction: Direction) -> &NodeView {
    match direction {
        Direction::Callers => &edge.to,
        Direction::Callees => &edge.from,
    }
}
