import { Alert, Anchor, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';

/** Takes a token that somebody pastes. */
export function SignIn({ because, onToken }: { because?: string | undefined; onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = token.trim().replace(/^Bearer\s+/i, '');
    // Nothing else can be sent in a header.
    if (/^[\x21-\x7e]+$/.test(text)) onToken(text);
    else setProblem(text === '' ? 'Paste a token first' : 'A token has no spaces, line ends or letters with accents');
  };
  return (
    <Center mih="80vh" p="md">
      <Paper component="main" withBorder p="xl" maw={440} w="100%">
        <form onSubmit={submit} noValidate>
          <Stack>
            <Title order={1} size="h3">
              Project Workspace
            </Title>
            {because !== undefined && (
              <Alert color="red" variant="light" role="alert">
                {because}
              </Alert>
            )}
            <PasswordInput
              label="Token"
              description="An access token or API key of this service. It is kept until you close this tab."
              value={token}
              onChange={({ currentTarget }) => {
                setToken(currentTarget.value);
                setProblem(undefined);
              }}
              error={problem}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              autoFocus
            />
            <Button type="submit">Sign in</Button>
            <Text size="sm" c="dimmed">
              On the computer where it was started for development, the page signs in by itself at{' '}
              <code>http://localhost</code>; the tokens are also printed at the start. What programs can do is at{' '}
              <Anchor href="docs" size="sm" underline="always">
                /docs
              </Anchor>
              .
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
