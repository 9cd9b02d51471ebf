// A file: the definition around the first line in view, lines that are chosen by their numbers, and
// the parts of a long file that the page does not have yet.

function line() {
  const match = /^#L(\d+)/.exec(location.hash);
  return match ? Number(match[1]) : 0;
}

// Opens the part of a long file that has the line.
function openWindow() {
  const wanted = line();
  if (!wanted || !document.getElementById('window') || document.getElementById(`L${wanted}`)) return;
  const url = new URL(location.href);
  if (url.searchParams.get('line') === String(wanted)) return;
  url.searchParams.set('line', wanted);
  location.replace(url);
}

let loading = null;
let outline = null;

// Adds the next lines of the file below those that are there; says whether there were any.
async function addLines(rest) {
  const response = await fetch(rest.querySelector('a[rel=next]').href);
  if (!response.ok || !rest.isConnected) return false;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [code, more] = [page.querySelector('.source .code'), page.getElementById('rest')];
  if (!code || !more) return false;
  document.querySelector('.source .code').append(...[...code.children].map((block) => document.adoptNode(block)));
  rest.replaceChildren(...[...more.children].filter((item) => item.rel !== 'prev').map((item) => document.adoptNode(item)));
  addOutline(page);
  return true;
}

// A long outline has the members only of what the page shows.
function addOutline(page) {
  const known = new Map([...document.querySelectorAll('#outline > li')].map((item) => [place(item), item]));
  for (const item of page.querySelectorAll('#outline > li')) {
    const before = known.get(place(item));
    if (before && item.querySelector('ul') && !before.querySelector('ul')) before.append(document.adoptNode(item.querySelector('ul')));
  }
  outline = null;
}

// Returns the line of an item of the outline.
function place(item) {
  return Number(item.firstElementChild.hash.slice(2));
}

// One after the other, whoever asks.
function extend() {
  const rest = document.getElementById('rest');
  if (!rest?.querySelector('a[rel=next]')) return Promise.resolve(false);
  loading ??= addLines(rest).catch(() => false).finally(() => { loading = null; });
  return loading;
}

// Returns the last line that the page has.
export function lastLine() {
  const last = document.querySelector('.source .code > :last-child li:last-child');
  return last ? Number(last.id.slice(1)) : 0;
}

// Adds lines until the page has this one again.
export async function extendTo(wanted) {
  for (let last = lastLine(); last && last < wanted; last = lastLine()) {
    if (!await extend() || lastLine() === last) return;
  }
}

function choose(event) {
  const item = event.target.closest?.('.code li[id]');
  // The number stands before the text, in the padding that belongs to the line itself.
  if (!item || event.target !== item) return;
  const number = item.getBoundingClientRect().left;
  if (event.clientX - number > 64) return;
  history.replaceState(null, '', `#${item.id}`);
  document.querySelector('.code li.chosen')?.classList.remove('chosen');
  item.classList.add('chosen');
}

// Returns the definitions of the outline.
function definitions() {
  return [...document.querySelectorAll('#outline li')].map((item) => {
    return { item, from: place(item), to: Number(item.dataset.to), name: item.firstElementChild.textContent };
  });
}

let following = null;
let watching = null;

export function startFile() {
  openWindow();
  removeEventListener('scroll', following);
  watching?.disconnect();
  const scope = document.getElementById('scope');
  const code = document.querySelector('.source .code');
  if (!scope || !code) return;
  code.addEventListener('click', choose);
  const wanted = line();
  if (wanted) document.getElementById(`L${wanted}`)?.scrollIntoView({ block: 'center' });

  let waits = false;
  outline = null;
  function follow() {
    waits = false;
    outline ??= definitions();
    const top = scope.getBoundingClientRect().bottom + 2;
    const box = code.getBoundingClientRect();
    const found = document.elementFromPoint(box.left + 20, Math.max(top, box.top + 2))?.closest('li[id]');
    const first = found ? Number(found.id.slice(1)) : 0;
    const around = outline.filter(({ from, to }) => from <= first && first <= to);
    const file = decodeURIComponent(location.pathname.split('/').at(-1));
    const text = [file, ...around.map(({ name }) => name)].join(' › ');
    if (scope.textContent !== text) scope.textContent = text;
    document.querySelectorAll('#outline .here').forEach((item) => item.classList.remove('here'));
    around.at(-1)?.item.classList.add('here');
  }
  following = () => {
    if (!waits) requestAnimationFrame(follow);
    waits = true;
  };
  addEventListener('scroll', following, { passive: true });
  // The page is shown first.
  requestAnimationFrame(() => setTimeout(follow));
  const rest = document.getElementById('rest');
  if (!rest) return;
  // Lines that were added may leave the end in view, of which the observer would not tell.
  const near = async () => {
    while (rest.isConnected && rest.getBoundingClientRect().top < innerHeight + 1500 && await extend());
  };
  watching = new IntersectionObserver(([entry]) => { if (entry.isIntersecting) near(); }, { rootMargin: '1500px' });
  watching.observe(rest);
}

export function startPlaces() {
  addEventListener('hashchange', openWindow);
}
