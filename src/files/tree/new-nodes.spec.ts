import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newFile, withDirectories } from './new-nodes.js';

const file = newFile('workspace', { blob_id: 'b', size: 1 }, { content_type: 'text/csv', source: 'agent' });

describe('newFile', () => {
  it('includes file details in a workspace', () => {
    expect(file).toEqual({ blob_id: 'b', size: 1, content_type: 'text/csv', source: 'agent', with_id: true });
  });

  it('omits file details in other containers', () => {
    expect(newFile('deployment', { blob_id: 'b', size: 1 }, { content_type: 'text/csv' })).toEqual({
      blob_id: 'b',
      size: 1,
      content_type: null,
      source: null,
      with_id: false,
    });
  });
});

describe('withDirectories', () => {
  it('creates each directory once, before its entries', () => {
    const paths = ['a/b/c', 'a/d', 'e'];
    expect(withDirectories(paths.map((path) => ({ ...file, path })))).toEqual([
      { id: 0, parent: null, name: 'a' },
      { id: 1, parent: 0, name: 'b' },
      { ...file, id: 2, parent: 1, name: 'c' },
      { ...file, id: 3, parent: 0, name: 'd' },
      { ...file, id: 4, parent: null, name: 'e' },
    ]);
  });

  it('preserves the paths of all files', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `${names.join('/')}.txt`);
    fc.assert(
      fc.property(fc.uniqueArray(path), (paths) => {
        const nodes = withDirectories(paths.map((at) => ({ ...file, path: at })));
        const pathOf = (id: number | null): string[] => {
          const node = id === null ? undefined : nodes[id];
          return node === undefined ? [] : [...pathOf(node.parent), node.name];
        };
        const made = nodes.filter(({ blob_id }) => blob_id !== undefined).map(({ id }) => pathOf(id).join('/'));
        expect(made).toEqual(paths);
        expect(nodes.every(({ id, parent }) => parent === null || parent < id)).toBe(true);
      }),
    );
  });
});
