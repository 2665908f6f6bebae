import { z } from 'zod';
import { ASK_USER_QUESTION, type Question } from '../../../packages/conversation/index.js';
import type { Tool } from './tool.js';

const text = z.string().trim().min(1).max(1_000);

const input = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        id: z.string().max(1_000).optional().describe('Your own identifier for the question'),
        question: text,
        header: z.string().trim().min(1).max(40).describe('One or two words shown above the options'),
        options: z
          .array(z.strictObject({ label: z.string().trim().min(1).max(200), description: text.optional() }))
          .min(2)
          .max(6)
          .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, {
            message: 'labels must be unique',
          }),
        multi_select: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(4),
});

/** Asks the user to choose. The turn ends with the question, and the answer arrives with the user's next message. */
export const askUserQuestion: Tool<z.infer<typeof input>> = {
  name: ASK_USER_QUESTION,
  description:
    'Asks the user to choose from options. Users can also answer in their own words. This call ends your turn, so call it last, and explain first why the question matters.',
  input,
  record: ({ questions }) => ({ questions: questions satisfies Question[] }),
  endsTurn: true,
  run: () => Promise.resolve({ result: null }),
};
