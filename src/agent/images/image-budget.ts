/**
 * Most bytes of an image. Anthropic takes 5 MiB (5,242,880 bytes) of it in base64, which is a third longer than the file.
 */
export const MAX_IMAGE_BYTES = 3_750_000;
/** Most images of a request. Beyond 20, Anthropic takes smaller ones only. */
export const MAX_IMAGES = 10;
/** Most bytes of all images of a request; providers take 32 MB and more, in base64 and with the conversation. */
export const MAX_IMAGES_BYTES = 10_000_000;

/** Why an image is not shown: a tool's code, and words that follow "not shown: ". */
export interface Refusal {
  code: 'not_text' | 'too_large' | 'limit_reached' | 'unavailable';
  reason: string;
}

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

/** What the requests of a turn may hold of images: all that it has shown goes along with each request. */
export class ImageBudget {
  /** Bytes of the images until now. */
  bytes = 0;
  private images = 0;

  /** Counts an image that is shown. */
  add(size: number): void {
    this.images += 1;
    this.bytes += size;
  }

  /** Gives back what an image was counted for that could not be read. */
  giveBack(size: number): void {
    this.images -= 1;
    this.bytes -= size;
  }

  /** Why an image of so many bytes cannot be shown as well; undefined when it can. */
  refusal(size: number): Refusal | undefined {
    if (size > MAX_IMAGE_BYTES) {
      return { code: 'too_large', reason: `it has ${bytes(size)}, and an image may have ${bytes(MAX_IMAGE_BYTES)}` };
    }
    if (this.images >= MAX_IMAGES) {
      return { code: 'limit_reached', reason: `an answer looks at ${MAX_IMAGES} images at most` };
    }
    if (this.bytes + size > MAX_IMAGES_BYTES) {
      const reason = `the images of an answer may have ${bytes(MAX_IMAGES_BYTES)} together`;
      return { code: 'limit_reached', reason };
    }
    return undefined;
  }
}
