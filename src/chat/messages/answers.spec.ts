import { describe, expect, it } from '@jest/globals';
import { ASK_USER_QUESTION, type QuestionAnswer, type ToolCall } from '../../../packages/conversation/index.js';
import { Invalid } from '../../common/errors/errors.js';
import { answerCall, placeAnswer } from './answers.js';

const AT = '2026-03-01T10:00:00.000Z';

const asked = (id: string, labels: string[], result: QuestionAnswer | null = null): ToolCall => ({
  id,
  tool: ASK_USER_QUESTION,
  status: 'completed',
  input: { questions: [{ question: `${id}?`, header: id, options: labels.map((label) => ({ label })) }] },
  result,
  started_at: AT,
  completed_at: AT,
});
const choice = (label: string | string[]): QuestionAnswer => ({ selections: { '0': label } });

const refusal = (newest: ToolCall[], answer: QuestionAnswer): unknown => {
  try {
    return placeAnswer({ newest, earlier: [] }, answer);
  } catch (error) {
    return error instanceof Invalid ? error.detail : error;
  }
};

describe('placeAnswer', () => {
  it('answers the open question', () => {
    const call = asked('size', ['Small', 'Large']);
    expect(placeAnswer({ newest: [call], earlier: [] }, choice('Large'))).toEqual({ kind: 'answers', call });
    expect(placeAnswer({ newest: [call], earlier: [] }, choice(['Small', 'Large'])).kind).toBe('answers');
    expect(placeAnswer({ newest: [call], earlier: [] }, { other_text: 'Neither' }).kind).toBe('answers');
  });

  it('answers the last of several open ones, then the one before', () => {
    const [one, two] = [asked('one', ['A']), asked('two', ['A'])];
    expect(placeAnswer({ newest: [one, two], earlier: [] }, choice('A'))).toMatchObject({ call: { id: 'two' } });
    const answered = { ...two, result: choice('A') };
    expect(placeAnswer({ newest: [one, answered], earlier: [] }, choice('A'))).toMatchObject({ call: { id: 'one' } });
  });

  it('passes over open questions of earlier messages', () => {
    const given = placeAnswer(
      { newest: [asked('new', ['A'], choice('A'))], earlier: [asked('old', ['B'])] },
      choice('B'),
    );
    expect(given).toEqual({ kind: 'stands_alone' });
  });

  it.each([
    ['a label', choice('Huge'), ['body', 'answer', 'selections', '0'], 'Huge'],
    ['a label in an array', choice(['Small', 'Huge']), ['body', 'answer', 'selections', '0', 1], 'Huge'],
    ['an index', { selections: { '1': 'Small' } }, ['body', 'answer', 'selections', '1'], 'Small'],
    ['an index in another form', { selections: { '00': 'Small' } }, ['body', 'answer', 'selections', '00'], 'Small'],
    ['an index that is none', { selections: { length: 'Small' } }, ['body', 'answer', 'selections', 'length'], 'Small'],
  ])('refuses %s that the open question does not have', (_, answer: QuestionAnswer, loc, input) => {
    expect(refusal([asked('size', ['Small', 'Large'])], answer)).toMatchObject([{ type: 'value_error', loc, input }]);
  });

  it.each([[['Small', 'Large']], [['Small', 'Small']], [['Large', 'Small', 'Large']]])(
    'rejects the labels %j for a question that allows one',
    (labels) => {
      const call = asked('size', ['Small', 'Large']);
      const questions = (call.input['questions'] as object[]).map((part) => ({ ...part, multi_select: false }));
      const single = { ...call, input: { questions } };
      expect(refusal([single], choice(labels))).toMatchObject([
        { type: 'value_error', loc: ['body', 'answer', 'selections', '0'], input: labels },
      ]);
      expect(placeAnswer({ newest: [single], earlier: [] }, choice(['Small'])).kind).toBe('answers');
    },
  );

  it('takes the same answer to a closed question as the same, however it is written', () => {
    const closed = asked('size', ['Small', 'Large'], { selections: { '0': 'Large' }, other_text: '' });
    expect(placeAnswer({ newest: [closed], earlier: [] }, choice(['Large']))).toEqual({ kind: 'repeats' });
  });

  it('knows the answer to the question before again while the next one is open', () => {
    const closed = asked('size', ['Small', 'Large'], choice('Large'));
    expect(placeAnswer({ newest: [asked('colour', ['Red'])], earlier: [closed] }, choice('Large'))).toEqual({
      kind: 'repeats',
    });
  });

  it('keeps a different answer to a closed question, and one to no question, by itself', () => {
    const closed = asked('size', ['Small', 'Large'], choice('Large'));
    expect(placeAnswer({ newest: [closed], earlier: [] }, choice('Small'))).toEqual({ kind: 'stands_alone' });
    expect(placeAnswer({ newest: [], earlier: [] }, choice('Small'))).toEqual({ kind: 'stands_alone' });
  });

  it('does not take a call that runs or failed for a question', () => {
    const running: ToolCall = { ...asked('size', ['Small']), status: 'running' };
    expect(placeAnswer({ newest: [running], earlier: [] }, choice('Huge'))).toEqual({ kind: 'stands_alone' });
  });

  it('refuses every selection for a question whose form it does not know', () => {
    expect(refusal([{ ...asked('odd', []), input: { questions: 'none' } }], choice('A'))).toMatchObject([
      { type: 'value_error' },
    ]);
  });
});

describe('answerCall', () => {
  it('is a completed call whose result is the answer', () => {
    expect(answerCall('answer-1', choice('A'), new Date(AT))).toEqual({
      id: 'answer-1',
      tool: ASK_USER_QUESTION,
      status: 'completed',
      input: {},
      result: choice('A'),
      started_at: AT,
      completed_at: AT,
      duration_ms: 0,
    });
  });
});
