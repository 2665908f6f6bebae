import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * State of the network between two programs: intact, cut (connections are refused and closed), or silent (all data is
 * dropped).
 */
export type Network = 'whole' | 'cut' | 'silent';

/**
 * TCP proxy to a local server whose connections a test can break. Its port stays the same when the server's port
 * changes.
 */
export class TcpProxy {
  /** Port of the server. */
  target: number;
  /** Delay in each direction, in milliseconds. */
  delayMs = 0;
  private network: Network = 'whole';
  private readonly open = new Set<Socket>();
  /** Connections that were opened while the network was silent. */
  private waiting: Socket[] = [];

  private constructor(
    private readonly server: Server,
    target: number,
  ) {
    this.target = target;
    server.on('connection', (socket) => this.accept(socket));
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  become(network: Network): void {
    this.network = network;
    for (const socket of this.open) {
      if (network === 'cut') socket.destroy();
      else if (network === 'silent') socket.pause();
      else socket.resume();
    }
    if (network === 'silent') return;
    const { waiting } = this;
    this.waiting = [];
    for (const socket of waiting) this.accept(socket);
  }

  async stop(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    this.become('cut');
    await closed;
  }

  private accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.network === 'cut') socket.destroy();
    else if (this.network === 'silent') this.waiting.push(socket);
    else if (!socket.destroyed) this.join(socket, connect(this.target, '127.0.0.1'));
  }

  private join(near: Socket, far: Socket): void {
    this.relay(near, far);
    this.relay(far, near);
  }

  private relay(from: Socket, to: Socket): void {
    this.open.add(from);
    from.on('data', (bytes) => this.later(() => to.write(bytes)));
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.open.delete(from);
      this.later(() => to.destroy());
    });
  }

  private later(work: () => void): void {
    if (this.delayMs === 0) work();
    else setTimeout(work, this.delayMs);
  }
}
