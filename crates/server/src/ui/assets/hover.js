// Cards with signature, documentation, definition and numbers of uses, for names in code. Names of
// a function's own have none.

import { ask } from './live.js';

const DELAY_MS = 250;
const known = new Map();
let card = null;
let timer = 0;
let shownFor = null;

// Returns the place of a name: `path:line:column`.
export function placeOf(link) {
  const url = new URL(link.href);
  const place = url.searchParams.get('d');
  if (!place) return null;
  const home = document.body.dataset.home;
  if (!url.pathname.startsWith(home)) return null;
  const path = url.pathname.slice(home.length).split('/').map(decodeURIComponent).join('/');
  return `${path}:${place}`;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function hide() {
  clearTimeout(timer);
  card?.remove();
  card = null;
  shownFor?.removeAttribute('aria-describedby');
  shownFor = null;
}

function counts(symbol) {
  const { callers, references, tests } = symbol.counts ?? {};
  const parts = [];
  if (references !== undefined) parts.push(`${references} uses`);
  if (callers) parts.push(`${callers} callers`);
  if (tests) parts.push(`${tests} tests`);
  return parts.join(', ');
}

async function show(link) {
  const place = placeOf(link);
  if (!place) return;
  if (!known.has(place)) {
    known.set(place, ask('get_symbol', { symbol: place, counts: true, compact: false }).catch(() => null));
  }
  const answer = await known.get(place);
  if (shownFor !== link || !answer?.symbol) return;
  const { symbol } = answer;
  card = element('div', 'card', '');
  card.id = 'card';
  card.setAttribute('role', 'tooltip');
  card.append(element('p', 'name', symbol.qualified_name ?? symbol.name));
  if (symbol.signature) card.append(element('p', 'signature', symbol.signature));
  if (symbol.doc) card.append(element('p', 'doc', symbol.doc.slice(0, 600)));
  card.append(element('p', 'dim', `${symbol.kind} at ${symbol.path}:${symbol.line_start}`));
  const numbers = counts(symbol);
  if (numbers) card.append(element('p', 'dim', numbers));
  document.body.append(card);
  const box = link.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - card.offsetWidth - 16));
  const isBelow = box.bottom + card.offsetHeight + 12 < innerHeight || box.top < card.offsetHeight + 12;
  const top = isBelow ? box.bottom + 6 : box.top - card.offsetHeight - 6;
  // The policy of the page forbids style attributes in markup, not this.
  card.style.left = `${left + scrollX}px`;
  card.style.top = `${top + scrollY}px`;
  link.setAttribute('aria-describedby', 'card');
}

function wanted(target) {
  return target instanceof Element ? target.closest('.code a[href*="?d="]:not(.l)') : null;
}

export function startHover() {
  const begin = (event) => {
    const link = wanted(event.target);
    if (link === shownFor) return;
    hide();
    if (!link) return;
    shownFor = link;
    timer = setTimeout(() => show(link), event.type === 'focusin' ? 0 : DELAY_MS);
  };
  document.addEventListener('pointerover', begin);
  document.addEventListener('focusin', begin);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  document.addEventListener('codecompass:replaced', () => { known.clear(); hide(); });
}
