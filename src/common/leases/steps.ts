/** Life cycle of a row: the allowed transitions between its states. A state without successors is final. */
export class Steps<State extends string> {
  private readonly states: readonly State[];

  constructor(private readonly following: Readonly<Record<State, readonly State[]>>) {
    this.states = Object.keys(following) as State[];
  }

  /** Returns the states that may precede `state`. An update to `state` must be conditional on them. */
  before(state: State): State[] {
    return this.states.filter((from) => this.following[from].includes(state));
  }

  /**
   * Returns the same states as an SQL condition. They are literals, because the planner can match only literals with partial
   * indexes on the state.
   */
  mayBecome(state: State, column = 'state'): string {
    const before = this.before(state).map((from) => `'${from}'`);
    return before.length === 1 ? `${column} = ${before[0]}` : `${column} IN (${before.join(', ')})`;
  }

  isEnd(state: State): boolean {
    return this.following[state].length === 0;
  }
}
