import pg from 'pg';
import { latencies, send, timed } from './load.mjs';
import { signToken, environment } from './processes.mjs';
import { COMPANY, USER } from './data.mjs';

/*
 * Measures how latency grows with the amount of data. Each query runs on data of every size in turn.
 *
 * A project listing counts all projects. The duration of this count is measured separately, alternating with the requests, and
 * is reported next to the latency. `base` is the index of the first size whose response has its full length, and `n` is the
 * number of the request.
 */

const get = (path) => ({ method: 'GET', path });
const post = (path, body) => ({ method: 'POST', path, body: JSON.stringify(body) });
const place = (project_id) => ({ source: 'workspace', project_id });
const listed = (project_id, path) => post('/files/list', { ...place(project_id), path });
const FILE = 'file 1';

const COUNT_PROJECTS = 'SELECT count(*) FROM projects WHERE company_id = $1 AND deleted_at IS NULL';

const QUESTIONS = [
  { name: 'sync', of: 'messages', request: (project) => get(`/projects/${project}/chat/sync`) },
  {
    name: 'history, a window in the middle',
    of: 'messages',
    request: (project, size) => get(`/projects/${project}/chat?offset=${size / 2}`),
  },
  { name: 'first page of projects', of: 'projects', base: 1, request: () => get('/projects'), count: COUNT_PROJECTS },
  { name: 'first page of a directory', of: 'entries', base: 1, request: (project) => listed(project, 'd1') },
  {
    name: 'first page of the largest directory',
    of: 'entries',
    request: (project) => listed(project, 'flat'),
  },
  {
    name: 'make a directory',
    of: 'entries',
    request: (project, _size, n) => post('/files/mkdir', { ...place(project), path: `growth ${n}` }),
  },
  {
    name: 'move a file',
    of: 'entries',
    request: (project, _size, n) => {
      const paths = [`from/${FILE}`, `to/${FILE}`];
      const [source_path, dest_path] = n % 2 === 0 ? paths : paths.toReversed();
      return post('/files/batch-move', { ...place(project), moves: [{ source_path, dest_path }] });
    },
  },
  { name: 'usage by user', of: 'ledger', request: () => get('/usage/users') },
];

/**
 * Returns the p50 and the duration of the count for each query at every size, and the ratio of the largest size to the base.
 */
export async function measureGrowth(service, data, sizes, rounds) {
  const client = new pg.Client({ connectionString: environment.databaseUrl });
  await client.connect();
  const results = [];
  for (const { name, of, base = 0, request, count } of QUESTIONS) {
    const requests = [];
    for (const [index, subject] of data[of].entries()) {
      const company = subject.startsWith(COMPANY) ? subject : COMPANY;
      const headers = { authorization: `Bearer ${await signToken(company, USER)}`, 'content-type': 'application/json' };
      let n = 0;
      requests.push(() => {
        const { path, ...rest } = request(subject, sizes[of][index], n++);
        return timed(() => send({ ...rest, url: `${service.url}/api/v1${path}`, headers }));
      });
    }
    const counts = count === undefined ? [] : data[of].map((subject) => () => countingTime(client, count, subject));
    const times = await latencies([...requests, ...counts], rounds);
    const p50 = times.slice(0, requests.length);
    const counting = times.slice(requests.length);
    const net = p50.map((ms, index) => ms - (counting[index] ?? 0));
    results.push({ name, of, sizes: sizes[of], p50, counting, growth: net.at(-1) / net[base] });
  }
  await client.end();
  return results;
}

/** Returns the duration of a count in the database, in milliseconds. */
async function countingTime(client, count, subject) {
  const { rows } = await client.query(
    `SELECT counted, 1000 * extract(epoch FROM ended - began)::float8 AS ms
       FROM (SELECT clock_timestamp() AS began, (${count}) AS counted, clock_timestamp() AS ended OFFSET 0) times`,
    [subject],
  );
  return rows[0].ms;
}
