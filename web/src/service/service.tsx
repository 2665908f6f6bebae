import { AuthenticationError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';

/** Signed-in caller, and the client that uses their token. */
export interface Service {
  client: WorkspaceClient;
  me: Schemas['MeResponse'];
  /** Aborted on sign-out. Ends tasks that run in the background. */
  signOutSignal: AbortSignal;
}

/** Service context for the signed-in user. */
interface ServiceContextValue extends Service {
  /** Must be called for failures outside of queries. A failure due to an invalid token ends the session. */
  onFailure: (error: unknown) => void;
}

const ServiceContext = createContext<ServiceContextValue | undefined>(undefined);

/** Returns the signed-in user's service context. */
export function useService(): ServiceContextValue {
  const service = useContext(ServiceContext);
  if (service === undefined) throw new Error('useService requires a signed-in user');
  return service;
}

interface ServiceProviderProps {
  service: Service;
  /** Called when the token is no longer valid. */
  onTokenRejected: () => void;
  children: ReactNode;
}

/**
 * Provides the service context. It must be remounted for each sign-in, because the cache contains the data of a single caller.
 */
export function ServiceProvider({ service, onTokenRejected, children }: ServiceProviderProps) {
  const [contextValue] = useState(() => {
    const onFailure = (error: unknown): void => {
      if (error instanceof AuthenticationError) onTokenRejected();
    };
    return { ...service, onFailure };
  });
  const [queries] = useState(() => createQueryClient(contextValue.onFailure));
  return (
    <ServiceContext value={contextValue}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

function createQueryClient(onError: (error: unknown) => void): QueryClient {
  // The client itself retries temporary failures, and it detects an unreachable service more reliably than the browser.
  const options = { retry: false, networkMode: 'always' } as const;
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: options, mutations: options },
  });
}
