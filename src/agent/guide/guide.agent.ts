import { isDeepStrictEqual } from 'node:util';
import { setImmediate as breathe } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Agent, type AgentContext, type AgentOutput } from '../agent.js';
import { ASK_USER_QUESTION } from '../ask-user-question.js';
import type { CardFilesService } from '../tools/card-files.service.js';
import { notesOnPoints } from '../../../packages/modelling/index.js';
import { looseVariables } from '../../../packages/canvas/index.js';
import type { ScenarioRun, ToldComparison } from '../tools/scenario-tools.service.js';
import { type Toolbox, ToolboxesService } from '../tools/toolboxes.service.js';
import { guideCredits } from '../turn-credits.js';
import { openQuestion, statementsIn, STILL_OPEN } from './answers.js';
import {
  describeCard,
  describeChanges,
  describeChecklist,
  describeFiles,
  describeLeft,
  describeOpen,
  describeProgress,
  describeRefused,
  describeStart,
  HELP,
} from './describe.js';
import { asMeant } from './meant-questions.js';
import { askForMeaning, describeExample } from './meaning-questions.js';
import { fileNotes } from './file-notes.js';
import { describeLoose } from './loose-variables.js';
import { nextQuestion } from './questions.js';
import { bullets } from './quote.js';
import { describeComparison, describeRuns } from './scenarios.js';
import { Sketch } from './sketch.js';
import { describeSolve, type Feasibility, type Outcome, warningsOfSolve, whatSolvingLacks } from './solving.js';
import { answerAll, isAsked } from './turn-answers.js';
import {
  answerQuestions,
  changeScenarios,
  draft,
  filesFor,
  introduceFiles,
  perform,
  readAll,
  whatIsMissing,
} from './turn-work.js';
import { describeIdle } from './stray-variables.js';
import { undoLast } from './undo.js';
import { describeUnused } from './unused-statements.js';
import { openStatements } from './open-statements.js';

/**
 * The agent that needs neither key nor network: rules alone, and it says so.
 *
 * It reads statements of a small grammar (docs/modelling.md) from the messages, makes cards of them, asks for what the
 * checklist misses next, and starts solves.
 */
@Injectable()
export class GuideAgent extends Agent {
  readonly model = 'guide';

  constructor(
    private readonly config: Config,
    private readonly toolboxes: ToolboxesService,
    private readonly files: Pick<CardFilesService, 'statesOf'>,
  ) {
    super();
  }

  /** Paragraphs of the work, set apart where no call stands between them. */
  async *run(context: AgentContext): AsyncGenerator<AgentOutput> {
    let isInText = false;
    for await (const output of this.work(context)) {
      yield output.type === 'text' && isInText ? { ...output, text: `\n\n${output.text}` } : output;
      isInText = output.type === 'text';
    }
    yield { type: 'usage', credits: guideCredits(this.config) };
  }

