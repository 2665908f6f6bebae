import {
  type MpsEntry,
  type MpsSplitter,
  PLAIN_BOUNDS,
  ROW_SECTIONS,
  splitAtPositions,
  splitAtSpaces,
} from './mps-fields.js';
import {
  assertWithin,
  emptyModel,
  MAX_COEFFICIENT,
  type Model,
  MODEL_LIMITS,
  ModelProblem,
  type Place,
  problemAt,
  type Row,
  toBound,
  type Variable,
} from './model.js';
import { makeSemiContinuous } from './semi-continuous.js';

interface MpsRow {
  name: string;
  type: string;
  terms: { variables: number[]; coefficients: number[] };
  rightSide?: number;
  range?: number;
}

/** Sections that are only accepted if they are empty, with the name of what they contain. */
const UNSUPPORTED: Record<string, string> = {
  ...of('special ordered sets', 'SOS', 'SOS1', 'SOS2', 'SETS'),
  ...of('quadratic terms', 'QUADOBJ', 'QMATRIX', 'QSECTION', 'QCMATRIX'),
  ...of('piecewise-linear functions', 'PWLOBJ', 'PWLNAM', 'PWLCON'),
  ...of('indicator constraints', 'INDICATORS'),
  ...of('general constraints', 'GENCONS'),
  ...of('cones', 'CSECTION'),
};

function of(content: string, ...sections: string[]): Record<string, string> {
  return Object.fromEntries(sections.map((section) => [section, content]));
}

type Bounds = Partial<Pick<Variable, 'lower' | 'upper' | 'isInteger'>>;

/** Types of bounds that make variables semi-continuous. */
const SEMI_CONTINUOUS = ['SC', 'SI'];
/** Values that a bound of each type gives a variable, depending on its number. */
const BOUNDS: Record<string, (value: number) => Bounds> = {
  LO: (lower) => ({ lower }),
  UP: (upper) => ({ upper }),
  FX: (value) => ({ lower: value, upper: value }),
  FR: () => ({ lower: -Infinity, upper: Infinity }),
  MI: () => ({ lower: -Infinity }),
  PL: () => ({ upper: Infinity }),
  BV: () => ({ lower: 0, upper: 1, isInteger: true }),
  LI: (lower) => ({ lower, isInteger: true }),
  UI: (upper) => ({ upper, isInteger: true }),
  SC: (upper) => ({ upper }),
  SI: (upper) => ({ upper, isInteger: true }),
};

const SECTIONS = [
  ...ROW_SECTIONS,
  'NAME',
  'OBJSENSE',
  'COLUMNS',
  'RHS',
  'RANGES',
  'BOUNDS',
  ...Object.keys(UNSUPPORTED),
];
/** Index of the objective in the table of rows. */
const OBJECTIVE = -1;
/** Index of any other row of type N. Such rows have no effect. */
const FREE = -2;
/** Maximum length of a data line, in UTF-16 units. Sufficient for names of maximum length. */
const MAX_LINE_LENGTH = 4_096;
const NUMBER = /^[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[ed][+-]?\d{1,400})?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
const SENSE = /^(?:(max)|min)(?:imi[sz]e)?$/i;
/** Comment in which PuLP writes the sense of the objective. */
const PULP_MAXIMUM = /^\*SENSE:Maximize/;

/**
 * Parses a model in MPS format. Its fields are separated by white space, or they are at fixed positions, so that names can
 * contain spaces.
 *
 * This reader replaces the one in HiGHS, which ignores unknown rows, duplicate numbers and invalid numbers, and does not report
 * lines. It follows the rules on which most readers agree. Integer variables without bounds are binary. A negative upper bound
 * removes the default lower bound of 0. The number on the right side of the objective is subtracted from it. Readers disagree
 * about values that are given twice, so such values are rejected.
 *
 * @throws ModelProblem with line and field
 */
export function readMps(text: string): Model {
  const free = new MpsReader(text, splitAtSpaces);
  try {
    return free.model();
  } catch (problem) {
    if (!(problem instanceof ModelProblem) || problem.code !== 'invalid_model') throw problem;
    const fixed = new MpsReader(text, splitAtPositions);
    try {
      return fixed.model();
    } catch (other) {
      // The reader that has read more lines probably has the right format.
      throw other instanceof ModelProblem && fixed.line <= free.line ? problem : other;
    }
  }
}

class MpsReader {
  /** One-based number of the current line. */
  line = 0;
  private section = '';
  private readonly sections = new Set<string>();
  private readonly result = emptyModel();
  private readonly objective = { variables: [] as number[], coefficients: [] as number[] };
  private readonly rows: MpsRow[] = [];
  /** Indexes of the rows by name, including {@link OBJECTIVE} and {@link FREE}. */
  private readonly rowIndexes = new Map<string, number>();
  private readonly variableIndexes = new Map<string, number>();
  private readonly bounded = { lower: new Set<Variable>(), upper: new Set<Variable>() };
  /** Semi-continuous variables, with the places where the file says so. */
  private readonly semiContinuous = new Map<Variable, Place>();
  private hasObjective = false;
  private hasConstant = false;
  private isInteger = false;
  private terms = 0;

