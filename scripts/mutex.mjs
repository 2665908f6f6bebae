import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs `work` while no other process on this machine runs work under the same `name`. Calls `waiting` once if it has to wait.
 *
 * The lock is a listening socket, because the kernel closes it when its holder dies. `work` receives the file descriptor of the
 * socket. A program that inherits the descriptor also holds the lock.
 */
export async function exclusively(name, waiting, work) {
  const path = socketPath(name);
  let waited = false;
  for (;;) {
    const server = await listen(path);
    if (server !== undefined) {
      try {
        return await work(server._handle.fd);
      } finally {
        server.close();
        for (const socket of server.waiters) socket.destroy();
      }
    }
    if (!waited) waiting();
    waited = true;
    await untilReleased(path);
  }
}

/**
 * Returns the path of the socket: an abstract name on Linux, a named pipe on Windows, and a file on other systems. A killed
 * holder leaves the file behind.
 */
function socketPath(name) {
  const key = `project-workspace-service-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${key}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${key}` : join(tmpdir(), `${key}.sock`);
}

function listen(path) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      server.waiters.add(socket);
      socket.on('error', () => socket.destroy());
    });
    server.waiters = new Set();
    server.on('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Resolves when the holder has ended, because its connections close when it ends. */
function untilReleased(path) {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.on('close', resolve).resume();
    socket.on('error', (error) => {
      if (error.code === 'ECONNREFUSED' && process.platform === 'darwin') rmSync(path, { force: true });
      else if (!['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(error.code)) reject(error);
    });
  });
}
