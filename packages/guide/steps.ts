import { setImmediate as breathe } from 'node:timers/promises';

/** Tool call that the guide requests. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** Result of a call. `error` is a sentence without a full stop. */
export type Reply = { ok: true; result: unknown } | { ok: false; error: string };

/** Step in a turn: a paragraph for the user, or a tool call. The guide continues when it receives the reply. */
export type Step = { kind: 'say'; text: string } | { kind: 'call'; call: Call };

/** Steps with a result. After a call, the caller passes the reply to `next`. */
export type Steps<Result = void> = AsyncGenerator<Step, Result, Reply | undefined>;

/** Sends paragraphs to the user. */
export async function* say(...paragraphs: string[]): Steps {
  for (const text of paragraphs) {
    yield { kind: 'say', text };
    // Lets other work in the process run between two events.
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
