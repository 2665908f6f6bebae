import { setImmediate as breathe } from 'node:timers/promises';

/* After each step the guide lets the process do its other work. */

/** A tool call that the guide asks for. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** The end of a call. `error` is a sentence without a full stop. */
export type Reply = { ok: true; result: unknown } | { ok: false; error: string };

/** One step of a turn: a paragraph for the user, or a tool call. The guide goes on once the call has a reply. */
export type Step = { kind: 'say'; text: string } | { kind: 'call'; call: Call };

/** Steps with a result. After a call, the caller hands the reply to `next`. */
export type Steps<Result = void> = AsyncGenerator<Step, Result, Reply | undefined>;

/** Says paragraphs. */
export async function* say(...paragraphs: string[]): Steps {
  for (const text of paragraphs) {
    yield { kind: 'say', text };
    await breathe();
  }
}

/** Calls a tool and returns its reply. */
export async function* call(tool: string, input: Record<string, unknown> = {}): Steps<Reply> {
  const reply = yield { kind: 'call', call: { tool, input } };
  await breathe();
  if (reply === undefined) throw new Error(`The call of ${tool} got no reply`);
  return reply;
}
