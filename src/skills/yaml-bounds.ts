import { Lexer, Parser } from 'yaml';

/** Maximum nesting depth of collections, measured as the size of the parser's stack. */
const MAX_DEPTH = 64;
const MAX_TOKENS = 10_000;

/** Thrown for YAML that is too complex to parse. `offset` is the position at which a limit was exceeded. */
export class TooComplex extends Error {
  constructor(
    readonly offset: number,
    reason: string,
  ) {
    super(reason);
  }
}

/**
 * Checks YAML before it is parsed into a document. Parsing into a document is recursive and collects every error, so about ten
 * thousand nested brackets would crash the process, and as many stray commas would take a second. The lexer and parser used
 * here are not recursive and do not collect errors.
 *
 * @throws TooComplex
 */
export function assertSimple(yaml: string): void {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(yaml)) {
    // The parser is a generator, so its results must be consumed.
    Array.from(parser.next(lexeme));
    tokens += 1;
    if (tokens > MAX_TOKENS) throw new TooComplex(parser.offset, `more than ${MAX_TOKENS} YAML tokens`);
    if (parser.stack.length > MAX_DEPTH) throw new TooComplex(parser.offset, `nested deeper than ${MAX_DEPTH} levels`);
  }
}
