/** Page of rows, with the total number of rows in the listing. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}
