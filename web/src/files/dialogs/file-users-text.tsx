import { Text } from '@mantine/core';
import { listFirst } from '../../frame/list-first';

interface FileUsersTextProps {
  /** Names of the cards and scenarios that use the files. */
  names: readonly string[];
  /** Whether the files are moved or renamed. Otherwise, they are deleted. */
  isMove?: boolean;
}

/** Names the cards and scenarios that use the files in a dialog, and says how the action affects them. */
export function FileUsersText({ names, isMove = false }: FileUsersTextProps) {
  if (names.length === 0) return null;
  const pronoun = names.length === 1 ? 'It' : 'They';
  return (
    <Text size="sm" role="status" styles={{ root: { overflowWrap: 'anywhere' } }}>
      Used by {listFirst(names)}. {isMove ? `${pronoun} will use the new path` : 'Solving will fail without this data'}.
    </Text>
  );
}
