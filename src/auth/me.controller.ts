import { Controller, Get } from '@nestjs/common';
import { entityTag } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { Operation } from '../common/openapi/operation.js';
import { Caller } from './decorators.js';
import { MeResponse } from './me.response.js';
import { Principal } from './principal.js';

@Controller('me')
export class MeController {
  @Get()
  @Operation({
    tag: 'Identity',
    summary: 'Get the caller',
    description: 'Returns the token’s owner and their role.',
    response: MeResponse,
    tagged: true,
    extension: true,
  })
  getMe(@Caller() caller: Principal): Tagged<MeResponse> {
    const me = MeResponse.from(caller);
    // No row revision covers this response, so its content determines the tag.
    return Tagged.of(entityTag('me', JSON.stringify(me)), me);
  }
}
