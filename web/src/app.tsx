import { Redirect, Route, Router, Switch } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Frame } from './frame/frame';
import { isPartName, pathOf } from './project/parts';
import { ProjectPage } from './project/project-page';
import { ProjectsPage } from './projects/projects-page';
import { SignedIn } from './session/signed-in';

/** The routes are in the URL fragment (`#`), so the service only has to serve a single page. */
export function App() {
  return (
    <SignedIn>
      <Router hook={useHashLocation}>
        <Frame>
          <Switch>
            <Route path="/" component={ProjectsPage} />
            <Route<{ id: string; part?: string }> path="/projects/:id/:part?/*?">
              {({ id, part }) =>
                part === undefined || isPartName(part) ? (
                  <ProjectPage key={id} id={id} open={part} />
                ) : (
                  <Redirect to={pathOf(id)} replace />
                )
              }
            </Route>
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </Frame>
      </Router>
    </SignedIn>
  );
}
