export { splitForeign } from './split.js';
export { type Role, translate, type Translation } from './translate.js';
export { type Dialect, DIALECTS, type Known } from './tree.js';
