/** A whole model in words of the guide, which solves it: 50 chairs and 15 tables for a profit of 2,325. */
export const EXAMPLE = [
  'maximize profit: 30 chairs + 55 tables',
  'chairs, tables integer',
  'labour: chairs + 2 tables <= 80, hard',
  'sawing: 1.5 chairs + tables <= 90, hard',
  'chairs ordered: chairs >= 40, hard',
  'tables ordered: tables >= 12, hard',
  'solve',
].join('\n');
