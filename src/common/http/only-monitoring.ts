import type { NextFunction, Request, Response } from 'express';
import { PathNotFound } from '../errors/errors.js';
import { JsonText } from './json-text.js';

const MONITORING = /^\/(health\/|metrics$)/;

/** Lets a worker process serve only health and metrics: its port is not the API's. */
export function onlyMonitoring({ path }: Request, response: Response, next: NextFunction): void {
  if (MONITORING.test(path)) next();
  else response.status(404).json(new JsonText(new PathNotFound().body()));
}
