import { AuthenticationError, type Schemas, WorkspaceClient } from '@project-workspace/client';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';

/** Who is signed in, and the client that speaks for them. */
export interface Service {
  client: WorkspaceClient;
  me: Schemas['MeResponse'];
}

const ServiceContext = createContext<Service | undefined>(undefined);

/** The service, as the one who is signed in sees it. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === undefined) throw new Error('The service is there for those who are signed in only');
  return service;
}

/** @param onRefused the token is not valid any more */
export function ServiceProvider({
  service,
  onRefused,
  children,
}: {
  service: Service;
  onRefused: () => void;
  children: ReactNode;
}) {
  // What was read is of the one who is signed in: somebody else begins with nothing.
  const queries = useMemo(() => queriesOf(service, onRefused), [service, onRefused]);
  return (
    <ServiceContext value={service}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

const queriesOf = (_: Service, onRefused: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof AuthenticationError) onRefused();
      },
    }),
    // The client has waited out by itself what passes.
    defaultOptions: { queries: { retry: false, networkMode: 'always' }, mutations: { retry: false, networkMode: 'always' } },
  });
