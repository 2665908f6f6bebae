/** Solution of a model, with a number for each variable and each row. */
export interface Plan {
  values: Float64Array;
  /** Value of each row's expression. `slacks` is its distance to the nearer bound. */
  activities: Float64Array;
  slacks: Float64Array;
  /** Whether the condition of each row is met. Absent for models without conditional rows. */
  inForce?: readonly boolean[];
  /** Duals and reduced costs of linear programs, as in `Prices`. */
  duals?: Float64Array;
  reducedCosts?: Float64Array;
}
