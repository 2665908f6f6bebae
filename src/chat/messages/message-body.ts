import type { AgentEvent } from '../../agent/agent.js';
import type { RecordedStep } from '../../agent/recorded-step.js';
import type { ToolCall } from '../../../packages/conversation/index.js';
import type { CardResponse } from '../../projects/canvas/canvas.dto.js';
import { toValidJson, toValidText } from './text.js';

/** Segment in a message: text, or a tool call with all of its recorded data. */
export type ContentSegment = { type: 'text'; content: string } | ({ type: 'tool_call' } & ToolCall);

/** Content of an agent message. */
export interface MessageBody {
  /** Text segments, joined by a blank line. */
  content: string;
  /** Text and tool calls in order. Two text segments are never adjacent. */
  content_segments: ContentSegment[];
  /** Tool calls in start order. Each call is also a segment with the same id. */
  tool_calls: ToolCall[];
  affected_card_ids: string[];
  /** Provider data of the tool calls. Never exposed. */
  model_steps?: RecordedStep[] | null;
}

/** Change from one body to the next. `segment` is an index into `content_segments`. */
export type BodyEvent =
  | { type: 'text.delta'; segment: number; text: string }
  | { type: 'tool.started'; segment: number; call: ToolCall }
  | { type: 'tool.finished'; call: ToolCall }
  | { type: 'cards.changed'; cards: CardResponse[]; removed_card_ids?: string[] };

export const EMPTY_BODY: MessageBody = { content: '', content_segments: [], tool_calls: [], affected_card_ids: [] };

/** Thrown if an agent starts a tool call twice or ends one that is not running. */
export class AgentProtocolError extends Error {}

/** Applies an event to a body. All non-empty message bodies are created by this function. */
export function fold(body: MessageBody, event: BodyEvent): MessageBody {
  switch (event.type) {
    case 'text.delta':
      return withText(body, event.segment, event.text);
    case 'tool.started':
      return {
        ...body,
        content_segments: [...body.content_segments, { type: 'tool_call', ...event.call }],
        tool_calls: [...body.tool_calls, event.call],
      };
    case 'tool.finished': {
      const { call } = event;
      return {
        ...body,
        content_segments: body.content_segments.map((segment) =>
          segment.type === 'tool_call' && segment.id === call.id ? { type: 'tool_call', ...call } : segment,
        ),
        tool_calls: body.tool_calls.map((existing) => (existing.id === call.id ? call : existing)),
      };
    }
    case 'cards.changed':
      return {
        ...body,
        affected_card_ids: [
          ...new Set([
            ...body.affected_card_ids,
            ...event.cards.map(({ id }) => id),
            ...(event.removed_card_ids ?? []),
          ]),
        ],
      };
  }
}

/**
 * Converts an agent event to the event that changes a body. Returns null if the body does not change.
 *
 * @throws AgentProtocolError
 */
export function toBodyEvent(body: MessageBody, event: AgentEvent, turn_id: string, at: Date): BodyEvent | null {
  const { content_segments: segments } = body;
  switch (event.type) {
    case 'text': {
      const text = toValidText(event.text);
      if (text === '') return null;
      return {
        type: 'text.delta',
        segment: segments.at(-1)?.type === 'text' ? segments.length - 1 : segments.length,
        text,
      };
    }
    case 'tool_started': {
      if (body.tool_calls.some(({ id }) => id === event.id))
        throw new AgentProtocolError(`The call ${event.id} was started twice`);
      const { id, tool } = event;
      const input = toValidJson(event.input) as ToolCall['input'];
      const call: ToolCall = {
        id,
        tool: toValidText(tool),
        status: 'running',
        input,
        result: null,
        turn_id,
        started_at: at.toISOString(),
      };
      return { type: 'tool.started', segment: segments.length, call };
    }
    case 'tool_completed':
      return finished(running(body, event.id), at, { status: 'completed', result: toValidJson(event.result) });
    case 'tool_failed': {
      const { error, error_code, error_details } = event;
      return finished(running(body, event.id), at, {
        status: 'failed',
        error: toValidText(error),
        error_code,
        ...(error_details !== undefined && { error_details: toValidJson(error_details) as Record<string, unknown> }),
      });
    }
    case 'cards_changed': {
      const { cards, removed_card_ids } = event;
      return { type: 'cards.changed', cards, ...(removed_card_ids !== undefined && { removed_card_ids }) };
    }
    case 'usage':
    case 'model_step':
      return null;
  }
}

/** Returns the events that end all running calls. A message can be finished only without running calls. */
export function closingEvents(
  { tool_calls }: MessageBody,
  at: Date,
  why: { error: string; error_code: string },
): BodyEvent[] {
  return tool_calls
    .filter(({ status }) => status === 'running')
    .map((call) => finished(call, at, { status: 'failed', ...why }));
}

function withText(body: MessageBody, index: number, text: string): MessageBody {
  const segments = [...body.content_segments];
  const segment = segments[index];
  if (segment?.type === 'text') {
    segments[index] = { type: 'text', content: segment.content + text };
    return { ...body, content: body.content + text, content_segments: segments };
  }
  segments.push({ type: 'text', content: text });
  const isFirst = !body.content_segments.some(({ type }) => type === 'text');
  return { ...body, content: isFirst ? text : `${body.content}\n\n${text}`, content_segments: segments };
}

function running({ tool_calls }: MessageBody, id: string): ToolCall {
  const call = tool_calls.find((candidate) => candidate.id === id && candidate.status === 'running');
  if (call === undefined) throw new AgentProtocolError(`The call ${id} is not running`);
  return call;
}

function finished(call: ToolCall, at: Date, outcome: Partial<ToolCall>): BodyEvent {
  const duration_ms = Math.max(0, at.getTime() - Date.parse(call.started_at));
  return { type: 'tool.finished', call: { ...call, ...outcome, completed_at: at.toISOString(), duration_ms } };
}
