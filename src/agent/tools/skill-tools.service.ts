import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import { type Tool, ToolFailure } from './tool.js';

const input = z.strictObject({
  skill: z.string().describe('Name of a mounted skill'),
  file: z.string().default('SKILL.md').describe('Path within the skill'),
});

/** Tool that reads the skills mounted for the turn. */
@Injectable()
export class SkillToolsService {
  readonly read: Tool<z.infer<typeof input>> = {
    name: 'read_skill',
    description: 'Reads a file of a mounted skill, SKILL.md first. Read a skill before you do work that it covers.',
    input,
    run: async ({ skill: name, file: path }, { configuration }) => {
      const skill = configuration.skills.find((candidate) => candidate.name === name);
      if (skill === undefined) throw new ToolFailure('not_found', `There is no mounted skill ${name}`);
      const file = skill.files.get(path);
      const files = [...skill.files.keys()];
      if (file === undefined) throw new ToolFailure('not_found', `The skill ${name} has no file ${path}`, { files });
      const [text] = (await this.reader.readTexts([file])).values();
      return { result: { skill: name, file: path, text, files } };
    },
  };

  constructor(private readonly reader: FileTreeReaderService) {}
}
