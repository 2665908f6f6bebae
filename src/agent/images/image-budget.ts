/**
 * Maximum size of an image in bytes. Anthropic's limit of 5 MiB (5,242,880 bytes) applies to the base64 encoding, which is a
 * third larger than the file.
 */
export const MAX_IMAGE_BYTES = 3_750_000;
/** Maximum number of images in a request. Above 20, Anthropic accepts only smaller images. */
export const MAX_IMAGES = 10;
/**
 * Maximum total size of the images in a request, in bytes. Providers accept 32 MB or more, including base64 and the conversation.
 */
export const MAX_IMAGES_BYTES = 10_000_000;

/** Reason why an image is not shown: an error code for the tool, and a phrase that follows "not shown: ". */
export interface Refusal {
  code: 'not_text' | 'too_large' | 'limit_reached' | 'unavailable';
  reason: string;
}

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

/**
 * Tracks the image limits for a turn. Every request contains all images shown so far in the turn, so the limits apply to their
 * total.
 */
export class ImageBudget {
  /** Total size of the images shown in the turn, in bytes. */
  bytes = 0;
  private images = 0;

  /** Counts an image as shown. */
  add(size: number): void {
    this.images += 1;
    this.bytes += size;
  }

  /** Undoes {@link add} for an image that could not be read. */
  giveBack(size: number): void {
    this.images -= 1;
    this.bytes -= size;
  }

  /** Returns the reason why another image of this size cannot be shown, or undefined if it can. */
  refusal(size: number): Refusal | undefined {
    if (size > MAX_IMAGE_BYTES) {
      return {
        code: 'too_large',
        reason: `it has ${bytes(size)}, but an image can have at most ${bytes(MAX_IMAGE_BYTES)}`,
      };
    }
    if (this.images >= MAX_IMAGES) {
      return { code: 'limit_reached', reason: `an answer can use at most ${MAX_IMAGES} images` };
    }
    if (this.bytes + size > MAX_IMAGES_BYTES) {
      const reason = `the images of an answer can have at most ${bytes(MAX_IMAGES_BYTES)} in total`;
      return { code: 'limit_reached', reason };
    }
    return undefined;
  }
}
