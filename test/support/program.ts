import type { GLPK, LP } from 'glpk.js/node';

type Relation = '<=' | '>=' | '=';
type Term = readonly [coefficient: number, variable: string];

interface Column {
  cost: number;
  lower: number;
  upper: number;
  isWhole: boolean;
  /** Whether the variable belongs only to the formulation, so that plans do not contain it. */
  isHelper: boolean;
}

/** Returns the name of a member of an indexed variable, such as `ship[Seattle, Topeka]`. */
export const member = (name: string, ...keys: (string | number)[]): string => `${name}[${keys.join(', ')}]`;

/** Linear program for GLPK, built variable by variable and row by row. */
export class Program {
  private readonly columns = new Map<string, Column>();
  private readonly rows: { terms: Map<string, number>; lower: number; upper: number }[] = [];

  constructor(private readonly sense: 'minimize' | 'maximize') {}

  /** Adds a variable and returns its name. */
  variable(
    name: string,
    { cost = 0, lower = 0, upper = Infinity, isWhole = false, isHelper = false }: Partial<Column> = {},
  ): string {
    if (this.columns.has(name)) throw new Error(`${name} is there already`);
    this.columns.set(name, { cost, lower, upper, isWhole, isHelper });
    return name;
  }

  binary(name: string, cost = 0): string {
    return this.variable(name, { cost, upper: 1, isWhole: true });
  }

  row(terms: readonly Term[], relation: Relation, figure: number): void {
    const sums = new Map<string, number>();
    for (const [coefficient, name] of terms) {
      if (!this.columns.has(name)) throw new Error(`There is no ${name}`);
      sums.set(name, (sums.get(name) ?? 0) + coefficient);
    }
    this.rows.push({
      terms: sums,
      lower: relation === '<=' ? -Infinity : figure,
      upper: relation === '>=' ? Infinity : figure,
    });
  }

  /** Returns the optimal objective. @throws if the program has no optimum */
  optimum(glpk: GLPK): number {
    return this.solve(glpk, this.columns);
  }

  /**
   * Returns the best objective with the variables fixed to the values of a plan.
   *
   * @throws if the plan is infeasible, lacks a variable, or contains an unknown variable
   */
  objectiveOf(glpk: GLPK, plan: ReadonlyMap<string, number>, tolerance: number): number {
    const columns = new Map(this.columns);
    for (const [name, { isHelper }] of columns)
      if (!isHelper && !plan.has(name)) throw new Error(`The plan has no ${name}`);
    for (const [name, value] of plan) {
      const column = columns.get(name);
      if (column === undefined) throw new Error(`The plan has ${name}, and the formulation has not`);
      const { lower, upper, isWhole } = column;
      const isNear = value >= lower - tolerance && value <= upper + tolerance;
      if (!isNear || (isWhole && Math.abs(value - Math.round(value)) > tolerance))
        throw new Error(`${name} = ${value} is not what it may be`);
      columns.set(name, { ...column, lower: value, upper: value, isWhole: false });
    }
    return this.solve(glpk, columns);
  }

  private solve(glpk: GLPK, columns: ReadonlyMap<string, Column>): number {
    const all = [...columns];
    const generals = all.flatMap(([name, { isWhole }]) => (isWhole ? [name] : []));
    const lp: LP = {
      name: 'program',
      objective: {
        direction: this.sense === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
        name: 'objective',
        vars: all.map(([name, { cost }]) => ({ name, coef: cost })),
      },
      subjectTo: this.rows.map(({ terms, lower, upper }, at) => ({
        name: `row ${at}`,
        vars: Array.from(terms, ([name, coef]) => ({ name, coef })),
        bnds: limits(glpk, lower, upper),
      })),
      bounds: all.map(([name, { lower, upper }]) => ({ name, ...limits(glpk, lower, upper) })),
      ...(generals.length > 0 && { generals }),
    };
    // GLPK needs its presolver for integer variables. Plans are checked without the presolver.
    const { status, z } = glpk.solve(lp, { msglev: glpk.GLP_MSG_OFF, presol: generals.length > 0 }).result;
    if (status !== glpk.GLP_OPT) throw new Error(`GLPK ended with status ${status}`);
    return z;
  }
}

function limits(glpk: GLPK, lower: number, upper: number): { type: number; lb: number; ub: number } {
  const [hasLower, hasUpper] = [Number.isFinite(lower), Number.isFinite(upper)];
  const one = hasLower ? glpk.GLP_LO : hasUpper ? glpk.GLP_UP : glpk.GLP_FR;
  const both = lower === upper ? glpk.GLP_FX : glpk.GLP_DB;
  return { type: hasLower && hasUpper ? both : one, lb: hasLower ? lower : 0, ub: hasUpper ? upper : 0 };
}
