/*
 * Lower bound for the cost of the service: the minimum work that a Node program must do to give the same responses. It uses
 * only `node:http` and `pg`, the best SQL for each operation and a constant token. It has no framework, no validation and no
 * logging.
 */
import { createServer } from 'node:http';
import pg from 'pg';
import { OPERATIONS } from './operations.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20, pipeline: true });
const AUTHORIZATION = `Bearer ${process.env.FLOOR_TOKEN}`;
const PREFIX = '/api/v1';
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;
const routes = new Map(OPERATIONS.map((operation) => [operation.route, operation]));

/** Statements are identified by their text and prepared once per connection. */
const names = new Map();
const prepared = (text, values) => {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `floor_${names.size}`));
  return { name, text, values };
};
const on = (connection) => async (text, values) => (await connection.query(prepared(text, values))).rows;
/** Groups all statements of a step into a single write to the connection. */
const gather = ({ connection: { stream } }) => {
  stream.cork();
  process.nextTick(() => stream.uncork());
};
const database = {
  query: on(pool),
  async transaction(work) {
    const client = await pool.connect();
    const ask = on(client);
    const gathered = (text, values) => (gather(client), ask(text, values));
    try {
      // BEGIN is sent together with the first statement, as in the service.
      gather(client);
      const begun = client.query('BEGIN');
      const [result] = await Promise.all([work(gathered), begun]);
      await client.query('COMMIT');
      return result;
    } finally {
      client.release();
    }
  },
};

createServer(async (request, response) => {
  if (request.headers.authorization !== AUTHORIZATION) return void response.writeHead(401).end();
  const [path] = request.url.split('?', 1);
  const [id] = ID.exec(path) ?? [];
  const operation = routes.get(`${request.method} ${path.slice(PREFIX.length).replace(id, ':id')}`);
  if (operation === undefined) return void response.writeHead(404).end();
  const body = request.method === 'POST' ? JSON.parse(await read(request)) : undefined;
  const bytes = Buffer.from(await operation.floor(database, { id, body }));
  response.writeHead(operation.status ?? 200, {
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  });
  response.end(bytes);
}).listen(0, '127.0.0.1', function listening() {
  console.log(JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${this.address().port}` }));
});

function read(request) {
  return new Promise((resolve) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => resolve(text));
  });
}
