import type { ReadinessResponse } from '../../src/health/health.dto.js';
import { committedContract } from './contract.js';
import { eventually } from './eventually.js';

export interface OperatorsAnswer<Body> {
  status: number;
  body: Body;
  /** Time until the response was complete, in ms. */
  ms: number;
}

/** Returns the response from `/health/<what>`, checked against `openapi.json`. */
export async function health<Body = ReadinessResponse>(
  url: string,
  what: 'live' | 'ready' = 'ready',
): Promise<OperatorsAnswer<Body>> {
  const began = performance.now();
  const path = `/health/${what}`;
  const response = await fetch(url + path);
  const [text, contentType] = [await response.text(), response.headers.get('content-type')];
  committedContract().check({ method: 'GET', path, status: response.status, contentType, text });
  return { status: response.status, body: JSON.parse(text) as Body, ms: performance.now() - began };
}

/** Waits until the service is ready. Returns the elapsed time in milliseconds. */
export async function ready(url: string, deadlineMs = 30_000): Promise<number> {
  const began = performance.now();
  await eventually(
    () => health(url),
    ({ body }) => body.status === 'ok',
    { deadlineMs, until: 'the process is ready' },
  );
  return Math.round(performance.now() - began);
}

/** Returns the values from `/metrics` by name and labels, as written in the response. */
export async function metrics(url: string, token?: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`/metrics answered ${response.status}: ${text}`);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
