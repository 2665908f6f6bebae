/**
 * Text that grows piece by piece up to a number of UTF-8 bytes and is cut at a whole character. NUL characters are removed
 * because the service does not store them.
 */
export class BoundedText {
  private readonly pieces: string[] = [];
  private left: number;

  constructor(maxBytes: number) {
    this.left = maxBytes;
  }

  /** Whether a piece did not fit. Later pieces are ignored. */
  get isCut(): boolean {
    return this.left < 0;
  }

  add(piece: string): void {
    if (this.isCut) return;
    const text = piece.replaceAll('\0', '').toWellFormed();
    const bytes = Buffer.byteLength(text);
    this.pieces.push(bytes <= this.left ? text : startOf(text, this.left));
    this.left -= bytes;
  }

  toString(): string {
    return this.pieces.join('');
  }
}

function startOf(text: string, bytes: number): string {
  const room = new Uint8Array(bytes);
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}
