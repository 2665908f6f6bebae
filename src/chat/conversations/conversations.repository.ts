import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { NotFound, parseId } from '../../common/errors/errors.js';
import { entityTag } from '../../common/etag/entity-tag.js';
import { sharedRead } from '../../database/shared-reads.js';
import { readPage } from '../../database/listing.js';
import type { Page } from '../../common/listing/page.js';
import { isCreationKey, walkStart } from '../../common/listing/cursor.js';
import type { WalkQuery } from '../../common/listing/walk.query.js';
import type { ProjectEditor, ProjectReader } from '../../projects/project-access.js';
import { projectOf } from '../../projects/project-access.sql.js';
import type { Message } from '../messages/message.entity.js';
import { cachedMessageWindow, messageJson, messageWindow } from '../messages/message-json.sql.js';
import { MAX_WINDOW_BYTES, type MessageWindow } from '../messages/message-window.js';
import type { UnwrittenEvent } from '../messages/unwritten-events.js';
import { insertMessage, type StoredMessage } from '../messages/messages.repository.js';
import { Conversation } from './conversation.entity.js';

/** Fields of a conversation that other modules use. */
export type ConversationHead = Pick<Conversation, 'id' | 'project_id' | 'last_sequence' | 'revision'>;

/**
 * Message to append. Absent fields default to null or to the column's default. A user's message without a `turn_id` joins the
 * conversation's dispatched turn, if there is one.
 */
export type NewMessage = Pick<Message, 'conversation_id' | 'role' | 'content'> &
  Partial<Omit<Message, 'project_id' | 'sequence' | 'created_at' | 'is_partial'>>;

/**
 * Returns SQL that increments the sequence number of the conversations `c` that match a condition, and returns the new number.
 * `from` is an optional FROM item.
 */
export const takeSequence = (condition: string, from = ''): string => `
  UPDATE conversations c SET last_sequence = c.last_sequence + 1, updated_at = clock_timestamp()
    ${from} WHERE ${condition}
  RETURNING c.id, c.project_id, c.last_sequence`;

/** Returns the entity tag of a conversation without its messages. */
export const conversationTag = ({ id, revision }: Pick<Conversation, 'id' | 'revision'>): string =>
  entityTag('conversation', id, revision);

/**
 * FROM item: the active turn of a conversation, if there is one. OFFSET is an optimization fence. Without it, the planner may
 * scan all waiting turns.
 */
const activeTurn = (conversation_id: string): string =>
  `(SELECT * FROM turns active WHERE active.conversation_id = ${conversation_id} AND active.state <> 'ended' OFFSET 0)`;

/** JOIN of a conversation `c` with its active turn `t`, if there is one. */
export const ACTIVE_TURN = `
  LEFT JOIN LATERAL ${activeTurn('c.id')} t ON true`;

/**
 * Revisions that identify the contents of a window. The conversation's revision covers the finished messages, and the active
 * turn's revision covers the message that the turn is writing.
 */
interface Versions {
  revision: string;
  turn_revision: string | null;
}

const VERSIONS = 'c.revision, t.revision AS turn_revision';

const tagOf = ({ revision, turn_revision }: Versions): string => entityTag(revision, turn_revision);

const TAG = `SELECT ${VERSIONS} FROM conversations c ${ACTIVE_TURN}`;

/** Window of a conversation and the state of its turn, both from the same snapshot. */
export interface ConversationWindow extends Versions, MessageWindow {
  id: ConversationId;
  last_sequence: number;
  /** JSON text of a TurnStateResponse. */
  turn: string;
  /** Turn events that the turn's message does not contain yet. */
  unwritten: UnwrittenEvent[] | null;
}

/**
 * Returns a SELECT from conversations `c` and the FROM item `messages`, whose alias is `w`. `read` adds the condition that
 * selects the conversation.
 */
const windowWith = (messages: string): string => `
  SELECT c.id, c.last_sequence, ${VERSIONS}, w.*,
         (SELECT row_to_json(live)::text FROM
           (SELECT coalesce(t.state, 'idle') AS state, t.message_id, t.id AS turn_id, coalesce(t.next_seq, 0) AS next_seq) live) AS turn,
         (SELECT json_agg(json_build_object('type', e.type, 'data', e.data) ORDER BY e.seq) FROM turn_events e
           WHERE e.turn_id = t.id AND e.seq >= t.body_seq) AS unwritten
    FROM conversations c ${ACTIVE_TURN}, ${messages}`;

/** $4 limit, $5 offset. */
const ASKED = { last: '(c.last_sequence - $5::bigint)', limit: '$4::bigint' };
const WINDOW = windowWith(messageWindow(ASKED));
/** Maximum total size, in bytes, of the messages after the cached messages in a read that is not throttled. */
const MAX_SHORT_BYTES = 1024 ** 2;
/**
 * $6 and $7 are the sequence numbers of the first and the last cached message. They are ignored if the first cached message
 * comes after the start of the window.
 */
