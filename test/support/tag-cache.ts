import { raw } from './raw.js';

/** An answer as it came. */
export interface Read {
  status: number;
  text: string;
  etag: string | undefined;
}

/** A client that keeps what it has read, by path, and asks only whether that has changed. Counts what it was spared. */
export class CachingClient {
  private readonly kept = new Map<string, Read>();
  spared = 0;
  whole = 0;

  constructor(
    private readonly base: string,
    private readonly token: string,
    private readonly seen: SeenTags,
  ) {}

  /** What is at a path now; a status that is no success is answered as it is and forgotten. */
  async read(path: string): Promise<Read> {
    const kept = this.kept.get(path);
    const read = await readOnce(this.base, this.token, path, kept?.etag);
    if (read.status === 304) {
      if (kept === undefined || read.text !== '') throw new Error(`${path} answered 304 with ${read.text}`);
      this.spared += 1;
      return kept;
    }
    this.whole += 1;
    if (read.status === 200) this.kept.set(path, this.seen.note(path, read));
    else this.kept.delete(path);
    return read;
  }
}

/** A client that keeps nothing. */
export class ForgetfulClient {
  constructor(
    private readonly base: string,
    private readonly token: string,
    private readonly seen: SeenTags,
  ) {}

  async read(path: string): Promise<Read> {
    const read = await readOnce(this.base, this.token, path);
    return read.status === 200 ? this.seen.note(path, read) : read;
  }
}

/** Every body that was ever seen with a tag: another body with the same tag is a fault, whoever has seen it. */
export class SeenTags {
  private readonly bodies = new Map<string, string>();

  /** @throws Error when the tag stood for other bytes before, or is no strong tag */
  note(path: string, read: Read): Read {
    const { etag, text } = read;
    if (etag === undefined || !/^"[\w-]{22}"$/.test(etag)) throw new Error(`${path} has no strong tag: ${etag}`);
    const key = `${path} ${etag}`;
    const before = this.bodies.get(key);
    if (before !== undefined && before !== text)
      throw new Error(`${path} is another one with the same tag:\n${before.slice(0, 2_000)}\n${text.slice(0, 2_000)}`);
    this.bodies.set(key, text);
    return read;
  }

  get size(): number {
    return this.bodies.size;
  }
}

async function readOnce(base: string, token: string, path: string, known?: string): Promise<Read> {
  const { status, text, headers } = await raw(`${base}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, ...(known !== undefined && { 'if-none-match': known }) },
  });
  return { status, text, etag: headers.etag };
}
