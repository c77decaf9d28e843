// Reads the page /docs as somebody would who has a key, sends a request from it
// and reads the response in it. Fails where a word is missing, where anything is
// asked of another origin, or where the browser complains.
//
// Then opens the page /usage of the admin listener, on a wide screen and on telephones.
//
//   node page.mjs BASE_URL OUTPUT_FOLDER DRIVER_FOLDER ADMIN_URL
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [baseUrl, output, driver, adminUrl] = process.argv.slice(2);
const { chromium } = createRequire(`${driver}/`)('playwright-core');
const { origin } = new URL(baseUrl);
const key = process.env.PETSTORE_API_KEY;
const NAME = 'Rex of the docs page';

const call = async (path, options = {}) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${baseUrl}${path}`, { headers, ...options });
  assert.ok(response.ok, `${path}: status ${response.status}`);
  return response.json();
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
  ],
});
try {
  await call('/pets', { method: 'POST', body: JSON.stringify({ name: NAME, categoryId: 7 }) });

  const page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
  page.setDefaultTimeout(30_000);
  const asked = [];
  const complaints = [];
  page.on('request', (request) => asked.push(request));
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  page.on('pageerror', (error) => complaints.push(error.message));

  const opened = await page.goto(`${origin}/docs`);
  assert.equal(opened.status(), 200);
  const policy = opened.headers()['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /http|\*/);

  // The catalogue of errors, with cause and cure.
  await page.getByText('operation_removed').first().waitFor();
  await page.getByText('Send the body as JSON').first().waitFor();
  // Each code is on one line, also on a telephone.
  const size = page.viewportSize();
  for (const width of [1400, 500, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const code of ['idempotency_key_reused', 'insufficient_scope']) {
      const box = await page.locator('code', { hasText: code }).first().boundingBox();
      assert.ok(box.height < 30, `${code} has the height ${box.height} at the width ${width}`);
    }
  }
  await page.setViewportSize(size);
  // A parameter that is not promised yet.
  await page.getByRole('link', { name: /List pets/ }).first().click();
  await page.getByText('beta.', { exact: true }).first().waitFor();
  // The removal, and what to use instead.
  await page.getByRole('link', { name: /Get a pet/ }).first().click();
  await page.getByText('removed on 5 December 2030').first().waitFor();
  await page.getByText('Deprecated since 20 November 2026').first().waitFor();
  const instead = page.getByText(/Instead, use/).first();
  await instead.waitFor();
  assert.match(await instead.innerText(), /Instead, use GET \/pets with a status filter/);
  await instead.scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${output}/before.png` });
  // Operations that are experimental say so.
  await page.getByRole('link', { name: /Create a webhook/ }).first().click();
  await page.getByRole('heading', { name: /Create a webhook/ }).first().waitFor();
  const experimental = page.getByText('experimental', { exact: true });
  await experimental.first().waitFor();
  await page.screenshot({ path: `${output}/experimental.png` });
  await page.getByRole('link', { name: /Get a pet/ }).first().click();
  await instead.scrollIntoViewIfNeeded();

  // A request, with a key, to the same server.
  await page.getByPlaceholder(/token/i).first().fill(key);
  await page.getByRole('link', { name: /List pets/ }).first().click();
  await page.getByRole('button', { name: /Test Request.*get \/pets\)/i }).first().click();
  const sent = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/pets');
  await page.getByRole('button', { name: /Send/ }).first().click();
  const response = await sent;
  assert.equal(response.status(), 200);
  assert.equal(await response.request().headerValue('authorization'), `Bearer ${key}`);
  assert.doesNotMatch(response.url(), /cursor=|status=/, 'an empty field is sent');
  await page.getByText(NAME).first().waitFor();
  await page.screenshot({ path: `${output}/after.png` });

  const elsewhere = asked.map((request) => request.url()).filter((url) => !url.startsWith('data:') && new URL(url).origin !== origin);
  assert.deepEqual(elsewhere, [], 'asked of another origin');
  assert.deepEqual(complaints, [], 'the browser complains');

  // Who still calls what will be removed, as soon as the call is counted.
  const called = await call('/pets/1');
  assert.equal(called.name, NAME);
  const usage = await browser.newPage();
  usage.on('console', (line) => complaints.push(line.text()));
  const inUse = usage.getByText('Still in use: 1 call by 1 key');
  for (let tries = 0; tries < 100 && !(await inUse.count()); tries++) {
    await usage.waitForTimeout(100);
    await usage.goto(`${adminUrl}/usage`);
  }
  await inUse.waitFor();
  assert.equal(await usage.locator('svg rect').count(), 1, 'one day has a bar');
  for (const width of [1400, 500, 390]) {
    await usage.setViewportSize({ width, height: 900 });
    const needed = await usage.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(needed <= width, `the page needs ${needed} pixels at the width ${width}`);
    await usage.screenshot({ path: `${output}/usage-${width}.png` });
  }
  assert.deepEqual(complaints, [], 'the browser complains about /usage');
  console.log(`${asked.length} requests, all to ${origin}; screenshots in ${output}`);
} finally {
  await browser.close();
}
