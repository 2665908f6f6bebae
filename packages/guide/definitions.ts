import { apply } from './apply.js';
import { computedNames, sayEquation, undefine } from './computed-numbers.js';
import { definitionIn } from './definition-grammar.js';
import { combinedSets } from './derived-set-grammar.js';
import { combination, isDerived } from './derived-sets.js';
import { readStatement } from './grammar.js';
import { Pauses } from './pauses.js';
import type { Sketch } from './sketch.js';
import type { Statement, StatementOf } from './statement.js';
import type { Turn } from './turn.js';
import type { ParsedStatement } from './turn-work.js';
import { unknownNames } from './unknown-names.js';

/*
 * Decides which equations without `compute` define numbers. An equation such as `margin[p] = price[p] - cost[p]` is a definition
 * if its name is new and its formula contains known numbers only. The other statements in the message are applied to a copy of
 * the canvas first, because they may declare the names in any order.
 */

type Definition = StatementOf<'definition'>;

/** Statement, and the definition that it is or may be. */
interface Part {
  source: string;
  statement: Statement;
  definition?: Definition | undefined;
}

/**
 * Returns the statements with all definitions at the end. If a message declares a variable that a definition on the canvas
 * contains, the definition becomes an equation again.
 */
export async function withDefinitions(
  said: readonly ParsedStatement[],
  sketch: Sketch,
  files: readonly string[],
  readFiles: Turn['readFiles'],
): Promise<readonly ParsedStatement[]> {
  const parts = new Map(said.map((one) => [one, partsOf(one)]));
  const all = [...parts.values()].flat();
  const isUnchanged = computedNames(sketch).length === 0 || !all.some(({ statement }) => mayDeclare(statement));
  if (isUnchanged && all.every(({ definition }) => definition === undefined)) return said;
  const probe = await applied(
    all.filter(({ definition }) => definition === undefined),
    sketch,
    files,
  );
  probe.files = await readFiles(probe.contents());
  sketch.files = probe.files;
  const sets = combinationsAmong(all, probe);
  for (const { statement, source } of sets.values()) apply(statement, { sketch: probe, files }, source);
  const definitions = definitionsAmong(
    all.filter((part) => !sets.has(part)),
    probe,
  );
  const toReading = ({ source, statement }: Part): ParsedStatement => ({ source, reading: { statement } });
  const others = said.flatMap((one) => {
    const own = parts.get(one) ?? [];
    const rest = own.filter((part) => !definitions.includes(part) && !sets.has(part));
    return rest.length === own.length ? [one] : rest.map(toReading);
  });
  const stated = definitions.map(({ source, statement, definition = statement }) =>
    toReading({ source, statement: definition }),
  );
  return [...others, ...equationsAgain(sketch, probe), ...[...sets.values()].map(toReading), ...stated];
}

/** Returns the equations that combine sets as definitions of sets, each after the definitions of its parts. */
function combinationsAmong(parts: readonly Part[], probe: Sketch): Map<Part, Part> {
  const known = new Set(probe.vocabulary.sets.keys());
  const isFree = (name: string): boolean => !known.has(name) || isDerived(probe, name) || combinedNames.has(name);
  const combinedNames = new Set<string>();
  const found = new Map<Part, Part>();
  for (let count = -1; count !== found.size;) {
    count = found.size;
    for (const part of parts) {
      const { definition, source } = part;
      const combined = definition === undefined || found.has(part) ? undefined : combinedSets(definition);
      if (definition === undefined || combined === undefined) continue;
      const { name } = definition;
      if (!isFree(name) || ![...combined.added, ...combined.removed].every((one) => known.has(one))) continue;
      found.set(part, { source, statement: combination(name, combined) });
      known.add(name);
      combinedNames.add(name);
    }
  }
  return found;
}

