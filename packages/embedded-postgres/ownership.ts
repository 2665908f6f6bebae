import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, OwnedElsewhereError } from './errors.js';

/*
 * One process at a time may own a directory. The kernel has to release the ownership when its holder dies in any way,
 * and Node offers no file lock that does. A listening Unix socket is released so: its file stays behind, but nobody
 * answers there any more. It also works between containers that share the directory, where process ids and abstract
 * sockets mean nothing to each other.
 *
 * Taking over a dead socket's name cannot be done in one step, so every claimant listens under a name of its own and
 * only then looks for others that answer. Of two claimants at least one sees the other, and whoever sees another one
 * withdraws; claimants of the same moment try again after a random pause.
 */

const FOLDER = 'postgres.owner';
/** What a socket tells whoever connects. */
type Standing = 'claimant' | 'owner';
/** How long claimants of the same moment make way for each other. */
const CONTENTION_MS = 10_000;
/** An owner too busy to say so within this time is still an owner. */
const ANSWER_MS = 2_000;

/** The exclusive right to a directory. */
export interface Ownership {
  release(): Promise<void>;
}

/**
 * Takes the exclusive right to `directory`, held until it is released or this process ends.
 *
 * @throws OwnedElsewhereError when a living process holds it.
 */
export async function takeOwnership(directory: string): Promise<Ownership> {
  const folder = join(directory, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(folder);
  // A socket's path may have 107 bytes at most; through the open folder it is short wherever the folder is.
  const root = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder;
  const deadline = Date.now() + CONTENTION_MS;
  try {
    for (;;) {
      const name = `${process.pid}-${randomBytes(8).toString('hex')}.sock`;
      const claim = await Claim.make(join(root, name));
      const others = (await readdir(folder)).filter((other) => other !== name);
      const standings = await Promise.all(others.map((other) => standingOf(join(root, other))));
      const rival = standings.indexOf('owner');
      if (standings.every((standing) => standing === 'dead') && (await exists(join(folder, name)))) {
        claim.standing = 'owner';
        await Promise.all(others.map((other) => rm(join(folder, other), { force: true })));
        return {
          release: async () => {
            await claim.withdraw();
            await handle.close();
          },
        };
      }
      await claim.withdraw();
      if (rival >= 0) throw new OwnedElsewhereError(directory, Number.parseInt(others[rival] ?? '', 10));
      if (Date.now() > deadline) throw new EmbeddedPostgresError(`Too many processes start on ${directory} at once.`);
      await sleep(20 + Math.random() * 200);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class Claim {
  standing: Standing = 'claimant';

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      // Who asked may be gone before the answer.
      socket.on('error', () => socket.destroy());
      socket.end(this.standing, () => socket.destroy());
    });
    server.unref();
  }

  static make(path: string): Promise<Claim> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      const claim = new Claim(server);
      server.once('error', reject);
      server.listen(path, () => resolve(claim));
    });
  }

  /** Stops answering and removes the socket's file. */
  withdraw(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }
}

function standingOf(path: string): Promise<Standing | 'dead'> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(path);
    const finish = (standing: Standing | 'dead') => {
      socket.destroy();
      resolve(standing);
    };
    socket.setEncoding('utf8').setTimeout(ANSWER_MS, () => finish('owner'));
    socket.on('data', (text: string) => (said += text));
    // No answer comes from a claimant that withdrew in this moment.
    socket.on('end', () => finish(said === 'owner' ? 'owner' : 'claimant'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') finish('dead');
      else finish(code === 'ECONNRESET' || code === 'EPIPE' ? 'claimant' : 'owner');
    });
  });
}

/** An owner that found this claim before it listened took it for dead and removed its file. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
