import { isDeepStrictEqual } from 'node:util';
import { ASK_USER_QUESTION } from '../conversation/index.js';
import { notesOnPoints } from '../modelling/index.js';
import { looseVariables } from '../canvas/index.js';
import { call, say, type Steps } from './steps.js';
import type { Turn } from './turn.js';
import type { ScenarioRun, ComparisonResult } from './tool-results.js';
import { openQuestion, statementsIn, STILL_OPEN } from './answers.js';
import {
  describeCard,
  describeChanges,
  describeChecklist,
  describeFiles,
  describeLeft,
  describeProgress,
  describeRefused,
  describeStart,
  HELP,
} from './describe.js';
import { withDefinitions } from './definitions.js';
import { interpretQuestions } from './meant-questions.js';
import { describeTranslations, withoutTranslated, withTranslations } from './foreign-cards.js';
import { askForMeaning, describeExample, describeUnread } from './meaning-questions.js';
import { fileNotes } from './file-notes.js';
import { describeLoose } from './loose-variables.js';
import { nextQuestion } from './questions.js';
import { describeHelp } from './help.js';
import { bullets } from './quote.js';
import { describeComparison, describeRuns } from './scenarios.js';
import { Sketch } from './sketch.js';
import { describeSolve, type Feasibility, type Outcome, warningsOfSolve, obstaclesToSolving } from './solving.js';
import { answerAll, isAsked } from './turn-answers.js';
import {
  answerQuestions,
  changeScenarios,
  draft,
  filesFor,
  introduceFiles,
  perform,
  readAll,
  missingStatements,
} from './turn-work.js';
import { describeIdle } from './stray-variables.js';
import { undoLast } from './undo.js';
import { describeUnused } from './unused-statements.js';
import { openStatements } from './open-statements.js';

/**
 * Rule-based agent that answers a turn's messages. It parses statements in a small grammar (docs/modelling.md), converts them
 * to cards, asks for the next missing checklist item, and starts solves.
 */
