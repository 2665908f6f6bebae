import type { ProjectId } from '../database/checked-id.js';
import { In } from 'typeorm';
import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import { LAST_ID, walkStart } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { Scenario } from './scenario.entity.js';

/** Stores projects' scenarios. The caller must have locked the project before changing them. */
export class ScenariosRepository extends EntityRepository(Scenario) {
  /** Returns a page of a project's scenarios, newest first. */
  async page(project_id: ProjectId, page: WalkQuery): Promise<Page<Scenario>> {
    const { limit, offset } = page;
    const start = walkStart('scenarios', page);
    if (start !== undefined) {
      // A project has few scenarios, so they are selected by project before the id condition is applied.
      const rows: Scenario[] = await this.query(
        `SELECT * FROM (SELECT * FROM scenarios WHERE project_id = $1 OFFSET 0) s WHERE id < $2 ORDER BY id DESC LIMIT $3`,
        [project_id, start ?? LAST_ID, limit],
      );
      return { rows, total: await this.countBy({ project_id }) };
    }
    const [rows, total] = await this.findAndCount({
      where: { project_id },
      order: { created_at: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { rows, total };
  }

  /** Returns all of a project's scenarios, oldest first. */
  async all(project_id: ProjectId): Promise<Scenario[]> {
    return await this.find({ where: { project_id }, order: { created_at: 'ASC', id: 'ASC' } });
  }

  /** Returns the ids and names of all scenarios in a project, oldest first. */
  async names(project_id: ProjectId): Promise<Pick<Scenario, 'id' | 'name'>[]> {
    return await this.find({
      select: { id: true, name: true },
      where: { project_id },
      order: { created_at: 'ASC', id: 'ASC' },
    });
  }

  /**
   * Returns a scenario.
   * @throws NotFound
   */
  async require(project_id: ProjectId, scenarioId: string): Promise<Scenario> {
    const [scenario] = (await this.byIds(project_id, [parseId(scenarioId, 'Scenario')])).values();
    if (scenario === undefined) throw new NotFound('Scenario');
    return scenario;
  }

  /** Returns the scenarios in a project that have the given ids, keyed by id. */
  async byIds(project_id: ProjectId, ids: readonly string[]): Promise<Map<string, Scenario>> {
    const scenarios = await this.findBy({ project_id, id: In([...ids]) });
    return new Map(scenarios.map((scenario) => [scenario.id, scenario]));
  }

  /** Changes fields of a scenario and updates its change time. */
  async change(
    { project_id, id }: Scenario,
    fields: Partial<Pick<Scenario, 'name' | 'description' | 'changes'>>,
  ): Promise<void> {
    // The cast is needed because the type of TypeORM's update values also allows SQL functions inside JSON values.
    const values = { ...fields, updated_at: () => 'clock_timestamp()' } as Parameters<typeof this.update>[1];
    await this.update({ project_id, id }, values);
  }
}
