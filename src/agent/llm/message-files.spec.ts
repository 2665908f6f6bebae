import { describe, expect, it } from '@jest/globals';
import type { AgentContext, AgentMessage } from '../agent.js';
import type { ImagesService, ImageResult } from '../images/images.service.js';
import { conversationOf, exchange, hasImages } from './conversation.js';
import { filesWithImages } from './message-files.js';

const message = (file_ids: string[], more: Partial<AgentMessage> = {}): AgentMessage => ({
  role: 'user',
  content: 'Look',
  user_name: null,
  tool_calls: [],
  answer: null,
  file_ids,
  context: [],
  to_answer: true,
  ...more,
});
/** Creates an images service that finds only `known` references. Files whose names start with `image` are images. */
function room(known: (reference: string) => boolean = () => true) {
  const looks: string[] = [];
  const images = {
    find: (_: unknown, references: string[]) =>
      Promise.resolve(new Map(references.filter(known).map((at) => [at, { path: `in/${at}` }]))),
    load: (_: unknown, { path }: { path: string }): Promise<ImageResult | undefined> => {
      looks.push(path);
      if (!path.startsWith('in/image')) return Promise.resolve(undefined);
      const image = { number: looks.length, path, media_type: 'image/png' as const, base64: 'AAAA' };
      return Promise.resolve({ image, isNew: true });
    },
  };
  return { looks, images: images as unknown as ImagesService };
}
const context = (messages: AgentMessage[], attachments: [string, { path: string; size: number }][] = []) =>
  ({ messages, attachments: new Map(attachments) }) as unknown as AgentContext;
const IMAGE = { number: 3, path: 'a.png', media_type: 'image/png', base64: 'AAAA' } as const;

describe('filesWithImages', () => {
  it('attaches images to the messages to answer and lists the files of earlier messages', async () => {
    const { images, looks } = room((reference) => reference !== 'gone');
    const earlier = message(['image-old', 'gone'], { to_answer: false });
    const given = context(
      [earlier, message(['image-1', 'a.csv', 'gone', 'lost', 'image-1'])],
      [['gone', { path: 'in/gone.png', size: 1 }]],
    );
    const shown = conversationOf(given, await filesWithImages(given, images));
    expect(looks).toEqual(['in/image-1', 'in/a.csv', 'in/lost']);
    expect(shown).toEqual([
      { role: 'user', content: '[Attached files: in/image-old, in/gone.png (no longer in the workspace)]\nLook' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Image 1: in/image-1]' },
          { type: 'image', image: 'AAAA', mediaType: 'image/png' },
          {
            type: 'text',
            text: '[Attached files: in/image-1 (image 1), in/a.csv, in/gone.png (no longer in the workspace), in/lost, in/image-1 (image 1)]\nLook',
          },
        ],
      },
    ]);
    expect([hasImages(shown), hasImages(shown.slice(0, 1))]).toEqual([true, false]);
  });

  it('reads only the first 100 of the referenced files', async () => {
    const { images, looks } = room();
    const references = Array.from({ length: 1_000 }, (_, index) => `a${index}`);
    const { names } = await filesWithImages(context([message(references), message(references)]), images);
    expect(looks).toHaveLength(100);
    expect([names.get('a99'), names.get('a100')]).toEqual([
      'in/a99',
      'in/a100 (not shown: only the first 100 files are read)',
    ]);
  });
});

describe('an image read by a tool', () => {
  const made = (id: string) => ({
    id,
    call: { tool: 'read_file', input: {} },
    reply: { ok: true as const, endsTurn: false, result: { image: 'image/png' }, image: IMAGE },
  });

  it('is sent in the tool result if the wire format allows it, otherwise in a message after all results', () => {
    const [, result] = exchange('', [made('1')]);
    const text = { type: 'text', text: expect.stringContaining('image/png') };
    const data = { type: 'image-data', data: 'AAAA', mediaType: 'image/png' };
    expect(result).toMatchObject({ role: 'tool', content: [{ output: { type: 'content', value: [text, data] } }] });
    const messages = exchange('', [made('1'), made('2')], { imagesInResults: false });
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(JSON.stringify(messages.slice(0, 2))).not.toContain('AAAA');
    expect(messages[2]?.content).toEqual([
      ...[1, 2].flatMap(() => [
        { type: 'text', text: '[Image 3: a.png]' },
        { type: 'image', image: 'AAAA', mediaType: 'image/png' },
      ]),
    ]);
    expect([hasImages([...exchange('', [made('1')])]), hasImages(messages)]).toEqual([true, true]);
  });
});