  private async *work(context: AgentContext): AsyncGenerator<AgentOutput> {
    const toolbox = this.toolboxes.open(context);
    const isFirst = !context.messages.some(({ role }) => role === 'assistant');
    if (isFirst) yield* say(...describeStart(context));
    yield* say(...describeFiles(context));
    yield* say(...(yield* introduceFiles(context, toolbox)));

    const { said: read, left: unread } = await readAll(statementsIn(context.messages));
    const files = yield* filesFor(context, read, toolbox);
    const sketch = new Sketch(context.cards);
    const said = asMeant(read, sketch);
    const undone = said.some(({ reading }) => reading.statement?.kind === 'undo');
    if (undone) yield* say(undoLast(sketch, context.messages));
    const loose = new Set(looseVariables(sketch.cards).map(({ name }) => name));
    const drafted = await draft(said, sketch, files);
    const { kinds, refused, left } = drafted;
    const made = yield* perform(drafted, toolbox, context.signal);
    sketch.files = await this.files.statesOf(context, sketch.contents());
    yield* say(...describeChanges(made));
    const guesses = fileNotes(sketch).filter((note) => !isTold(note, context));
    if (guesses.length > 0) yield* say(`Check how the files were read:\n${bullets(guesses.slice(0, MAX_WARNINGS))}`);
    const understood = said.filter(({ reading }) => reading.statement !== undefined).map(({ source }) => source);
    yield* say(...notesOnPoints(understood.join('\n')).map((note) => `${note}.`));
    const isToSolve = kinds.has('solve') || kinds.has('solve_scenarios');
    const loosening = looseVariables(sketch.cards).filter(({ name }) => isToSolve || !loose.has(name));
    yield* say(...loosening.slice(0, MAX_WARNINGS).map(describeLoose));
    const idle = describeIdle(sketch, ({ causes }) => isToSolve || causes.length > 0);
    yield* say(...idle.slice(0, MAX_WARNINGS));
    yield* say(...(yield* changeScenarios(drafted, made, files, toolbox)));
    yield* say(...(yield* answerQuestions(drafted, made, files, toolbox)));
    const toSendAgain = [...left, ...unread];
    yield* say(...describeOpen(openStatements(sketch)), ...describeRefused(refused), ...describeLeft(toSendAgain));
    const proposed = askForMeaning(refused, sketch);
    const isUnexplained = refused.some(({ reason }) => reason === undefined);
    if (isUnexplained && proposed === undefined) yield* say(...describeExample(sketch));

    let feasibility = sketch.changesModel ? 'unchecked' : context.checklist.feasibility_result;
    const asked = said.flatMap(({ reading }) => (isAsked(reading.statement) ? [reading.statement] : []));
    // Prose beside a question changes nothing, and may be meant as a part of the model to solve.
    const missing = isToSolve ? refused : refused.filter(({ reason }) => reason !== undefined);
    const lacks =
      isToSolve || asked.length > 0 ? [...whatSolvingLacks(sketch), ...whatIsMissing(missing, made, toSendAgain)] : [];
    if (isToSolve && lacks.length > 0) yield* say(`It cannot be solved yet:\n${bullets(lacks)}`);
    const warnings = isToSolve && lacks.length === 0 ? warningsOfSolve(sketch) : [];
    const isHeld = warnings.some((warning) => !isTold(warning, context));
    if (warnings.length > 0)
      yield* say(
        `${isHeld ? 'Look at this, and write `solve` again to solve it as it is' : 'Warnings'}:\n${bullets(warnings)}`,
      );
    const isSolvable = lacks.length === 0 && !isHeld;
    const solved = kinds.has('solve') && isSolvable ? yield* solve(toolbox, feasibility) : undefined;
    if (solved !== undefined) yield* say(solved.text);
    feasibility = solved?.feasibility ?? feasibility;
    if (kinds.has('solve_scenarios') && isSolvable) {
      const compared = yield* solveScenarios(toolbox, drafted.solved, feasibility);
      yield* say(compared.text);
      ({ feasibility } = compared);
    }
    const answers = yield* answerAll(asked, sketch, files, lacks, toolbox);
    yield* say(...answers.paragraphs);
    feasibility = answers.feasibility ?? feasibility;
    if (isToSolve && isSolvable) yield* say(...describeUnused(context.messages));
    if (kinds.has('compare_scenarios')) yield* say(yield* compareScenarios(toolbox));
    if (kinds.has('help')) yield* say(HELP);
    if (kinds.has('show')) yield* say(bullets(sketch.cards.map(describeCard)) || 'The canvas is empty.');
    const checklist = { ...sketch.derive(), feasibility_result: feasibility };
    yield* say(isFirst || kinds.has('show') ? describeChecklist(checklist) : describeProgress(checklist));
    const question = kinds.has('later')
      ? undefined
      : (answers.question ??
        proposed ??
        nextQuestion({ sketch, feasibility, isSolved: solved !== undefined, clash: solved?.clash ?? [], files }));
    if (question === undefined) return;
    // The same question is shown once. Its options are still there.
    if (isDeepStrictEqual(question, openQuestion(context.messages))) yield* say(`${STILL_OPEN}${question.question}`);
    else yield* toolbox.call({ tool: ASK_USER_QUESTION, input: { questions: [question] } });
  }
}

/** Whether an earlier answer has a warning or a note. */
const isTold = (warning: string, { messages }: AgentContext): boolean =>
  messages.some(({ role, content }) => role === 'assistant' && content.includes(warning));

/** Warnings of one answer. */
const MAX_WARNINGS = 5;

async function* say(...paragraphs: string[]): AsyncGenerator<AgentOutput> {
  for (const text of paragraphs) {
    yield { type: 'text', text };
    // Between two events the other work of the process goes on.
    await breathe();
  }
}

/** Solves scenarios beside the canvas. @param names empty for all of them */
async function* solveScenarios(
  toolbox: Toolbox,
  names: readonly string[],
  feasibility: Feasibility,
): AsyncGenerator<AgentOutput, Pick<Outcome, 'text' | 'feasibility'>> {
  const reply = yield* toolbox.call({ tool: 'solve_scenarios', input: names.length === 0 ? {} : { names } });
  if (!reply.ok) return { text: `The scenarios were not solved: ${reply.error}.`, feasibility };
  const { runs, feasibility_result } = reply.result as { runs: ScenarioRun[]; feasibility_result: Feasibility };
  return { text: describeRuns(runs), feasibility: feasibility_result };
}

/** The newest plans side by side, and what differs between them. */
async function* compareScenarios(toolbox: Toolbox): AsyncGenerator<AgentOutput, string> {
  const reply = yield* toolbox.call({ tool: 'compare_scenarios', input: {} });
  return reply.ok ? describeComparison(reply.result as ToldComparison) : `Nothing was compared: ${reply.error}.`;
}

async function* solve(toolbox: Toolbox, feasibility: Feasibility): AsyncGenerator<AgentOutput, Outcome> {
  const reply = yield* toolbox.call({ tool: 'run_solve', input: {} });
  return reply.ok
    ? describeSolve(reply.result)
    : { text: `It was not solved: ${reply.error}.`, clash: [], feasibility };
}
