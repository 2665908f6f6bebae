/** A text that grows piece by piece up to so many bytes of UTF-8, cut at a whole character. NUL is left out; no text of ours has it. */
export class BoundedText {
  private readonly pieces: string[] = [];
  private left: number;

  constructor(maxBytes: number) {
    this.left = maxBytes;
  }

  /** Whether something did not fit; nothing more is taken then. */
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
