/** The life cycle of a row: which state can follow which. A state without successors is final. */
export class Steps<State extends string> {
  private readonly states: readonly State[];

  constructor(private readonly following: Readonly<Record<State, readonly State[]>>) {
    this.states = Object.keys(following) as State[];
  }

  /** The states that `state` can follow: a change to it is made where one of them stands, and nowhere else. */
  before(state: State): State[] {
    return this.states.filter((from) => this.following[from].includes(state));
  }

  /**
   * The same as a condition in SQL. For statements that take the states as literals: partial indexes on the state serve these,
   * also where the planner should look up the one row by its id.
   */
  mayBecome(state: State, column = 'state'): string {
    const before = this.before(state).map((from) => `'${from}'`);
    return before.length === 1 ? `${column} = ${before[0]}` : `${column} IN (${before.join(', ')})`;
  }

  /** Whether a state is final. */
  isEnd(state: State): boolean {
    return this.following[state].length === 0;
  }
}
