// Follows saves: the server tells when the index has changed, and the content is asked for again.
// Also what other scripts need to ask the JSON interface and to replace content.

import { extendTo, lastLine } from './file.js';

// Asks a question of the JSON interface.
export async function ask(tool, args) {
  const url = new URL(`/api/${tool}`, location.href);
  const { workspace, ref } = document.body.dataset;
  if (workspace) url.searchParams.set('workspace', workspace);
  if (ref && tool !== 'list_refs') url.searchParams.set('ref', ref);
  for (const [name, value] of Object.entries(args)) url.searchParams.append(name, value);
  const response = await fetch(url);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer?.error?.message ?? response.statusText);
  return answer;
}

// Puts the content of a page in the place of the current one. Scripts of it do not run.
export function fill(text, whole = true) {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const selector = whole || !document.querySelector('#results') ? 'main' : '#results';
  const [now, next] = [document, page].map((it) => it.querySelector(selector));
  if (!now || !next) return;
  now.replaceWith(document.adoptNode(next));
  document.title = page.title;
  if (whole) {
    const nav = page.querySelector('nav.pages');
    if (nav) document.querySelector('nav.pages')?.replaceWith(document.adoptNode(nav));
  }
  document.dispatchEvent(new CustomEvent('codecompass:replaced'));
}

let haveRefs = false;

// Fills the list of refs to choose from.
export async function fillRefs() {
  const list = document.getElementById('reflist');
  if (haveRefs || !list) return;
  haveRefs = true;
  const answer = await ask('list_refs', { all: true, limit: 200 });
  for (const { name } of answer.refs) {
    const option = document.createElement('option');
    option.value = name;
    list.append(option);
  }
}

// Says something in the foot of the page, which screen readers read.
export function say(text) {
  const state = document.getElementById('state');
  if (state) state.textContent = text;
}

// Follows a link to the page with its slow parts, and puts that in the place of what is there.
export async function startLater() {
  const link = document.querySelector('a[data-later]');
  if (!link) return;
  say('Loading');
  const response = await fetch(link.href).catch(() => null);
  if (!link.isConnected) return;
  if (response?.ok) {
    const at = scrollY;
    fill(await response.text());
    scrollTo({ top: at, behavior: 'instant' });
    say('');
  } else {
    link.parentElement.append(' It took too long this time.');
    say('');
  }
}

export function startLive() {
  const retry = document.querySelector('[data-error="index_in_progress"]');
  if (retry) setTimeout(() => location.reload(), 2000);
  if (document.body.dataset.live !== 'yes') return;
  let source = null;
  let last = null;

  async function renew() {
    const response = await fetch(location.href);
    if (!response.ok) return;
    const at = scrollY;
    const inside = document.querySelector('.code')?.scrollLeft ?? 0;
    const last = lastLine();
    fill(await response.text());
    await extendTo(last);
    scrollTo({ top: at, behavior: 'instant' });
    const code = document.querySelector('.code');
    if (code) code.scrollLeft = inside;
    say(`Updated at ${new Date().toLocaleTimeString()}`);
  }

  // A browser keeps few connections to one server; a page that is not seen needs none.
  function listen() {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      const url = new URL('/api/events', location.href);
      url.searchParams.set('workspace', document.body.dataset.workspace);
      source = new EventSource(url);
      source.addEventListener('generation', (event) => {
        if (last !== null && last !== event.data) renew();
        last = event.data;
      });
    }
  }

  document.addEventListener('visibilitychange', listen);
  listen();
}
