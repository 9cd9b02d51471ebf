// Results while typing: asks for the search page and shows its results in place.

import { fill, fillRefs } from './live.js';

// A key waits for others only while an earlier one is still being answered.
const PAUSE_MS = 15;

export function startSearch() {
  const input = document.getElementById('q');
  if (!input) return;
  let timer = 0;
  let running = null;

  async function search() {
    const query = input.value.trim();
    const page = new URL(`${document.body.dataset.home}-/search`, location.href);
    if (onSearchPage()) new URL(location.href).searchParams.forEach((value, name) => page.searchParams.set(name, value));
    page.searchParams.delete('offset');
    page.searchParams.set('q', query);
    if (!onSearchPage() && query.length < 2) return;
    running?.abort();
    const asked = new AbortController();
    running = asked;
    try {
      const response = await fetch(page, { signal: asked.signal });
      const text = await response.text();
      const isNew = !onSearchPage();
      if (isNew) history.pushState({ search: true }, '', page);
      else history.replaceState({ search: true }, '', page);
      fill(text, isNew);
      input.focus();
      document.dispatchEvent(new CustomEvent('codecompass:results', { detail: query }));
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    } finally {
      if (running === asked) running = null;
    }
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    if (running) timer = setTimeout(search, PAUSE_MS);
    else search();
  });
  // The page of an address that a script made is asked for again.
  addEventListener('popstate', () => location.reload());
  document.getElementById('ref')?.addEventListener('focus', fillRefs, { once: true });
  document.addEventListener('focusin', (event) => { if (event.target.id === 'base') fillRefs(); });
}

export function onSearchPage() {
  return location.pathname === `${document.body.dataset.home}-/search`;
}
