import { raw } from './raw.js';

/** Response as received. */
export interface Read {
  status: number;
  text: string;
  etag: string | undefined;
}

/**
 * Client that caches every response by path and revalidates it. Counts the responses that were not downloaded again.
 */
export class CachingClient {
  private readonly kept = new Map<string, Read>();
  spared = 0;
  whole = 0;

  constructor(
    private readonly base: string,
    private readonly token: string,
    private readonly seen: SeenTags,
  ) {}

  /** Returns the current response for a path. Error responses are not cached and clear the cached response. */
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

/** Client without a cache. */
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

/** Bodies by entity tag, from all clients. A second body with the same tag causes an error. */
export class SeenTags {
  private readonly bodies = new Map<string, string>();

  /** @throws Error if the tag is weak, or if it was used for a different body before */
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
