/** What a plan makes of a model: a number for each variable and each row. */
export interface Plan {
  values: Float64Array;
  /** Of rows: the value of the side with the variables, and the distance to the nearer bound. */
  activities: Float64Array;
  slacks: Float64Array;
  /** Of linear programs: what `Prices` has. */
  duals?: Float64Array;
  reducedCosts?: Float64Array;
}
