/**
 * Text buffer that holds at most a given number of UTF-8 bytes. Text is cut between characters, never inside one. NUL
 * characters are removed because the service does not store them.
 */
export class BoundedText {
  private readonly pieces: string[] = [];
  private remainingBytes: number;

  constructor(maxBytes: number) {
    this.remainingBytes = maxBytes;
  }

  /** Whether some of the appended text did not fit. Later calls append nothing. */
  get isCut(): boolean {
    return this.remainingBytes < 0;
  }

  add(piece: string): void {
    if (this.isCut) return;
    const text = piece.replaceAll('\0', '').toWellFormed();
    const bytes = Buffer.byteLength(text);
    this.pieces.push(bytes <= this.remainingBytes ? text : startOf(text, this.remainingBytes));
    this.remainingBytes -= bytes;
  }

  toString(): string {
    return this.pieces.join('');
  }
}

function startOf(text: string, bytes: number): string {
  const buffer = new Uint8Array(bytes);
  return text.slice(0, new TextEncoder().encodeInto(text, buffer).read);
}
