import { createHash } from 'node:crypto';

/** Counts up when answers come to be made of the same rows in another form: tags of before are no one's any more. */
const FORM = 1;
/** Characters of a tag, of 6 bits each. */
const LENGTH = 22;

/** What else than a revision an answer depends on. */
export type TagPart = string | number | boolean | null;

/**
 * The entity tag, without quotes, of an answer: of what it is made of, by ids and revisions of rows, so that it is known
 * before the answer is made. Revisions never come back ({@link RevisionColumn}), so neither do tags. A tag says nothing beyond the
 * address where it was told: rows from before there were revisions share one.
 */
export const entityTag = (...parts: readonly TagPart[]): string =>
  createHash('sha256')
    .update(JSON.stringify([FORM, ...parts]))
    .digest('base64url')
    .slice(0, LENGTH);

/** How a body can be sent beside as it is; a tag has this behind it, as different bytes have different strong tags. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The `ETag` of a body that is sent in a coding. */
export const tagHeader = (tag: string, coding?: Coding): string =>
  `"${tag}${coding === undefined ? '' : `-${coding}`}"`;

/** A tag of a request, without quotes. */
interface GivenTag {
  tag: string;
  isWeak: boolean;
}

/** Tags in a list, each as often as it is there. */
const TAGS = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

const tagsIn = (header: string): GivenTag[] =>
  [...header.matchAll(TAGS)].map(([, weak, tag = '']) => ({ tag, isWeak: weak !== undefined }));

/** Whether a tag as a client has it is this one, in whatever coding its body was sent. */
const isTag = (given: string, tag: string): boolean =>
  given === tag || CODINGS.some((coding) => given === `${tag}-${coding}`);

/** What is meant by any tag of something that is there. */
const ANY = '*';

/** What a client has already: the tags in its `If-None-Match`. */
export class KnownTags {
  static readonly NONE = new KnownTags('');
  private readonly tags: readonly GivenTag[];
  private readonly isAny: boolean;

  private constructor(header: string) {
    this.isAny = header.trim() === ANY;
    this.tags = this.isAny ? [] : tagsIn(header);
  }

  static in(header: string | undefined): KnownTags {
    return header === undefined ? KnownTags.NONE : new KnownTags(header);
  }

  /** Whether there can be a tag that it has. */
  get isEmpty(): boolean {
    return !this.isAny && this.tags.length === 0;
  }

  /** The tag as the client has it, without quotes; undefined when it does not have it. */
  find(tag: string): string | undefined {
    return this.isAny ? tag : this.tags.find((given) => isTag(given.tag, tag))?.tag;
  }

  has(tag: string): boolean {
    return this.find(tag) !== undefined;
  }

  /** Whether this very tag is among them: then there was an answer that had it. */
  names(tag: string): boolean {
    return !this.isAny && this.has(tag);
  }
}

/** What a client has based a change on: the tags in its `If-Match`. */
export class ExpectedTags {
  static readonly NOT_GIVEN = new ExpectedTags(undefined);
  /** Undefined where it does not matter. */
  private readonly tags: readonly string[] | undefined;
  private readonly isAny: boolean;

  private constructor(private readonly header: string | undefined) {
    this.isAny = header?.trim() === ANY;
    // A weak tag does not say that the bytes were the same.
    this.tags =
      header === undefined || this.isAny
        ? undefined
        : tagsIn(header).flatMap(({ tag, isWeak }) => (isWeak ? [] : [tag]));
  }

  static in(header: string | undefined): ExpectedTags {
    return header === undefined ? ExpectedTags.NOT_GIVEN : new ExpectedTags(header);
  }

  /** Whether a change may be made of something that has this tag; undefined: that is not there. */
  allow(tag: string | undefined): boolean {
    if (this.header === undefined) return true;
    if (tag === undefined) return false;
    return this.tags === undefined || this.tags.some((given) => isTag(given, tag));
  }

  /** Whether it matters which tag it is, or whether there is one. */
  get isGiven(): boolean {
    return this.header !== undefined;
  }
}
