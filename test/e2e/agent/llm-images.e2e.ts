import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChatMessageResponse } from '../../../src/chat/messages/message.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { FakeProvider, type ModelReply, type ModelRequest, type WireFormat } from '../../support/fake-provider.js';
import { eventually } from '../../support/eventually.js';
import { isLongForm } from '../../support/long-form.js';
import { Gate } from '../../support/scripted-agent.js';
import { removeEnvironment, Service } from '../../support/service.js';

type Message = Wire<ChatMessageResponse>;

const BEGINNINGS = {
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1'),
  'image/gif': Buffer.from('GIF89a\x01\0\x01\0\x80\0\0', 'latin1'),
  'image/webp': Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1'),
};
type Type = keyof typeof BEGINNINGS;

/** Returns an image with a valid header, filled with seeded random bytes up to `size`. */
function image(type: Type, seed: number, size = 300): Buffer {
  const rest = Buffer.from(Array.from({ length: 199 }, (_, index) => (index * 7 + seed) % 256));
  return Buffer.concat([BEGINNINGS[type], Buffer.alloc(size - BEGINNINGS[type].length, rest)]);
}
const base64 = (content: Buffer): string => content.toString('base64');

/** Starts a service with a fake model, and creates a client and a new project for each test. */
function useModel(format: WireFormat, settings: Record<string, string>) {
  let provider: FakeProvider;
  let service: Service;
  let replies: ModelReply[] = [];
  const room = { client: undefined as unknown as Client, project: '' };
  beforeAll(async () => {
    provider = await FakeProvider.start(format, (_, count) => replies[count - 1] ?? { text: ['Seen.'] });
    const model = { AGENT_MODEL: 'fake', AGENT_BASE_URL: provider.url, AGENT_API_KEY: 'sk-images' };
    service = await Service.start({ settings: { ...model, ...settings } });
    room.client = (await service.session()).client;
  }, 30_000);
  afterAll(async () => {
    await service.stop();
    await provider.stop();
    await removeEnvironment(service.environment);
  }, 30_000);
  beforeEach(async () => {
    room.project = (await makeProject(room.client)).id;
  });

  return {
    room,
    upload: async (path: string, content: string | Uint8Array, project_id = room.project): Promise<string> =>
      (await makeFile(room.client, { source: 'workspace', project_id }, path, content)).id ?? '',
    /** Posts `content` and returns the requests to the model and the agent's messages. */
    ask: async (content: string, more: object = {}, ...played: ModelReply[]) => {
      replies = played;
      provider.requests.length = 0;
      await room.client.post(`/projects/${room.project}/chat`, { content, ...more });
      const { messages } = await idle(room.client, room.project);
      const said: Message[] = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
      return { requests: [...provider.requests] as [ModelRequest, ...ModelRequest[]], said };
    },
  };
}

const KINDS: [string, WireFormat, Record<string, string>][] = [
  ['anthropic', 'anthropic', { AGENT_PROVIDER: 'anthropic' }],
  ['openai', 'openai', { AGENT_PROVIDER: 'openai' }],
  ['openai-compatible', 'openai', { AGENT_PROVIDER: 'openai-compatible', AGENT_IMAGES: 'true' }],
];

/** OpenAI differs from compatible providers only in its defaults, which the settings tests check. */
const SOME_KINDS = isLongForm ? KINDS : KINDS.filter(([kind]) => kind !== 'openai');

