/** Complete model that the guide understands and can solve. The optimum is 50 chairs and 15 tables for a profit of 2,325. */
export const EXAMPLE = [
  'maximize profit: 30 chairs + 55 tables',
  'chairs, tables integer',
  'hours = 80',
  'saw_hours = 90',
  'labour: chairs + 2 tables <= hours, hard',
  'sawing: 1.5 chairs + tables <= saw_hours, hard',
  'requirement: 40 chairs',
  'requirement: 12 tables',
  'kpi: none',
  'solve',
].join('\n');
