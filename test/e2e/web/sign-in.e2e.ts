import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inBrowser, usePage } from '../../support/page.js';
import { Service } from '../../support/service.js';
import { SignInProvider } from '../../support/sign-in-provider.js';

let provider: SignInProvider;
let service: Service;
beforeAll(async () => {
  provider = await SignInProvider.start();
  service = await Service.start({ settings: provider.settings });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

inBrowser('the page of a service with an OpenID provider', () => {
  const tab = usePage(() => [service, provider]);
  const { faults, overflow, show } = tab;
  const company_id = randomUUID();
  const signIn = () => tab.page.getByRole('button', { name: `Sign in with ${new URL(provider.url).host}` });
  const nothingYet = () => tab.page.getByText('No projects yet');
  /** Answers requests for the project list in place of the service, and rejects their token. */
  async function refuse(times: number): Promise<void> {
    await tab.page.route(
      '**/api/v1/projects?*',
      async (route) => {
        await route.fulfill({ status: 401, json: { detail: 'Invalid or expired token', code: 'invalid_token' } });
      },
      { times },
    );
  }

  it('redirects people to the provider and then back to the page that they had opened', async () => {
    provider.person = { sub: 'grace', name: 'Grace Example', company_id, role: 'company' };
    await tab.page.goto(`${service.url}/#/projects/${randomUUID()}`);
    await signIn().waitFor();
    expect(await faults()).toEqual([]);
    expect(await overflow()).toBe(0);
    await show('sign-in-provider');
    await signIn().click();
    await tab.page.getByRole('button', { name: 'Grace Example' }).waitFor();
    await tab.page.getByText('This project no longer exists').waitFor();
    // Neither the URL nor storage shared with other tabs may contain the code or a token.
    expect(new URL(tab.page.url()).search).toBe('');
    expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.toContain('eyJ');
    await tab.page.reload();
    await tab.page.getByRole('button', { name: 'Grace Example' }).waitFor();

    await tab.page.getByRole('button', { name: 'Grace Example' }).click();
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn().waitFor();
    expect(await tab.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('eyJ');
  });

  it('renews a rejected token, and asks people to sign in if it cannot be renewed', async () => {
    provider.person = { sub: 'grace', name: 'Grace Example', company_id, role: 'company' };
    await tab.page.goto(service.url);
    await signIn().click();
    await nothingYet().waitFor();
    const { renewals } = provider;
    await refuse(1);
    await tab.page.reload();
    await nothingYet().waitFor();
    expect(provider.renewals).toBe(renewals + 1);

    provider.hasEnded = true;
    await refuse(2);
    await tab.page.reload();
    await tab.page.getByRole('alert').filter({ hasText: 'Sign in' }).waitFor();
    await signIn().waitFor();
    provider.hasEnded = false;
  });

  it('explains why a person could not sign in', async () => {
    provider.person = undefined;
    await tab.page.goto(service.url);
    await signIn().click();
    await tab.page.getByRole('alert').filter({ hasText: 'Could not open the page' }).waitFor();
    await tab.page.getByText('access_denied').waitFor();
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await signIn().waitFor();
  });

  it('rejects a code that it has not requested', async () => {
    provider.person = { sub: 'grace', name: 'Grace Example', company_id, role: 'company' };
    await tab.page.goto(`${service.url}/?code=stolen&state=guessed`);
    await signIn().waitFor();
    expect(await tab.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('eyJ');
  });
});
