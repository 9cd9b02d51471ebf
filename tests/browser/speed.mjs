// Times of the page in a browser: results after a key, a file of 5,000 lines, a symbol with many uses.
// PAGE, the path of a file and a symbol may be given for another repository than the fixture's:
// NAME=django FILE=long.py SYMBOL=… TYPED=… .

import { base, launch, open } from './browser.mjs';

const { NAME = 'shop', FILE = 'long.py', SYMBOL = 'shop/popular.py:1', TYPED = 'price_of' } = process.env;
const home = `${base}/r/${NAME}/`;
const ROUNDS = 7;

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const tell = (what, list) => console.log(`${what}: median ${median(list).toFixed(0)} ms, most ${Math.max(...list).toFixed(0)} ms`);

// The time from the beginning of the navigation to a page that has been laid out and takes keys.
async function load(page, address) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto('about:blank');
    await page.goto(address, { waitUntil: 'load' });
    times.push(await page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
    })));
  }
  return times;
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
tell('results after a key', await page.evaluate(() => window.waits));
tell(`file ${FILE}`, await load(page, `${home}${FILE}`));
tell(`symbol ${SYMBOL}`, await load(page, `${home}-/symbol?s=${encodeURIComponent(SYMBOL)}`));
const resources = await page.evaluate(() => performance.getEntriesByType('resource').map((it) => it.decodedBodySize));
console.log(`scripts and styles: ${(resources.reduce((a, b) => a + b, 0) / 1000).toFixed(1)} KB`);
await browser.close();
