import { Controller, Delete, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { HookAuthentication } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import type { Done, Window } from '../answers.ts';
import { QueryPipe, TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Needs } from '../access/operators.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';

const IsHookPath = (): PropertyDecorator =>
  Matches(/^(?=.*[^/])[^\s?#\p{C}]{1,200}$/u, { message: 'hook must be a path of a hook' });

export class WindowQuery {
  /** Path of a hook, as behind the prefix. */
  @IsHookPath()
  hook!: string;
}

export class WindowBody {
  /** Path of a hook, as behind the prefix. */
  @IsHookPath()
  hook!: string;

  /** Of its sender; one whose secret arrives by handshake. */
  @Length(1, 64)
  scheme!: string;
}

/** Windows in which the secret of a sender is taken from its handshake. What was taken is shown here and nowhere else. */
@Controller('ops/api/secret-windows')
@UseGuards(OperatorGuard)
export class SecretWindowsController {
  constructor(private readonly authentication: HookAuthentication) {}

  /** Opens a window for ten minutes, or shows the one that there is. @throws Refusal 400, 409 */
  @Post()
  @HttpCode(200)
  @TakesBody()
  @Changes('configure')
  async open(@Req() request: FastifyRequest, @Changing() change: Change): Promise<Window> {
    const { hook, scheme } = await readBody(request, WindowBody);
    change.subject = `${hook} ${scheme}`;
    const window = this.authentication.secretWindows.open(hook, scheme);
    switch (window) {
      case 'has-secrets':
        throw new Refusal('secrets_present');
      case 'built-in':
        throw new Refusal('invalid_body', 'wake and agent have no sender with a handshake');
      case 'no-such-handshake':
        throw new Refusal('invalid_body', 'the secret of that scheme arrives by no handshake');
      default:
        return { window };
    }
  }

  /** The window of a hook, and what it took. @throws Refusal 404 */
  @Get()
  @Needs('configure')
  show(@Query(QueryPipe) { hook }: WindowQuery): Window {
    const window = this.authentication.secretWindows.get(hook);
    if (window === undefined) throw new Refusal('no_secret_window');
    return { window };
  }

  /** Closes the window of a hook and forgets what it took. @throws Refusal 404 */
  @Delete()
  @Changes('configure')
  discard(@Query(QueryPipe) { hook }: WindowQuery): Done {
    if (this.authentication.secretWindows.discard(hook)) return { ok: true };
    throw new Refusal('no_secret_window');
  }
}
