// Keys: `/` search, `j` and `k` through lists, `g d` and `g r` for the name in focus, `?` help.

import { placeOf } from './hover.js';

const KEYS = [
  ['/', 'search'],
  ['j, k', 'next and previous item of a list'],
  ['Enter', 'open the item'],
  ['g d', 'go to the definition of the name in focus'],
  ['g r', 'go to the uses of the name in focus'],
  ['g o', 'overview'],
  ['g b', 'what the branch changed'],
  ['g m', 'modules'],
  ['Tab', 'from name to name in source'],
  ['Esc', 'leave the search, close a card'],
  ['?', 'this help'],
];
const ITEMS = '.results .result, .changes .change, .commits .commit, .lines li, ul.plain > li, table.files tbody tr';

let first = '';
let selected = -1;

function items() {
  return [...document.querySelectorAll(ITEMS)].filter((item) => item.querySelector('a'));
}

function move(by) {
  const all = items();
  if (all.length === 0) return;
  document.querySelector('.selected')?.classList.remove('selected');
  selected = Math.max(0, Math.min(all.length - 1, selected + by));
  const item = all[selected];
  item.classList.add('selected');
  item.querySelector('a').focus({ preventScroll: true });
  item.scrollIntoView({ block: 'nearest' });
}

function help() {
  document.querySelector('dialog')?.remove();
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Keys');
  const list = document.createElement('dl');
  for (const [key, meaning] of KEYS) {
    const name = document.createElement('dt');
    const kbd = document.createElement('kbd');
    kbd.textContent = key;
    name.append(kbd);
    const text = document.createElement('dd');
    text.textContent = meaning;
    list.append(name, text);
  }
  const title = document.createElement('h2');
  title.textContent = 'Keys';
  const close = document.createElement('button');
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  dialog.append(title, list, close);
  document.body.append(dialog);
  dialog.showModal();
}

function go(second) {
  const { home } = document.body.dataset;
  const name = document.activeElement?.closest?.('a[href*="?d="]');
  const pages = { o: home, b: `${home}-/branch`, m: `${home}-/map` };
  if (pages[second]) location.href = pages[second];
  else if (second === 'd' && name) location.href = name.href;
  else if (second === 'r' && name) location.href = `${home}-/uses?s=${encodeURIComponent(placeOf(name))}`;
}

export function startKeys() {
  document.addEventListener('codecompass:replaced', () => { selected = -1; });
  document.addEventListener('keydown', (event) => {
    const field = event.target.closest?.('input, textarea, select');
    if (event.key === 'Escape' && field) field.blur();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (field) {
      if (event.key === 'ArrowDown' && field.id === 'q') {
        event.preventDefault();
        field.blur();
        move(1);
      }
      return;
    }
    if (first === 'g') {
      first = '';
      go(event.key);
      return;
    }
    switch (event.key) {
      case '/': {
        event.preventDefault();
        const input = document.getElementById('q');
        input.focus();
        input.select();
        break;
      }
      case 'j': move(1); break;
      case 'k': move(-1); break;
      case 'g': first = 'g'; setTimeout(() => { first = ''; }, 1200); break;
      case '?': help(); break;
      default:
    }
  });
}
