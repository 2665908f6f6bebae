import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, OwnedElsewhereError } from './errors.js';

/*
 * Only one process at a time may own a directory. The kernel must release the ownership however its holder dies, and Node has
 * no file lock that guarantees this. A listening Unix socket does: when its process dies, the socket file remains, but
 * connections to it fail. Sockets also work between containers that share the directory but cannot see each other's process ids
 * or abstract sockets.
 *
 * Taking over the name of a dead socket is not atomic. Therefore every claimant listens under its own name and only then checks
 * whether other sockets answer. If two claimants compete, at least one of them sees the other and withdraws. Simultaneous
 * claimants try again after a random pause.
 */

const FOLDER = 'postgres.owner';
/** Message that a socket sends to each client that connects. */
type ClaimStatus = 'claimant' | 'owner';
/** Time in milliseconds during which simultaneous claimants retry. */
const CONTENTION_MS = 10_000;
/**
 * Maximum time to wait for an answer, in milliseconds. An owner that is too busy to answer in time still counts as an owner.
 */
const ANSWER_MS = 2_000;

/** Exclusive ownership of a directory. */
export interface Ownership {
  release(): Promise<void>;
}

/**
 * Takes exclusive ownership of `directory` and holds it until it is released or this process ends.
 *
 * @throws OwnedElsewhereError if a running process owns the directory
 */
export async function takeOwnership(directory: string): Promise<Ownership> {
  const folder = join(directory, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(folder);
  // A socket path may have at most 107 bytes. The path through the open folder handle is always short enough.
  const root = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder;
  const deadline = Date.now() + CONTENTION_MS;
  try {
    for (;;) {
      const name = `${process.pid}-${randomBytes(8).toString('hex')}.sock`;
      const claim = await Claim.listen(join(root, name));
      const otherNames = (await readdir(folder)).filter((other) => other !== name);
      const statuses = await Promise.all(otherNames.map((other) => readStatus(join(root, other))));
      const rival = statuses.indexOf('owner');
      if (statuses.every((status) => status === 'dead') && (await exists(join(folder, name)))) {
        claim.status = 'owner';
        await Promise.all(otherNames.map((other) => rm(join(folder, other), { force: true })));
        return {
          release: async () => {
            await claim.withdraw();
            await handle.close();
          },
        };
      }
      await claim.withdraw();
      if (rival >= 0) throw new OwnedElsewhereError(directory, Number.parseInt(otherNames[rival] ?? '', 10));
      if (Date.now() > deadline)
        throw new EmbeddedPostgresError(`Too many processes are starting in ${directory} at the same time.`);
      await sleep(20 + Math.random() * 200);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class Claim {
  status: ClaimStatus = 'claimant';

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      // The client may disconnect before it receives the answer.
      socket.on('error', () => socket.destroy());
      socket.end(this.status, () => socket.destroy());
    });
    server.unref();
  }

  static listen(path: string): Promise<Claim> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      const claim = new Claim(server);
      server.once('error', reject);
      server.listen(path, () => resolve(claim));
    });
  }

  /** Stops answering and removes the socket file. */
  withdraw(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }
}

function readStatus(path: string): Promise<ClaimStatus | 'dead'> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path);
    const finish = (status: ClaimStatus | 'dead') => {
      socket.destroy();
      resolve(status);
    };
    socket.setEncoding('utf8').setTimeout(ANSWER_MS, () => finish('owner'));
    socket.on('data', (text: string) => (answer += text));
    // A claimant that is withdrawing does not answer.
    socket.on('end', () => finish(answer === 'owner' ? 'owner' : 'claimant'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') finish('dead');
      else finish(code === 'ECONNRESET' || code === 'EPIPE' ? 'claimant' : 'owner');
    });
  });
}

/**
 * Returns whether the socket file still exists. Another claimant may have probed the socket before it was listening,
 * considered it dead, and removed its file after becoming the owner.
 */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
