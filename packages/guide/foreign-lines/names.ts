/** Words with a meaning in formulas, or at the start of a statement. A name from another language gets a `_` after such a word. */
const RESERVED = new Set(
  (
    'sum for in where is and or not if then else min max count abs round floor ceil first last position given empty missing ' +
    'binary integer integers continuous free hard soft compute objective objectives goal goals kpi kpis data set sets show help solve later undo ' +
    'constraint constraints variable variables var value values bound bounds requirement requirements scenario remove confirm ' +
    'maximize minimize maximise minimise column key sheet from to with at by tiered such subject'
  ).split(' '),
);

/** Adapts names to the grammar. The same name always gets the same result, and different names get different results. */
export class Names {
  private readonly written = new Map<string, string>();
  private readonly taken = new Set<string>();

  of(name: string): string {
    const known = this.written.get(name);
    if (known !== undefined) return known;
    const plain = name.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_');
    const begun = /^[\p{L}_]/u.test(plain) ? plain : `n${plain}`;
    const adapted = this.free(RESERVED.has(begun.toLowerCase()) ? `${begun}_` : begun);
    this.written.set(name, adapted);
    return adapted;
  }

  /** Returns an unused name that resembles the given name. */
  free(name: string): string {
    let free = name;
    for (let number = 2; this.taken.has(free); number += 1) free = `${name}_${number}`;
    this.taken.add(free);
    return free;
  }

  /** Returns the names that were changed, with their new spelling. */
  get changes(): [from: string, to: string][] {
    return [...this.written].filter(([from, to]) => from !== to);
  }
}
