const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];

/** Formats a size in a suitable unit, such as `1.4 MB`. */
export function formatBytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(size / 1000 ** power);
}
