import type { INestApplicationContext } from '@nestjs/common';
import { PostMessageService } from '../chat/post-message.service.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { BlobsService } from '../files/blobs/blobs.service.js';
import { ContainerResolver } from '../files/container-resolver.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import { companyLevel } from '../platform/auth/company-level.js';
import type { Principal } from '../platform/auth/principal.js';
import { Database } from '../platform/database/database.service.js';
import { ExpectedTags } from '../platform/http/entity-tags/entity-tag.js';
import { EXAMPLE } from '../platform/openapi/examples.js';
import { ProjectEditor, ProjectOwner } from '../projects/project-access.js';
import { ProjectMembers } from '../projects/project-members.service.js';
import { CardsService } from '../projects/canvas/cards.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { ScenariosService } from '../scenarios/scenarios.service.js';
import { DeploymentSkillsService } from '../skills/deployment-skills.service.js';
import { InstructionsService } from '../skills/instructions.service.js';

const DEPLOYMENT = EXAMPLE.deployment_name;
const PROJECT = 'Weekly production plan';

const INSTRUCTIONS = `# Production planning

You help planners of a small factory to turn a plan into a model that can be solved.

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

const DEMAND = `product,week,quantity
chairs,1,40
tables,1,12
chairs,2,35
tables,2,15
chairs,3,50
tables,3,10
chairs,4,45
`;

/**
 * What a newcomer finds: a deployment with instructions and two skills, a project made from it with a table, a number and a
 * scenario, that has begun to talk, and a private project in which the member is a viewer. What an interrupted first start has begun is completed; where there is a project, nothing is touched.
 */
export async function createDemo(app: INestApplicationContext, caller: Principal): Promise<void> {
  const { company_id } = caller;
  const company = companyLevel(caller);
  const projects = app.get(ProjectsService);
  const editor = ProjectEditor.of(caller);
  if ((await projects.list(editor, { limit: 1, offset: 0, deleted: false })).total > 0) return;
  const deployments = app.get(DeploymentsService);
  const begun = await deployments.find(company_id, DEPLOYMENT);
  const { handle } = begun ?? (await deployments.create(company, { name: DEPLOYMENT }));
  await app.get(InstructionsService).put(company, handle, INSTRUCTIONS, ExpectedTags.NOT_GIVEN);
  for (const [name, text] of Object.entries(SKILLS)) {
    const files = new Map([['SKILL.md', text]]);
    await app.get(DeploymentSkillsService).put(company, handle, name, files, ExpectedTags.NOT_GIVEN);
  }
  const demo = {
    name: PROJECT,
    description: 'Two products share labour and machine hours; which mix earns most?',
    short_description: 'Product mix of one week',
    from_deployment: handle,
    workspace_mode: 'define' as const,
    visibility: 'company' as const,
  };
  await projects.create(editor, demo, undefined, EXAMPLE.project_id);
  await putTable(app, caller);
  await putScenario(app, editor);
  await app.get(PostMessageService).post(editor, EXAMPLE.project_id, {
    content: 'We make chairs and tables and want to plan next week. Where do we start?',
  });
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
  await app.get(ProjectsService).create(editor, project, undefined, private_project_id);
  await app
    .get(CardsService)
    .add(editor, private_project_id, { card_type: 'kpi', label: 'Margin', data: { unit: '%' } });
  await app.get(ProjectMembers).put(ProjectOwner.of(editor.caller), private_project_id, user_id, 'viewer');
}

async function putTable(app: INestApplicationContext, caller: Principal): Promise<void> {
  const { company_id } = caller;
  const { project_id } = EXAMPLE;
  const workspace = await app.get(ContainerResolver).findForWriting(caller, { source: 'workspace', project_id });
  const blob = await app.get(BlobsService).store(company_id, DEMAND);
  await app
    .get(Database)
    .transaction((tx) => app.get(FileTreeService).putFile(tx, workspace, EXAMPLE.table, blob, { source: 'upload' }));
}

async function putScenario(app: INestApplicationContext, editor: ProjectEditor): Promise<void> {
  const { project_id, scenario_id, value } = EXAMPLE;
  await app.get(CardsService).add(editor, project_id, {
    card_type: 'data',
    label: 'Working hours',
    data: { values: { [value]: 80 }, description: 'Hours of the whole team in a week' },
  });
  const changes = [{ kind: 'value' as const, target: value, times: 2 }];
  await app.get(ScenariosService).create(editor, project_id, { name: 'Two shifts', changes }, undefined, scenario_id);
}
