import { createHash } from 'node:crypto';

/**
 * Version of the response formats. Increment it when a change to the code makes the same rows produce different responses. This
 * invalidates all earlier tags.
 */
const FORM = 1;
/** Length of a tag in base64url characters of 6 bits. */
const LENGTH = 22;

/** Input for an entity tag, in addition to row revisions. */
export type TagPart = string | number | boolean | null;

/**
 * Returns the entity tag of a response, without quotes. It is computed from ids and row revisions, so it is known before the
 * response is built. Revisions are never reused ({@link RevisionColumn}), so tags are not reused either.
 *
 * A tag is valid only for the URL that returned it. Rows older than the revision column share a single tag.
 */
export const entityTag = (...parts: readonly TagPart[]): string =>
  createHash('sha256')
    .update(JSON.stringify([FORM, ...parts]))
    .digest('base64url')
    .slice(0, LENGTH);

/**
 * Encodings of a response body. The name of the encoding is appended to the tag, because different bytes need different strong
 * tags.
 */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Returns the `ETag` header for a body in a given encoding. */
export const tagHeader = (tag: string, coding?: Coding): string =>
  `"${tag}${coding === undefined ? '' : `-${coding}`}"`;

/** Tag in a request, without quotes. */
interface RequestTag {
  tag: string;
  isWeak: boolean;
}

/** Matches every tag in a list. */
const TAGS = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

const tagsIn = (header: string): RequestTag[] =>
  [...header.matchAll(TAGS)].map(([, weak, tag = '']) => ({ tag, isWeak: weak !== undefined }));

/** Whether a client's tag refers to `tag`, in any encoding of the body. */
const isTag = (sent: string, tag: string): boolean =>
  sent === tag || CODINGS.some((coding) => sent === `${tag}-${coding}`);

/** Matches any existing resource. */
const ANY = '*';

/** Tags in `If-None-Match`: the versions that the client already has. */
export class ClientTags {
  static readonly NONE = new ClientTags('');
  private readonly tags: readonly RequestTag[];
  private readonly isAny: boolean;

  private constructor(header: string) {
    this.isAny = header.trim() === ANY;
    this.tags = this.isAny ? [] : tagsIn(header);
  }

  static in(header: string | undefined): ClientTags {
    return header === undefined ? ClientTags.NONE : new ClientTags(header);
  }

  /** Whether the header contains no tag. */
  get isEmpty(): boolean {
    return !this.isAny && this.tags.length === 0;
  }

  /**
   * Returns the tag as the client sent it, without quotes, or undefined if the header does not match the tag. With `*`, returns
   * the tag itself.
   */
  find(tag: string): string | undefined {
    return this.isAny ? tag : this.tags.find((candidate) => isTag(candidate.tag, tag))?.tag;
  }

  has(tag: string): boolean {
    return this.find(tag) !== undefined;
  }

  /**
   * Whether the client listed this tag explicitly, so it must have received the tag in an earlier response. `*` does not count.
   */
  names(tag: string): boolean {
    return !this.isAny && this.has(tag);
  }
}

/** Tags in `If-Match`: the versions that the client's change is based on. */
export class ExpectedTags {
  static readonly NONE = new ExpectedTags(undefined);
  /** Undefined if any tag is allowed. */
  private readonly tags: readonly string[] | undefined;
  private readonly isAny: boolean;

  private constructor(private readonly header: string | undefined) {
    this.isAny = header?.trim() === ANY;
    // A weak tag does not guarantee identical bytes.
    this.tags =
      header === undefined || this.isAny
        ? undefined
        : tagsIn(header).flatMap(({ tag, isWeak }) => (isWeak ? [] : [tag]));
  }

  static in(header: string | undefined): ExpectedTags {
    return header === undefined ? ExpectedTags.NONE : new ExpectedTags(header);
  }

  /** Whether a resource with this tag may be changed. An undefined tag means that the resource does not exist. */
  allow(tag: string | undefined): boolean {
    if (this.header === undefined) return true;
    if (tag === undefined) return false;
    return this.tags === undefined || this.tags.some((candidate) => isTag(candidate, tag));
  }

  /** Whether the request has `If-Match`. */
  get isPresent(): boolean {
    return this.header !== undefined;
  }
}
