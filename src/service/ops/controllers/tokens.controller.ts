import {
  Controller,
  Delete,
  Get,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsIn, IsOptional, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import {
  Clock,
  HookAuthentication,
  HooksSettings,
  SENDER_ID,
  SENDER_ID_RULE,
  TextList,
} from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import type { TokenKeeper } from '../../senders/token-keeper.ts';
import { listTokens } from '../../senders/token-list.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import type { NewToken, RetiredTokens, Tokens } from '../configuring-answers.ts';
import { QueryPipe, TakesBody, readBody } from '../operator-input.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { orRefusal } from '../unchanged.ts';

export class NewTokenBody {
  /** The sender, which may be new: 1 to 64 letters, digits, `.`, `_` or `-`. */
  @Matches(SENDER_ID, { message: `id ${SENDER_ID_RULE}` })
  id!: string;

  /** The hooks that it may speak to. Absent: those it has; of a new sender the one of its own name. */
  @IsOptional()
  @TextList()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @Length(1, 1024, { each: true })
  hooks?: string[];

  /** Its last day (`2027-01-31`) or moment in ISO 8601. Absent: as it is; of a new sender no end. */
  @IsOptional()
  @Length(10, 40)
  notAfter?: string;
}

export class RetireQuery {
  /** `old`: all but the newest. Absent: its only one. */
  @IsOptional()
  @IsIn(['old', 'all'])
  which?: 'old' | 'all';
}

const LARGEST_BODY = 128 * 1024;

/** The tokens that open hooks, never themselves: a token is told once, when it is made. */
@Controller('ops/api/tokens')
@UseGuards(OperatorGuard)
export class TokensController {
  constructor(
    private readonly settings: HooksSettings,
    private readonly authentication: HookAuthentication,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** Every token in force, by its place: who has it, what it opens, until when, and when it was last used. */
  @Get()
  async list(): Promise<Tokens> {
    const kept = (await this.options.tokenUses?.()) ?? new Map();
    const uses = [kept, this.authentication.lastUses];
    const { tokenKeeper } = this.options;
    const isKeptHere = (id: string): boolean => tokenKeeper?.isKeptHere(id) === true;
    const { current, names } = this.settings;
    const { hooks } = current;
    const files = { isKeptHere, written: tokenKeeper?.written, names };
    const listed = listTokens(hooks, uses, this.clock.now(), files);
    // What tells secrets apart is of no use here, and the beginning of a digest.
    return { tokens: listed.map(({ secret: _secret, ...token }) => token) };
  }

  /** Makes a token for a sender, in force at once, and tells it this once; those that the sender has go on counting. @throws Refusal 400, 409, 413, 501 */
  @Post()
  @TakesBody()
  @Changes('configure')
  async make(@Req() request: FastifyRequest, @Changing() change: Change): Promise<NewToken> {
    const { id, hooks, notAfter } = await readBody(request, NewTokenBody, LARGEST_BODY);
    change.subject = id;
    const adding = this.#keeper.add({ id, hooks, notAfter }, this.clock.now());
    const made = await orRefusal(adding, () => new Refusal('unknown_sender'));
    const { token, sender, file, strange } = made;
    const { tokens, ...about } = sender;
    change.before = { tokens: tokens.length - 1 };
    change.after = { ...about, tokens: tokens.length };
    return {
      token,
      id: sender.id,
      hooks: sender.hooks,
      notAfter: sender.notAfter ?? null,
      file,
      count: sender.tokens.length,
      strange,
    };
  }

  /**
   * Ends tokens that were made here or by `hooks token new`, at once.
   * @param id The sender.
   * @throws Refusal 400, 404, 409, 501
   */
  @Delete(':id')
  @Changes('configure')
  async retire(
    @Param('id') id: string,
    @Query(QueryPipe) { which }: RetireQuery,
    @Changing() change: Change,
  ): Promise<RetiredTokens> {
    const { before, left } = await orRefusal(
      this.#keeper.retire(id, which),
      () => new Refusal('unknown_sender'),
    );
    change.before = { tokens: before };
    change.after = { tokens: left };
    return { ok: true, retired: before - left, left };
  }

  /** @throws Refusal 501 in an application that has no files of ours */
  get #keeper(): TokenKeeper {
    const { tokenKeeper } = this.options;
    if (tokenKeeper === undefined) throw new Refusal('no_configuration_files');
    return tokenKeeper;
  }
}
