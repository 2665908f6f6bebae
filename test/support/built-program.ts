import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a built program, such as `dist/src/migrate.js`, with only these settings. Resolves when the program ends. */
export async function runBuilt(program: string, settings: Record<string, string>, ...args: string[]): Promise<Outcome> {
  try {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings };
    const options = { env, timeout: 60_000, maxBuffer: 16 * 1024 ** 2 };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [program, ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}
