import { AuthenticationError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';

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

interface ServiceProviderProps {
  service: Service;
  /** The token is not valid any more. */
  onRefused: () => void;
  children: ReactNode;
}

/** To be made anew for everybody who signs in: what was read is of one caller. */
export function ServiceProvider({ service, onRefused, children }: ServiceProviderProps) {
  const [queries] = useState(() => makeQueries(onRefused));
  return (
    <ServiceContext value={service}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

function makeQueries(onRefused: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof AuthenticationError) onRefused();
  };
  // The client has waited out by itself what passes, and knows better than the browser whether it reaches the service.
  const options = { retry: false, networkMode: 'always' } as const;
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: options, mutations: options },
  });
}
