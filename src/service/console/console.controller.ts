import { Controller, Get, Inject, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressGuard } from '../ops/index.ts';
import { Refusal } from '../refusals.ts';
import { BuiltConsole } from './built-console.ts';
import type { ConsoleFile } from './built-console.ts';

/** Scripts, styles and requests are our own; nothing is inline, framed, or told to anybody. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const FOR_EVER = 'public, max-age=31536000, immutable';

/** What is a file and no view: views have names without an ending. */
const FILE = /^assets(?:\/|$)|^(?!index\.html$)[^/]*\.\w+$/;

/** The pages of the console. They hold nothing of the service: everything shown is asked of the operator API. */
@Controller('console')
@UseGuards(AddressGuard)
export class ConsoleController {
  constructor(@Inject(BuiltConsole) private readonly built: BuiltConsole) {}

  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.#page(request));
  }

  @Get('*')
  async below(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('*') path: string,
  ): Promise<void> {
    if (!FILE.test(path)) return send(reply, await this.#page(request));
    const file = await this.built.file(path, request.headers['accept-encoding'] ?? '');
    if (file === null) throw new Refusal('not_found');
    send(reply, file);
  }

  /** @throws Refusal 404 where there is none */
  async #page(request: FastifyRequest): Promise<ConsoleFile> {
    const mount = (request.routeOptions.url ?? '').replace(/\/?\*.*$/, '');
    const page = await this.built.page(mount);
    if (page === null) throw new Refusal('console_not_built');
    return page;
  }
}

function send(reply: FastifyReply, { type, content, encoding, isForEver }: ConsoleFile): void {
  void reply
    .headers(HEADERS)
    .header('content-type', type)
    .header('cache-control', isForEver ? FOR_EVER : 'no-store')
    .header('vary', 'accept-encoding')
    .headers(encoding === undefined ? {} : { 'content-encoding': encoding })
    .send(content);
}