const CACHED = { first: '$6::bigint', last: '$7::bigint' };
const NOTHING_CACHED = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const SHORT_WINDOW = windowWith(cachedMessageWindow(ASKED, CACHED, MAX_SHORT_BYTES));
const CACHED_WINDOW = windowWith(cachedMessageWindow(ASKED, CACHED, MAX_WINDOW_BYTES));

/** Condition that a conversation `c` belongs to the project $1 and that the caller $3 has access to the project. */
const IN_PROJECT = `c.project_id = ${projectOf('$3', '$1')}`;

/**
 * Stores projects' conversations. Writers of messages and turns must hold the conversation lock.
 *
 * A single statement reads each window of messages, so the window is a consistent snapshot. The database builds the JSON of the
 * messages, and the process caches it, because rebuilding a large window would cost as much as sending it.
 */
export class ConversationsRepository extends EntityRepository(Conversation) {
  /** Returns the given or the default conversation in a project. @throws NotFound for unknown and malformed ids */
  async require(project_id: ProjectId, conversationId?: string | null): Promise<ConversationHead> {
    const { condition, parameters } = conversationCondition(project_id, conversationId);
    return await this.head(condition, parameters);
  }

  /** Locks a conversation in a project until the transaction ends. The caller must have access. @throws NotFound */
  async lock(editor: ProjectEditor, project_id: string, conversationId?: string | null): Promise<ConversationHead> {
    const { condition, parameters } = conversationCondition(project_id, conversationId);
    return await this.head(`${condition} AND ${IN_PROJECT} FOR NO KEY UPDATE`, [...parameters, editor.parameter]);
  }

  /** Returns a conversation in a project that the caller has access to. @throws NotFound */
  async show(reader: ProjectReader, project_id: string, conversationId: string): Promise<Conversation> {
    return await this.read<Conversation>('SELECT c.* FROM conversations c', reader, project_id, conversationId, []);
  }

  /** Adds a conversation that is not the default conversation. @param wantedId its id. Generated by default. */
  async add(project_id: ProjectId, title: string | null, wantedId?: string): Promise<Conversation> {
    const [added]: Conversation[] = await this.query(
      'INSERT INTO conversations (id, project_id, title) VALUES (coalesce($1, uuidv7()), $2, $3) RETURNING *',
      [wantedId ?? null, project_id, title],
    );
    if (added === undefined) throw new Error('The conversation was not created');
    return added;
  }

  /** Changes the title of a locked conversation. */
  async rename(id: ConversationId, title: string | null): Promise<void> {
    await this.update({ id }, { title, updated_at: () => 'clock_timestamp()' });
  }

  /** Locks the row, even against transactions that only add references to it. */
  async lockForRemoval(id: ConversationId): Promise<void> {
    await this.query('SELECT id FROM conversations WHERE id = $1 FOR UPDATE', [id]);
  }