export async function* answerTurn(turn: Turn): Steps {
  const isFirst = !turn.messages.some(({ role }) => role === 'assistant');
  if (isFirst) yield* say(...describeStart(turn));
  yield* say(...describeFiles(turn));
  yield* say(...(yield* introduceFiles(turn)));

  const { said: read, left: unread } = await readAll(statementsIn(turn.messages));
  const files = yield* filesFor(turn, read);
  const sketch = new Sketch(turn.cards);
  const said = withTranslations(interpretQuestions(read, sketch), sketch);
  const undone = said.some(({ reading }) => reading.statement?.kind === 'undo');
  if (undone) yield* say(undoLast(sketch, turn.messages));
  const loose = new Set(looseVariables(sketch.cards).map(({ name }) => name));
  const drafted = await draft(await withDefinitions(said, sketch, files, turn.readFiles), sketch, files);
  const { kinds, refused, left } = drafted;
  const made = yield* perform(drafted, turn.signal);
  sketch.files = await turn.readFiles(sketch.contents());
  yield* say(...describeChanges(made));
  const guesses = fileNotes(sketch).filter((note) => !isTold(note, turn));
  if (guesses.length > 0) yield* say(`Check how the files were read:\n${bullets(guesses.slice(0, MAX_WARNINGS))}`);
  const understood = said.filter(({ reading }) => reading.statement !== undefined).map(({ source }) => source);
  yield* say(...notesOnPoints(understood.join('\n')).map((note) => `${note}.`));
  const isToSolve = kinds.has('solve') || kinds.has('solve_scenarios');
  const loosening = looseVariables(sketch.cards).filter(({ name }) => isToSolve || !loose.has(name));
  yield* say(...loosening.slice(0, MAX_WARNINGS).map(describeLoose));
  const idle = describeIdle(sketch, ({ causes }) => isToSolve || causes.length > 0);
  yield* say(...idle.slice(0, MAX_WARNINGS));
  yield* say(...(yield* changeScenarios(drafted, made, files)));
  yield* say(...(yield* answerQuestions(drafted, made, files)));
  const toSendAgain = [...left, ...unread];
  yield* say(
    ...describeTranslations(sketch),
    ...describeUnread(withoutTranslated(openStatements(sketch), sketch), sketch),
    ...describeRefused(refused),
    ...describeLeft(toSendAgain),
  );
  const proposed = askForMeaning(refused, sketch);
  const isUnexplained = refused.some(({ reason }) => reason === undefined);
  if (isUnexplained && proposed === undefined) yield* say(...describeExample(sketch));

  let feasibility = sketch.changesModel ? 'unchecked' : turn.checklist.feasibility_result;
  const asked = said.flatMap(({ reading }) => (isAsked(reading.statement) ? [reading.statement] : []));
  // Prose that accompanies a question has no effect. If the user asks for a solve, however, the prose may be meant as part of
  // the model.
  const missing = isToSolve ? refused : refused.filter(({ reason }) => reason !== undefined);
  const lacks =
    isToSolve || asked.length > 0
      ? [...obstaclesToSolving(sketch), ...missingStatements(missing, made, toSendAgain)]
      : [];
  if (isToSolve && lacks.length > 0) yield* say(`The model cannot be solved yet:\n${bullets(lacks)}`);
  const warnings = isToSolve && lacks.length === 0 ? warningsOfSolve(sketch) : [];
  const isHeld = warnings.some((warning) => !isTold(warning, turn));
  if (warnings.length > 0)
    yield* say(
      `${isHeld ? 'Check these warnings, or write `solve` again to solve the model as it is' : 'Warnings'}:\n${bullets(warnings)}`,
    );
  const isSolvable = lacks.length === 0 && !isHeld;
  const solved = kinds.has('solve') && isSolvable ? yield* solve(feasibility) : undefined;
  if (solved !== undefined) yield* say(solved.text);
  feasibility = solved?.feasibility ?? feasibility;
  if (kinds.has('solve_scenarios') && isSolvable) {
    const compared = yield* solveScenarios(drafted.solved, feasibility);
    yield* say(compared.text);
    ({ feasibility } = compared);
  }
  const answers = yield* answerAll(asked, sketch, files, lacks);
  yield* say(...answers.paragraphs);
  feasibility = answers.feasibility ?? feasibility;
  if (isToSolve && isSolvable) yield* say(...describeUnused(turn.messages));
  if (kinds.has('compare_scenarios')) yield* say(yield* compareScenarios());
  if (kinds.has('help')) {
    const isAll = said.some(({ reading }) => reading.statement?.kind === 'help' && reading.statement.isAll === true);
    yield* say(isAll ? HELP : describeHelp(sketch, files, feasibility));
  }
  if (kinds.has('show')) yield* say(bullets(sketch.cards.map(describeCard)) || 'The canvas is empty.');
  const checklist = { ...sketch.derive(), feasibility_result: feasibility };
  yield* say(isFirst || kinds.has('show') ? describeChecklist(checklist) : describeProgress(checklist));
  const question = kinds.has('later')
    ? undefined
    : (answers.question ??
      proposed ??
      nextQuestion({ sketch, feasibility, isSolved: solved !== undefined, clash: solved?.clash ?? [], files }));
  if (question === undefined) return;
  // The options of an open question are still visible, so only its text is repeated.
  if (isDeepStrictEqual(question, openQuestion(turn.messages))) yield* say(`${STILL_OPEN}${question.question}`);
  else yield* call(ASK_USER_QUESTION, { questions: [question] });
}

/** Whether an earlier answer already contains the warning. */
const isTold = (warning: string, { messages }: Turn): boolean =>
  messages.some(({ role, content }) => role === 'assistant' && content.includes(warning));

/** Maximum number of warnings per answer. */
const MAX_WARNINGS = 5;

/** Solves scenarios without changing the canvas. @param names names of the scenarios; empty for all scenarios */
async function* solveScenarios(
  names: readonly string[],
  feasibility: Feasibility,
): Steps<Pick<Outcome, 'text' | 'feasibility'>> {
  const reply = yield* call('solve_scenarios', names.length === 0 ? {} : { names });
  if (!reply.ok) return { text: `The scenarios were not solved: ${reply.error}.`, feasibility };
  const { runs, feasibility_result } = reply.result as { runs: ScenarioRun[]; feasibility_result: Feasibility };
  return { text: describeRuns(runs), feasibility: feasibility_result };
}

/** Compares the newest plans and describes their differences. */
async function* compareScenarios(): Steps<string> {
  const reply = yield* call('compare_scenarios');
  return reply.ok ? describeComparison(reply.result as ComparisonResult) : `Nothing was compared: ${reply.error}.`;
}

async function* solve(feasibility: Feasibility): Steps<Outcome> {
  const reply = yield* call('run_solve');
  return reply.ok
    ? describeSolve(reply.result)
    : { text: `It was not solved: ${reply.error}.`, clash: [], feasibility };
}
