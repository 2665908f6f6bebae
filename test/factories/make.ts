import { randomBytes } from 'node:crypto';
import type { DeploymentResponse } from '../../src/deployments/deployments.dto.js';
import type { FileEntry } from '../../src/files/files.dto.js';
import type { UploadStartResponse } from '../../src/files/uploads/uploads.dto.js';
import type { ProjectCreateRequest, ProjectResponse } from '../../src/projects/projects.dto.js';
import type { Client, Wire } from '../support/client.js';
import { raw } from '../support/raw.js';

/** Returns a unique suffix for resource names. The factories fill in all values that a test does not specify. */
const unique = (): string => randomBytes(4).toString('hex');

export interface DeploymentOverrides {
  name?: string;
  instructions?: string;
  /** Files by skill name. */
  skills?: Record<string, Record<string, string>>;
}

/** Creates a deployment with optional instructions and skills. Needs a company-level client. */
export async function makeDeployment(
  client: Client,
  { name = `Deployment ${unique()}`, instructions, skills = {} }: DeploymentOverrides = {},
): Promise<Wire<DeploymentResponse>> {
  const deployment = await client.post<DeploymentResponse>('/deployments', { name });
  const at = `/deployments/${deployment.handle}`;
  if (instructions !== undefined) await client.put(`${at}/instructions`, { content: instructions });
  for (const [skill, files] of Object.entries(skills)) await client.put(`${at}/skills/${skill}`, { files });
  return deployment;
}

export function makeProject(
  client: Client,
  overrides: Partial<ProjectCreateRequest> = {},
): Promise<Wire<ProjectResponse>> {
  return client.post<ProjectResponse>('/projects', { name: `Project ${unique()}`, ...overrides });
}

/** Container of a file: `source`, with the id or name that identifies the container. */
export interface Place {
  source: 'workspace' | 'deployment';
  project_id?: string;
  deployment_name?: string;
}

export interface SentParts {
  upload_token: string;
  parts: { part_number: number; etag: string }[];
}

/** Starts an upload and sends every part to its URL. The caller completes the upload. */
export async function sendParts(
  client: Client,
  place: Place,
  path: string,
  content: Uint8Array,
  content_type?: string,
): Promise<SentParts> {
  const started = await client.post<UploadStartResponse>('/files/upload/start', {
    ...place,
    path,
    size: content.byteLength,
    content_type,
  });
  const parts: SentParts['parts'] = [];
  for (const { part_number, url } of started.parts) {
    const from = (part_number - 1) * started.part_size;
    const answer = await raw(url, { method: 'PUT', body: content.subarray(from, from + started.part_size) });
    const { etag } = answer.headers;
    if (answer.status !== 200 || etag === undefined)
      throw new Error(`Part ${part_number} answered ${answer.status} ${answer.text}`);
    parts.push({ part_number, etag });
  }
  return { upload_token: started.upload_token, parts };
}

/** Uploads a file to a workspace or a deployment, as a client would. */
export async function makeFile(
  client: Client,
  place: Place,
  path: string,
  content: string | Uint8Array,
): Promise<Wire<FileEntry>> {
  const sent = await sendParts(client, place, path, typeof content === 'string' ? Buffer.from(content) : content);
  return await client.post<FileEntry>('/files/upload/complete', { ...place, ...sent });
}
