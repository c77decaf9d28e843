// A peer of the bench: the pet store as it is usually written with Fastify and
// better-sqlite3, with a process for each processor. One commit for each creation, a
// look-up of the key for each request; no log, no metrics, no limits. Errors have the
// format of Fastify.
//
//     main.js FILE

import Database from 'better-sqlite3';
import fastify from 'fastify';
import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { argv } from 'node:process';

const COLUMNS = 'SELECT name, category_id AS categoryId, status, id FROM pets';
const STATUS = { type: 'string', enum: ['available', 'pending', 'sold'] };
const NEW_PET = { name: { type: 'string' }, categoryId: { type: 'integer' }, status: STATUS };
const PET = {
  type: 'object',
  properties: { ...NEW_PET, id: { type: 'integer' } },
  required: ['name', 'categoryId', 'id'],
};

const hash = (key) => createHash('sha256').update(key).digest();

const connect = (file) => {
  const db = new Database(file, { timeout: 5000 });
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  return db;
};

/** Fastify makes a response of an error with a status. */
const failure = (statusCode, message) => Object.assign(new Error(message), { statusCode });

/** A row has `null` where a pet has no status; the contract has no member then. */
const pet = ({ status, ...row }) => (status === null ? row : { ...row, status });

const serve = async (file) => {
  const db = connect(file);
  const knows = db.prepare('SELECT 1 FROM api_keys WHERE hash = ? AND revoked_at IS NULL').pluck();
  const one = db.prepare(`${COLUMNS} WHERE id = ?`);
  const page = db.prepare(`${COLUMNS} WHERE id > ? ORDER BY id LIMIT ?`);
  const ofStatus = db.prepare(`${COLUMNS} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`);
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

  const app = fastify();
  app.addHook('onRequest', async ({ headers: { authorization = '' } }) => {
    if (!authorization.startsWith('Bearer ') || !knows.get(hash(authorization.slice(7)))) {
      throw failure(401, 'send a valid API key as `Authorization: Bearer <API_KEY>`');
    }
  });

  const querystring = {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      status: STATUS,
      cursor: { type: 'integer', default: 0 },
    },
  };
  const list = { querystring, response: { 200: { type: 'array', items: PET } } };
  app.get('/v1/pets', { schema: list }, async ({ query: { limit, status, cursor } }, reply) => {
    // One more row than the page holds shows whether there are more pages.
    const rows =
      status === undefined ? page.all(cursor, limit + 1) : ofStatus.all(status, cursor, limit + 1);
    if (rows.length > limit) {
      rows.pop();
      const filter = status === undefined ? '' : `&status=${status}`;
      const next = `?limit=${limit}${filter}&cursor=${rows.at(-1).id}`;
      reply.header('Link', `<${next}>; rel="next"`);
    }
    return rows.map(pet);
  });

  const params = { type: 'object', properties: { id: { type: 'integer' } } };
  const get = { params, response: { 200: PET } };
  app.get('/v1/pets/:id', { schema: get }, async ({ params: { id } }) => {
    const row = one.get(id);
    if (row === undefined) throw failure(404, 'there is no such pet');
    return pet(row);
  });

  const body = { type: 'object', properties: NEW_PET, required: ['name', 'categoryId'] };
  const create = { body, response: { 201: PET } };
  app.post('/v1/pets', { schema: create }, async ({ body: { name, categoryId, status } }, reply) => {
    const { lastInsertRowid } = insert.run(name, categoryId, status ?? null);
    reply.code(201);
    return { name, categoryId, status, id: lastInsertRowid };
  });

  return app.listen({ host: '127.0.0.1', port: 0 });
};

if (cluster.isPrimary) {
  const workers = Array.from({ length: availableParallelism() }, () => cluster.fork());
  // All of them have the same port, and one message is enough.
  workers[0].on('message', (address) => console.log(`listening on ${address}/v1`));
} else {
  process.send(await serve(argv[2]));
}
