import { Injectable } from '@nestjs/common';
import { PathNotFound } from '../common/errors/errors.js';
import { type Asked, isOfOwnPage } from './same-page.js';

/** Tokens of the two users of a development start. */
export interface DevelopmentTokenPair {
  company: string;
  member: string;
}

/** The tokens that the page signs in with by itself, once the start has made them. */
@Injectable()
export class DevelopmentTokensService {
  private offered: DevelopmentTokenPair | undefined;

  get areOffered(): boolean {
    return this.offered !== undefined;
  }

  offer({ company, member }: DevelopmentTokenPair): void {
    this.offered = { company, member };
  }

  /** @throws PathNotFound for everybody but the page itself on this computer: to others there is nothing here. */
  give(request: Asked): DevelopmentTokenPair {
    if (this.offered === undefined || !isOfOwnPage(request)) throw new PathNotFound();
    return this.offered;
  }
}
