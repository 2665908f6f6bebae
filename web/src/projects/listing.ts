import type { Schemas } from '@project-workspace/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useService } from '../service/service';

const PAGE_SIZE = 100;
/** Interval, in milliseconds, at which project statuses are polled. */
const POLL_MS = 5_000;

export type Project = Schemas['ProjectSummary'];

export interface ProjectFilter {
  /** Substring of the project name. */
  q: string;
  /** Limits the result to projects that the caller has created. */
  mine: boolean;
}

/** Query key for all project listings. Creating a project invalidates it. */
export const PROJECTS = ['projects'];

/** Reads the projects that match a filter, most recently changed first. */
export function useProjects({ q, mine }: ProjectFilter) {
  const { client } = useService();
  return useInfiniteQuery({
    queryKey: [...PROJECTS, q, mine],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const query = { limit: PAGE_SIZE, offset, ...(q !== '' && { q }), ...(mine && { created_by: 'me' }) };
      const { data } = await client.GET('/api/v1/projects', { params: { query }, signal });
      return data;
    },
    getNextPageParam: ({ offset, projects, total }) =>
      offset + projects.length < total && projects.length > 0 ? offset + projects.length : undefined,
    // Keeps the previous results on screen until the search has finished.
    placeholderData: keepPreviousData,
    // Polls only while a single page is loaded.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) <= 1 ? POLL_MS : false),
  });
}

/** Removes duplicates. A project that moves to another page while pages are being loaded may appear on both. */
export function projectsOf(pages: { projects: Project[] }[]): Project[] {
  return [...new Map(pages.flatMap(({ projects }) => projects).map((project) => [project.id, project])).values()];
}