  constructor(
    private readonly text: string,
    private readonly split: MpsSplitter,
  ) {}

  model(): Model {
    for (const line of linesOf(this.text)) {
      this.line += 1;
      if (line.startsWith('*')) {
        if (PULP_MAXIMUM.test(line)) this.result.sense = 'maximize';
      } else if (/^\S/.test(line)) {
        if (this.header(line)) return this.complete();
      } else if (/\S/.test(line)) this.data(line);
    }
    this.refuse('the end of the file', 'ENDATA is expected here');
  }

  private complete(): Model {
    const { lower, upper } = this.bounded;
    for (const variable of this.result.variables) {
      if (variable.isInteger && !lower.has(variable) && !upper.has(variable)) variable.upper = 1;
    }
    for (const [variable, at] of this.semiContinuous) makeSemiContinuous(variable, at);
    return { ...this.result, objective: this.objective, rows: this.rows.map(toRow) };
  }

  /** Begins a section. Returns true at the end of the model. */
  private header(line: string): boolean {
    const [word = '', argument = ''] = line.slice(0, MAX_LINE_LENGTH).split(/\s+/);
    this.section = word.toUpperCase();
    if (this.section === 'ENDATA') return true;
    if (!SECTIONS.includes(this.section) && !SENSE.test(word)) this.refuse(word, 'is not the name of a section');
    if (this.sections.has(this.section)) this.refuse(word, 'another section has this name');
    this.sections.add(this.section);
    if (SENSE.test(word)) this.sense(word);
    else if (this.section === 'OBJSENSE' && argument !== '') this.sense(argument);
    return false;
  }

  private data(line: string): void {
    const content = line.trim();
    if (line.length > MAX_LINE_LENGTH) this.refuse(content, 'the line is too long');
    if (this.section === 'OBJSENSE') this.sense(content);
    else if (this.section === 'COLUMNS' && content.includes("'MARKER'")) this.marker(content);
    else if (ROW_SECTIONS.includes(this.section)) this.row(this.entry(line));
    else if (this.section === 'COLUMNS') this.column(this.entry(line));
    else if (this.section === 'RHS' || this.section === 'RANGES') this.sides(this.entry(line));
    else if (this.section === 'BOUNDS') this.bound(this.entry(line));
    else {
      const things = UNSUPPORTED[this.section];
      if (things !== undefined) this.refuse(this.section, `${things} are not supported`);
      this.refuse(content, 'a section such as ROWS is expected here');
    }
  }

  private entry(line: string): MpsEntry {
    return this.split(line, this.section) ?? this.refuse(line.trim(), 'the line has the wrong number of fields');
  }

  private sense(text: string): void {
    const sense = SENSE.exec(text) ?? this.refuse(text, 'MAX or MIN is expected here');
    this.result.sense = sense[1] === undefined ? 'minimize' : 'maximize';
  }

  /** Parses the beginning or the end of the integer variables. */
  private marker(content: string): void {
    if (content.includes("'SOS")) this.refuse(content, 'special ordered sets are not supported');
    this.isInteger = content.endsWith("'INTORG'");
    if (!this.isInteger && !content.endsWith("'INTEND'")) this.refuse(content, "'INTORG' or 'INTEND' is expected here");
  }

  private row({ type, name }: MpsEntry): void {
    if (!/^[NLGE]$/.test(type)) this.refuse(type, 'the type of a row must be N, L, G or E');
    if (this.rowIndexes.has(this.checked(name))) this.refuse(name, 'another row has this name');
    this.rowIndexes.set(name, type !== 'N' ? this.rows.length : this.hasObjective ? FREE : OBJECTIVE);
    if (type === 'N') this.hasObjective = true;
    else this.rows.push({ name, type, terms: { variables: [], coefficients: [] } });
    assertWithin('rows', this.rows.length);
  }

  private column({ name, pairs }: MpsEntry): void {
    const index = this.variable(name);
    for (const [row, text] of pairs) {
      const coefficient = this.number(text);
      if (Math.abs(coefficient) >= MAX_COEFFICIENT) this.refuse(text, 'the number must be smaller than 1e15');
      const at = this.find(this.rowIndexes, row, 'row');
      const terms = at === OBJECTIVE ? this.objective : this.rows[at]?.terms;
      if (terms === undefined || coefficient === 0) continue;
      if (terms.variables.at(-1) === index) this.refuse(row, 'the column has another number in this row');
      terms.variables.push(index);
      terms.coefficients.push(coefficient);
      this.terms += 1;
      assertWithin('terms', this.terms);
    }
  }

