import type { AgentContext, AgentMessage } from '../agent.js';
import type { ImagesService, ImageResult, ShownImage } from '../images/images.service.js';

/** Maximum number of attachments that are checked for images, counted over the messages to answer. */
const MAX_READ_FILES = 100;
const BEYOND_LIMIT: ImageResult = {
  refusal: { code: 'limit_reached', reason: `only the first ${MAX_READ_FILES} files are read` },
};
/** Maximum number of file references from earlier messages that are listed again. The newest references have priority. */
const MAX_NAMED_AGAIN = 100;

/** Files attached to messages, as presented to a model. */
export interface MessageFiles {
  /** Display names by reference. Files from earlier messages are included only if the model accepts images. */
  names: ReadonlyMap<string, string>;
  /** Images to send with each message. Only the messages to answer have images. */
  images: ReadonlyMap<AgentMessage, readonly ShownImage[]>;
}

/** Returns all files with their paths, without images. */
export function filesByName({ attachments }: Pick<AgentContext, 'attachments'>): MessageFiles {
  return { names: new Map(Array.from(attachments, ([reference, { path }]) => [reference, path])), images: new Map() };
}

/**
 * Returns the messages' files, with images only for the messages to answer. Images from earlier messages are only listed, and
 * the model can read them again. If every request contained them, an image that the provider rejects would make every later
 * turn fail.
 */
export async function filesWithImages(context: AgentContext, images: ImagesService): Promise<MessageFiles> {
  const { messages, attachments } = context;
  const pending = messages.filter(({ to_answer }) => to_answer);
  const references = new Set(pending.flatMap(({ file_ids }) => file_ids));
  const earlier = messages.flatMap(({ to_answer, file_ids }) => (to_answer ? [] : file_ids)).slice(-MAX_NAMED_AGAIN);
  if (references.size + earlier.length === 0) return filesByName(context);
  const files = await images.find(context, [...references, ...earlier]);
  const names = new Map(Array.from(files, ([reference, { path }]) => [reference, path]));
  for (const [reference, { path }] of attachments) {
    if (!files.has(reference)) names.set(reference, `${path} (no longer in the workspace)`);
  }
  const imagesByMessage = new Map<AgentMessage, ShownImage[]>();
  const readReferences = new Set<string>();
  for (const message of pending) {
    const own: ShownImage[] = [];
    for (const reference of message.file_ids) {
      const file = files.get(reference);
      if (file === undefined || readReferences.has(reference)) continue;
      readReferences.add(reference);
      const outcome = readReferences.size > MAX_READ_FILES ? BEYOND_LIMIT : await images.load(context, file);
      if (outcome === undefined) continue;
      const note =
        outcome.image === undefined ? `not shown: ${outcome.refusal.reason}` : `image ${outcome.image.number}`;
      names.set(reference, `${file.path} (${note})`);
      if (outcome.image !== undefined && outcome.isNew) own.push(outcome.image);
    }
    if (own.length > 0) imagesByMessage.set(message, own);
  }
  return { names, images: imagesByMessage };
}
