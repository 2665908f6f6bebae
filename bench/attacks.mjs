import { execFile } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const MiB = 1024 ** 2;
const run = promisify(execFile);
/** Maximum size of JSON bodies in bytes: for most operations, and for skills and upload completion. */
const [BODY, LONG_BODY] = [MiB, 8 * MiB];

/**
 * Requests that used to crash the process or block it for other callers, with the data that they need.
 *
 * `prepare` is not measured. The result of `attack` is shown as the remark in its row. Both functions receive a `Target`
 * (target.mjs): a signed-in attacker who sends requests and counts responses, in a service with a separate database.
 */
export const ATTACKS = [
  {
    name: '1 8 x 8 MiB of nested arrays, forged tokens, all ends at once',
    attack: async (target) => await endAtOnce(target, 8, '/files/upload/complete', nested(LONG_BODY), target.forged),
  },
  {
    name: '1 60 x 1 MiB of nested arrays, forged tokens, all ends at once',
    attack: async (target) => await endAtOnce(target, 60, '/files/mkdir', nested(BODY), target.forged),
  },
  {
    name: '1 8 x 8 MiB of nested arrays of a member, all ends at once',
    attack: async (target) => await endAtOnce(target, 8, '/files/upload/complete', nested(LONG_BODY), target.token),
  },
  {
    name: '1 ten bodies a second of 8 MiB `0,`, no token, 6 s',
    attack: async (target) => await tenASecond(target, list('0', LONG_BODY)),
  },
  {
    name: '1 ten bodies a second of 8 MiB `{},`, no token, 1 s',
    attack: async (target) => await tenASecond(target, list('{}', LONG_BODY), 1),
  },
  {
    name: '1 the same of `0,`, with 2 refusals a minute',
    settings: { RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: '2' },
    attack: async (target) => await tenASecond(target, list('0', LONG_BODY)),
  },
  {
    name: '1 60 bodies of 8 MiB that stop one byte short, 20 s',
    attack: async (target) => {
      const held = many(60, () => target.hold('/files/upload/complete', nested(LONG_BODY)));
      await pause(20_000);
      const open = held.filter(({ isOpen }) => isOpen()).length;
      for (const one of held) one.close();
      return `${open} of 60 still open`;
    },
  },
  {
    name: '1 3,000 connections that send nothing, 15 s',
    attack: async (target) => {
      const { hostname, port } = new URL(target.url);
      const sockets = many(3_000, () => net.connect({ host: hostname, port }).on('error', () => undefined));
      await pause(15_000);
      const open = sockets.filter(({ readyState }) => readyState === 'open').length;
      for (const socket of sockets) socket.destroy();
      return `${open} of 3000 still open`;
    },
  },
  {
    name: '2 window of 640 messages of 1 MiB each',
    prepare: fillConversation,
    attack: async (target) => await target.send('GET', `/projects/${target.project}/chat?limit=1000`),
  },
  {
    name: '2 sync of 640 messages of 1 MiB each',
    prepare: fillConversation,
    attack: async (target) => await target.send('GET', `/projects/${target.project}/chat/sync?limit=1000`),
  },
  {
    name: '2 10 windows of 50 such messages that nobody reads, 45 s',
    prepare: fillConversation,
    attack: async (target) => await leaveUnread(target, 10, 'GET', `/projects/${target.project}/chat?limit=50`),
  },
  {
    name: '2 20 contents of 10 MiB that nobody reads, 45 s',
    prepare: async (target) => await target.upload('large.txt', '\u0001'.repeat(10 * MiB)),
    attack: async (target) =>
      await leaveUnread(target, 20, 'POST', '/files/content', { ...target.place, path: 'large.txt' }),
  },
  {
    name: '3 a time of a million digits',
    attack: async (target) =>
      await target.send('POST', '/api-keys', { name: 'x', expires_at: `${'1'.repeat(1_000_000)}x` }),
  },
  {
    name: '3 1,000 part URLs, `Host` of 15,000 slashes',
    prepare: async (target) => {
      target.upload_token = (
        await target.ask('POST', '/files/upload/start', { ...target.place, path: 'a' })
      ).upload_token;
    },
    attack: async (target) => {
      const body = { upload_token: target.upload_token, part_numbers: many(1_000, (n) => n + 1) };
      await target.send('POST', '/files/upload/parts', body, { headers: { host: `${'/'.repeat(15_000)}x` } });
    },
  },
  {
    name: '3 the guide reads `in unit in unit ...`, 4 conversations',
    prepare: async (target) => {
      target.conversations = [];
      for (const title of ['1', '2', '3', '4']) {
        const { id } = await target.ask('POST', `/projects/${target.project}/conversations`, { title });
        target.conversations.push(id);
      }
    },
    attack: async (target) => {
      const content = many(5, (n) => `x${n} ${'in unit '.repeat(2_300)}=1`).join('\n');
      const at = `/projects/${target.project}/chat`;
      await Promise.all(
        target.conversations.map(async (conversation_id) => {
          await target.send('POST', at, { content, conversation_id });
          await target.until(
            () => target.ask('GET', `${at}/sync?limit=1&conversation_id=${conversation_id}`),
            ({ turn }) => turn.state === 'idle',
          );
        }),
      );
    },
  },
  {
    name: '4 skill of 649,000 bad paths',
    attack: async (target) => {
      const files = many(560_000, (n) => `"../${n}":""`)
        .join(',')
        .slice(0, LONG_BODY - 100);
      const whole = files.slice(0, files.lastIndexOf(','));
      await target.send('PUT', `/projects/${target.project}/skills/s`, `{"files":{${whole}}}`);
    },
  },
  {
    name: '4 skill of 690,000 good paths',
    attack: async (target) => {
      const files = many(690_000, (n) => `"${n}":""`).join(',');
      await target.send('PUT', `/projects/${target.project}/skills/s`, `{"files":{${files}}}`);
    },
  },
  {
    name: '4 answer with 60,000 selections',
    prepare: async (target) => {
      await target.send('POST', `/projects/${target.project}/chat`, { content: 'Hello' });
      await target.until(
        () => target.ask('GET', `/projects/${target.project}/chat/sync?limit=1`),
        ({ turn }) => turn.state === 'idle',
      );
    },
    attack: async (target) => {
      const selections = many(60_000, (n) => `"${n + 100}":"x"`).join(',');
      const body = `{"content":"","answer":{"selections":{${selections}}}}`;
      for (let round = 0; round < 5; round += 1) await target.send('POST', `/projects/${target.project}/chat`, body);
    },
  },
  {
    name: '5 25 batch moves of 30 pairs, 500 levels deep, at once',
    prepare: async (target) => {
      target.places = [];
      for (let index = 0; index < 25; index += 1) {
        const { id } = await target.ask('POST', '/projects', { name: `Moves ${index}` });
        const place = { source: 'workspace', project_id: id };
        await target.ask('POST', '/files/mkdir', { ...place, path: 'm' });
        target.places.push(place);
      }
    },
    attack: async (target) =>
      await Promise.all(
        target.places.map((place) => target.send('POST', '/files/batch-move', { ...place, moves: deepMoves(30) })),
      ),
  },
  {
    name: '5 a batch move of 500 pairs, 500 levels deep',
    prepare: async (target) => await target.ask('POST', '/files/mkdir', { ...target.place, path: 'm' }),
    attack: async (target) =>
      await target.send('POST', '/files/batch-move', { ...target.place, moves: deepMoves(500) }),
  },
  {
    name: '6 a tree of 30,000 levels by 120 requests, listed 25 times at once',
    attack: async (target) => {
      const chain = '/a'.repeat(508);
      await target.send('POST', '/files/mkdir', { ...target.place, path: `t0${chain}` });
      let levels = 509;
      for (let index = 1; index < 60; index += 1) {
        await target.send('POST', '/files/mkdir', { ...target.place, path: `t${index}${chain}` });
        const moves = [{ source_path: `t${index - 1}`, dest_path: `t${index}${chain}/b` }];
        const { moved } = (await target.send('POST', '/files/batch-move', { ...target.place, moves })) ?? {};
        levels = moved === 1 ? levels + 509 : 509;
      }
      const listing = { ...target.place, path: '', recursive: true, limit: 1000 };
      await Promise.all(many(25, () => target.send('POST', '/files/list', listing)));
      return `${levels} levels`;
    },
  },
  {
    name: '7 a canvas of 68 large formulas: 10 edits and a chat post',
    prepare: async (target) => await fillCanvas(target, 68),
    attack: async (target) => await editCards(target, 10),
  },
  {
    name: '7 a canvas of 500 large formulas: 2 edits and a chat post',
    prepare: async (target) => await fillCanvas(target, 500),
    attack: async (target) => await editCards(target, 2),
  },
  {
    name: '8 quota of 1 MiB, three parts of 64 MiB without a declared size',
    settings: { FILES_COMPANY_MAX_BYTES: String(MiB) },
    attack: async (target) => {
      const { upload_token } = await target.ask('POST', '/files/upload/start', { ...target.place, path: 'a' });
      await putParts(target, upload_token, 3, 64 * MiB);
      await target.send('POST', '/files/upload/complete', { ...target.place, upload_token });
      return await stored(target);
    },
  },
  {
    name: '8 6 MiB declared, 13 parts of 6 MiB',
    attack: async (target) => {
      const start = { ...target.place, path: 'a', size: 6 * MiB };
      const { upload_token } = await target.ask('POST', '/files/upload/start', start);
      await putParts(target, upload_token, 13, 6 * MiB);
      return await stored(target);
    },
  },
  {
    name: '8 1,456 MiB free, one part of 900 MiB in chunks',
    // Requires root to mount a separate disk.
    dataDir: async (folder) => {
      await mkdir(folder);
      await run('mount', ['-t', 'tmpfs', '-o', `size=${1456 * MiB}`, 'tmpfs', folder]);
      return () => run('umount', ['--lazy', folder]);
    },
    attack: async (target) => {
      const { upload_token } = await target.ask('POST', '/files/upload/start', { ...target.place, path: 'a' });
      const { parts } = await target.ask('POST', '/files/upload/parts', { upload_token, part_numbers: [1] });
      await target.send('PUT', parts[0].url, pieces(900 * MiB));
      return await stored(target);
    },
  },
  {
    name: '8 a member starts 100 uploads, then a colleague one',
    attack: async (target) => {
      for (let index = 0; index < 100; index += 1) {
        await target.send('POST', '/files/upload/start', { ...target.place, path: `${index}` });
      }
      const status = await target.statusOf(
        'POST',
        '/files/upload/start',
        { ...target.place, path: 'b' },
        target.colleague,
      );
      return `the colleague's: ${status}`;
    },
  },
  {
    name: '9 `part_number` of 8 MB `1_1_1`',
    attack: async (target) => {
      const part_number = `1${'_1'.repeat(4_000_000)}`;
      const parts = [{ etag: 'x', part_number }];
      await target.send('POST', '/files/upload/complete', { ...target.place, upload_token: 'x', parts });
    },
  },
  {
    name: '9 a head that is sent slowly',
    attack: async (target) => {
      const began = performance.now();
      const socket = connect(target);
      socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n');
      const timer = setInterval(() => socket.write('X: 1\r\n'), 1_000);
      await new Promise((done) => {
        socket.once('close', done);
      });
      clearInterval(timer);
      return `cut off after ${Math.round((performance.now() - began) / 1000)} s`;
    },
  },
  {
    name: '9 no `Host`, and a strange `Expect`',
    attack: async (target) => {
      const bodies = [];
      for (const head of ['GET /api/v1/me HTTP/1.1\r\n', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nExpect: x\r\n']) {
        const socket = connect(target);
        socket.end(`${head}Connection: close\r\n\r\n`);
        const text = (await socket.toArray()).join('');
        const body = /\{.*\}/.exec(text)?.[0] ?? 'no body';
        bodies.push(`${text.slice(9, 12)} ${body}`);
      }
      return bodies.join('; ');
    },
  },
  {
    name: '9 signed URLs after their key was revoked, and after their file was deleted',
    attack: async (target) => {
      const { id, key } = await target.ask('POST', '/api-keys', { name: 'x' });
      const start = await target.ask('POST', '/files/upload/start', { ...target.place, path: 'k', size: 1 }, key);
      await target.upload('gone.txt', 'x');
      const { url } = await target.ask('POST', '/files/download', { ...target.place, path: 'gone.txt' });
      await target.ask('DELETE', `/api-keys/${id}`);
      await target.ask('POST', '/files/delete', { ...target.place, path: 'gone.txt' });
      await pause(5_500);
      return `part: ${await target.statusOf('PUT', start.parts[0].url, 'x')}, download: ${await target.statusOf('GET', url)}`;
    },
  },
  {
    name: '9 `picture` that is a script; a file name that runs backwards',
    attack: async (target) => {
      const token = await target.tokenOf('painter', { picture: 'javascript:alert(1)' });
      const { message } = await target.ask('POST', `/projects/${target.project}/chat`, { content: 'Hello' }, token);
      const status = await target.statusOf('POST', '/files/mkdir', { ...target.place, path: 'a\u202etxt.exe' }, token);
      return `user_avatar_url: ${message.user_avatar_url}, the name: ${status}`;
    },
  },
];

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
/** Returns a JSON array of the same value repeated, slightly smaller than `bytes` bytes. */
const list = (value, bytes) => `[${`${value},`.repeat(Math.floor(bytes / (value.length + 1)) - 2)}${value}]`;
const nested = (bytes) => list('['.repeat(190) + ']'.repeat(190), bytes);

async function endAtOnce(target, count, path, body, token) {
  const held = many(count, () => target.hold(path, body, token));
  await pause(3_000);
  for (const one of held) one.release();
  await Promise.all(held.map(({ answered }) => answered));
}

async function tenASecond(target, body, seconds = 6) {
  const sent = [];
  const began = performance.now();
  for (let index = 0; index < seconds * 10; index += 1) {
    sent.push(target.send('POST', '/files/upload/complete', body, { token: undefined }));
    await pause(Math.max(0, began + (index + 1) * 100 - performance.now()));
  }
  await Promise.all(sent);
}

async function leaveUnread(target, count, method, path, body) {
  const unread = many(count, () => target.leave(method, path, body));
  await pause(45_000);
  const open = await Promise.all(unread.map(({ isWhole }) => isWhole()));
  return `${open.filter(Boolean).length} of ${count} could still be read to the end`;
}

/**
 * Each move puts the same directory at a different location 500 levels deep. All directories above its previous location are
 * then empty.
 */
function deepMoves(count) {
  const at = (n) => (n === 0 ? 'm' : `${String(n).padStart(4, '0')}${'/a'.repeat(498)}/m`);
  return many(count, (n) => ({ source_path: at(n), dest_path: at(n + 1) }));
}

/** Stores messages whose characters each take six bytes of JSON. The rows look as if the messages had been posted. */
async function fillConversation({ sql, project }) {
  await sql(
    `WITH conversation AS (UPDATE conversations SET last_sequence = 640 WHERE project_id = $1 AND is_default RETURNING id)
     INSERT INTO messages (project_id, conversation_id, sequence, role, content, file_ids, user_id, user_name)
     SELECT $1, c.id, i, 'user', repeat(E'\\x01', 100000), ARRAY[repeat(E'\\x01', 73000)], 'member', 'member'
       FROM conversation c, generate_series(1, 640) i`,
    [project],
  );
}

async function fillCanvas({ sql, project }, count) {
  // A formula with 45 parentheses and 3,000 names.
  const formula = (card) =>
    `${'('.repeat(45)}x${card}${')'.repeat(45)}${many(3_000, (n) => `+x${n % 100}`).join('')} <= ${card}`;
  await sql(
    `INSERT INTO cards (project_id, card_type, label, status, data)
     SELECT $1, 'constraint', 'Limit ' || c.i, 'complete', jsonb_build_object('expression', c.formula, 'classification', 'hard')
       FROM unnest($2::text[]) WITH ORDINALITY c (formula, i)`,
    [project, many(count, formula)],
  );
  await sql('UPDATE projects SET card_count = $2 WHERE id = $1', [project, count]);
}

async function editCards(target, count) {
  const [{ version, id }] = await target.sql(
    'SELECT version, id FROM cards WHERE project_id = $1 ORDER BY id LIMIT 1',
    [target.project],
  );
  for (let edit = 0; edit < count; edit += 1) {
    const change = { version: version + edit, label: `Limit ${edit}` };
    await target.send('PATCH', `/projects/${target.project}/cards/${id}`, change);
  }
  await target.send('POST', `/projects/${target.project}/chat`, { content: 'Hello' });
}

async function putParts(target, upload_token, count, bytes) {
  const part_numbers = many(count, (n) => n + 1);
  const { parts } = await target.ask('POST', '/files/upload/parts', { upload_token, part_numbers });
  for (const { url } of parts) await target.send('PUT', url, Buffer.alloc(bytes));
}

const pieces = (bytes) =>
  Readable.from(
    many(bytes / MiB, () => Buffer.alloc(MiB)),
    { objectMode: false },
  );

/** Returns the size of the disk store in bytes. */
async function stored({ dataDir }) {
  let bytes = 0;
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return `${Math.round(bytes / MiB)} MiB on disk`;
}

function connect({ url }) {
  const { hostname, port } = new URL(url);
  return net.connect({ host: hostname, port }).on('error', () => undefined);
}
