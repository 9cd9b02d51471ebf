// Expands the picture of callers and callees: a sign at the outer side of a box asks for its own
// callers or callees. There are never more than 60 boxes.

import { ask, say } from './live.js';

const SVG = 'http://www.w3.org/2000/svg';
const MOST = 60;
const [WIDTH, HEIGHT, COLUMN, ROW, MARGIN] = [230, 40, 330, 52, 10];

function make(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function endOf(text, most) {
  return text.length > most ? `…${text.slice(text.length - most + 1)}` : text;
}

export function startGraph() {
  const svg = document.getElementById('butterfly');
  if (!svg || svg.dataset.ready) return;
  svg.dataset.ready = 'yes';
  const nodes = [...svg.querySelectorAll('g.node')].filter((group) => group.dataset.place).map((group) => {
    const [, x, y] = /translate\((\d+) (\d+)\)/.exec(group.getAttribute('transform'));
    return { group, place: group.dataset.place, column: Number(group.dataset.column) - 1, x: Number(x), y: Number(y) };
  });
  nodes.forEach((node) => { if (node.column !== 0) addSign(node); });

  // Columns left of the symbol are callers (-1, -2, …), those right of it callees.
  function addSign(node) {
    const side = node.column < 0 ? 0 : WIDTH;
    const what = node.column < 0 ? 'callers' : 'callees';
    const sign = make('g', { class: 'more', tabindex: '0', role: 'button', transform: `translate(${side} ${HEIGHT / 2})`, 'aria-label': `Show its ${what}` });
    sign.append(make('circle', { r: 8 }), make('text', { y: 4.5 }, '+'));
    const expand = (event) => {
      if (event.type === 'keydown' && event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      sign.remove();
      grow(node, what);
    };
    sign.addEventListener('click', expand);
    sign.addEventListener('keydown', expand);
    node.group.append(sign);
  }

  async function grow(node, what) {
    if (nodes.length >= MOST) {
      say(`There are ${MOST} boxes; open a symbol to go on from it.`);
      return;
    }
    const answer = await ask('get_call_graph', { symbol: node.place, direction: what, limit: 15 });
    const ends = answer.edges.map((edge) => ({ end: what === 'callers' ? edge.from : edge.to, confidence: edge.confidence }));
    if (ends.length === 0) say(`No ${what} were found.`);
    const column = node.column + (what === 'callers' ? -1 : 1);
    let row = Math.max(MARGIN, node.y - ((ends.length - 1) * ROW) / 2);
    for (const { end, confidence } of ends) {
      const place = `${end.path}:${end.line}`;
      let target = nodes.find((known) => known.place === place);
      if (!target && nodes.length >= MOST) continue;
      if (!target) {
        while (nodes.some((known) => known.column === column && Math.abs(known.y - row) < ROW)) row += ROW;
        target = addBox(end, place, column, row);
        row += ROW;
      }
      addLine(what === 'callers' ? target : node, what === 'callers' ? node : target, confidence);
    }
    layOut();
  }

  function addBox(end, place, column, y) {
    const group = make('g', { class: end.is_test ? 'node test' : 'node' });
    const link = make('a', { href: `${document.body.dataset.home}-/symbol?s=${encodeURIComponent(place)}` });
    link.append(
      make('title', {}, `${end.qualified_name ?? end.name} — ${place}`),
      make('rect', { width: WIDTH, height: HEIGHT, rx: 6 }),
      make('text', { x: 10, y: 17, class: 'title' }, endOf(end.name, 29)),
      make('text', { x: 10, y: 32, class: 'note' }, endOf(place, 34)),
    );
    group.append(link);
    svg.append(group);
    const node = { group, place, column, y };
    nodes.push(node);
    addSign(node);
    return node;
  }

  const lines = [];
  function addLine(from, to, confidence) {
    const path = make('path', { class: confidence === 'static' ? 'static' : 'likely' });
    svg.prepend(path);
    lines.push({ path, from, to });
  }

  // Moves everything so that the first column is at the left edge, and draws new lines.
  function layOut() {
    const least = Math.min(...nodes.map(({ column }) => column));
    const most = Math.max(...nodes.map(({ column }) => column));
    const shift = (-1 - least) * COLUMN;
    const width = MARGIN * 2 + (most - least) * COLUMN + WIDTH;
    const height = Math.max(...nodes.map(({ y }) => y)) + HEIGHT + MARGIN;
    svg.setAttribute('viewBox', `${-shift} 0 ${width} ${height}`);
    svg.setAttribute('width', width);
    svg.setAttribute('height', height);
    for (const node of nodes) {
      node.x = MARGIN + (node.column + 1) * COLUMN;
      node.group.setAttribute('transform', `translate(${node.x} ${node.y})`);
    }
    for (const { path, from, to } of lines) {
      const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
      path.setAttribute('d', `M${x1} ${y1}C${x1 + 50} ${y1} ${x2 - 50} ${y2} ${x2} ${y2}`);
    }
  }
}
