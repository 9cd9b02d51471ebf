// A browser that notes everything that must not happen: errors, violations of the policy, requests to
// other hosts, dialogs.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const require = createRequire(join(process.env.NODE_MODULES, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(join(process.env.NODE_MODULES, 'axe-core', 'axe.min.js'), 'utf8');

export const base = process.env.PAGE.replace(/\/$/, '');

export async function launch() {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath: process.env.BROWSER, args });
}

export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.problems = [];
  const note = (what) => page.problems.push(what);
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`));
  });
  page.on('console', (message) => {
    const isMissing = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isMissing) note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`error: ${error.message}`));
  page.on('dialog', (dialog) => { note(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith('data:')) note(`request to ${url}`);
  });
  return page;
}

// Returns the violations of accessibility rules: all of them, or some.
export async function violations(page, rules = null) {
  await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const result = await page.evaluate((chosen) => globalThis.axe.run(document, chosen), options);
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')}`);
}
