import { Text } from '@mantine/core';

/** Maximum number of cards named. */
const MAX_NAMED = 5;

interface CardWarningProps {
  /** Labels of the data cards that read the files. */
  labels: readonly string[];
  /** Whether the files get other paths. Otherwise, they are deleted. */
  isMove?: boolean;
}

/** Names the data cards that read the files of a dialog, and says what happens to them. */
export function CardWarning({ labels, isMove = false }: CardWarningProps) {
  if (labels.length === 0) return null;
  const others = labels.length - MAX_NAMED;
  const names = labels.slice(0, MAX_NAMED).join(', ') + (others > 0 ? ` and ${others} more` : '');
  const users = labels.length === 1 ? `Used by the data card ${names}` : `Used by the data cards ${names}`;
  return (
    <Text size="sm" role="status" styles={{ root: { overflowWrap: 'anywhere' } }}>
      {isMove
        ? `${users}. ${labels.length === 1 ? 'It' : 'They'} will use the new path.`
        : `${users}. The model cannot be solved without this data.`}
    </Text>
  );
}
