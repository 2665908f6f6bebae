import { Group, NumberInput, TextInput } from '@mantine/core';
import { problemAt } from '../service/problems';

const MAX_NAME_LENGTH = 200;

/** Run options in a form. The service applies defaults for empty options. */
export interface Options {
  name: string;
  seconds: string | number;
  /** Optimality gap in percent. */
  gap: string | number;
}

export const NO_OPTIONS: Options = { name: '', seconds: '', gap: '' };

/** Converts form options to request fields. */
export const requestFields = ({ name, seconds, gap }: Options) => ({
  ...(name.trim() !== '' && { name: name.trim() }),
  ...(seconds !== '' && { time_limit_seconds: Number(seconds) }),
  ...(gap !== '' && { mip_gap: Number(gap) / 100 }),
});

interface OptionFieldsProps {
  options: Options;
  error: unknown;
  placeholder: string;
  onChange: (options: Options) => void;
}

/** Form fields for the run options. */
export function OptionFields({ options, error, placeholder, onChange }: OptionFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder={placeholder}
        maxLength={MAX_NAME_LENGTH}
        value={options.name}
        onChange={({ currentTarget }) => onChange({ ...options, name: currentTarget.value })}
        error={problemAt(error, 'name')}
      />
      <Group grow align="flex-start">
        <NumberInput
          label="Time limit"
          description="Ends with the best plan so far"
          placeholder="Default"
          suffix=" s"
          min={1}
          value={options.seconds}
          onChange={(seconds) => onChange({ ...options, seconds })}
          error={problemAt(error, 'time_limit_seconds')}
        />
        <NumberInput
          label="Gap"
          description="Stops this close to the optimum"
          placeholder="0 %"
          suffix=" %"
          min={0}
          max={100}
          step={0.5}
          value={options.gap}
          onChange={(gap) => onChange({ ...options, gap })}
          error={problemAt(error, 'mip_gap')}
        />
      </Group>
    </>
  );
}