describe.each(SOME_KINDS)('images for the %s model', (_, format, settings) => {
  const { room, upload, ask } = useModel(format, settings);
  const read = (path: string) => ({ tool: 'read_file', input: { path } });

  it('are sent byte for byte if they are attached, with the type detected from the content', async () => {
    const [png, jpeg, gif, webp] = [
      image('image/png', 1),
      image('image/jpeg', 2),
      image('image/gif', 3),
      image('image/webp', 4),
    ];
    const first = await upload('plan.png', png);
    const file_ids = [
      first,
      await upload('really-a-jpeg.png', jpeg),
      await upload('no-name', gif),
      await upload('notes.txt', webp),
      await upload('demand.csv', 'product,quantity\n'),
      await upload('fake.png', 'GIF89a is how GIFs begin, says this text'),
      first,
      'plan.png',
      '00000000-0000-4000-8000-000000000000',
    ];
    const { requests, said } = await ask('What do you see?', { file_ids });
    expect(said).toMatchObject([{ role: 'assistant', content: 'Seen.' }]);
    expect(requests).toHaveLength(1);
    expect(requests[0].images).toEqual([
      { role: 'user', media_type: 'image/png', base64: base64(png) },
      { role: 'user', media_type: 'image/jpeg', base64: base64(jpeg) },
      { role: 'user', media_type: 'image/gif', base64: base64(gif) },
      { role: 'user', media_type: 'image/webp', base64: base64(webp) },
    ]);
    const text = requests[0].messages[0]?.text ?? '';
    expect(text).toMatch(/^\W*\[Image 1: plan\.png\]/m);
    expect(text).toContain(
      '[Attached files: plan.png (image 1), really-a-jpeg.png (image 2), no-name (image 3), notes.txt (image 4), demand.csv, fake.png, plan.png (image 1), plan.png (image 1), 00000000-0000-4000-8000-000000000000 (not in the workspace)]\nWhat do you see?',
    );
    expect(requests[0].system).toContain('Images of earlier messages are only listed by name');
  });

  it('are listed in later turns without being sent, and the model can read them again', async () => {
    const png = image('image/png', 5);
    const file_ids = [await upload('in/plan.png', png)];
    await ask('Look', { file_ids });
    const { requests } = await ask(
      'And now?',
      {},
      { calls: [read('in/plan.png'), read('in/plan.png')] },
      { text: ['The same.'] },
    );
    expect(requests[0].images).toEqual([]);
    expect(requests[0].messages[0]?.text).toContain('[Attached files: in/plan.png]\nLook');
    const place = format === 'anthropic' ? 'result' : 'user';
    expect(requests[1]?.images).toEqual([{ role: place, media_type: 'image/png', base64: base64(png) }]);
    const third = await ask('Thanks');
    expect(third.requests[0].images).toEqual([]);
    expect(JSON.stringify(third.requests[0].messages)).toContain('image/png');
  });

  it('are sent if a tool reads them, but only a short note is stored', async () => {
    const [png, jpeg] = [image('image/png', 6), image('image/jpeg', 7, 100_000)];
    await upload('a.png', png);
    await upload('b.jpg', jpeg);
    await upload('huge.png', image('image/png', 8, 3_750_001));
    await upload('junk.bin', new Uint8Array([0xff, 0xfe, 0, 1]));
    const calls = ['a.png', 'b.jpg', 'a.png', 'huge.png', 'junk.bin'].map(read);
    const { requests, said } = await ask('Look around', {}, { text: ['I look.'], calls });
    expect(said[0]?.content).toBe('I look.\n\nSeen.');
    expect(said[0]?.tool_calls?.map(({ result, error_code }) => error_code ?? result)).toEqual([
      { path: 'a.png', size: 300, image: 'image/png' },
      { path: 'b.jpg', size: 100_000, image: 'image/jpeg' },
      { path: 'a.png', size: 300, image: 'image/png', shown_before_as: 'image 1' },
      'too_large',
      'not_text',
    ]);
    expect(JSON.stringify(said)).not.toContain(base64(png).slice(0, 40));
    const role = format === 'anthropic' ? 'result' : 'user';
    expect(requests[1]?.images).toEqual([
      { role, media_type: 'image/png', base64: base64(png) },
      { role, media_type: 'image/jpeg', base64: base64(jpeg) },
    ]);
    const told = requests[1]?.messages.map(({ text }) => text).join('\n') ?? '';
    expect(told).toContain('The image huge.png is not shown: it has 3,750,001 bytes');
    expect(told).not.toContain(base64(png).slice(0, 40));
    if (format === 'openai') expect(told).toContain('[Image 2: b.jpg]');
  });

  it('are only listed, with the reason, if they are too large or too many', async () => {
    const paths = Array.from({ length: 98 }, (_, index) => `i${index}.png`);
    const content = image('image/png', 9, 3_750_000);
    await upload('large.png', content);
    await upload('larger.png', image('image/png', 10, 3_750_001));
    for (const [index, path] of paths.slice(0, 12).entries()) await upload(path, image('image/png', 20 + index));
    const { requests } = await ask('All', { file_ids: ['larger.png', 'large.png', ...paths] });
    expect(requests[0].images).toHaveLength(10);
    expect(requests[0].images[0]?.base64).toBe(base64(content));
    const text = requests[0].messages[0]?.text ?? '';
    expect(text).toContain(
      'larger.png (not shown: it has 3,750,001 bytes, but an image can have at most 3,750,000 bytes)',
    );
    expect(text).toContain(
      'i8.png (image 10), i9.png (not shown: an answer can use at most 10 images), i10.png (not shown:',
    );
    expect(text).toContain('i97.png (not in the workspace)');
    await upload('large2.png', image('image/png', 11, 3_750_000));
    await upload('large3.png', image('image/png', 12, 3_750_000));
    const together = await ask('All', { file_ids: ['large.png', 'large2.png', 'large3.png', 'i1.png'] });
    expect(together.requests[0].images.map(({ base64: { length } }) => length)).toEqual([5_000_000, 5_000_000, 400]);
    expect(together.requests[0].messages.at(-1)?.text).toContain(
      'large3.png (not shown: the images of an answer can have at most 10,000,000 bytes in total)',
    );
  });

  it('are sent with their content at the start of the turn, if their files still exist', async () => {
    const [old, later] = [image('image/png', 15), image('image/gif', 16)];
    const file_ids = [await upload('plan.png', old), await upload('gone.png', old)];
    const gate = new Gate();
    const asked = ask('First', {}, { text: ['One', ' moment.'], hold: gate.passed });
    const seen = () => room.client.get<{ messages: Message[] }>(`/projects/${room.project}/chat`);
    await eventually(seen, ({ messages }) => messages.at(-1)?.content === 'One', { until: 'it speaks' });
    await room.client.post(`/projects/${room.project}/chat`, { content: 'Second', file_ids });
    await upload('plan.png', later);
    const gone = { source: 'workspace', project_id: room.project, path: 'gone.png' };
    await room.client.post('/files/delete', gone);
    gate.open();
    const { requests } = await asked;
    expect(requests[1]?.images).toEqual([{ role: 'user', media_type: 'image/gif', base64: base64(later) }]);
    expect(requests[1]?.messages.at(-1)?.text).toMatch(
      /plan\.png \(image 1\), [-0-9a-f]+ \(not in the workspace\)\]\nSecond/,
    );
  });

  it('are not sent if they belong to another project', async () => {
    const other = (await makeProject(room.client)).id;
    const id = await upload('secret.png', image('image/png', 13), other);
    const { requests } = await ask('Look', { file_ids: [id, 'secret.png'] }, { calls: [read('secret.png')] });
    expect(requests.map(({ images }) => images)).toEqual([[], []]);
    expect(requests[0].messages[0]?.text).toContain(`${id} (not in the workspace), secret.png (not in the workspace)]`);
  });

  it('end the turn with a message if the provider rejects them, without affecting later turns', async () => {
    const file_ids = [await upload('broken.png', image('image/png', 14))];
    const refused = await ask('Look', { file_ids }, { fault: { status: 400 } }, { fault: { status: 400 } });
    expect([refused.requests.length, refused.said]).toMatchObject([
      1,
      [
        {
          role: 'system',
          content:
            'The model provider rejected the request (status 400). The request contained images. One may be damaged or have too many pixels, or the model may not accept images.',
        },
      ],
    ]);
    const { requests, said } = await ask('Go on without it');
    expect([requests[0].images, said]).toMatchObject([[], [{ content: 'Seen.' }]]);
    const tooMuch = await ask('Read it', {}, { calls: [read('broken.png')] }, { fault: { status: 413 } });
    expect(tooMuch.said).toMatchObject([
      { tool_calls: [{ status: 'completed' }] },
      { role: 'system', content: 'The conversation, including its images, is too long for the model.' },
    ]);
  });
});
