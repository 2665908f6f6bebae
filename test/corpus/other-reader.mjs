import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { clearTimeout, setTimeout } from 'node:timers';

const PYTHON = process.env.PYTHON ?? 'python3';
const READERS = join(import.meta.dirname, 'readers.py');
const PATIENCE_MS = 60_000;

export const hasPython = () => spawnSync(PYTHON, ['-c', 'import pandas, openpyxl, pyarrow']).status === 0;

/**
 * Python process that reads one file after another. A file that crashes or blocks the process is reported as
 * unreadable.
 */
export class OtherReader {
  #child;
  #waiting = [];
  #last = Promise.resolve();

  /** Returns the table of a task (see readers.py), or `{ error }`. */
  async read(task) {
    const answer = this.#last.then(() => this.#ask(task));
    this.#last = answer;
    return await answer;
  }

  stop() {
    this.#child?.kill('SIGKILL');
  }

  async #ask(task) {
    this.#child ??= this.#start();
    return await new Promise((resolve) => {
      const patience = setTimeout(() => this.#child?.kill('SIGKILL'), PATIENCE_MS);
      this.#waiting.push((answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
      this.#child.stdin.write(`${JSON.stringify(task)}\n`);
    });
  }

  #start() {
    const child = spawn(PYTHON, [READERS], { stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.(JSON.parse(line)));
    child.stdin.on('error', () => undefined);
    child.once('exit', () => {
      this.#child = undefined;
      for (const answer of this.#waiting.splice(0)) answer({ error: 'the reader ended or took too long' });
    });
    return child;
  }
}
