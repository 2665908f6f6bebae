export function findSecrets(text: string, secrets: readonly string[]): string[];
export function scanLogs(folder: string): { lines: number; problems: string[] };
