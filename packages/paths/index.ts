export {
  InvalidPath,
  MAX_NAME_BYTES,
  MAX_PATH_BYTES,
  isWithin,
  joinPath,
  namesOf,
  normalizePath,
  pathProblem,
} from './paths.js';
