/** An event as it was sent. */
export interface ServerSentEvent {
  /** Absent on events that nobody can go on after. */
  id?: string;
  event: string;
  data: string;
}

const LINE_END = /\r\n|\n|\r/;

/**
 * Reads server-sent events from text in pieces, as the HTML standard says, but for two fields that mean nothing here: ids
 * are those of their own event alone, and `retry` is left out.
 */
export class EventParser {
  /** Of a line whose end is still to come. */
  private started = '';
  private endedInReturn = false;
  private event = '';
  private id: string | undefined;
  private data: string[] = [];

  /** The events that are whole with this piece. */
  take(piece: string): ServerSentEvent[] {
    if (piece === '') return [];
    // A line end of two characters may come in two pieces.
    const text = this.endedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.endedInReturn = piece.endsWith('\r');
    const [first = '', ...more] = text.split(LINE_END);
    const lines = [this.started + first, ...more];
    this.started = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  private line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.whole();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.event = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private whole(): ServerSentEvent | undefined {
    const { id, data } = this;
    const event = this.event || 'message';
    this.event = '';
    this.id = undefined;
    this.data = [];
    return data.length === 0 ? undefined : { ...(id !== undefined && { id }), event, data: data.join('\n') };
  }
}

/** The events of a body, in the groups in which they came; an empty group is a sign of life. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent[], void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield parser.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Whoever stops reading wants no more; of a body that has failed there is nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}
