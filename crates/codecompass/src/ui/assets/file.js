// A file: the definition around the first line in view, lines that are chosen by their numbers, and
// places that are outside of the part of the file that is shown.

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

let following = null;

export function startFile() {
  openWindow();
  removeEventListener('scroll', following);
  const scope = document.getElementById('scope');
  const code = document.querySelector('.source .code');
  if (!scope || !code) return;
  code.addEventListener('click', choose);
  const nodes = [...document.querySelectorAll('#outline li')].map((item) => ({
    item, from: Number(item.dataset.from), to: Number(item.dataset.to), name: item.dataset.name,
  }));
  const wanted = line();
  if (wanted) document.getElementById(`L${wanted}`)?.scrollIntoView({ block: 'center' });

  let waits = false;
  function follow() {
    waits = false;
    const top = scope.getBoundingClientRect().bottom + 2;
    const box = code.getBoundingClientRect();
    const found = document.elementFromPoint(box.left + 20, Math.max(top, box.top + 2))?.closest('li[id]');
    const first = found ? Number(found.id.slice(1)) : 0;
    const around = nodes.filter(({ from, to }) => from <= first && first <= to);
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
  follow();
}
