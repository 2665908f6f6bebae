import { Controller, Get } from '@nestjs/common';
import { Operation } from '../openapi/operation.js';
import { Caller } from './decorators.js';
import { MeResponse } from './me.response.js';
import { Principal } from './principal.js';

@Controller('me')
export class MeController {
  @Get()
  @Operation({
    tag: 'Identity',
    summary: 'Get the caller',
    description: 'The owner of the token and their role.',
    response: MeResponse,
    extension: true,
  })
  getMe(@Caller() caller: Principal): MeResponse {
    return MeResponse.from(caller);
  }
}
