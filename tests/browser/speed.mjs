// Times of the page in a browser: results after a key, a file of 5,000 lines, a symbol with many uses;
// and beside them those of a page with nothing on it, which is what the browser and the machine take.
// PAGE, the path of a file and a symbol may be given for another repository than the fixture's:
// NAME=django FILE=long.py SYMBOL=… TYPED=… .

import { base, launch, open } from './browser.mjs';

const { NAME = 'shop', FILE = 'long.py', SYMBOL = 'shop/popular.py:1', TYPED = 'price_of' } = process.env;
const home = `${base}/r/${NAME}/`;
const empty = `${base}/login`;
const ROUNDS = 9;

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const ms = (list) => `${median(list).toFixed(0)} ms`;

// Loads a page as a link on another page of the server does. Times are from the beginning of the
// navigation: to the first byte, to the last one, and to a page that is shown and takes keys.
async function load(page, address) {
  const times = { first: [], last: [], usable: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(empty);
    await page.goto(address, { waitUntil: 'load' });
    const [first, last, usable] = await page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => setTimeout(() => {
        const { responseStart, responseEnd } = performance.getEntriesByType('navigation')[0];
        done([responseStart, responseEnd, performance.now()]);
      }, 0));
    }));
    times.first.push(first);
    times.last.push(last);
    times.usable.push(usable);
  }
  return times;
}

async function tell(page, what, address) {
  const { first, last, usable } = await load(page, address);
  const worst = Math.max(...usable).toFixed(0);
  console.log(`${what}: usable after ${ms(usable)} (worst ${worst} ms); first byte ${ms(first)}, last ${ms(last)}`);
}

const browser = await launch();
const page = await open(browser);
await page.goto(home);
await page.evaluate(() => {
  window.pressed = 0;
  window.waits = [];
  addEventListener('input', () => { window.pressed = performance.now(); }, true);
  document.addEventListener('codecompass:results', () => window.waits.push(performance.now() - window.pressed));
});
for (let round = 0; round < 3; round += 1) {
  await page.locator('#q').fill('');
  await page.locator('#q').pressSequentially(TYPED, { delay: 150 });
  await page.waitForTimeout(300);
}
const waits = await page.evaluate(() => window.waits);
console.log(`results after a key: median ${ms(waits)}, worst ${Math.max(...waits).toFixed(0)} ms`);
await tell(page, 'empty page', empty);
await tell(page, `file ${FILE}`, `${home}${FILE}`);
await tell(page, `symbol ${SYMBOL}`, `${home}-/symbol?s=${encodeURIComponent(SYMBOL)}`);
await tell(page, 'empty page again', empty);
await browser.close();
