//! Boxes and lines as inline SVG. The server draws them; a script can add more.

use codecompass_app::api::navigate::calls::{CallView, CallsAnswer};
use codecompass_app::api::navigate::graph::NodeView;
use codecompass_engine::query::Direction;

use super::html::Html;
use super::links::Subject;

/// The size of a box, and the space between columns and rows.
const BOX_WIDTH: usize = 230;
const BOX_HEIGHT: usize = 40;
const COLUMN: usize = 330;
pub(super) const ROW: usize = 52;
/// Characters of a name that fit into a box.
const NAME_CHARS: usize = 29;
/// Characters of a path that fit.
const PATH_CHARS: usize = 34;
/// Boxes on each side of a symbol; with it they are fewer than 60.
const WING_BOXES: usize = 29;
/// The space around all boxes.
pub(super) const MARGIN: usize = 10;

/// A box.
pub(super) struct GraphBox {
    pub title: String,
    pub note: String,
    pub address: String,
    /// The place of the symbol, for scripts that ask for more; empty if there is none.
    pub place: String,
    pub class: &'static str,
    pub column: usize,
    /// The distance from the top, in pixels.
    pub y: usize,
}

/// A line from the right of a box to the left of another.
pub(super) struct GraphLine {
    pub from: usize,
    pub to: usize,
    pub class: &'static str,
    pub title: String,
}

/// Draws boxes in columns.
pub(super) fn draw(html: &mut Html, label: &str, id: &str, boxes: &[GraphBox], lines: &[GraphLine]) {
    let columns = boxes.iter().map(|it| it.column).max().unwrap_or(0);
    let width = MARGIN * 2 + columns * COLUMN + BOX_WIDTH;
    let height = boxes.iter().map(|it| it.y + BOX_HEIGHT).max().unwrap_or(0) + MARGIN * 2;
    let (width, height) = (width.to_string(), height.to_string());
    let view = format!("0 0 {width} {height}");
    html.element(
        "svg",
        &[
            ("id", id),
            ("class", "graph"),
            ("role", "group"),
            ("aria-label", label),
            ("viewBox", &view),
            ("width", &width),
            ("height", &height),
        ],
        |html| {
            for line in lines {
                let (Some(from), Some(to)) = (boxes.get(line.from), boxes.get(line.to)) else { continue };
                draw_line(html, from, to, line);
            }
            boxes.iter().for_each(|it| draw_box(html, it));
        },
    );
}

fn left(it: &GraphBox) -> usize {
    MARGIN + it.column * COLUMN
}

fn draw_line(html: &mut Html, from: &GraphBox, to: &GraphBox, line: &GraphLine) {
    let middle = |it: &GraphBox| it.y + BOX_HEIGHT / 2;
    let (x1, y1) = (left(from) + BOX_WIDTH, middle(from));
    let (x2, y2) = (left(to), middle(to));
    // A line inside of a column, or back, leaves and comes on the same side; one that passes a
    // column goes around what may stand there.
    let path = if to.column > from.column {
        let dip = if to.column > from.column + 1 { ROW * 2 / 3 } else { 0 };
        let (dip1, dip2) = (y1 + dip, y2 + dip);
        format!("M{x1} {y1}C{} {dip1} {} {dip2} {x2} {y2}", x1 + 50, x2.saturating_sub(50))
    } else {
        let x2 = left(to) + BOX_WIDTH;
        format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + 60, x2 + 60)
    };
    html.element("path", &[("class", line.class), ("d", &path)], |html| {
        if !line.title.is_empty() {
            html.leaf("title", &[], &line.title);
        }
    });
}

fn draw_box(html: &mut Html, it: &GraphBox) {
    let (x, y) = (left(it), it.y);
    let place = format!("translate({x} {y})");
    let column = it.column.to_string();
    let attributes =
        [("class", it.class), ("transform", place.as_str()), ("data-place", &it.place), ("data-column", &column)];
    html.element("g", &attributes, |html| {
        let inside = |html: &mut Html| {
            html.leaf("title", &[], &format!("{} — {}", it.title, it.note));
            let (width, height) = (BOX_WIDTH.to_string(), BOX_HEIGHT.to_string());
            html.leaf("rect", &[("width", &width), ("height", &height), ("rx", "6")], "");
            html.leaf("text", &[("x", "10"), ("y", "17"), ("class", "title")], &end_of(&it.title, NAME_CHARS));
            html.leaf("text", &[("x", "10"), ("y", "32"), ("class", "note")], &end_of(&it.note, PATH_CHARS));
        };
        if it.address.is_empty() { inside(html) } else { _ = html.element("a", &[("href", &it.address)], inside) }
    });
}

/// Returns the end of a text that is too long; it tells more than the beginning.
fn end_of(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count > most {
        format!("…{}", text.chars().skip(count - most + 1).collect::<String>())
    } else {
        text.to_string()
    }
}

