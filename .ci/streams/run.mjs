// Reads one stream of events through HAProxy with a browser's EventSource, curl and httpx-sse, while pets are added and the
// service is killed and started again. Each of them must see each pet once and in order.
//
//   node run.mjs SERVER OUTPUT_FOLDER DRIVER_FOLDER PYTHON
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [program, output, driver, python] = process.argv.slice(2);
const { chromium } = createRequire(`${driver}/`)('playwright-core');
const LIVES = 4;
const PETS_OF_A_LIFE = 50;
const PATIENCE = 60_000;

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
const until = async (what, isSo) => {
  for (const begun = Date.now(); !(await isSo()); await sleep(50)) {
    assert(Date.now() - begun < PATIENCE, `too late: ${what}`);
  }
};
const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

const folder = mkdtempSync(join(tmpdir(), 'streams-'));
const environment = { ...process.env, PETSTORE_DATABASE: `sqlite:${join(folder, 'petstore.db')}` };
const log = openSync(join(output, 'server.log'), 'w');
execFileSync(program, ['migrate', '--create'], { env: environment, stdio: ['ignore', 'ignore', log] });
const key = execFileSync(program, ['key', 'create', 'reader'], { env: environment, stdio: ['ignore', 'pipe', log] }).toString().trim();
const [port, admin, front] = [await freePort(), await freePort(), await freePort()];
const children = new Set();
const start = (command, options, settings) => {
  const child = spawn(command, options, settings);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
};
const serve = async () => {
  const options = ['serve', '--listen', `127.0.0.1:${port}`, '--admin-listen', `127.0.0.1:${admin}`];
  const server = start(program, options, { env: environment, stdio: ['ignore', 'pipe', log] });
  await new Promise((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}; see ${output}/server.log`)));
  });
  return server;
};
const authorization = `Bearer ${key}`;
const add = async () => {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":7}' });
  assert.equal(response.status, 201);
  return (await response.json()).id;
};

let browser;
try {
  let server = await serve();
  const proxy = { PETSTORE_SERVER: `127.0.0.1:${port}`, PETSTORE_ADMIN_PORT: `${admin}`, PETSTORE_PROXY_LISTEN: `127.0.0.1:${front}` };
  start('/usr/sbin/haproxy', ['-db', '-f', 'haproxy.cfg'], { cwd: 'examples/deploy/haproxy', env: { ...process.env, ...proxy }, stdio: ['ignore', log, log] });
  const base = `http://127.0.0.1:${front}`;
  const url = `${base}/v1/events/stream`;
  await until('the proxy serves', () => fetch(`${base}/docs`).then((response) => response.ok, () => false));

  // What the browser sends has a key; the page is one of the service's own origin.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ extraHTTPHeaders: { authorization } });
  await page.goto(`${base}/v1/openapi.json`);
  await page.evaluate(() => {
    window.pets = [];
    let last = 'now';
    const follow = () => {
      const source = new EventSource(`/v1/events/stream?cursor=${last}`);
      source.onopen = () => { window.isOpen = true; };
      source.onmessage = ({ data, lastEventId }) => {
        last = lastEventId;
        window.pets.push(JSON.parse(data).data.id);
      };
      // It comes back by itself after a connection that broke, and not after an error of a proxy that has no server.
      source.onerror = () => {
        if (source.readyState === EventSource.CLOSED) setTimeout(follow, 500);
      };
    };
    follow();
  });

  const curl = { pets: [], last: '' };
  let ends = false;
  const follow = () => {
    const from = curl.last ? ['--header', `Last-Event-ID: ${curl.last}`] : [];
    const child = start('curl', ['--silent', '--no-buffer', '--fail', '--header', `Authorization: ${authorization}`, ...from, `${url}?cursor=now`], { stdio: ['ignore', 'pipe', log] });
    let id;
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('id: ')) id = line.slice(4);
      if (line.startsWith('data: ')) curl.pets.push(JSON.parse(line.slice(6)).data.id);
      // An event ends with an empty line: one that was cut off before it comes again.
      if (line === '' && id) curl.last = id;
    });
    child.once('close', () => ends || setTimeout(follow, 200));
  };
  follow();

  const httpx = [];
  const reader = start(python, ['.ci/streams/follow.py', url, key], { stdio: ['ignore', 'pipe', log] });
  createInterface(reader.stdout).on('line', (line) => httpx.push(Number(line)));

  const added = [];
  const reached = async (count) => {
    const seen = { EventSource: await page.evaluate(() => window.pets), curl: curl.pets, 'httpx-sse': httpx };
    return [seen, Object.values(seen).every((pets) => pets.length >= count)];
  };
  // From the first pet that all of them see.
  await until('all have begun', async () => {
    await add();
    return (await reached(1))[1];
  });
  await sleep(500);
  for (const pets of [curl.pets, httpx]) pets.length = 0;
  await page.evaluate(() => { window.pets = []; });
  for (let life = 1; life <= LIVES; life += 1) {
    for (let count = 0; count < PETS_OF_A_LIFE; count += 1) added.push(await add());
    if (life < LIVES) {
      server.removeAllListeners('exit');
      const ended = new Promise((resolve) => { server.once('exit', resolve); });
      server.kill('SIGKILL');
      await ended;
      children.delete(server);
      server = await serve();
    }
  }
  await until('all have all', async () => (await reached(added.length))[1]);
  const [seen] = await reached(added.length);
  for (const [name, pets] of Object.entries(seen)) assert.deepEqual(pets, added, name);
  console.log(`${Object.keys(seen).join(', ')}: ${added.length} events each, over ${LIVES - 1} kills`);
  ends = true;
} finally {
  await browser?.close();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
