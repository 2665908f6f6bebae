import { Alert, Anchor, Button, Center, Divider, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Failure } from '../service/failure';
import type { Provider } from './credentials';

interface SignInProps {
  reason: string | undefined;
  provider: Provider | null;
  onToken: (token: string) => void;
}

/** Sign-in page. It has a field for pasting a token and, if a provider is configured, a link to the provider. */
export function SignIn({ reason, provider, onToken }: SignInProps) {
  return (
    <Center mih="80vh" p="md">
      <Paper component="main" withBorder p="xl" maw={440} w="100%">
        <Stack>
          <Title order={1} size="h3">
            Project Workspace
          </Title>
          {reason !== undefined && (
            <Alert color="red" variant="light" role="alert">
              {reason}
            </Alert>
          )}
          {provider !== null && <ProviderSignIn provider={provider} />}
          {provider !== null && <Divider label="or" />}
          <TokenSignIn isFirst={provider === null} onToken={onToken} />
        </Stack>
      </Paper>
    </Center>
  );
}

function ProviderSignIn({ provider }: { provider: Provider }) {
  const [isRedirecting, setRedirecting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const redirect = async (): Promise<void> => {
    setRedirecting(true);
    setError(null);
    try {
      const { redirectToProvider } = await import('./provider');
      await redirectToProvider(provider);
    } catch (failure) {
      setError(failure);
      setRedirecting(false);
    }
  };
  return (
    <>
      <Button onClick={() => void redirect()} loading={isRedirecting} autoFocus>
        Sign in with {new URL(provider.issuer).host}
      </Button>
      {error !== null && <Failure title="Could not reach the provider" error={error} />}
    </>
  );
}

function TokenSignIn({ isFirst, onToken }: { isFirst: boolean; onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = token.trim().replace(/^Bearer\s+/i, '');
    // Tokens with other characters cannot be sent in a header.
    if (/^[\x21-\x7e]+$/.test(text)) onToken(text);
    else
      setProblem(
        text === '' ? 'Paste a token first' : 'A token cannot contain spaces, line breaks or accented letters',
      );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <PasswordInput
          label="Token"
          description="An access token or API key for this service. It is kept until you close this tab."
          value={token}
          onChange={({ currentTarget }) => {
            setToken(currentTarget.value);
            setProblem(undefined);
          }}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={isFirst || undefined}
          autoFocus={isFirst}
        />
        <Button type="submit" variant={isFirst ? 'filled' : 'default'}>
          {isFirst ? 'Sign in' : 'Sign in with token'}
        </Button>
        <Text size="sm" c="dimmed">
          {isFirst && (
            <>
              In development mode, this page signs in automatically at <code>http://localhost</code>. The service also
              prints the tokens when it starts.{' '}
            </>
          )}
          The API is documented at{' '}
          <Anchor href="docs" size="sm" underline="always">
            /docs
          </Anchor>
          .
        </Text>
      </Stack>
    </form>
  );
}
