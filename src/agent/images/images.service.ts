import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { BlobsService } from '../../files/blobs/blobs.service.js';
import { ContainerResolverService } from '../../files/container-resolver.service.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import type { TreeFile } from '../../files/tree/tree-file.js';
import { DomainError } from '../../common/errors/errors.js';
import { ObjectMissing } from '../../storage/object-store.js';
import type { AgentContext } from '../agent.js';
import { ImageBudget, type Refusal } from './image-budget.js';
import { IMAGE_HEAD_BYTES, type ImageType, imageType } from './image-type.js';

/** Maximum total size of the images that a process keeps in memory for its turns, in bytes. */
const MAX_HELD_BYTES = 64 * 1024 ** 2;

/** Image as passed to a model. */
export interface ShownImage {
  /** One-based number within the turn. */
  number: number;
  path: string;
  media_type: ImageType;
  base64: string;
}

/** Result of loading an image: shown now, already shown in this turn, or refused. */
export type ImageResult = { image: ShownImage; isNew: boolean } | { refusal: Refusal; image?: undefined };

/** Images shown in a turn, by blob id. */
interface TurnImages {
  budget: ImageBudget;
  images: Map<string, ShownImage>;
}

const UNREADABLE: Refusal = { code: 'unavailable', reason: 'its content cannot be read' };
const NONE_TAKEN: Refusal = { code: 'not_text', reason: 'this model does not receive images' };
const BUSY: Refusal = { code: 'unavailable', reason: 'too many images are being read at the moment' };

/**
 * Loads workspace images for models that accept image input. Images shown in a turn count against its limits and stay in memory
 * until the turn ends.
 */
@Injectable()
export class ImagesService {
  private readonly turns = new WeakMap<AgentContext, TurnImages>();
  private heldBytes = 0;

  constructor(
    private readonly config: Config,
    private readonly resolver: ContainerResolverService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
  ) {}

  /** Whether the model accepts images. */
  get areShown(): boolean {
    return this.config.agentImages;
  }

  /** Returns the current workspace files by the references that name them. Omits unknown references. */
  async find({ principal, project_id }: AgentContext, references: readonly string[]): Promise<Map<string, TreeFile>> {
    const workspace = await this.resolver.find(principal, { source: 'workspace', project_id });
    return await this.reader.findAll(workspace, references);
  }

  /**
   * Reads a file if it is an image, and returns undefined otherwise. Does not read the content of an image that exceeds a
   * limit.
   */
  async load(context: AgentContext, file: TreeFile): Promise<ImageResult | undefined> {
    const head = await this.read(context, file, IMAGE_HEAD_BYTES);
    if (head === undefined) return { refusal: UNREADABLE };
    const media_type = imageType(head);
    if (media_type === undefined) return undefined;
    if (!this.areShown) return { refusal: NONE_TAKEN };
    const { budget, images } = this.of(context);
    const before = images.get(file.blob_id);
    if (before !== undefined) return { image: before, isNew: false };
    const refusal = budget.refusal(file.size) ?? (this.heldBytes + file.size > MAX_HELD_BYTES ? BUSY : undefined);
    if (refusal !== undefined) return { refusal };
    budget.add(file.size);
    this.heldBytes += file.size;
    let content: Buffer | undefined;
    try {
      content = await this.read(context, file, file.size);
    } finally {
      // If the turn has ended, its abort listener has already released this size.
      if (content === undefined && !context.signal.aborted) {
        budget.giveBack(file.size);
        this.heldBytes -= file.size;
      }
    }
    if (content === undefined) return { refusal: UNREADABLE };
    const image = { number: images.size + 1, path: file.path, media_type, base64: content.toString('base64') };
    images.set(file.blob_id, image);
    return { image, isNew: true };
  }

  private of(context: AgentContext): TurnImages {
    const { signal } = context;
    signal.throwIfAborted();
    const existing = this.turns.get(context);
    if (existing !== undefined) return existing;
    const turn: TurnImages = { budget: new ImageBudget(), images: new Map() };
    this.turns.set(context, turn);
    // The signal also aborts after a successful turn.
    signal.addEventListener('abort', () => (this.heldBytes -= turn.budget.bytes), { once: true });
    return turn;
  }

  /** Reads the first bytes of a file. Returns undefined if the store cannot provide them. */
  private async read({ signal }: AgentContext, file: TreeFile, bytes: number): Promise<Buffer | undefined> {
    const end = Math.min(file.size, bytes) - 1;
    if (end < 0) return Buffer.alloc(0);
    try {
      const stream = await this.blobs.stream(file.blob_id, { start: 0, end });
      return await buffer(addAbortSignal(signal, stream));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ObjectMissing || error instanceof DomainError) return undefined;
      throw error;
    }
  }
}
