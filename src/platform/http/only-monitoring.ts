import type { NextFunction, Request, Response } from 'express';
import { JsonText } from './json-text.js';

const MONITORING = /^\/(health\/|metrics$)/;

/** Has a process that works in the background answer those who run it, and nobody else: its port is not the service's. */
export function onlyMonitoring({ path }: Request, response: Response, next: NextFunction): void {
  if (MONITORING.test(path)) next();
  else response.status(404).json(new JsonText('{"detail":"Not Found"}'));
}