  /** Returns the index of a column. The first of its lines, which must follow each other, creates the variable. */
  private variable(name: string): number {
    const { variables } = this.result;
    const last = variables.length - 1;
    const existing = this.variableIndexes.get(this.checked(name));
    if (existing === last && existing >= 0) return existing;
    if (existing !== undefined) this.refuse(name, 'the lines of a column must follow each other');
    variables.push({ name, isInteger: this.isInteger, lower: 0, upper: Infinity });
    assertWithin('variables', variables.length);
    this.variableIndexes.set(name, last + 1);
    return last + 1;
  }

  /** Parses right sides or ranges of rows. */
  private sides({ pairs }: MpsEntry): void {
    const field = this.section === 'RHS' ? 'rightSide' : 'range';
    for (const [name, text] of pairs) {
      const value = this.number(text);
      const index = this.find(this.rowIndexes, name, 'row');
      const row = this.rows[index];
      if (field === 'rightSide' && !canBeRightSide(value, row?.type)) this.refuse(text, 'the number is too large');
      if (index === OBJECTIVE && field === 'rightSide') {
        if (this.hasConstant) this.refuse(name, 'the row has another number in this section');
        this.hasConstant = true;
        this.result.constant = 0 - value;
      }
      if (row === undefined) continue;
      if (row[field] !== undefined) this.refuse(name, 'the row has another number in this section');
      row[field] = value;
      if (row.range !== undefined && isInfinite(row.rightSide ?? 0))
        this.refuse(name, 'a row with a range needs a finite right side');
    }
  }

  private bound({ type, pairs: [[name, text] = ['', '']] }: MpsEntry): void {
    const variable = this.result.variables[this.find(this.variableIndexes, name, 'column')];
    const boundsOf = Object.hasOwn(BOUNDS, type) ? BOUNDS[type] : undefined;
    if (boundsOf === undefined || variable === undefined) this.refuse(type, 'bounds of this type are not supported');
    const stated = boundsOf(PLAIN_BOUNDS.includes(type) ? 0 : toBound(this.number(text)));
    if (stated.lower === Infinity || stated.upper === -Infinity) this.refuse(text, 'the bound is too large');
    for (const side of ['lower', 'upper'] as const) {
      if (stated[side] === undefined) continue;
      if (this.bounded[side].has(variable)) this.refuse(name, `the column has another ${side} bound`);
      this.bounded[side].add(variable);
    }
    if (SEMI_CONTINUOUS.includes(type)) this.semiContinuous.set(variable, { text: name, line: this.line });
    Object.assign(variable, stated);
    if (variable.upper < 0 && !this.bounded.lower.has(variable)) variable.lower = -Infinity;
  }

  private find(indexes: ReadonlyMap<string, number>, name: string, kind: 'row' | 'column'): number {
    return indexes.get(name) ?? this.refuse(name, `no ${kind} has this name`);
  }

  private checked(name: string): string {
    if (name === '') this.refuse(name, 'a name is missing');
    if (name.length > MODEL_LIMITS.name) this.refuse(name, `a name can have at most ${MODEL_LIMITS.name} characters`);
    return name;
  }

  private number(text: string): number {
    if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
    if (!NUMBER.test(text)) this.refuse(text, 'a number is expected here');
    const value = Number(text.replace(/d/i, 'e'));
    return Number.isFinite(value) ? value : this.refuse(text, 'the number is too large');
  }

  private refuse(text: string, reason: string): never {
    throw problemAt({ text, line: Math.max(1, this.line) }, reason);
  }
}

const isInfinite = (value: number): boolean => Math.abs(toBound(value)) === Infinity;

/**
 * Returns whether a number can be the right side of a row of this type. An infinite number is allowed if it does not limit the
 * row.
 */
const canBeRightSide = (value: number, type: string | undefined): boolean =>
  !isInfinite(value) || (type === 'L' && value > 0) || (type === 'G' && value < 0);

function toRow({ name, type, terms, rightSide = 0, range }: MpsRow): Row {
  if (isInfinite(rightSide)) return { name, terms, lower: -Infinity, upper: Infinity };
  const row = { name, terms, lower: rightSide, upper: rightSide };
  const span = Math.abs(range ?? Infinity);
  if (type === 'L' || (type === 'E' && range !== undefined && range < 0)) row.lower = toBound(rightSide - span);
  if (type === 'G' || (type === 'E' && range !== undefined && range > 0)) row.upper = toBound(rightSide + span);
  return row;
}

/** Splits text into lines without their line endings. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    yield text.slice(from, text[to - 1] === '\r' ? to - 1 : to);
    from = to + 1;
  }
}
