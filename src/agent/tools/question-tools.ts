import { z } from 'zod';
import { ASK_USER_QUESTION, type Question } from '../../../packages/conversation/index.js';
import type { Tool } from './tool.js';

const text = z.string().trim().min(1).max(1_000);

const input = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        id: z.string().max(1_000).optional().describe('What you know the question by'),
        question: text,
        header: z.string().trim().min(1).max(40).describe('A word or two above the options'),
        options: z
          .array(z.strictObject({ label: z.string().trim().min(1).max(200), description: text.optional() }))
          .min(2)
          .max(6)
          .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, {
            message: 'labels must differ',
          }),
        multi_select: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(4),
});

/** Asks the user to choose. The turn ends with the question, and the answer arrives with a message of the user. */
export const askUserQuestion: Tool<z.infer<typeof input>> = {
  name: ASK_USER_QUESTION,
  description:
    'Asks the user to choose among options; they can also answer in their own words. Your turn ends with it, so ask last and say before why it matters.',
  input,
  record: ({ questions }) => ({ questions: questions satisfies Question[] }),
  endsTurn: true,
  run: () => Promise.resolve({ result: null }),
};
