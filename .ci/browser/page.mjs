// Uses the page of examples/browser as a person would: types an address, a key and a
// name, and reads the list. The page and the service have different origins.
//
//   node page.mjs SERVER OUTPUT_FOLDER DRIVER_FOLDER
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [program, output, driver] = process.argv.slice(2);
const { chromium } = createRequire(`${driver}/`)('playwright-core');
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
const NAMES = ['Rex', 'Tom', 'Mia', 'Bo', 'Ada'];

// The web server of the page.
const files = createServer((request, response) => {
  const name = request.url === '/' ? 'index.html' : request.url.slice(1);
  const type = TYPES[name.split('.').pop()];
  try {
    const file = readFileSync(join(output, 'page', name));
    response.writeHead(200, { 'content-type': type ?? 'text/plain' }).end(file);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => files.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${files.address().port}`;

// The service, which allows the origin of the page.
const folder = mkdtempSync(join(tmpdir(), 'browser-'));
const environment = { ...process.env, PETSTORE_DATABASE: `sqlite:${join(folder, 'petstore.db')}` };
const log = openSync(join(output, 'server.log'), 'w');
execFileSync(program, ['migrate', '--create'], { env: environment, stdio: ['ignore', 'ignore', log] });
const key = execFileSync(program, ['key', 'create', 'page'], { env: environment, stdio: ['ignore', 'pipe', log] }).toString().trim();
const serve = async (origins) => {
  const options = ['serve', '--listen', '127.0.0.1:0', '--admin-listen', 'off', ...origins];
  const server = spawn(program, options, { env: environment, stdio: ['ignore', 'pipe', log] });
  const line = await new Promise((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}; see ${output}/server.log`)));
  });
  return { server, url: line.replace('listening on ', '') };
};
const running = [];
let browser;
try {
  const { server, url } = await serve(['--cors-origins', origin]);
  running.push(server);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
  const page = await browser.newPage({ viewport: { width: 700, height: 750 } });
  page.setDefaultTimeout(60_000);
  const crashes = [];
  page.on('pageerror', (error) => {
    console.error(`the page: ${error.message}`);
    crashes.push(error.message);
  });
  const sent = [];
  page.on('request', (request) => new URL(request.url()).origin === new URL(url).origin && sent.push(request));
  await page.goto(origin);
  await page.locator('body[data-loaded]').waitFor();

  // Returns what the page shows after its form was sent.
  const submit = async (fields) => {
    for (const [field, text] of Object.entries(fields)) await page.locator(`#${field}`).fill(text);
    await page.getByRole('button').click();
    await page.locator('#state').filter({ hasText: /failed|pets,/ }).waitFor();
    const [state, error] = await Promise.all(['#state', '#error'].map((id) => page.locator(id).innerText()));
    return { state, error, pets: await page.locator('#pets li').allInnerTexts() };
  };

  // Pets are added, and the list is read in pages of two: the Link header crosses origins.
  let shown;
  for (const name of NAMES) shown = await submit({ url, key, name });
  assert.deepEqual(shown.pets, NAMES);
  assert.equal(shown.state, '5 pets, sent again 0 times');
  const lists = sent.filter((request) => request.method() === 'GET');
  assert.equal(lists.slice(-3).filter((request) => request.url().includes('cursor=')).length, 2);
  const creation = await sent.find((request) => request.method() === 'POST').allHeaders();
  assert.match(creation['idempotency-key'], /^[0-9a-f-]{36}$/);
  assert.match(creation['user-agent'], /Chrome/);

  // A try that gets no response is sent again after a pause, with the same idempotency key.
  let failures = 2;
  const before = sent.length;
  await page.route(`${url}/pets`, async (route) => {
    if (route.request().method() === 'POST' && failures > 0) {
      failures -= 1;
      return route.abort();
    }
    return route.continue();
  });
  shown = await submit({ name: 'Kim' });
  assert.equal(shown.state, '6 pets, sent again 2 times');
  const keys = await Promise.all(sent.slice(before).filter((request) => request.method() === 'POST')
    .map((request) => request.headerValue('idempotency-key')));
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  await page.unroute(`${url}/pets`);
  await page.screenshot({ path: join(output, 'pets.png') });

  // An error of the service, with its code and the id of the request.
  shown = await submit({ key: 'wrong', name: '' });
  assert.match(shown.error, /^401 unauthorized: .*\(request [0-9a-f-]+\)$/);
  assert.deepEqual(shown.pets, []);

  // A response that does not come ends with the time limit: two seconds for each try.
  await page.route(`${url}/pets?**`, () => {});
  shown = await submit({ key });
  assert.match(shown.error, /`listPets` took too long.*tried 3 times/);
  await page.unroute(`${url}/pets?**`);

  // A service that does not know the origin.
  const closed = await serve([]);
  running.push(closed.server);
  shown = await submit({ url: closed.url });
  assert.match(shown.error, /cannot be reached, does not allow this page's origin \(CORS\)/);
  await page.screenshot({ path: join(output, 'error.png') });

  assert.deepEqual(crashes, [], 'the page crashes');
  console.log(`${sent.length} requests from ${origin} to ${url}; screenshots in ${output}`);
} finally {
  await browser?.close();
  await Promise.all(running.map((server) => new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill();
  })));
  files.close();
  rmSync(folder, { recursive: true });
}
