/** An answer as it came over the wire. */
export interface WireAnswer {
  method: string;
  /** Path without query. */
  path: string;
  status: number;
  contentType: string | null;
  text: string;
}

/** An OpenAPI document. */
export interface Document {
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object> };
}

/**
 * Checks answers against an OpenAPI document, more strictly than the document reads: properties that it does not name
 * are refused, except in free-form objects.
 */
export class Contract {
  constructor(document: Document);

  /** @throws Error that says what in the answer the document does not allow. */
  check(answer: WireAnswer): void;
}

/** The contract of the committed document. */
export function committedContract(): Contract;
