import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { registerDecorator, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { declareField, type FieldOptions, type Kind } from './field-registry.js';
import { documentation } from './documentation.js';
import { ACCEPTED } from './read-object.js';
import { Refused } from './refused.js';

@ValidatorConstraint({ name: ACCEPTED })
class Accepted implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return !(value instanceof Refused);
  }
}

/** Declares, validates and documents a property as a field of the given kind. */
export function field<Value>(kind: Kind<Value>, options: FieldOptions<Value>): PropertyDecorator {
  return (prototype, property) => {
    const name = String(property);
    const target = prototype.constructor;
    declareField(prototype, { name, kind, options } as Parameters<typeof declareField>[1]);
    registerDecorator({ name: ACCEPTED, target, propertyName: name, validator: Accepted });
    ApiProperty(documentation(name, kind, options))(prototype, property);
    // A class that refers to itself is on its way into the document already.
    if (kind.model !== undefined && kind.model !== target) ApiExtraModels(kind.model)(target);
  };
}