/// The neighbours of a symbol on one side.
#[derive(Default)]
struct Wing {
    /// Boxes, still without their place, each with the class of its line.
    boxes: Vec<(GraphBox, &'static str)>,
    more: usize,
}

impl Wing {
    fn rows(&self) -> usize {
        self.boxes.len() + usize::from(self.more > 0)
    }

    fn has(&self, place: &str) -> bool {
        self.boxes.iter().any(|(it, _)| it.place == place)
    }
}

/// Draws callers, the symbol, and callees; nothing where there are neither.
pub(super) fn butterfly(subject: &Subject, calls: &CallsAnswer, exact: &str) -> Html {
    let mut callers = wing(subject, calls, Direction::Callers);
    let callees = wing(subject, calls, Direction::Callees);
    add_possible(&mut callers, subject, calls);
    if callers.rows() + callees.rows() == 0 {
        return Html::new();
    }
    let rows = callers.rows().max(callees.rows()).max(1);
    // What is in the middle of a long list would be out of view.
    let start = |count: usize| MARGIN + ((rows - count) * ROW / 2).min(3 * ROW);
    let hit = &calls.symbol.hit;
    let center = GraphBox {
        title: hit.local_name.clone(),
        note: format!("{}:{}", hit.path, hit.name_line),
        address: subject.line(&hit.path, hit.name_line),
        place: exact.to_string(),
        class: "node center",
        column: 1,
        y: start(1),
    };
    let (mut boxes, mut lines) = (vec![center], Vec::new());
    for (wing, column) in [(callers, 0), (callees, 2)] {
        let mut y = start(wing.rows());
        for (it, class) in wing.boxes {
            let at = boxes.len();
            let (from, to) = if column == 0 { (at, 0) } else { (0, at) };
            lines.push(GraphLine { from, to, class, title: String::new() });
            boxes.push(GraphBox { column, y, ..it });
            y += ROW;
        }
        more_box(&mut boxes, wing.more, column, y);
    }
    let mut html = Html::new();
    draw(&mut html, "Callers, symbol, callees", "butterfly", &boxes, &lines);
    html
}

/// Adds functions that may call the symbol, as far as there is room.
fn add_possible(callers: &mut Wing, subject: &Subject, calls: &CallsAnswer) {
    let mut shown = 0;
    for site in &calls.possible_callers {
        let Some(around) = &site.enclosing else { continue };
        let place = format!("{}:{}", site.path, around.line);
        if callers.boxes.len() >= WING_BOXES || callers.has(&place) {
            continue;
        }
        shown += 1;
        let it = GraphBox {
            title: around.shown_name().to_string(),
            note: place.clone(),
            address: subject.symbol(&site.path, around.line),
            place,
            class: "node",
            column: 0,
            y: 0,
        };
        callers.boxes.push((it, "possible"));
    }
    let possible = calls.metadata.extra.as_ref().map_or(0, |extra| extra.possible_calls);
    callers.more += possible.saturating_sub(shown);
}

fn node_box(subject: &Subject, node: &NodeView) -> GraphBox {
    let place = format!("{}:{}", node.path, node.line);
    GraphBox {
        title: node.full_name().to_string(),
        note: place.clone(),
        address: subject.symbol(&node.path, node.line),
        place,
        class: if node.is_test { "node test" } else { "node" },
        column: 0,
        y: 0,
    }
}

fn more_box(boxes: &mut Vec<GraphBox>, more: usize, column: usize, y: usize) {
    if more > 0 {
        boxes.push(GraphBox {
            title: format!("{more} more"),
            note: "in the list of uses".into(),
            address: "#uses".into(),
            place: String::new(),
            class: "node rest",
            column,
            y,
        });
    }
}

/// Returns the neighbours in a direction, each once, with the class of the surest call.
fn wing(subject: &Subject, calls: &CallsAnswer, direction: Direction) -> Wing {
    let mut wing = Wing::default();
    let of_side = |call: &&CallView| call.direction == direction && call.depth == 1;
    for call in calls.edges.iter().filter(of_side) {
        let node = if direction == Direction::Callers { &call.edge.from } else { &call.edge.to };
        let class = call.edge.confidence.as_str();
        let it = node_box(subject, node);
        let has_room = wing.boxes.len() < WING_BOXES;
        match wing.boxes.iter_mut().find(|(known, _)| known.place == it.place) {
            Some(known) if class == "static" => known.1 = class,
            Some(_) => {}
            None if has_room => wing.boxes.push((it, class)),
            None => {}
        }
    }
    let level = calls.levels.iter().find(|level| level.direction == direction && level.depth == 1);
    wing.more = level.map_or(0, |level| level.total.saturating_sub(level.returned));
    wing
}
