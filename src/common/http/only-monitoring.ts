import type { NextFunction, Request, Response } from 'express';
import { PathNotFound } from '../errors/errors.js';
import { JsonText } from './json-text.js';

const MONITORING = /^\/(health\/|metrics$)/;

/** Serves only health checks and metrics. Worker processes do not serve the API. */
export function onlyMonitoring({ path }: Request, response: Response, next: NextFunction): void {
  if (MONITORING.test(path)) next();
  else response.status(404).json(new JsonText(new PathNotFound().body()));
}
