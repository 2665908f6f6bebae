import type { Schemas } from '@project-workspace/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useService } from '../service/service';

const PAGE = 100;
/** How often statuses are looked at, in milliseconds. */
const LOOK_MS = 5_000;

export type Project = Schemas['ProjectSummary'];

export interface Filter {
  /** Part of the name. */
  q: string;
  /** Only those that the caller has created. */
  mine: boolean;
}

/** What is read of projects, and forgotten when one is made. */
export const PROJECTS = ['projects'];

/** The projects that fit a filter, last changed first, as many pages as were asked for. */
export function useProjects({ q, mine }: Filter) {
  const { client } = useService();
  return useInfiniteQuery({
    queryKey: [...PROJECTS, q, mine],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const query = { limit: PAGE, offset, ...(q !== '' && { q }), ...(mine && { created_by: 'me' }) };
      const { data } = await client.GET('/api/v1/projects', { params: { query }, signal });
      return data;
    },
    getNextPageParam: ({ offset, projects, total }) =>
      offset + projects.length < total && projects.length > 0 ? offset + projects.length : undefined,
    // A search shows what was found before until it has found something.
    placeholderData: keepPreviousData,
    // Of a long list only the first page is looked at again.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) <= 1 ? LOOK_MS : false),
  });
}

/** Each project once: one that has moved between two pages comes on both. */
export function projectsOf(pages: { projects: Project[] }[]): Project[] {
  return [...new Map(pages.flatMap(({ projects }) => projects).map((project) => [project.id, project])).values()];
}
