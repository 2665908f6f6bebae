import type { ProjectId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { UsersRepository } from '../auth/identities/users.repository.js';
import type { Principal } from '../auth/principal.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict, NotFound } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { ProjectLeaver, ProjectOwner, type ProjectReader } from './project-access.js';
import type { ProjectRole } from './project-member.entity.js';
import { type MemberRow, ProjectMembersRepository } from './project-members.repository.js';
import { ProjectsRepository } from './projects.repository.js';

/** Maximum number of members per project. */
const MAX_MEMBERS = 1_000;

/** Manages users' roles in projects. A project always has at least one owner. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly users: UsersRepository,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Returns the members of a project, in the order in which they were added.
   * @throws NotFound
   */
  async list(reader: ProjectReader, projectId: string, page: WalkQuery): Promise<Page<MemberRow>> {
    const { id } = await this.projects.require(reader, projectId);
    return await this.members.page(id, page);
  }

  /**
   * Adds a member or changes the member's role.
   *
   * @throws NotFound, also for a user who has never used this service
   * @throws Conflict if no owner would remain, or there are too many members
   */
  async put(owner: ProjectOwner, projectId: string, user_id: string, role: ProjectRole): Promise<MemberRow> {
    return await this.database.transaction(async (tx) => {
      const members = tx.withRepository(this.members);
      const { id: project_id, company_id } = await tx.withRepository(this.projects).lock(owner, projectId);
      if (!(await tx.withRepository(this.users).existsBy({ company_id, id: user_id }))) throw new NotFound('User');
      await members.put({ project_id, company_id, user_id, role });
      if ((await members.countBy({ project_id })) > MAX_MEMBERS) {
        throw new Conflict('too_many_members', `A project can have at most ${MAX_MEMBERS} members; remove one first`);
      }
      await this.concluded(tx, project_id, owner.caller, { user_id, role });
      return await members.row(project_id, user_id);
    });
  }

  /**
   * Removes a member. All members may remove themselves.
   *
   * @throws NotFound
   * @throws Forbidden
   * @throws Conflict if no owner would remain
   */
  async remove(caller: Principal, projectId: string, user_id: string): Promise<void> {
    const remover = caller.user_id === user_id ? ProjectLeaver.of(caller) : ProjectOwner.of(caller);
    await this.database.transaction(async (tx) => {
      const { id: project_id } = await tx.withRepository(this.projects).lock(remover, projectId);
      const { affected } = await tx.withRepository(this.members).delete({ project_id, user_id });
      if (affected === 0) throw new NotFound('Member');
      await this.concluded(tx, project_id, caller, { user_id, role: null });
    });
  }

  private async concluded(
    tx: Tx,
    project_id: ProjectId,
    caller: Principal,
    change: { user_id: string; role: ProjectRole | null },
  ): Promise<void> {
    if ((await tx.withRepository(this.members).countBy({ project_id, role: 'owner' })) === 0) {
      throw new Conflict('last_owner', 'A project needs an owner; make another member an owner first');
    }
    await tx.withRepository(this.projects).change(project_id, {});
    this.events.by(tx, caller);
    this.events.note(tx, project_id, 'member.changed', change);
  }
}
