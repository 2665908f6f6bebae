import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { documentation } from './documentation.js';
import { declareField, type FieldOptions, type Kind } from './field-registry.js';

/**
 * Declares, validates and documents a property as a field of the given kind. Decorators of class-validator may stand
 * beside it; they see the converted value when the field has accepted it, and neither null nor what is absent.
 */
export function field<Value>(kind: Kind<Value>, options: FieldOptions<Value>): PropertyDecorator {
  return (prototype, property) => {
    const name = String(property);
    const target = prototype.constructor;
    declareField(prototype, { target, name, kind, options } as Parameters<typeof declareField>[1]);
    ApiProperty(documentation(name, kind, options))(prototype, property);
    // A class that refers to itself is on its way into the document already.
    if (kind.model !== undefined && kind.model !== target) ApiExtraModels(kind.model)(target);
  };
}
