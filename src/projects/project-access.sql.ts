import type { Access } from './project-access.js';

/**
 * Who may see projects, as SQL; `p` is the name of a row of projects. A project is seen by company-level callers and its
 * members, one that is visible to the company also by everybody in it; an API key with a list sees those on it at most.
 * Whether somebody is a member, and where the credential leaves it open also whether they are company-level, is looked up in
 * the statement itself.
 *
 * What kind of caller it is decides the text, so that the same plan serves all of a kind and holds nothing that they do not need.
 */

/** The company of those who may see anything. */
export const companyOf = ({ parameter }: Access): string => `(${parameter}::text[])[1]`;

/** The id of the person whose rights count. */
export const personOf = ({ parameter }: Access): string => `(${parameter}::text[])[2]`;

const listOf = ({ parameter }: Access): string => `(${parameter}::text[])[3:]::uuid[]`;

/** Condition that the person is company-level at this moment. */
const isCompanyLevel = (access: Access): string => `
  EXISTS (SELECT FROM users u WHERE u.company_id = ${companyOf(access)} AND u.id = ${personOf(access)} AND u.role = 'company')`;

const membership = (p: string, access: Access, columns: string, condition = 'true'): string => `
  SELECT ${columns} FROM project_members m WHERE m.project_id = ${p}.id AND m.user_id = ${personOf(access)} AND ${condition}`;

/** Condition that somebody reaches a project of theirs, by what it is visible to, by their role in the company or in it. */
const reaches = (p: string, access: Access, role = 'true'): string => {
  if (access.seesAll === true) return 'true';
  const ways = [
    `${p}.visibility = 'company'`,
    ...(access.seesAll === null ? [isCompanyLevel(access)] : []),
    `EXISTS (${membership(p, access, '', role)})`,
  ];
  return `(${ways.join(' OR ')})`;
};

const mayBeSeen = (p: string, access: Access): string => `
  ${p}.company_id = ${companyOf(access)} AND ${access.isLimited ? `${p}.id = ANY (${listOf(access)})` : 'true'}
  AND ${reaches(p, access)}`;

/** Condition that a project is there and the caller may see it. */
export const isVisible = (p: string, access: Access): string => `${p}.deleted_at IS NULL AND ${mayBeSeen(p, access)}`;

/** The same for a project that was deleted. */
export const wasVisible = (p: string, access: Access): string =>
  `${p}.deleted_at IS NOT NULL AND ${mayBeSeen(p, access)}`;

/** SQL of the role that the caller has in a project that they may see. What is visible to the company everybody edits. */
export const roleIn = (p: string, access: Access): string => {
  if (access.onlyReads) return `'viewer'`;
  if (access.seesAll === true) return `'owner'`;
  const asMember = `coalesce((${membership(p, access, 'm.role', `(${p}.visibility = 'private' OR m.role = 'owner')`)}), 'editor')`;
  return access.seesAll === null ? `CASE WHEN ${isCompanyLevel(access)} THEN 'owner' ELSE ${asMember} END` : asMember;
};

/** SQL that is true when the caller may change what is in a project that they may see. */
export const mayEdit = (p: string, access: Access): string =>
  access.onlyReads ? 'false' : reaches(p, access, `m.role <> 'viewer'`);

/** SQL of the id of a project that the caller may see, null when there is none of this id: for reads of the modules above. */
export const projectOf = (access: Access, project: string): string =>
  `(SELECT p.id FROM projects p WHERE p.id = ${project} AND ${isVisible('p', access)})`;