/** Returns the statements in a line. */
function partsOf({ source, reading: { statement } }: ParsedStatement): Part[] {
  if (statement === undefined) return [];
  const statements = statement.kind === 'several' ? statement.statements : [statement];
  return statements.map((one) => ({
    source,
    statement: one,
    definition: one.kind === 'definition' ? one : definitionIn(one),
  }));
}

const mayDeclare = ({ kind }: Statement): boolean => kind === 'variables' || kind === 'family' || kind === 'relation';

/** Applies statements to a copy of the canvas. Statements that fail are applied again after the others. */
async function applied(parts: readonly Part[], sketch: Sketch, files: readonly string[]): Promise<Sketch> {
  const probe = sketch.copy();
  const pauses = new Pauses();
  const failed: Part[] = [];
  for (const part of parts) {
    await pauses.step();
    if (apply(part.statement, { sketch: probe, files }, part.source) !== undefined) failed.push(part);
  }
  for (const { statement, source } of failed) {
    await pauses.step();
    apply(statement, { sketch: probe, files }, source);
  }
  return probe;
}

/** Returns the statements that are definitions, given the canvas after all other statements. */
function definitionsAmong(parts: readonly Part[], probe: Sketch): Part[] {
  const { columns, sets, values, variables, families } = probe.vocabulary;
  const candidates = parts.flatMap((part) => {
    const { statement, definition } = part;
    return definition === undefined ? [] : [{ part, definition, isStated: statement.kind === 'definition' }];
  });
  const names = new Set(candidates.map(({ definition }) => definition.name));
  const decisions = namesOfDecisions(probe, { figures: names });
  // Whether a candidate is a decision depends on the other names: in `make[p] * margin[p]`, only one of them is.
  const decided = namesOfDecisions(probe, { decisions });
  const isVariable = (name: string): boolean => variables.has(name) || families.has(name) || decisions.has(name);
  const isNew = ({ name, index }: Definition): boolean =>
    !isVariable(name) &&
    !values.has(name) &&
    !sets.has(name) &&
    columns.get(name)?.some(({ isComputed }) => isComputed !== true) !== true &&
    (index !== undefined || probe.namedCard(name) === undefined);
  const defined = new Set<string>();
  const isKnown = (name: string): boolean =>
    defined.has(name) || values.has(name) || columns.has(name) || sets.has(name) || probe.computing(name) !== undefined;
  const isDefinition = (definition: Definition): boolean => {
    const open = definition.names.filter((name) => !isKnown(name));
    const mayBeKnown = (name: string): boolean =>
      !isVariable(name) && !names.has(name) && probe.namedCard(name) === undefined;
    return open.every(mayBeKnown) && (open.length === 0 || !decided.has(definition.name));
  };
  const accepted = new Set<Part>();
  let waiting = candidates.filter(({ isStated, definition }) => isStated || isNew(definition));
  for (let count = -1; count !== waiting.length;) {
    count = waiting.length;
    waiting = waiting.filter(({ part, definition, isStated }) => {
      if (!isStated && !isDefinition(definition)) return true;
      accepted.add(part);
      defined.add(definition.name);
      return false;
    });
  }
  return parts.filter((part) => accepted.has(part));
}

const namesOfDecisions = (probe: Sketch, assumed: Parameters<typeof unknownNames>[1]): Set<string> =>
  new Set(unknownNames(probe, assumed).flatMap(({ name, isFigure }) => (isFigure ? [] : [name])));

/** Removes the definitions that contain new variables, and returns them as equations. */
const equationsAgain = (sketch: Sketch, probe: Sketch): ParsedStatement[] =>
  computedNames(sketch).flatMap((computed) => {
    const isNew = (name: string): boolean => sketch.variable(name) === undefined && probe.variable(name) !== undefined;
    if (!computed.inputs.some(isNew)) return [];
    const source = sayEquation(computed);
    undefine(computed.name, sketch, source);
    return [{ source, reading: readStatement(source) }];
  });
