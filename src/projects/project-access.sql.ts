/**
 * Who may see projects, as SQL. Company-level callers and the members of a project see it. If it is visible to the company, everybody
 * in the company sees it too. An API key with a list of projects sees those projects at most. The statement itself looks up whether
 * somebody is a member and, where the credential leaves it open, whether they are company-level.
 *
 * `p` is the name of a row of projects, `caller` the SQL of a parameter that `callerParameter` made.
 */

/** The company of the caller. */
export const companyOf = (caller: string): string => `(${caller}::text[])[1]`;

/** The id of the person whose rights count. */
export const personOf = (caller: string): string => `(${caller}::text[])[2]`;

const seesAll = (caller: string): string => `(${caller}::text[])[3]::boolean`;
const onlyReads = (caller: string): string => `(${caller}::text[])[4]::boolean`;
const isLimited = (caller: string): string => `(${caller}::text[])[5]::boolean`;
const listOf = (caller: string): string => `(${caller}::text[])[6:]::uuid[]`;

/** Condition that the caller is company-level at this moment, whichever projects there are. */
const isCompanyLevel = (caller: string): string => `coalesce(${seesAll(caller)}, EXISTS (
  SELECT FROM users u WHERE u.company_id = ${companyOf(caller)} AND u.id = ${personOf(caller)} AND u.role = 'company'))`;

const membership = (p: string, caller: string, columns: string, condition = 'true'): string => `
  SELECT ${columns} FROM project_members m WHERE m.project_id = ${p}.id AND m.user_id = ${personOf(caller)} AND ${condition}`;

/** Condition that the person reaches a project: by its visibility, by their role in the company or by their role in the project. */
const reaches = (p: string, caller: string, role = 'true'): string => `
  (${p}.visibility = 'company' OR ${isCompanyLevel(caller)} OR EXISTS (${membership(p, caller, '', role)}))`;

const mayBeSeen = (p: string, caller: string): string => `
  ${p}.company_id = ${companyOf(caller)} AND (NOT ${isLimited(caller)} OR ${p}.id = ANY (${listOf(caller)})) AND ${reaches(p, caller)}`;

/** Condition that a project exists and the caller may see it. */
export const isVisible = (p: string, caller: string): string => `${p}.deleted_at IS NULL AND ${mayBeSeen(p, caller)}`;

/** The same for a deleted project. */
export const wasVisible = (p: string, caller: string): string =>
  `${p}.deleted_at IS NOT NULL AND ${mayBeSeen(p, caller)}`;

/** SQL of the role that the caller has in a project that they may see. Everybody edits what is visible to the company. */
export const roleIn = (p: string, caller: string): string => `
  CASE WHEN ${onlyReads(caller)} THEN 'viewer'
       WHEN ${isCompanyLevel(caller)} THEN 'owner'
       ELSE coalesce((${membership(p, caller, 'm.role', `(${p}.visibility = 'private' OR m.role = 'owner')`)}), 'editor') END`;

/** Condition that the caller may change what is in a project that they may see. */
export const mayEdit = (p: string, caller: string): string =>
  `(NOT ${onlyReads(caller)} AND ${reaches(p, caller, `m.role <> 'viewer'`)})`;

/** SQL of the id of a project that the caller may see, null if there is none of this id: for reads of the modules above. */
export const projectOf = (caller: string, project: string): string =>
  `(SELECT p.id FROM projects p WHERE p.id = ${project} AND ${isVisible('p', caller)})`;

/** Condition that a deleted project can come back; `graceSeconds` is SQL. */
export const mayComeBack = (graceSeconds: string): string =>
  `p.purge_began_at IS NULL AND p.deleted_at > now() - make_interval(secs => ${graceSeconds})`;
