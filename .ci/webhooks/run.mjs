// run.mjs PROGRAMS PYTHON RECEIVE.PY EVENTS: three receivers get each event at least once with a valid signature, while the service is
// killed three times.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

const [programs, python, receivePy, number] = process.argv.slice(2);
const EVENTS = Number(number);
const KILLS = 3;
const PATIENCE = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
const children = new Set();

function start(program, args, env = {}) {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return child;
}

async function lineOf(child) {
  const { value, done } = await child.lines.next();
  if (done) throw new Error('a program ended');
  return value;
}

async function until(what, condition) {
  const end = Date.now() + PATIENCE;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE / 1000} seconds: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function command(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(join(programs, 'petstore-server'), args, { cwd: folder, env: { PATH: process.env.PATH } });
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    child.on('exit', (code) => (code === 0 ? resolve(text.trim()) : reject(new Error(`${args} ended with ${code}`))));
  });
}

let server;
let base;
async function serve(port) {
  server = start(join(programs, 'petstore-server'), ['serve', '--listen', `127.0.0.1:${port}`, '--admin-listen', 'off', '--access-log', 'off',
    '--webhook-key-file', 'webhooks.key', '--webhook-allow-http', 'on', '--webhook-allow-networks', '127.0.0.0/8']);
  base = (await lineOf(server)).replace('listening on ', '');
}

async function ask(method, path, key, body) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** The ids that a receiver has accepted, with how often. */
class Accepted extends Map {
  add(id) {
    this.set(id, (this.get(id) ?? 0) + 1);
  }
}

/** A receiver in this process. Its secret is known after it was made. */
function javascript(accepted) {
  const receiver = { secret: undefined, rejected: 0 };
  const listener = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    try {
      const event = new Webhook(receiver.secret).verify(Buffer.concat(parts).toString(), request.headers);
      if (event.challenge === undefined) accepted.add(event.id);
      response.end(event.challenge ?? '');
    } catch (error) {
      receiver.rejected += 1;
      response.statusCode = 400;
      response.end(String(error));
    }
  });
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      receiver.url = `http://127.0.0.1:${listener.address().port}/events`;
      receiver.close = () => { listener.closeAllConnections(); listener.close(); };
      resolve(receiver);
    });
  });
}

function follow(child, accepted, read) {
  (async () => {
    for await (const line of { [Symbol.asyncIterator]: () => child.lines }) {
      const id = read(line);
      if (id) accepted.add(id);
    }
  })();
}

async function main() {
  writeFileSync(join(folder, 'webhooks.key'), randomBytes(48));
  await command(['migrate', '--create']);
  const key = await command(['key', 'create', 'shop', '--scope', 'read,write,webhooks']);
  await serve(0);
  const port = new URL(base).port;

  // Each receiver needs the secret of its webhook, and the webhook the address of its receiver.
  const receivers = { JavaScript: new Accepted(), Python: new Accepted(), Rust: new Accepted() };
  const create = (url) => ask('POST', '/webhooks', key, { url, types: ['pet.created'] });
  const verify = ({ id }) => ask('POST', `/webhooks/${id}/verification`, key);
  const move = ({ id }, url) => ask('PATCH', `/webhooks/${id}`, key, { url });

  const js = await javascript(receivers.JavaScript);
  const first = await create(js.url);
  js.secret = first.secret;
  await verify(first);
  const second = await create('http://127.0.0.1:9/events');
  const py = start(python, [receivePy, second.secret]);
  await move(second, await lineOf(py));
  follow(py, receivers.Python, (line) => line);
  await verify(second);
  const third = await create('http://127.0.0.1:9/events');
  const rust = start(join(programs, 'receive_webhooks'), ['127.0.0.1:0'], { PETSTORE_WEBHOOK_SECRET: third.secret });
  await move(third, (await lineOf(rust)).replace('receiving at ', ''));
  follow(rust, receivers.Rust, (line) => line.match(/^new pet: (.*)$/)?.[1]);
  await verify(third);

  const begun = Date.now();
  const names = [];
  for (let kill = 0; kill <= KILLS; kill++) {
    const share = Math.floor((EVENTS * (kill + 1)) / (KILLS + 1)) - names.length;
    const added = Array.from({ length: share }, (_, index) => `pet ${names.length + index}`);
    for (let at = 0; at < added.length; at += 32) {
      await Promise.all(added.slice(at, at + 32).map((name) => ask('POST', '/pets', key, { name, categoryId: 7 })));
    }
    names.push(...added);
    if (kill < KILLS) {
      server.kill('SIGKILL');
      await new Promise((resolve) => server.on('exit', resolve));
      await serve(port);
    }
  }
  const missing = () => Object.entries(receivers).filter(([, accepted]) => accepted.size < EVENTS);
  await until(`all events at ${missing().map(([name, accepted]) => `${name} (${accepted.size})`)}`, () => missing().length === 0);
  const seconds = (Date.now() - begun) / 1000;
  if (js.rejected > 0) throw new Error(`${js.rejected} requests had no valid signature`);
  for (const [name, accepted] of Object.entries(receivers)) {
    const total = [...accepted.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${name}: ${accepted.size} of ${EVENTS} events, ${total - accepted.size} more than once`);
  }
  console.log(`${KILLS} kills, ${seconds.toFixed(1)} s`);
  js.close();
}

try {
  await main();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
