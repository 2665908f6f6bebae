import type { CheckedId } from '../database/checked-id.js';

export type ProjectId = CheckedId<'Project'>;

/** What an event of each type tells, beside its project, time and actor: the names of what changed. */
export interface ProjectEventData {
  /** `fields` as clients know them; `snapshots` when one was taken or deleted. */
  'project.updated': { fields: string[] };
  'project.deleted': Record<string, never>;
  'project.restored': Record<string, never>;
  /** `role` is null for somebody who is no member any more. */
  'member.changed': { user_id: string; role: string | null };
  'cards.changed': { card_ids: string[]; removed_card_ids: string[] };
  /** `paths` is null where there are more than {@link MAX_PATHS}. */
  'files.changed': { paths: string[] | null; count: number };
  'conversation.changed': { conversation_id: string; deleted: boolean };
  'message.created': { conversation_id: string; message_id: string; role: string };
  'turn.dispatched': { conversation_id: string; turn_id: string };
  'turn.ended': { conversation_id: string; turn_id: string; outcome: string; message_id: string | null };
  'execution.changed': { execution_id: string; status: string };
  'execution.progress': { execution_id: string; progress: object };
  'scenario.changed': { scenario_id: string; deleted: boolean };
  /** `skill` is the project's own skill that changed; null when the deployment's configuration was taken over. */
  'config.changed': { skill: string | null };
}
export type ProjectEventType = keyof ProjectEventData;

/** The same for what concerns a company and no project: webhooks alone are sent it. */
export interface CompanyEventData {
  /** A budget has reached its limit in its period; see the budget. */
  'budget.reached': {
    budget_id: string;
    scope: string;
    subject_id: string | null;
    period: string;
    limit_credits: number;
    action: string;
    reached_at: string;
  };
  /** A webhook was made inactive, as its deliveries failed. */
  'webhook.disabled': { webhook_id: string; url: string };
}
export type CompanyEventType = keyof CompanyEventData;

export type EventType = ProjectEventType | CompanyEventType;

/** Every type, in the order of the documentation. */
const EVENTS: Record<EventType, true> = {
  'project.updated': true,
  'project.deleted': true,
  'project.restored': true,
  'member.changed': true,
  'cards.changed': true,
  'files.changed': true,
  'conversation.changed': true,
  'message.created': true,
  'turn.dispatched': true,
  'turn.ended': true,
  'execution.changed': true,
  'execution.progress': true,
  'scenario.changed': true,
  'config.changed': true,
  'budget.reached': true,
  'webhook.disabled': true,
};
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** Maximum number of deliveries that wait for a webhook: it skips further events. Changes of several projects may exceed it by a few. */
export const MAX_PENDING = 2_000;

/** Most paths that an event names. */
export const MAX_PATHS = 100;

/** Who can be the cause of an event: of an agent the id is the turn's, the service itself has none. */
export const ACTOR_KINDS = ['user', 'api_key', 'agent', 'execution', 'service'] as const;

export interface Actor {
  kind: (typeof ACTOR_KINDS)[number];
  id: string | null;
}

export const SERVICE: Actor = { kind: 'service', id: null };
