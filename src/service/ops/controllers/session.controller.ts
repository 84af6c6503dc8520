import { Controller, Delete, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HooksSettings } from '../../../hooks/index.ts';
import type { ConsoleLogin, Done } from '../answers.ts';
import { ConsoleLogins } from '../access/console-logins.ts';
import type { Login } from '../access/console-logins.ts';
import { ConsoleGuard } from '../access/operator.guard.ts';
import { TakesBody, readBody } from '../operator-input.ts';
import { TokenCheck } from '../access/token-check.ts';

/** Nobody has proved anything yet when this much is read. */
const LARGEST_LOGIN = 8 * 1024;

export class LoginBody {
  /** The operator's token, or one of `ops.tokens`. */
  @IsString()
  @Matches(/\S/, { message: 'token must not be blank' })
  @MaxLength(4096)
  token = '';
}

@Controller('ops/api/session')
@UseGuards(ConsoleGuard)
export class SessionController {
  constructor(
    private readonly tokens: TokenCheck,
    private readonly logins: ConsoleLogins,
    private readonly settings: HooksSettings,
  ) {}

  /** Whether this browser is logged in, and until when. */
  @Get()
  async session(@Req() request: FastifyRequest): Promise<ConsoleLogin> {
    const session = await this.logins.find(request);
    return this.#toLogin(session);
  }

  /** Logs in with the operator's token; a session that this browser had is ended. */
  @Post()
  @HttpCode(200)
  @TakesBody()
  async start(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleLogin> {
    const { token } = await readBody(request, LoginBody, LARGEST_LOGIN);
    const operator = await this.tokens.identify(request, token);
    await this.logins.end(request);
    const { cookie, ...login } = await this.logins.start(request, operator);
    reply.header('set-cookie', cookie);
    return this.#toLogin(login);
  }

  /** Logs out. */
  @Delete()
  async end(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Done> {
    reply.header('set-cookie', await this.logins.end(request));
    return { ok: true };
  }

  #toLogin(login: Login | null): ConsoleLogin {
    const isEmbedded = !this.settings.names.hasCommand;
    if (login === null) return { loggedIn: false, endsAt: null, as: null, isEmbedded };
    const { endsAt, operator } = login;
    const { id, role } = operator;
    return { loggedIn: true, endsAt: new Date(endsAt).toISOString(), as: { id, role }, isEmbedded };
  }
}
