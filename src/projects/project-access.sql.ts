/**
 * SQL for project visibility. A project is visible to its members and to company-level callers. If its visibility is `company`,
 * it is visible to everyone in the company. An API key with a project list cannot see any other project. The SQL checks
 * membership against current data. It also checks whether the person is company-level if the credential does not say so.
 *
 * The argument `p` is the alias of a row of projects. The argument `caller` is the placeholder of a statement parameter whose
 * value is from `callerParameter`.
 */

/** Returns SQL for the caller's company. */
export const companyOf = (caller: string): string => `(${caller}::text[])[1]`;

/** Returns SQL for the id of the person whose rights apply. */
export const personOf = (caller: string): string => `(${caller}::text[])[2]`;

const seesAll = (caller: string): string => `(${caller}::text[])[3]::boolean`;
const onlyReads = (caller: string): string => `(${caller}::text[])[4]::boolean`;
const isLimited = (caller: string): string => `(${caller}::text[])[5]::boolean`;
const listOf = (caller: string): string => `(${caller}::text[])[6:]::uuid[]`;

/** Condition that the caller is currently company-level, regardless of any project list. */
const isCompanyLevel = (caller: string): string => `coalesce(${seesAll(caller)}, EXISTS (
  SELECT FROM users u WHERE u.company_id = ${companyOf(caller)} AND u.id = ${personOf(caller)} AND u.role = 'company'))`;

const membership = (p: string, caller: string, columns: string, condition = 'true'): string => `
  SELECT ${columns} FROM project_members m WHERE m.project_id = ${p}.id AND m.user_id = ${personOf(caller)} AND ${condition}`;

/** Condition that the person can access a project through its visibility, their company role or their project role. */
const reaches = (p: string, caller: string, role = 'true'): string => `
  (${p}.visibility = 'company' OR ${isCompanyLevel(caller)} OR EXISTS (${membership(p, caller, '', role)}))`;

const isAccessible = (p: string, caller: string): string => `
  ${p}.company_id = ${companyOf(caller)} AND (NOT ${isLimited(caller)} OR ${p}.id = ANY (${listOf(caller)})) AND ${reaches(p, caller)}`;

/** Condition that a project exists and is visible to the caller. */
export const isVisible = (p: string, caller: string): string =>
  `${p}.deleted_at IS NULL AND ${isAccessible(p, caller)}`;

/** Condition that a project is deleted and would be visible to the caller if it were restored. */
export const isDeletedAndVisible = (p: string, caller: string): string =>
  `${p}.deleted_at IS NOT NULL AND ${isAccessible(p, caller)}`;

/** SQL for the caller's role in a visible project. Everyone can edit a project with `company` visibility. */
export const roleIn = (p: string, caller: string): string => `
  CASE WHEN ${onlyReads(caller)} THEN 'viewer'
       WHEN ${isCompanyLevel(caller)} THEN 'owner'
       ELSE coalesce((${membership(p, caller, 'm.role', `(${p}.visibility = 'private' OR m.role = 'owner')`)}), 'editor') END`;

/** Condition that the caller may change the contents of a visible project. */
export const mayEdit = (p: string, caller: string): string =>
  `(NOT ${onlyReads(caller)} AND ${reaches(p, caller, `m.role <> 'viewer'`)})`;

/**
 * SQL for the id of a project if the project is visible to the caller, otherwise null. Other modules use it in their queries.
 */
export const projectOf = (caller: string, project: string): string =>
  `(SELECT p.id FROM projects p WHERE p.id = ${project} AND ${isVisible('p', caller)})`;

/** Condition that a deleted project can be restored. `graceSeconds` is an SQL expression. */
export const isRestorable = (graceSeconds: string): string =>
  `p.purge_began_at IS NULL AND p.deleted_at > now() - make_interval(secs => ${graceSeconds})`;
