import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { readLp } from './lp-reader.js';
import { type Model, MODEL_LIMITS, ModelProblem } from './model.js';
import { readMps } from './mps-reader.js';

const MODEL_FILE = /\.(lp|mps)(?:\.gz)?$/i;

/** Whether a path has the extension of a model file. */
export const isModelFile = (path: string): boolean => MODEL_FILE.test(path);

/**
 * Reads a model file. Its extension determines its format, and its content whether it is compressed: browsers and download
 * tools may unpack a file without renaming it.
 *
 * @throws ModelProblem
 */
export function readModelFile(path: string, bytes: Uint8Array): Model {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const plain = content[0] === 0x1f && content[1] === 0x8b ? unzipped(path, content) : content;
  if (!isUtf8(plain) || plain.includes(0)) throw new ModelProblem('invalid_model', `${path} is not UTF-8 text`);
  const [, format = ''] = MODEL_FILE.exec(path) ?? [];
  // Removes a byte order mark.
  const text = new TextDecoder().decode(plain);
  return format.toLowerCase() === 'mps' ? readMps(text) : readLp(text);
}

/** Unzips a file. Unzipping ends as soon as it exceeds a limit, so that a small file cannot fill the memory. */
function unzipped(path: string, content: Buffer): Buffer {
  const maxOutputLength = Math.min(MODEL_LIMITS.unzippedBytes, content.length * MODEL_LIMITS.unzippedRatio);
  try {
    return gunzipSync(content, { maxOutputLength });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ModelProblem('model_too_large', `${path} has more than ${maxOutputLength} bytes when it is unpacked`);
    }
    if (code.startsWith('Z_')) throw new ModelProblem('invalid_model', `${path} is damaged and cannot be unpacked`);
    throw error;
  }
}
