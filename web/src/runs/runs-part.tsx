import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { PartProps } from '../project/parts';
import { comparisonPath, runsPath, scenariosPath } from './places';
import { RunPage } from './result/run-page';
import { RunList } from './run-list';
import classes from './runs.module.css';
import { Comparison } from './scenarios/comparison';
import { ScenarioEditor } from './scenarios/scenario-editor';
import { ScenarioList } from './scenarios/scenario-list';

/** Runs, results and scenarios of a project. */
export default function RunsPart({ project, mayWrite }: PartProps) {
  const { id } = project;
  return (
    <div className={classes.part}>
      <nav className={classes.places} aria-label="Runs and scenarios">
        <PlaceLink href={runsPath(id)} isOutside={[scenariosPath(id), comparisonPath(id)]}>
          All runs
        </PlaceLink>
        <PlaceLink href={scenariosPath(id)}>Scenarios</PlaceLink>
        <PlaceLink href={comparisonPath(id)}>Comparison</PlaceLink>
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

interface PlaceLinkProps {
  href: string;
  /** Paths below `href` that belong to other links. */
  isOutside?: readonly string[];
  children: ReactNode;
}

function PlaceLink({ href, isOutside = [], children }: PlaceLinkProps) {
  const [at] = useLocation();
  const isHere = at === href;
  const isIn = at.startsWith(`${href}/`) && !isOutside.some((other) => at === other || at.startsWith(`${other}/`));
  return (
    <Anchor
      component={Link}
      href={href}
      size="sm"
      underline="never"
      className={classes.placeLink}
      aria-current={isHere ? 'page' : isIn ? 'true' : undefined}
    >
      {children}
    </Anchor>
  );
}
