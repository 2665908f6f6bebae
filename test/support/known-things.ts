/**
 * Related path parameters, such as the ids of a card and its project. The last parameter identifies the resource
 * itself.
 */
export type Thing = Record<string, string>;

/** Maximum number of resources of each kind to remember. */
const MAX_KNOWN = 40;
const FILES = [
  ...['a.txt', 'b', 'b/c', 'c', 'inputs', 'inputs/demand.csv', 'models', 'models/plan.lp'],
  ...['AGENTS.md', 'skills/s1/SKILL.md'],
];
const FILE_FIELDS = new Set(['path', 'source_path', 'dest_path', 'file_id', 'input_file_id']);
/** Response fields that contain the value of a parameter with another name. */
const ALIASES: Record<string, string> = { deployment_name: 'name', from_deployment: 'name' };
/**
 * Ids in responses. Each key is the last segment of a POST path, and each value is a parameter name with its response
 * field.
 */
const MADE = new Map<string, [string, string]>(
  Object.entries({
    projects: ['project_id', 'id'],
    deployments: ['name', 'handle'],
    'api-keys': ['api_key_id', 'id'],
    cards: ['card_id', 'id'],
    conversations: ['conversation_id', 'id'],
    executions: ['execution_id', 'id'],
    snapshots: ['snapshot_id', 'id'],
    start: ['upload_token', 'upload_token'],
  }),
);

/** A company's resources that responses have revealed so far. */
export class KnownThings {
  /** Signed URLs. */
  readonly urls: string[] = [];
  private readonly things = new Map<string, Thing[]>();

  constructor(things: Thing[]) {
    for (const thing of things) this.remember(thing);
  }

  /** Returns the resources that the parameter identifies. */
  of(parameter: string): readonly Thing[] {
    return this.things.get(parameter) ?? [];
  }

  /** Returns known values for a field or parameter. */
  values(name: string): readonly string[] {
    if (FILE_FIELDS.has(name)) return FILES;
    const parameter = ALIASES[name] ?? name;
    return this.of(parameter).map((thing) => thing[parameter] ?? '');
  }

  /** Remembers the ids and URLs in a successful response. */
  learn(method: string, path: string, answer: Record<string, unknown>): void {
    const [parameter, field] = MADE.get(path.split('/').at(-1) ?? '') ?? [];
    const id = answer[field ?? ''];
    if (method === 'POST' && parameter !== undefined && typeof id === 'string') {
      const [, project_id] = /\/projects\/([^/]+)/.exec(path) ?? [];
      this.remember({ ...(project_id !== undefined && { project_id }), [parameter]: id });
    }
    if (!path.startsWith('/api/v1/files/')) return;
    const parts = Array.isArray(answer['parts']) ? (answer['parts'] as Record<string, unknown>[]) : [];
    for (const { url } of [answer, ...parts.slice(0, 3)]) if (typeof url === 'string') this.urls.push(url);
    this.urls.splice(0, this.urls.length - MAX_KNOWN);
  }

  private remember(thing: Thing): void {
    const parameter = Object.keys(thing).at(-1) ?? '';
    const known = this.things.get(parameter) ?? [];
    known.push(thing);
    // Keeps the first half, because the resources created during setup have the most content.
    if (known.length > MAX_KNOWN) known.splice(MAX_KNOWN / 2, 1);
    this.things.set(parameter, known);
  }
}
