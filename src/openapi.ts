import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { Config } from './config/config.js';
import { createApp } from './configure-app.js';
import { createLogger } from './common/logging/logger.js';
import { buildDocument } from './common/openapi/document.js';

/** Writes the OpenAPI document to the file named by the first argument. Needs neither a database nor settings. */
const [file = 'openapi.json'] = process.argv.slice(2);
const app = await createApp(
  { config: new Config(), logger: createLogger('error'), databaseUrl: '' },
  { preview: true },
);
await writeFile(file, `${JSON.stringify(buildDocument(app), null, 2)}\n`);
