import { Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { DataSource, EntityManager, type ObjectLiteral, Repository } from 'typeorm';

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