  async lockById(id: ConversationId): Promise<void> {
    await this.query('SELECT id FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }

  /** Returns a page of a project's conversations, most recently changed first. */
  async page(reader: ProjectReader, project_id: string, page: WalkQuery): Promise<Page<Conversation>> {
    const rows = `FROM conversations WHERE project_id = ${projectOf('$1', '$2')}`;
    return await readPage(
      this.manager,
      {
        select: `SELECT * ${rows}`,
        table: 'conversations',
        orderBy: 'updated_at',
        count: `SELECT count(*) ${rows}`,
        parameters: [reader.parameter, project_id],
      },
      page,
      walkStart('conversations', page, isCreationKey),
    );
  }

  /** Returns the entity tag of a conversation's windows. @throws NotFound */
  async tag(reader: ProjectReader, project_id: string, conversationId: string | undefined): Promise<string> {
    return tagOf(await this.read<Versions>(TAG, reader, project_id, conversationId, []));
  }

  /**
   * Returns a window of messages that ends `offset` messages before the newest message, and the state of the conversation's
   * turn.
   *
   * @param cached sequence numbers of the cached messages. Only their versions are read. If the messages after them are too
   * large, the window contains no message JSON.
   * @param throttle limits how many statements that build a large window run concurrently
   * @throws NotFound
   */
  async window(
    reader: ProjectReader,
    project_id: string,
    conversationId: string | undefined,
    { limit, offset }: { limit: number; offset: number },
    cached: { first: number; last: number } | undefined,
    throttle: (work: () => Promise<ConversationWindow>) => Promise<ConversationWindow>,
  ): Promise<ConversationWindow & { tag: string }> {
    const read = async (select: string, more: number[], isShort = false): Promise<ConversationWindow> =>
      await this.read(select, reader, project_id, conversationId, [limit, offset, ...more], isShort);
    const bounds = cached === undefined ? NOTHING_CACHED : [cached.first, cached.last];
    let row = await (cached === undefined ? read(CACHED_WINDOW, bounds) : read(SHORT_WINDOW, bounds, true));
    if (row.is_cut) row = await throttle(() => (cached === undefined ? read(WINDOW, []) : read(CACHED_WINDOW, bounds)));
    return { ...row, tag: tagOf(row) };
  }

  /** Appends a message to its conversation, which must be locked. */
  async append(message: NewMessage): Promise<StoredMessage> {
    const [stored]: StoredMessage[] = await this.query(APPEND, [
      message.conversation_id,
      message.role,
      message.content,
      message.turn_id ?? null,
      message.affected_card_ids ?? [],
      json(message.content_segments),
      json(message.tool_calls),
      message.file_ids ?? null,
      json(message.context),
      json(message.answer),
      message.answered_call_id ?? null,
      message.answered_message_id ?? null,
      message.client_msg_id ?? null,
      message.client_msg_key ?? null,
      message.payload_hash ?? null,
      message.user_id ?? null,
      message.user_name ?? null,
      message.user_avatar_url ?? null,
      message.api_key_id ?? null,
      message.api_key_name ?? null,
      message.api_key_prefix ?? null,
      message.id ?? null,
      json(message.model_steps),
    ]);
    if (stored === undefined) throw new Error(`Conversation ${message.conversation_id} is gone`);
    return stored;
  }

  /** Marks all conversations in a locked project as deleted. Returns their ids. */
  async closeAll(project_id: ProjectId): Promise<ConversationId[]> {
    const [conversations]: [{ id: ConversationId }[], number] = await this.query(
      'UPDATE conversations SET deleted_at = now() WHERE project_id = $1 RETURNING id',
      [project_id],
    );
    return conversations.map(({ id }) => id);
  }

  /** Undoes {@link closeAll}. */
  async reopenAll(project_id: ProjectId): Promise<void> {
    await this.update({ project_id }, { deleted_at: null });
  }

  private async head(condition: string, parameters: unknown[]): Promise<ConversationHead> {
    const [conversation]: ConversationHead[] = await this.query(
      `SELECT c.id, c.project_id, c.last_sequence, c.revision FROM conversations c WHERE ${condition}`,
      parameters,
    );
    if (conversation === undefined) throw new NotFound('Conversation');
    return conversation;
  }

  /**
   * Runs a SELECT from conversations `c` for the given or the default conversation, and returns the resulting row. Additional
   * parameters start at $4.
   */
  private async read<Row>(
    select: string,
    reader: ProjectReader,
    project_id: string,
    conversationId: string | undefined,
    more: number[],
    isShort = true,
  ): Promise<Row> {
    const { condition, parameters } = conversationCondition(project_id, conversationId);
    const statement = `${select} WHERE ${condition} AND ${IN_PROJECT}`;
    const all = [...parameters, reader.parameter, ...more];
    const rows: Row[] = isShort ? await sharedRead(this.manager, statement, all) : await this.query(statement, all);
    const [row] = rows;
    if (row === undefined) throw new NotFound('Conversation');
    return row;
  }
}

/* Conditions on conversations `c`: $1 project, $2 conversation. */
const IS_DEFAULT = 'c.project_id = $1 AND c.is_default AND $2::uuid IS NULL';
const IS_NAMED = 'c.project_id = $1 AND c.id = $2';

/**
 * Returns a condition on conversations `c` for the given or the default conversation. Its parameters are $1 and $2.
 *
 * @throws NotFound for a malformed id
 */
export function conversationCondition(
  project_id: string,
  conversationId?: string | null,
): { condition: string; parameters: [string, string | null] } {
  const id = conversationId == null ? null : parseId(conversationId, 'Conversation');
  return {
    condition: id === null ? IS_DEFAULT : IS_NAMED,
    parameters: [project_id, id],
  };
}

const APPEND = `
  WITH c AS (${takeSequence('c.id = $1')}
  ), m AS (${insertMessage({
    id: 'coalesce($22, uuidv7())',
    role: '$2',
    content: '$3',
    turn_id: `coalesce($4, (SELECT t.id FROM ${activeTurn('c.id')} t WHERE $2 = 'user' AND t.state = 'dispatched'))`,
    affected_card_ids: '$5',
    content_segments: '$6',
    tool_calls: '$7',
    file_ids: '$8',
    context: '$9',
    answer: '$10',
    answered_call_id: '$11',
    answered_message_id: '$12',
    client_msg_id: '$13',
    client_msg_key: '$14',
    payload_hash: '$15',
    user_id: '$16',
    user_name: '$17',
    user_avatar_url: '$18',
    api_key_id: '$19',
    api_key_name: '$20',
    api_key_prefix: '$21',
    model_steps: '$23',
  })}
  )
  SELECT m.id, ${messageJson('')} AS json FROM m`;

const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));
