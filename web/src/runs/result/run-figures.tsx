import { cost, count, counted, duration, figure, NONE, share } from '../figures';
import { isOver, type Run, secondsOf } from '../runs-data';
import classes from '../runs.module.css';

type Figure = readonly [title: string, value: string, look?: 'large'];

/** Shows figures side by side, each below its title. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures} aria-label={label}>
      {figures.map(([title, value, look]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd data-large={look === 'large' || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the results and resource use of a run. For an active run, shows its options. */
export function RunFigures({ run }: { run: Run }) {
  const { result, model, credits, time_limit_seconds, mip_gap } = run;
  const seconds = secondsOf(run);
  const gap: Figure[] = mip_gap > 0 ? [['Allowed gap', share(mip_gap)]] : [];
  if (!isOver(run)) return <Figures label="Run options" figures={gap} />;
  const isPlanned = result !== null && result.objective_value !== null;
  return (
    <Figures
      label="Result"
      figures={[
        ...(isPlanned
          ? ([
              ['Objective', figure(result.objective_value), 'large'],
              ...(result.gap === 0 ? [] : ([['Best possible', figure(result.bound)]] as const)),
              ['Gap', share(result.gap)],
            ] as const)
          : []),
        ['Time', seconds === null ? NONE : duration(seconds)],
        ['Time limit', duration(time_limit_seconds)],
        ...gap,
        ['Credits', cost(credits)],
        ...(model === null
          ? []
          : ([
              ['Variables', sizeOf(model.variables, model.integer_variables)],
              [
                'Constraints',
                model.constraints === 0 ? '0' : `${count(model.constraints)} with ${counted(model.terms, 'term')}`,
              ],
            ] as const)),
      ]}
    />
  );
}

function sizeOf(variables: number, whole: number): string {
  if (whole === 0) return count(variables);
  return `${count(variables)}, ${whole === variables ? 'all' : count(whole)} integer`;
}
