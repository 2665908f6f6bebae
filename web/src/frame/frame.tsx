import { Anchor, Button, Container, Group, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useService } from '../service/service';
import { useSession } from '../session/signed-in';
import classes from './frame.module.css';

/** Frame for every page: a link to the projects, the user menu and the theme switch. */
export function Frame({ children }: { children: ReactNode }) {
  useEffect(rejectDroppedFiles, []);
  return (
    <>
      <header className={classes.header}>
        <Container fluid h="100%">
          <Group justify="space-between" wrap="nowrap" h="100%">
            <Anchor component={Link} href="/" fw={650} c="inherit" underline="never" style={{ whiteSpace: 'nowrap' }}>
              Project Workspace
            </Anchor>
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Button component="a" href="docs" flex="none" size="compact-sm" variant="subtle" color="gray">
                API
              </Button>
              <UserMenu />
            </Group>
          </Group>
        </Container>
      </header>
      <main>{children}</main>
    </>
  );
}

/** Ignores files that are dropped outside a drop target. Otherwise the browser would open them instead of the page. */
function rejectDroppedFiles(): () => void {
  const reject = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  const names = ['dragover', 'drop'] as const;
  for (const name of names) window.addEventListener(name, reject);
  return () => {
    for (const name of names) window.removeEventListener(name, reject);
  };
}

const COLOR_SCHEMES = { auto: 'System', light: 'Light', dark: 'Dark' } as const;

function UserMenu() {
  const { me } = useService();
  const { credentials, signOut, switchRole } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = me.user_name ?? me.user_id ?? me.api_key_name ?? 'API key';
  const { development } = credentials;
  return (
    <Menu position="bottom-end" width={240} withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="compact-sm" variant="default" miw={0} maw={200}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="xs" truncate>
            {me.kind === 'api_key' ? 'API key' : (me.user_email ?? me.user_id)}
          </Text>
          <Text size="xs">
            Company {me.company_id}, {me.role === 'company' ? 'manager' : 'member'}
            {me.access === 'read' && ', read-only'}
          </Text>
        </Menu.Label>
        {development !== undefined && (
          <Menu.Item onClick={() => switchRole(development.role === 'company' ? 'member' : 'company')}>
            {development.role === 'company' ? 'Switch to Max, a member' : 'Switch to Ada, a manager'}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as keyof typeof COLOR_SCHEMES)}
        >
          {Object.entries(COLOR_SCHEMES).map(([scheme, label]) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut()}>{development === undefined ? 'Sign out' : 'Use another token'}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
