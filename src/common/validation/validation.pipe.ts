import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { Invalid, missing } from '../errors/errors.js';
import type { Json } from '../../../packages/json/index.js';
import { Rejected } from './kind.js';
import { isRequestClass, validateRequest } from './validate-object.js';

/** Parts of a request, as named in `loc`. */
const PARTS = { body: 'body', query: 'query', param: 'path' } as const;

/** Converts bodies, queries and paths to instances of the handler's parameter classes, or throws the documented 422. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  private readonly requestTypes = new WeakMap<Type, boolean>();

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (!(type in PARTS) || metatype === undefined || !this.isRequestType(metatype)) return value;
    const part = PARTS[type as keyof typeof PARTS];
    if (part === 'body' && (value === undefined || value === null)) throw new Invalid([missing(['body'], null)]);
    const input = part === 'body' ? (value as Json) : new Map(Object.entries(value as Record<string, string>));
    const result: unknown = validateRequest(metatype, input, part === 'body' ? input : null);
    if (result instanceof Rejected) throw new Invalid(result.at(part));
    return result;
  }

  private isRequestType(type: Type): boolean {
    let isRequest = this.requestTypes.get(type);
    if (isRequest === undefined) {
      isRequest = isRequestClass(type);
      this.requestTypes.set(type, isRequest);
    }
    return isRequest;
  }
}
