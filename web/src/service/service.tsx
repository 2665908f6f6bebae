import { AuthenticationError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';

/** Who is signed in, and the client that speaks for them. */
export interface Service {
  client: WorkspaceClient;
  me: Schemas['MeResponse'];
  /** Aborted when they sign out: what goes on without being looked at ends then. */
  signedOut: AbortSignal;
}

/** What those who are signed in work with. */
interface ServiceInUse extends Service {
  /** To be told of failures outside of queries: a token that is not valid any more ends the session. */
  onFailure: (error: unknown) => void;
}

const ServiceContext = createContext<ServiceInUse | undefined>(undefined);

/** The service, as the one who is signed in sees it. */
export function useService(): ServiceInUse {
  const service = useContext(ServiceContext);
  if (service === undefined) throw new Error('The service is there for those who are signed in only');
  return service;
}

interface ServiceProviderProps {
  service: Service;
  /** The token is not valid any more. */
  onRefused: () => void;
  children: ReactNode;
}

/** To be made anew for everybody who signs in: what was read is of one caller. */
export function ServiceProvider({ service, onRefused, children }: ServiceProviderProps) {
  const [inUse] = useState(() => {
    const onFailure = (error: unknown): void => {
      if (error instanceof AuthenticationError) onRefused();
    };
    return { ...service, onFailure };
  });
  const [queries] = useState(() => makeQueries(inUse.onFailure));
  return (
    <ServiceContext value={inUse}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

function makeQueries(onError: (error: unknown) => void): QueryClient {
  // The client has waited out by itself what passes, and knows better than the browser whether it reaches the service.
  const options = { retry: false, networkMode: 'always' } as const;
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: options, mutations: options },
  });
}
