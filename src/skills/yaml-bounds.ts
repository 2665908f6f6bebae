import { Lexer, Parser } from 'yaml';

/** Collections inside each other, counted as the parser stacks them. */
const MAX_DEPTH = 64;
const MAX_TOKENS = 10_000;

/** YAML that is not worth parsing; `offset` is where that shows. */
export class TooComplex extends Error {
  constructor(
    readonly offset: number,
    reason: string,
  ) {
    super(reason);
  }
}

/**
 * Looks at YAML before it is parsed into a document. That step is recursive and collects every fault it finds: some ten
 * thousand nested brackets end the process, as many stray commas take a second. The steps used here are neither.
 *
 * @throws TooComplex
 */
export function assertSimple(yaml: string): void {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(yaml)) {
    // The parser works while its results are taken.
    Array.from(parser.next(lexeme));
    tokens += 1;
    if (tokens > MAX_TOKENS) throw new TooComplex(parser.offset, `more than ${MAX_TOKENS} YAML tokens`);
    if (parser.stack.length > MAX_DEPTH) throw new TooComplex(parser.offset, `nested deeper than ${MAX_DEPTH} levels`);
  }
}
