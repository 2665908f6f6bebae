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

  it('answers the last of several open questions first', () => {
    const [one, two] = [asked('one', ['A']), asked('two', ['A'])];
    expect(placeAnswer({ newest: [one, two], earlier: [] }, choice('A'))).toMatchObject({ call: { id: 'two' } });
    const answered = { ...two, result: choice('A') };
    expect(placeAnswer({ newest: [one, answered], earlier: [] }, choice('A'))).toMatchObject({ call: { id: 'one' } });
  });

  it('ignores open questions in earlier messages', () => {
    const given = placeAnswer(
      { newest: [asked('new', ['A'], choice('A'))], earlier: [asked('old', ['B'])] },
      choice('B'),
    );
    expect(given).toEqual({ kind: 'stands_alone' });
  });

  it.each([
    ['an unknown label', choice('Huge'), ['body', 'answer', 'selections', '0'], 'Huge'],
    ['an unknown label in an array', choice(['Small', 'Huge']), ['body', 'answer', 'selections', '0', 1], 'Huge'],
    ['an unknown question index', { selections: { '1': 'Small' } }, ['body', 'answer', 'selections', '1'], 'Small'],
    [
      'an index with a leading zero',
      { selections: { '00': 'Small' } },
      ['body', 'answer', 'selections', '00'],
      'Small',
    ],
    [
      'a key that is not an index',
      { selections: { length: 'Small' } },
      ['body', 'answer', 'selections', 'length'],
      'Small',
    ],
  ])('rejects an answer to the open question with %s', (_, answer: QuestionAnswer, loc, input) => {
    expect(refusal([asked('size', ['Small', 'Large'])], answer)).toMatchObject([{ type: 'value_error', loc, input }]);
  });

  it.each([[['Small', 'Large']], [['Small', 'Small']], [['Large', 'Small', 'Large']]])(
    'rejects the labels %j for a question that allows only one selection',
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

  it('recognizes a repeated answer to a closed question, even in a different notation', () => {
    const closed = asked('size', ['Small', 'Large'], { selections: { '0': 'Large' }, other_text: '' });
    expect(placeAnswer({ newest: [closed], earlier: [] }, choice(['Large']))).toEqual({ kind: 'repeats' });
  });

  it('recognizes a repeated answer to the previous question while the next question is open', () => {
    const closed = asked('size', ['Small', 'Large'], choice('Large'));
    expect(placeAnswer({ newest: [asked('colour', ['Red'])], earlier: [closed] }, choice('Large'))).toEqual({
      kind: 'repeats',
    });
  });

  it('keeps an answer as a separate message if it differs from the stored answer or has no question', () => {
    const closed = asked('size', ['Small', 'Large'], choice('Large'));
    expect(placeAnswer({ newest: [closed], earlier: [] }, choice('Small'))).toEqual({ kind: 'stands_alone' });
    expect(placeAnswer({ newest: [], earlier: [] }, choice('Small'))).toEqual({ kind: 'stands_alone' });
  });

  it('ignores running and failed calls', () => {
    const running: ToolCall = { ...asked('size', ['Small']), status: 'running' };
    expect(placeAnswer({ newest: [running], earlier: [] }, choice('Huge'))).toEqual({ kind: 'stands_alone' });
  });

  it('rejects every selection for a question in an unknown format', () => {
    expect(refusal([{ ...asked('odd', []), input: { questions: 'none' } }], choice('A'))).toMatchObject([
      { type: 'value_error' },
    ]);
  });
});

describe('answerCall', () => {
  it('returns a completed call with the answer as its result', () => {
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
