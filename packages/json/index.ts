export { hasValidTexts, isJsonObject, type Json, type JsonObject, toJsonText, toPlain } from './json.js';
export { JsonLimitError, JsonSyntaxError, parseJson } from './parse-json.js';
export { codePoints, isValidText } from './text.js';
