import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { launchMain, makeFolder } from './processes.mjs';

const STARTS = 3;

/**
 * Returns the time, in milliseconds, from the start of the built service to its first response. The embedded database already
 * exists.
 */
export async function measureStartup() {
  const folder = await makeFolder();
  const settings = { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info' };
  try {
    const first = await launchMain(settings);
    const { company } = JSON.parse(await readFile(join(folder, 'dev-tokens.json'), 'utf8'));
    await first.stop();
    const times = [];
    for (let start = 0; start < STARTS; start += 1) {
      const began = performance.now();
      const service = await launchMain(settings);
      const { status } = await fetch(`${service.url}/api/v1/projects`, {
        headers: { authorization: `Bearer ${company}` },
      });
      if (status !== 200) throw new Error(`The first answer was ${status}`);
      times.push(performance.now() - began);
      await service.stop();
    }
    return { best_ms: Math.min(...times), worst_ms: Math.max(...times) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
