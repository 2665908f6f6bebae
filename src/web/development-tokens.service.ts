import { Injectable } from '@nestjs/common';
import { PathNotFound } from '../common/errors/errors.js';
import { type RequestOrigin, isOfOwnPage } from './same-page.js';

/** Tokens for the two users in development mode. */
export interface DevelopmentTokenPair {
  company: string;
  member: string;
}

/** Provides the tokens for the page's automatic sign-in, once startup has created them. */
@Injectable()
export class DevelopmentTokensService {
  private offered: DevelopmentTokenPair | undefined;

  get areOffered(): boolean {
    return this.offered !== undefined;
  }

  offer({ company, member }: DevelopmentTokenPair): void {
    this.offered = { company, member };
  }

  /**
   * Returns the tokens if the service's own page requests them on this computer.
   * @throws PathNotFound for all other clients, from which this endpoint is hidden
   */
  give(request: RequestOrigin): DevelopmentTokenPair {
    if (this.offered === undefined || !isOfOwnPage(request)) throw new PathNotFound();
    return this.offered;
  }
}
