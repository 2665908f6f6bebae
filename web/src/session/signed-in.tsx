import { Center, Loader, Stack, Text } from '@mantine/core';
import { AuthenticationError, WorkspaceClient } from '@project-workspace/client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Failure } from '../service/failure';
import { type Service, ServiceProvider } from '../service/service';
import {
  type Credentials,
  findCredentials,
  forgetTokens,
  keepRole,
  keepToken,
  type Provider,
  type Role,
} from './credentials';
import { SignIn } from './sign-in';

type State =
  | { is: 'looking' }
  | { is: 'out'; provider: Provider | null; because?: string }
  | { is: 'failed'; error: unknown }
  | { is: 'in'; provider: Provider | null; service: Service; credentials: Credentials; end: () => void };

interface Session {
  credentials: Credentials;
  signOut: () => void;
  /** Switches to another development user. */
  become: (role: Role) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the credentials and actions of the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession requires a signed-in user');
  return session;
}

const REFUSED = 'Your token has expired or was revoked. Sign in again.';
const NOT_TAKEN = 'The service does not accept this token. Check that you pasted all of it.';
const ENDED = 'The service does not accept your sign-in from the provider, or it has expired. Sign in again.';

/** Shows its children to signed-in users, and the sign-in page to everyone else. */
export function SignedIn({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ is: 'looking' });
  /** Counter that restarts the session check. */
  const [look, setLook] = useState(0);

  useEffect(() => {
    const leaving = new AbortController();
    findState(leaving.signal).then(setState, (error: unknown) => {
      if (!leaving.signal.aborted) setState({ is: 'failed', error });
    });
    return () => leaving.abort();
  }, [look]);
  useEffect(() => (state.is === 'in' ? state.end : undefined), [state]);

  const again = useCallback(() => {
    setState({ is: 'looking' });
    setLook((count) => count + 1);
  }, []);

  switch (state.is) {
    case 'looking':
      return <Opening />;
    case 'failed':
      return (
        <Center mih="60vh" p="md">
          <Failure what="Could not open the page" error={state.error} onRetry={again} />
        </Center>
      );
    case 'out':
      return (
        <SignIn
          because={state.because}
          provider={state.provider}
          onToken={(token) => {
            keepToken(token);
            again();
          }}
        />
      );
    case 'in': {
      const { credentials, service, provider } = state;
      const signOut = (because?: string) => {
        forgetTokens();
        setState({ is: 'out', provider, ...(because !== undefined && { because }) });
      };
      // A restarted service may have new development tokens.
      const refused = credentials.development === undefined ? () => signOut(REFUSED) : again;
      const become = (role: Role) => {
        keepRole(role);
        again();
      };
      return (
        <SessionContext value={{ credentials, signOut: () => signOut(), become }}>
          <ServiceProvider service={service} onRefused={refused}>
            {children}
          </ServiceProvider>
        </SessionContext>
      );
    }
  }
}

async function findState(signal: AbortSignal): Promise<State> {
  const { credentials, provider } = await findCredentials(signal);
  if (credentials === undefined) return { is: 'out', provider };
  let caller: string | undefined;
  const client = new WorkspaceClient({ baseUrl: '', token: credentials.token, shareStreams: () => caller });
  try {
    const { data: me } = await client.GET('/api/v1/me', { signal });
    caller = JSON.stringify([me.company_id, me.user_id, me.api_key_id, me.access]);
    const session = new AbortController();
    const service = { client, me, signedOut: session.signal };
    return { is: 'in', provider, service, credentials, end: () => session.abort() };
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    forgetTokens();
    return { is: 'out', provider, because: typeof credentials.token === 'string' ? NOT_TAKEN : ENDED };
  }
}

function Opening() {
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
