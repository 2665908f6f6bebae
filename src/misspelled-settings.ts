import { SETTINGS } from './config/load-config.js';
import { typosBetween } from '../packages/modelling/index.js';

/** Maximum length of a short name, where only a single typo is allowed. */
const MAX_SHORT = 7;
const MIN_LENGTH = 4;

/** Returns the variable names that look like misspelled settings, each with the setting that it resembles. */
export function misspelledSettings(names: readonly string[]): { name: string; setting: string }[] {
  return names.flatMap((name) => {
    const plain = name.replace(/_FILE$/, '');
    const match = SETTINGS.find((setting) => isMisspelling(plain.toUpperCase(), setting));
    return match === undefined ? [] : [{ name, setting: name === plain ? match : `${match}_FILE` }];
  });
}

/** Whether a name differs from a setting by a single typo or, if it is long, by two typos. Ignores underscores. */
function isMisspelling(name: string, setting: string): boolean {
  const [written, target] = [name, setting].map((text) => text.replaceAll(/[_.-]/g, '')) as [string, string];
  if (target.length < MIN_LENGTH) return false;
  return typosBetween(written, target, target.length > MAX_SHORT ? 2 : 1) !== undefined;
}
