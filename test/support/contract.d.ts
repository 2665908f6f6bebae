/** Response as received over the wire. */
export interface WireAnswer {
  method: string;
  /** Path without the query. */
  path: string;
  status: number;
  contentType: string | null;
  text: string;
}

/** OpenAPI document. */
export interface Document {
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object> };
}

/**
 * Checks responses against an OpenAPI document. Rejects properties that the document does not list, except in
 * free-form objects.
 */
export class Contract {
  constructor(document: Document);

  /** @throws Error that names the part of the response that the document does not allow */
  check(answer: WireAnswer): void;
}

/** Returns the contract of the committed document. */
export function committedContract(): Contract;
