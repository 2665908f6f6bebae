import { Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { DataSource, EntityManager, getMetadataArgsStorage, type ObjectLiteral, Repository } from 'typeorm';

/**
 * The base of the repository of an entity: `class CardsRepository extends EntityRepository(Card) {}`. A module lists it among
 * its providers.
 *
 * Its methods run outside of transactions, each statement by itself. Inside one, the same methods are those of
 * `tx.withRepository(cards)`.
 */
export function EntityRepository<Entity extends ObjectLiteral>(entity: Type<Entity>): Type<Repository<Entity>> {
  @Injectable()
  class RepositoryOfEntity extends Repository<Entity> {
    /** Nest gives the data source, `withRepository` the entity and the manager of the transaction. */
    constructor(@Inject(DataSource) source: DataSource | Type<Entity>, @Optional() manager?: EntityManager) {
      super(entity, manager ?? (source as DataSource).manager);
    }
  }
  return RepositoryOfEntity;
}

/** Columns of an entity without those that are declared with `select: false`, for a SELECT by hand. */
export const columnsOf = (entity: Type): string[] =>
  getMetadataArgsStorage()
    .filterColumns(entity)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName }) => propertyName);
