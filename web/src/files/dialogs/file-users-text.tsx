import { Text } from '@mantine/core';
import { listFirst } from '../../frame/list-first';

interface FileUsersTextProps {
  /** Names of the cards and scenarios that use the files. */
  names: readonly string[];
  /** Whether the files get other paths. Otherwise, they are deleted. */
  isMove?: boolean;
}

/** Names the cards and scenarios that use the files of a dialog, and says what happens to them. */
export function FileUsersText({ names, isMove = false }: FileUsersTextProps) {
  if (names.length === 0) return null;
  const consequence = isMove
    ? `${names.length === 1 ? 'It' : 'They'} will use the new path.`
    : 'The model cannot be solved without this data.';
  return (
    <Text size="sm" role="status" styles={{ root: { overflowWrap: 'anywhere' } }}>
      Used by {listFirst(names)}. {consequence}
    </Text>
  );
}
