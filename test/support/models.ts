/**
 * Returns a model in LP format that no solver finishes soon. It is a market split problem (Cornuejols and Dawande,
 * 1998): several sums over the same variables must each reach half of their total. Solvers find a feasible solution
 * immediately but hardly ever the optimum.
 */
export function hardModel(variables = 50, sums = 5): string {
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const names = Array.from({ length: variables }, (_, index) => `x${index}`);
  const rows = Array.from({ length: sums }, (_, row) => {
    const weights = names.map(() => Math.floor(random() * 100));
    const half = Math.floor(weights.reduce((sum, weight) => sum + weight, 0) / 2);
    const terms = names.map((name, index) => `${weights[index]} ${name}`);
    return ` sum${row}: ${terms.join(' + ')} + under${row} - over${row} = ${half}`;
  });
  const misses = rows.map((_, row) => `under${row} + over${row}`);
  return [
    'Minimize',
    ` miss: ${misses.join(' + ')}`,
    'Subject To',
    ...rows,
    'Binary',
    ` ${names.join(' ')}`,
    'End',
    '',
  ].join('\n');
}
