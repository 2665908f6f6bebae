import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { bodyWithTimeout } from './moving-body.js';

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

describe('bodyWithTimeout', () => {
  it('reads the entire body if data keeps arriving', async () => {
    const pieces = [Buffer.from('one'), Buffer.from('two')];
    expect(await all(bodyWithTimeout(Readable.from(pieces), 1_000))).toEqual(pieces);
  });

  it('stops reading a stalled body and ignores subsequent errors', async () => {
    const body = new PassThrough();
    body.write('one');
    const pieces = bodyWithTimeout(body, 20);
    expect((await pieces.next()).value).toEqual(Buffer.from('one'));
    await expect(pieces.next()).rejects.toMatchObject({ status: 408, headers: { Connection: 'close' } });
    expect(body.destroyed).toBe(false);
    body.destroy(new Error('Cut off'));
    await new Promise((resolve) => {
      body.once('close', resolve);
    });
  });

  it('does not time out while the reader is idle', async () => {
    const body = new PassThrough();
    body.write('one');
    const pieces = bodyWithTimeout(body, 20);
    await pieces.next();
    await setTimeout(40);
    body.end('two');
    expect((await pieces.next()).value).toEqual(Buffer.from('two'));
    expect(await pieces.next()).toMatchObject({ done: true });
  });

  it('leaves the rest unread when the reader stops', async () => {
    const body = new PassThrough();
    body.write('one');
    const pieces = bodyWithTimeout(body);
    expect((await pieces.next()).value).toEqual(Buffer.from('one'));
    await pieces.return(undefined);
    expect(body.destroyed).toBe(false);
    body.end('two');
    expect(await all(body)).toEqual([Buffer.from('two')]);
  });

  it('fails if the body is cut off', async () => {
    const body = new PassThrough();
    const reading = bodyWithTimeout(body).next();
    body.destroy(new Error('Broken off'));
    await expect(reading).rejects.toThrow('Broken off');
  });
});
