/** One page of rows with the number of all rows there are. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}
