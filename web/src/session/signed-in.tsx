import { Center, Loader, Stack, Text } from '@mantine/core';
import { AuthenticationError, WorkspaceClient } from '@project-workspace/client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Failure } from '../service/failure';
import { type Service, ServiceProvider } from '../service/service';
import {
  clearSession,
  type Credentials,
  findCredentials,
  type Provider,
  type Role,
  saveRole,
  saveToken,
} from './credentials';
import { SignIn } from './sign-in';

type State =
  | { type: 'looking' }
  | { type: 'out'; provider: Provider | null; reason?: string }
  | { type: 'failed'; error: unknown }
  | { type: 'in'; provider: Provider | null; service: Service; credentials: Credentials; end: () => void };

interface Session {
  credentials: Credentials;
  signOut: () => void;
  /** Switches to another development user. */
  switchRole: (role: Role) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the credentials and actions of the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession requires a signed-in user');
  return session;
}

const TOKEN_EXPIRED = 'Your token has expired or was revoked. Sign in again.';
const TOKEN_INVALID = 'The service does not accept this token. Check that you pasted all of it.';
const PROVIDER_SESSION_ENDED =
  'The service does not accept your sign-in from the provider, or it has expired. Sign in again.';

/** Shows its children to signed-in users, and the sign-in page to everyone else. */
export function SignedIn({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ type: 'looking' });
  /** Counter that restarts the session check when it changes. */
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    resolveState(controller.signal).then(setState, (error: unknown) => {
      if (!controller.signal.aborted) setState({ type: 'failed', error });
    });
    return () => controller.abort();
  }, [attempt]);
  useEffect(() => (state.type === 'in' ? state.end : undefined), [state]);

  const retry = useCallback(() => {
    setState({ type: 'looking' });
    setAttempt((count) => count + 1);
  }, []);

  switch (state.type) {
    case 'looking':
      return <SigningIn />;
    case 'failed':
      return (
        <Center mih="60vh" p="md">
          <Failure title="Could not open the page" error={state.error} onRetry={retry} />
        </Center>
      );
    case 'out':
      return (
        <SignIn
          reason={state.reason}
          provider={state.provider}
          onToken={(token) => {
            saveToken(token);
            retry();
          }}
        />
      );
    case 'in': {
      const { credentials, service, provider } = state;
      const signOut = (reason?: string) => {
        clearSession();
        setState({ type: 'out', provider, ...(reason !== undefined && { reason }) });
      };
      // After a restart, the service may have issued new development tokens.
      const onTokenRejected = credentials.development === undefined ? () => signOut(TOKEN_EXPIRED) : retry;
      const switchRole = (role: Role) => {
        saveRole(role);
        retry();
      };
      return (
        <SessionContext value={{ credentials, signOut: () => signOut(), switchRole }}>
          <ServiceProvider service={service} onTokenRejected={onTokenRejected}>
            {children}
          </ServiceProvider>
        </SessionContext>
      );
    }
  }
}

async function resolveState(signal: AbortSignal): Promise<State> {
  const { credentials, provider } = await findCredentials(signal);
  if (credentials === undefined) return { type: 'out', provider };
  let caller: string | undefined;
  const client = new WorkspaceClient({ baseUrl: '', token: credentials.token, shareStreams: () => caller });
  try {
    const { data: me } = await client.GET('/api/v1/me', { signal });
    caller = JSON.stringify([me.company_id, me.user_id, me.api_key_id, me.access]);
    const session = new AbortController();
    const service = { client, me, signOutSignal: session.signal };
    return { type: 'in', provider, service, credentials, end: () => session.abort() };
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    clearSession();
    return {
      type: 'out',
      provider,
      reason: typeof credentials.token === 'string' ? TOKEN_INVALID : PROVIDER_SESSION_ENDED,
    };
  }
}

function SigningIn() {
  return (
    <Center mih="60vh">
      <Stack align="center" gap="xs" role="status">
        <Loader size="sm" />
        <Text size="sm" c="dimmed">
          Signing in
        </Text>
      </Stack>
    </Center>
  );
}
