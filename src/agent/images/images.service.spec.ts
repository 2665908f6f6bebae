import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Config } from '../../config/config.js';
import type { TreeFile } from '../../files/tree/tree-file.js';
import type { ByteRange } from '../../storage/object-store.js';
import { ObjectMissing } from '../../storage/object-store.js';
import type { AgentContext } from '../agent.js';
import { MAX_IMAGE_BYTES, MAX_IMAGES, MAX_IMAGES_BYTES } from './image-budget.js';
import { IMAGE_HEAD_BYTES } from './image-type.js';
import { ImagesService } from './images.service.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Maximum size of a file whose content is read, in bytes. */
const MAX_BYTES = MAX_IMAGE_BYTES;

/**
 * Creates an image service whose files are as long as their recorded size. `reads` contains the size of each read.
 */
function room({ AGENT_PROVIDER = 'anthropic' as const, missing = false, beginning = PNG } = {}) {
  const reads: number[] = [];
  let isLost = false;
  const stream = (_: string, { start, end }: ByteRange): Promise<Readable> => {
    if (missing) return Promise.reject(new ObjectMissing());
    reads.push(end - start + 1);
    // The object disappears after its first bytes have been read.
    if (isLost && end + 1 > IMAGE_HEAD_BYTES) return Promise.reject(new ObjectMissing());
    const content = Buffer.alloc(end - start + 1);
    beginning.copy(content);
    return Promise.resolve(Readable.from([content]));
  };
  const config = Object.assign(new Config(), { AGENT_PROVIDER });
  return {
    reads,
    lose: (lost: boolean) => void (isLost = lost),
    images: new ImagesService(config, {} as never, {} as never, { stream } as never),
  };
}

const file = (name: string, size: number): TreeFile => ({ path: `in/${name}`, blob_id: name, size }) as TreeFile;
function turn() {
  const controller = new AbortController();
  return { context: { signal: controller.signal } as AgentContext, end: () => controller.abort(new Error('over')) };
}
const reason = (what: string): object => ({
  refusal: expect.objectContaining({ reason: expect.stringContaining(what) }),
});

describe('ImagesService', () => {
  it('marks an image as new only once per turn, even under another path', async () => {
    const { images, reads } = room();
    const { context } = turn();
    const image = {
      number: 1,
      path: 'in/a',
      media_type: 'image/png',
      base64: Buffer.concat([PNG, Buffer.alloc(2)]).toString('base64'),
    };
    expect(await images.load(context, file('a', 10))).toEqual({ image, isNew: true });
    expect(await images.load(context, { ...file('a', 10), path: 'copy' })).toEqual({ image, isNew: false });
    expect(reads).toEqual([10, 10, 10]);
  });

  it('skips the content of oversized images, regardless of their names', async () => {
    const { images, reads } = room();
    const { context } = turn();
    expect(await images.load(context, file('huge.png', 2 * 1024 ** 3))).toEqual(
      reason('it has 2,147,483,648 bytes, but an image can have at most 3,750,000 bytes'),
    );
    expect(await images.load(context, file('a', MAX_BYTES + 1))).toEqual(reason('3,750,001 bytes'));
    expect(Math.max(...reads)).toBe(16);
  });

  it('limits the number and the total size of images', async () => {
    const { images } = room();
    const [many, large] = [turn(), turn()];
    for (let index = 1; index <= MAX_IMAGES; index += 1) {
      expect(await images.load(many.context, file(`a${index}`, 10))).toMatchObject({ image: { number: index } });
    }
    expect(await images.load(many.context, file('more', 10))).toEqual(reason('at most 10 images'));
    expect(await images.load(large.context, file('a', MAX_BYTES))).toMatchObject({ isNew: true });
    expect(await images.load(large.context, file('b', MAX_BYTES))).toMatchObject({ isNew: true });
    expect(await images.load(large.context, file('c', MAX_BYTES))).toEqual(reason('10,000,000 bytes in total'));
    expect(await images.load(large.context, file('d', MAX_IMAGES_BYTES - 2 * MAX_BYTES))).toMatchObject({
      isNew: true,
    });
  });

  it('limits the images held by all turns and releases them when their turns end', async () => {
    const { images } = room();
    const turns = Array.from({ length: 8 }, turn);
    const outcomes: boolean[] = [];
    for (const { context } of turns) {
      for (const name of ['a', 'b'])
        outcomes.push((await images.load(context, file(name, MAX_BYTES)))?.image !== undefined);
    }
    expect(outcomes).toEqual(Array(16).fill(true));
    const [last, next] = [turn(), turn()];
    await images.load(last.context, file('a', MAX_BYTES));
    expect(await images.load(next.context, file('b', MAX_BYTES))).toEqual(reason('too many images are being read'));
    turns[0]?.end();
    expect(await images.load(next.context, file('b', MAX_BYTES))).toMatchObject({ isNew: true });
    await expect(images.load(turns[0]?.context as AgentContext, file('c', 10))).rejects.toThrow('over');
  });

  it('does not count unreadable images against the limits', async () => {
    const { images, lose } = room();
    const { context } = turn();
    lose(true);
    for (let index = 0; index <= MAX_IMAGES; index += 1)
      expect(await images.load(context, file('a', MAX_BYTES))).toEqual(reason('cannot be read'));
    lose(false);
    for (let index = 1; index <= 2; index += 1)
      expect(await images.load(context, file(`b${index}`, MAX_BYTES))).toMatchObject({ image: { number: index } });
  });

  it('reports a missing image and ignores other files', async () => {
    const { context } = turn();
    expect(await room({ missing: true }).images.load(context, file('a.png', 10))).toEqual(reason('cannot be read'));
    const text = room({ beginning: Buffer.from('product,quantity') });
    expect(await text.images.load(context, file('a.png', 10))).toBeUndefined();
    expect(await text.images.load(context, file('empty.png', 0))).toBeUndefined();
  });

  it('skips the content for a model without image input', async () => {
    const { images, reads } = room({ AGENT_PROVIDER: 'openai-compatible' as never });
    expect([images.areShown, await images.load(turn().context, file('a', 10))]).toEqual([
      false,
      reason('this model does not receive images'),
    ]);
    expect(reads).toEqual([10]);
  });
});
