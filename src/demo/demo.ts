import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { ConversationsService } from '../chat/conversations.service.js';
import { PostMessageService } from '../chat/post-message.service.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { ExecutionRecordsService } from '../executions/execution-records.service.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { triggerOf } from '../executions/trigger.js';
import { BlobsService } from '../files/blobs/blobs.service.js';
import { ContainerResolverService } from '../files/container-resolver.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import { companyLevel } from '../auth/company-level.js';
import type { Principal } from '../auth/principal.js';
import { DatabaseService } from '../database/database.service.js';
import { ExpectedTags } from '../common/etag/entity-tag.js';
import { EXAMPLE } from '../common/openapi/examples.js';
import { ProjectEditor, ProjectOwner, ProjectReader } from '../projects/project-access.js';
import { ProjectMembersService } from '../projects/project-members.service.js';
import type { CardCreateRequest } from '../projects/canvas/canvas.dto.js';
import { CardsService } from '../projects/canvas/cards.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ProjectCreationService } from '../projects/project-creation.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { ScenariosService } from '../scenarios/scenarios.service.js';
import { DeploymentSkillsService } from '../skills/deployment-skills.service.js';
import { InstructionsService } from '../skills/instructions.service.js';
import { CANVAS, DEMAND } from './sample-model.js';

const DEPLOYMENT = EXAMPLE.deployment_name;
const PROJECT = 'Weekly production plan';

const INSTRUCTIONS = `# Production planning

You help planners of a small factory turn a plan into a model that can be solved.

- Ask for one thing at a time, and say why it is needed.
- State quantities with their units.
- Never promise a plan before the model is solved.
`;

const SKILLS: Record<string, string> = {
  'shift-rules': `---
name: shift-rules
description: How working hours and shifts limit a plan
---
# Shift rules

No shift is longer than ten hours, and no team works two shifts in a row.
State labour as hours a week for each team.
`,
  'demand-data': `---
name: demand-data
description: Where demand figures come from and how to read them
---
# Demand data

Demand comes as a CSV file with the columns product, week and quantity.
A missing week means no demand, not an unknown one.
`,
};

/** Workspace files by path. */
const FILES: Record<string, string> = {
  [EXAMPLE.table]: DEMAND,
  [`${EXAMPLE.notes}/first-meeting.md`]: '# First meeting\n\nSawing is the bottleneck in some weeks.\n',
  [EXAMPLE.draft]: '# Rough plan\n\n45 chairs and 15 tables.\n',
  'drafts/old-plan.md': '# Old plan\n\n30 chairs and 20 tables.\n',
  'drafts/older/plan.md': '# Older plan\n\n25 chairs and 20 tables.\n',
};

/** Maximum time to wait for the first plan, in milliseconds. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/**
 * Creates the demo: a deployment with instructions and two skills, and a project created from the deployment. The project has a
 * solved model, files, a scenario and two conversations. In a second, private project, the demo member is a viewer. Does
 * nothing if the company already has a project. Otherwise completes a demo whose creation was interrupted.
 */
export async function createDemo(app: INestApplicationContext, caller: Principal): Promise<void> {
  const { company_id } = caller;
  const company = companyLevel(caller);
  const editor = ProjectEditor.of(caller);
  if ((await app.get(ProjectsService).list(editor, { limit: 1, offset: 0, deleted: false })).total > 0) return;
  const deployments = app.get(DeploymentsService);
  const existing = await deployments.find(company_id, DEPLOYMENT);
  const { handle } = existing ?? (await deployments.create(company, { name: DEPLOYMENT }));
  await app.get(InstructionsService).put(company, handle, INSTRUCTIONS, ExpectedTags.NONE);
  for (const [name, text] of Object.entries(SKILLS)) {
    const files = new Map([['SKILL.md', text]]);
    await app.get(DeploymentSkillsService).put(company, handle, name, files, ExpectedTags.NONE);
  }
  const demo = {
    name: PROJECT,
    description: 'Two products share labour and machine hours; which mix earns most?',
    short_description: 'Product mix of one week',
    from_deployment: handle,
    workspace_mode: 'define' as const,
    visibility: 'company' as const,
  };
  await app.get(ProjectCreationService).create(editor, demo, EXAMPLE.project_id);
  await putFiles(app, caller);
  await putModel(app, editor);
  await solve(app, editor);
  await putConversations(app, editor);
  await createPrivateProject(app, editor);
}

async function createPrivateProject(app: INestApplicationContext, editor: ProjectEditor): Promise<void> {
  const { private_project_id, user_id } = EXAMPLE;
  const project = {
    name: 'Prices of next year',
    short_description: 'Private: Ada decides, Max only reads',
    workspace_mode: 'define' as const,
    visibility: 'private' as const,
  };
  await app.get(ProjectCreationService).create(editor, project, private_project_id);
  await app
    .get(CardsService)
    .add(editor, private_project_id, { card_type: 'kpi', label: 'Margin', data: { unit: '%' } });
  await app.get(ProjectMembersService).put(ProjectOwner.of(editor.caller), private_project_id, user_id, 'viewer');
}

async function putFiles(app: INestApplicationContext, caller: Principal): Promise<void> {
  const { project_id } = EXAMPLE;
  const workspace = await app.get(ContainerResolverService).findForWriting(caller, { source: 'workspace', project_id });
  for (const [path, text] of Object.entries(FILES)) {
    const blob = await app.get(BlobsService).store(caller.company_id, text);
    await app
      .get(DatabaseService)
      .transaction((tx) => app.get(FileTreeService).putFile(tx, workspace, path, blob, { source: 'upload' }));
  }
}

async function putModel(app: INestApplicationContext, editor: ProjectEditor): Promise<void> {
  const { project_id, card_id, scenario_id, value } = EXAMPLE;
  const cards = app.get(CardsService);
  const hours: CardCreateRequest = {
    card_type: 'data',
    label: 'Working hours',
    data: { values: { [value]: 80 }, description: 'Hours of the whole team in a week' },
  };
  await cards.add(editor, project_id, hours, card_id);
  for (const card of CANVAS) await cards.add(editor, project_id, card);
  const changes = [{ kind: 'value' as const, target: value, times: 2 }];
  await app.get(ScenariosService).create(editor, project_id, { name: 'Two shifts', changes }, scenario_id);
}

/** Solves the canvas and waits for the plan, so that the first conversation can refer to the plan. */
async function solve(app: INestApplicationContext, editor: ProjectEditor): Promise<void> {
  const { project_id, execution_id } = EXAMPLE;
  await app.get(DatabaseService).transaction(async (tx) => {
    const project = await tx.withRepository(app.get(ProjectsRepository)).lock(editor, project_id);
    const run = { ...triggerOf(editor.caller), input_file_ids: null, is_test: false, name: 'First plan' };
    await app.get(ExecutionsService).start(tx, project, run, execution_id);
  });
  const reader = ProjectReader.of(editor.caller);
  const records = app.get(ExecutionRecordsService);
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(PAUSE_MS)) {
    const { status } = await records.get(reader, project_id, execution_id);
    if (status !== 'queued' && status !== 'running') return;
  }
}

async function putConversations(app: INestApplicationContext, editor: ProjectEditor): Promise<void> {
  const { project_id, conversation_id } = EXAMPLE;
  await app.get(PostMessageService).post(editor, project_id, { content: 'Which limits bind?' });
  const title = { title: 'What if a machine fails?' };
  await app.get(ConversationsService).create(editor, project_id, title, conversation_id);
}
