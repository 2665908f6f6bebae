import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  /** What is in it, in a few words. */
  about?: string;
  /** Beside the title. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its title. */
export function Section({ title, about, beside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb={6} gap="xs">
        <Group gap="xs" align="baseline">
          <Title order={3} size="h6" id={id}>
            {title}
          </Title>
          {about !== undefined && (
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          )}
        </Group>
        {beside}
      </Group>
      {children}
    </section>
  );
}
