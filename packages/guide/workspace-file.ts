import { quote } from './quote.js';

/** Finds the workspace file that matches a full or partial path. Returns a problem unless exactly one file matches. */
export function findFile(said: string, files: readonly string[]): { path: string } | { problem: string } {
  const wanted = said.replace(/^\.?\//, '');
  const ending = files.filter((file) => file === wanted || file.endsWith(`/${wanted}`));
  const found = files.includes(wanted) ? wanted : ending.length === 1 ? ending[0] : undefined;
  if (found !== undefined) return { path: found };
  const some = ending.slice(0, 5).map((file) => quote(file));
  return {
    problem:
      ending.length > 1
        ? `several files match this name: ${some.join(', ')}`
        : `the workspace has no file ${quote(wanted)}: upload it and send this again`,
  };
}
