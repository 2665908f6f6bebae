import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { PartProps } from '../project/parts';
import { comparisonPath, runsPath, scenariosPath } from './run-paths';
import { RunPage } from './result/run-page';
import { RunList } from './run-list';
import classes from './runs.module.css';
import { Comparison } from './scenarios/comparison';
import { ScenarioEditor } from './scenarios/scenario-editor';
import { ScenarioList } from './scenarios/scenario-list';

/** A project's runs, results and scenarios. */
export default function RunsPart({ project, mayWrite }: PartProps) {
  const { id } = project;
  return (
    <div className={classes.part}>
      <nav className={classes.sections} aria-label="Runs and scenarios">
        <SectionLink href={runsPath(id)} excludedPaths={[scenariosPath(id), comparisonPath(id)]}>
          All runs
        </SectionLink>
        <SectionLink href={scenariosPath(id)}>Scenarios</SectionLink>
        <SectionLink href={comparisonPath(id)}>Comparison</SectionLink>
      </nav>
      <Switch>
        <Route path={runsPath(id)}>
          <RunList project={project} mayWrite={mayWrite} />
        </Route>
        <Route path={scenariosPath(id)}>
          <ScenarioList project={project} mayWrite={mayWrite} />
        </Route>
        <Route path={`${scenariosPath(id)}/:scenario`}>
          {({ scenario }) => (
            <ScenarioEditor
              key={scenario}
              projectId={id}
              scenarioId={scenario === 'new' ? undefined : scenario}
              mayWrite={mayWrite}
            />
          )}
        </Route>
        <Route path={`${comparisonPath(id)}/:ids?`}>
          {({ ids }) => <Comparison project={project} mayWrite={mayWrite} ids={ids?.split(',') ?? []} />}
        </Route>
        <Route path={`${runsPath(id)}/:run`}>
          {({ run }) => <RunPage key={run} projectId={id} runId={run} mayWrite={mayWrite} />}
        </Route>
        <Route>
          <Redirect to={runsPath(id)} replace />
        </Route>
      </Switch>
    </div>
  );
}

interface SectionLinkProps {
  href: string;
  /** Paths below `href` for which other links are active. */
  excludedPaths?: readonly string[];
  children: ReactNode;
}

function SectionLink({ href, excludedPaths = [], children }: SectionLinkProps) {
  const [location] = useLocation();
  const isCurrent = location === href;
  const isInside =
    location.startsWith(`${href}/`) &&
    !excludedPaths.some((other) => location === other || location.startsWith(`${other}/`));
  return (
    <Anchor
      component={Link}
      href={href}
      size="sm"
      underline="never"
      className={classes.sectionLink}
      aria-current={isCurrent ? 'page' : isInside ? 'true' : undefined}
    >
      {children}
    </Anchor>
  );
}
