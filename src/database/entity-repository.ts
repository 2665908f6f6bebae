import { Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { DataSource, EntityManager, getMetadataArgsStorage, type ObjectLiteral, Repository } from 'typeorm';

/**
 * Creates the base class of an entity's repository: `class CardsRepository extends EntityRepository(Card) {}`. Modules list the
 * repository among their providers.
 *
 * Its methods run outside transactions, each as a separate statement. Inside a transaction, call them on
 * `tx.withRepository(cards)`.
 */
export function EntityRepository<Entity extends ObjectLiteral>(entity: Type<Entity>): Type<Repository<Entity>> {
  @Injectable()
  class RepositoryOfEntity extends Repository<Entity> {
    /** Nest passes the data source. `withRepository` passes the entity and the manager of the transaction. */
    constructor(@Inject(DataSource) source: DataSource | Type<Entity>, @Optional() manager?: EntityManager) {
      super(entity, manager ?? (source as DataSource).manager);
    }
  }
  return RepositoryOfEntity;
}

/** Returns the columns of an entity for a handwritten SELECT, without columns declared with `select: false`. */
export const columnsOf = (entity: Type): string[] =>
  getMetadataArgsStorage()
    .filterColumns(entity)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName }) => propertyName);
