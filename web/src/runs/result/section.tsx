import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  /** Short summary of the section. */
  summary?: string;
  /** Content next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, summary, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb={6} gap="xs">
        <Group gap="xs" align="baseline">
          <Title order={3} size="h6" id={id}>
            {title}
          </Title>
          {summary !== undefined && (
            <Text size="xs" c="dimmed">
              {summary}
            </Text>
          )}
        </Group>
        {actions}
      </Group>
      {children}
    </section>
  );
}
