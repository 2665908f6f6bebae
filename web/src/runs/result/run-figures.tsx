import { countLabel, formatCost, formatCount, formatFigure, formatSeconds, formatShare, NONE } from '../figures';
import { isFinished, type Run, secondsOf } from '../runs-data';
import classes from '../runs.module.css';

type Figure = readonly [title: string, value: string, look?: 'large'];

/** Shows numbers side by side, each below its title. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures} aria-label={label}>
      {figures.map(([title, value, size]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd data-large={size === 'large' || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the results of a run and the resources that it used. For an active run, shows its options. */
export function RunFigures({ run }: { run: Run }) {
  const { result, model, credits, time_limit_seconds, mip_gap } = run;
  const seconds = secondsOf(run);
  const gap: Figure[] = mip_gap > 0 ? [['Allowed gap', formatShare(mip_gap)]] : [];
  if (!isFinished(run)) return <Figures label="Run options" figures={gap} />;
  const hasPlan = result !== null && result.objective_value !== null;
  return (
    <Figures
      label="Result"
      figures={[
        ...(hasPlan
          ? ([
              ['Objective', formatFigure(result.objective_value), 'large'],
              ...(result.gap === 0 ? [] : ([['Best possible', formatFigure(result.bound)]] as const)),
              ['Gap', formatShare(result.gap)],
            ] as const)
          : []),
        ['Time', seconds === null ? NONE : formatSeconds(seconds)],
        ['Time limit', formatSeconds(time_limit_seconds)],
        ...gap,
        ['Credits', formatCost(credits)],
        ...(model === null
          ? []
          : ([
              ['Variables', sizeOf(model.variables, model.integer_variables)],
              [
                'Constraints',
                model.constraints === 0
                  ? '0'
                  : `${formatCount(model.constraints)} with ${countLabel(model.terms, 'term')}`,
              ],
            ] as const)),
      ]}
    />
  );
}

function sizeOf(variables: number, integers: number): string {
  if (integers === 0) return formatCount(variables);
  return `${formatCount(variables)}, ${integers === variables ? 'all' : formatCount(integers)} integer`;
}
