// The checks of the page in a browser, one after the other.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base, launch, open, violations } from './browser.mjs';

const { REPOSITORY, SHOTS, ONLY } = process.env;
const home = `${base}/r/shop/`;
const at = (path) => `${home}${path}`;
const PAGES = {
  overview: '', folder: 'shop', file: 'shop/orders.py', search: '-/search?q=price_of', 'empty search': '-/search?q=zzzzzz',
  symbol: '-/symbol?s=shop/prices.py:10', class: '-/symbol?s=shop/orders.py:6', branch: '-/branch', modules: '-/map',
  'modules of a folder': '-/map?path=shop', endpoints: '-/endpoints', services: '-/services', projects: '-/projects',
  history: '-/history', refs: '-/branches', health: '-/health', 'left out': '-/skipped', 'not found': 'no/such/file.py',
};

const checks = [];
const check = (title, run, alone = false) => checks.push({ title, run, alone });

for (const [name, path] of Object.entries(PAGES)) {
  check(`page: ${name}`, async (browser) => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(browser, { colorScheme });
      const response = await page.goto(at(path));
      assert.equal(response.status(), name === 'not found' ? 404 : 200);
      assert.ok(await page.locator('main h1').count() >= 1, 'no heading');
      // Dark differs in its colours alone.
      const rules = colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : null;
      assert.deepEqual(await violations(page, rules), [], `accessibility, ${colorScheme}`);
      await page.screenshot({ path: join(SHOTS, `${name.replaceAll(' ', '-')}-${colorScheme}.png`) });
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
    const narrow = await open(browser, { viewport: { width: 360, height: 740 } });
    await narrow.goto(at(path));
    await narrow.screenshot({ path: join(SHOTS, `${name.replaceAll(' ', '-')}-360.png`) });
    const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} px wide at 360 px`);
    await narrow.context().close();
  });
}

check('results while typing, keys, back button', async (browser) => {
  const page = await open(browser);
  await page.goto(home);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
  await page.keyboard.type('price_of', { delay: 40 });
  // Results of the first letters may come before.
  await page.waitForFunction(() => location.search === '?q=price_of');
  await page.waitForSelector('.result');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
  assert.equal(await page.locator('.result .name').first().textContent(), 'price_of');
  await page.locator('.result details.why summary').first().click();
  assert.ok(await page.locator('.result details.why li').first().isVisible());
  await page.locator('#q').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  assert.equal(await page.locator('.result.selected').count(), 1);
  await page.keyboard.press('Enter');
  await page.waitForURL(/-\/symbol/);
  assert.match(await page.locator('h1').textContent(), /price_of/);
  await page.goBack();
  await page.waitForSelector('.result');
  assert.match(page.url(), /-\/search\?q=price_of$/);
  await page.goBack();
  await page.waitForSelector('#languages');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('help', async (browser) => {
  const page = await open(browser);
  await page.goto(home);
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog[open]', { state: 'detached' });
  await page.context().close();
});

check('hover card, go to definition and uses', async (browser) => {
  const page = await open(browser);
  await page.goto(at('shop/orders.py'));
  const use = page.locator('#L14 a', { hasText: 'price_of' });
  await use.hover();
  await page.waitForSelector('.card');
  const card = await page.locator('.card').textContent();
  for (const text of ['price_of', 'Returns the price of one piece', 'shop/prices.py:10', 'uses']) assert.ok(card.includes(text), card);
  await page.screenshot({ path: join(SHOTS, 'hover.png') });
  await use.focus();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL(/-\/symbol.*#uses/);
  await page.goBack();
  await page.locator('#L14 a', { hasText: 'price_of' }).click();
  await page.waitForURL(/shop\/prices\.py#L10$/);
  assert.ok(await page.locator('#L10').isVisible());
  await page.locator('#L10 a', { hasText: 'price_of' }).click();
  await page.waitForURL(/-\/symbol/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('deep link, scope header', async (browser) => {
  const page = await open(browser);
  await page.goto(at('shop/big.py#L600'));
  await page.waitForFunction(() => {
    const box = document.getElementById('L600')?.getBoundingClientRect();
    return box && box.top > 0 && box.bottom < innerHeight;
  });
  await page.waitForFunction(() => /big\.py › Big/.test(document.getElementById('scope').textContent));
  await page.context().close();
});

check('a file of 20,000 lines', async (browser) => {
  const page = await open(browser);
  await page.goto(at('long.py'));
  await page.waitForSelector('#L1');
  // Lines come as the reader goes on.
  for (const line of [501, 1001, 1501]) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForSelector(`#L${line}`, { state: 'attached' });
  }
  assert.equal(await page.locator('#rest a[rel=prev]').count(), 0);
  await page.goto(at('huge.py'));
  await page.waitForSelector('#L1');
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForSelector('#L710', { state: 'attached' });
  // The outline has the members of the lines that came.
  await page.evaluate(() => document.getElementById('L710').scrollIntoView());
  await page.waitForFunction(() => /huge\.py › Step\d+ › run/.test(document.getElementById('scope').textContent));
  await page.goto(at('long.py'));
  // Definitions that are not on the page yet are reached through the outline all the same.
  await page.locator('#outline a', { hasText: /^step_700$/ }).click();
  await page.waitForURL(/line=2801#L2801$/);
  await page.waitForSelector('#L2801');
  await page.goto('about:blank');
  await page.goto(at('long.py#L15001'));
  await page.waitForURL(/line=15001#L15001$/);
  await page.waitForSelector('#L15001');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('names of a function lead to what binds them', async (browser) => {
  const page = await open(browser);
  await page.goto(at('shop/orders.py'));
  await page.locator('.code a.l', { hasText: 'order' }).last().click();
  await page.waitForURL(/shop\/orders\.py#L\d+$/);
  assert.match(await page.locator('.code li:target').textContent(), /order = Order\(lines\)/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('index runs and what is left out', async (browser) => {
  const page = await open(browser);
  await page.goto(at('-/health'));
  assert.match(await page.locator('#runs + div').textContent(), /full.*published/);
  await page.locator('a', { hasText: 'Path by path' }).click();
  await page.waitForURL(/-\/skipped$/);
  assert.match(await page.locator('main table').textContent(), /shop\/secret\.env.*\.gitignore/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('a symbol with many uses', async (browser) => {
  const page = await open(browser);
  await page.goto(at('-/symbol?s=shop/popular.py:1'));
  assert.ok(await page.locator('svg .node').count() <= 60);
  assert.match(await page.locator('#uses').textContent(), /400/);
  await page.locator('.pager a[rel=next]').click();
  await page.waitForURL(/offset=100/);
  await page.context().close();
});

check('the graph grows', async (browser) => {
  const page = await open(browser);
  await page.goto(at('-/symbol?s=shop/prices.py:10'));
  const before = await page.locator('svg .node').count();
  await page.locator('svg .more').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((count) => document.querySelectorAll('svg .node').length > count, before);
  await page.locator('svg.graph').scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(SHOTS, 'graph.png') });
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('the page follows saves', async (browser) => {
  const page = await open(browser);
  const file = join(REPOSITORY, 'shop/prices.py');
  const text = readFileSync(file, 'utf8');
  await page.goto(at('shop/prices.py'));
  await page.waitForTimeout(700);
  appendFileSync(file, '\n\ndef brand_new():\n    return 1\n');
  try {
    await page.waitForSelector('.code >> text=brand_new');
    assert.match(await page.locator('#state').textContent(), /Updated/);
  } finally {
    writeFileSync(file, text);
  }
  await page.waitForSelector('.code >> text=brand_new', { state: 'detached' });
  assert.deepEqual(page.problems, []);
  await page.context().close();
}, true);

check('another ref', async (browser) => {
  const page = await open(browser);
  await page.goto(at('shop/prices.py'));
  assert.ok((await page.locator('.code').textContent()).includes('count=1'));
  await page.locator('#ref').focus();
  await page.waitForFunction(() => [...document.querySelectorAll('#reflist option')].some((it) => it.value === 'main'));
  await page.locator('#ref').fill('main');
  await page.keyboard.press('Enter');
  await page.waitForURL(/shop@main\/shop\/prices\.py/);
  assert.ok(!(await page.locator('.code').textContent()).includes('count=1'));
  await page.locator('.code a', { hasText: 'price_of' }).first().click();
  await page.waitForURL(/shop@main\/-\/symbol/);
  await page.context().close();
});

check('hostile names and texts', async (browser) => {
  const page = await open(browser);
  await page.goto(home);
  await page.locator('a.file', { hasText: 'onerror' }).click();
  await page.waitForSelector('.code');
  await page.locator('#L1 a', { hasText: 'evil' }).click();
  await page.waitForURL(/-\/symbol/);
  await page.locator('svg .more').first().click();
  for (const path of ['-/search?q=evil', '-/history', '-/map', '-/search?q=%3Cscript%3Ewindow.pwned%3D4%3C/script%3E']) await page.goto(at(path));
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator('main img').count(), 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check('without scripts', async (browser) => {
  const page = await open(browser, { javaScriptEnabled: false });
  await page.goto(home);
  await page.locator('#q').fill('price_of');
  await page.locator('.find button').click();
  await page.locator('.result .name').first().click();
  assert.match(await page.locator('h1').textContent(), /price_of/);
  assert.ok(await page.locator('svg .node').count() > 2);
  await page.goto(at('shop/orders.py'));
  await page.locator('#L14 a', { hasText: 'price_of' }).click();
  assert.match(page.url(), /shop\/prices\.py#L10$/);
  await page.goto(at('-/branch'));
  assert.ok((await page.locator('main').textContent()).includes('cheapest'));
  await page.goto(at('long.py'));
  await page.locator('#rest a[rel=next]').click();
  assert.match(page.url(), /line=501$/);
  assert.ok(await page.locator('#L501').isVisible());
  await page.context().close();
});

check('screenshots for the documentation', async (browser) => {
  const page = await open(browser, { viewport: { width: 1100, height: 700 } });
  const shots = { 'ui-search': '-/search?q=price of an order', 'ui-symbol': '-/symbol?s=shop/prices.py:10', 'ui-branch': '-/branch' };
  for (const [name, path] of Object.entries(shots)) {
    await page.goto(at(path));
    if (name === 'ui-branch') await page.locator('.change details summary').first().click();
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }
  await page.context().close();
});

// Checks that change files run alone, after the others.
const wanted = checks.filter((it) => it.title.includes(ONLY));
const alone = wanted.filter((it) => it.alone);
const together = wanted.filter((it) => !it.alone);
const browser = await launch();
let failed = 0;
let passed = 0;

async function attempt({ title, run }) {
  try {
    await run(browser);
    passed += 1;
    console.log(`ok      ${title}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${title}\n  ${String(error.message ?? error).split('\n').slice(0, 30).join('\n  ')}`);
  }
}

async function work() {
  for (let next = together.shift(); next; next = together.shift()) await attempt(next);
}

await Promise.all([work(), work(), work()]);
for (const next of alone) await attempt(next);
await browser.close();
console.log(`${passed} passed, ${failed} failed; screenshots are in ${SHOTS}`);
process.exit(failed ? 1 : 0);
