import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects with their three file trees, the canvas and snapshots of both. */
export class CreateProjects1760000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT projects_pkey PRIMARY KEY,
        company_id text NOT NULL,
        name text NOT NULL CONSTRAINT projects_name_length_check CHECK (char_length(name) BETWEEN 1 AND 100),
        description text,
        short_description text,
        workspace_mode text NOT NULL DEFAULT 'define'
          CONSTRAINT projects_workspace_mode_check CHECK (workspace_mode IN ('define', 'run')),
        run_setup_status text CONSTRAINT projects_run_setup_status_check CHECK (run_setup_status = 'ready'),
        current_snapshot_id uuid,
        origin_deployment_id uuid CONSTRAINT projects_origin_deployment_id_fkey REFERENCES deployments (id),
        workspace_id uuid NOT NULL CONSTRAINT projects_workspace_id_fkey REFERENCES containers (id),
        agent_config_id uuid NOT NULL CONSTRAINT projects_agent_config_id_fkey REFERENCES containers (id),
        project_skills_id uuid NOT NULL CONSTRAINT projects_project_skills_id_fkey REFERENCES containers (id),
        created_by text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        -- derived from the cards
        card_count integer NOT NULL DEFAULT 0 CONSTRAINT projects_card_count_check CHECK (card_count >= 0),
        objective_components jsonb NOT NULL DEFAULT '[]'
          CONSTRAINT projects_objective_components_check CHECK (jsonb_typeof(objective_components) = 'array'),
        objective_confirmed boolean NOT NULL DEFAULT false,
        objective_description text,
        objective_type text,
        all_constraints_classified boolean NOT NULL DEFAULT false,
        all_variables_provided boolean NOT NULL DEFAULT false,
        data_available boolean NOT NULL DEFAULT false,
        kpis_defined boolean NOT NULL DEFAULT false,
        objective_drafted boolean NOT NULL DEFAULT false,
        objectives_defined boolean NOT NULL DEFAULT false,
        production_requirements_defined boolean NOT NULL DEFAULT false,
        feasibility_result text NOT NULL DEFAULT 'unchecked'
          CONSTRAINT projects_feasibility_result_check CHECK (feasibility_result IN ('pass', 'fail', 'unchecked')),
        overall text NOT NULL GENERATED ALWAYS AS (
          CASE WHEN all_constraints_classified AND all_variables_provided AND data_available AND kpis_defined
                AND objective_drafted AND objectives_defined AND production_requirements_defined
                AND feasibility_result = 'pass' THEN 'complete' ELSE 'incomplete' END) STORED,
        -- changed by the modules above, in the transactions that make them so
        active_turns integer NOT NULL DEFAULT 0 CONSTRAINT projects_active_turns_check CHECK (active_turns >= 0),
        active_solves integer NOT NULL DEFAULT 0 CONSTRAINT projects_active_solves_check CHECK (active_solves >= 0),
        total_credits numeric(20, 6) NOT NULL DEFAULT 0 CONSTRAINT projects_total_credits_check CHECK (total_credits >= 0),
        CONSTRAINT projects_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id),
        CONSTRAINT projects_created_by_fkey FOREIGN KEY (company_id, created_by) REFERENCES users (company_id, id),
        CONSTRAINT projects_workspace_id_key UNIQUE (workspace_id),
        CONSTRAINT projects_agent_config_id_key UNIQUE (agent_config_id),
        CONSTRAINT projects_project_skills_id_key UNIQUE (project_skills_id)
      )`);
    await runner.query(
      'CREATE INDEX projects_listing_idx ON projects (company_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL',
    );
    await runner.query('CREATE INDEX projects_origin_deployment_idx ON projects (origin_deployment_id)');
    await runner.query('CREATE INDEX projects_created_by_idx ON projects (company_id, created_by)');

    await runner.query(`
      CREATE TABLE cards (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT cards_pkey PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT cards_project_id_fkey REFERENCES projects (id),
        card_type text NOT NULL CONSTRAINT cards_card_type_check
          CHECK (card_type IN ('objective', 'variable', 'constraint', 'kpi', 'data', 'production_requirement')),
        label text NOT NULL,
        status text NOT NULL CONSTRAINT cards_status_check CHECK (status IN ('draft', 'needs_input', 'complete')),
        version integer NOT NULL DEFAULT 1 CONSTRAINT cards_version_check CHECK (version >= 1),
        data jsonb NOT NULL DEFAULT '{}' CONSTRAINT cards_data_check CHECK (jsonb_typeof(data) = 'object'),
        gaps jsonb NOT NULL DEFAULT '[]' CONSTRAINT cards_gaps_check CHECK (jsonb_typeof(gaps) = 'array'),
        instance_data jsonb NOT NULL DEFAULT '{}'
          CONSTRAINT cards_instance_data_check CHECK (jsonb_typeof(instance_data) = 'object'),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX cards_project_idx ON cards (project_id, created_at, id)');

    await runner.query(`
      CREATE TABLE snapshots (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT snapshots_pkey PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT snapshots_project_id_fkey REFERENCES projects (id),
        container_id uuid NOT NULL CONSTRAINT snapshots_container_id_fkey REFERENCES containers (id),
        cards jsonb NOT NULL CONSTRAINT snapshots_cards_check CHECK (jsonb_typeof(cards) = 'array'),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT snapshots_container_id_key UNIQUE (container_id),
        CONSTRAINT snapshots_project_key UNIQUE (project_id, id)
      )`);
    await runner.query(
      `ALTER TABLE projects
         ADD CONSTRAINT projects_current_snapshot_fkey FOREIGN KEY (id, current_snapshot_id) REFERENCES snapshots (project_id, id),
         ADD CONSTRAINT projects_run_mode_check CHECK (workspace_mode = 'define' OR current_snapshot_id IS NOT NULL)`,
    );
    await runner.query('CREATE INDEX projects_current_snapshot_idx ON projects (current_snapshot_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP CONSTRAINT projects_current_snapshot_fkey');
    await runner.query('DROP TABLE snapshots');
    await runner.query('DROP TABLE cards');
    await runner.query('DROP TABLE projects');
  }
}
