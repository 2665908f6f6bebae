/** Server-sent event. */
export interface ServerSentEvent {
  /** Absent for events that a stream cannot resume from. */
  id?: string;
  event: string;
  data: string;
}

const LINE_END = /\r\n|\n|\r/;

/**
 * Parses server-sent events from chunks of text, following the HTML standard with two exceptions. An id applies only to its own
 * event, and `retry` is ignored.
 */
export class EventParser {
  /** Incomplete last line of the previous chunk. */
  private partialLine = '';
  private endsWithReturn = false;
  private event = '';
  private id: string | undefined;
  private data: string[] = [];

  /** Returns the events that this chunk completes. */
  push(chunk: string): ServerSentEvent[] {
    if (chunk === '') return [];
    // A CRLF line end may be split across two chunks.
    const text = this.endsWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    this.endsWithReturn = chunk.endsWith('\r');
    const [first = '', ...more] = text.split(LINE_END);
    const lines = [this.partialLine + first, ...more];
    this.partialLine = lines.pop() ?? '';
    return lines.flatMap((line) => this.parseLine(line) ?? []);
  }

  private parseLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.completeEvent();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.event = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private completeEvent(): ServerSentEvent | undefined {
    const { id, data } = this;
    const event = this.event || 'message';
    this.event = '';
    this.id = undefined;
    this.data = [];
    return data.length === 0 ? undefined : { ...(id !== undefined && { id }), event, data: data.join('\n') };
  }
}

/** Yields the events in a body, grouped as they arrive. An empty group is a keep-alive. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent[], void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // A reader that stops early needs no more data. Canceling a failed body rejects, which is harmless.
    await reader.cancel().catch(() => undefined);
  }
}
