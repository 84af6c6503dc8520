import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { IsInt, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../refusals.ts';
import type { SetupConversation } from '../../setup/setup-conversation.ts';
import type { SetupGuide } from '../../setup/setup-guide.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Needs, operatorOf } from '../access/operators.ts';
import type { Done } from '../answers.ts';
import type { BegunSetup, SetupState } from '../configuring-answers.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import { TakesBody, readBody } from '../operator-input.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

/** Body of `POST /ops/api/setup/:id/answer`. */
export class SetupAnswerBody {
  /** `number` of the open question. */
  @IsInt()
  question!: number;

  /** A value of its choices, or a line of text. */
  @Matches(/^\P{Cc}{0,4096}$/u, { message: 'answer must be one line of at most 4,096 characters' })
  answer!: string;
}

/**
 * `hooks setup` for whoever is at the console: one at a time, and nobody but who began it sees what it says, since it shows
 * secrets to be entered elsewhere, or answers it.
 */
@Controller('ops/api/setup')
@UseGuards(OperatorGuard)
export class SetupController {
  constructor(@Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions) {}

  /** What was said and asked, and whether it can be begun here at all. @throws Refusal 501 */
  @Get()
  @Needs('configure')
  show(@Req() request: FastifyRequest): SetupState {
    const guide = this.#guide;
    const { current, unwritable } = guide;
    const refusal =
      unwritable === undefined ? null : Refusal.body('configuration_read_only', unwritable).error;
    if (current === undefined) return { refusal, conversation: null };
    const { id, by, ending } = current;
    const isYours = by === nameOf(request);
    if (isYours) guide.keep();
    const { entries, question, eventId } = isYours ? current : UNSEEN;
    return {
      refusal,
      conversation: { id, by, isYours, entries, question, eventId, ending },
    };
  }

  /** Begins one. @throws Refusal 409, 501 */
  @Post()
  @HttpCode(200)
  @Changes('configure')
  begin(@Req() request: FastifyRequest, @Changing() change: Change): BegunSetup {
    const { current, unwritable } = this.#guide;
    if (unwritable !== undefined) throw new Refusal('configuration_read_only', unwritable);
    if (current?.ending === null) throw new Refusal('setup_under_way', current.by);
    const { id } = this.#guide.begin(nameOf(request));
    change.subject = id;
    return { id };
  }

  /**
   * Answers the open question of one that you began.
   * @param id Of the setup.
   * @throws Refusal 400, 403, 404, 409, 413
   */
  @Post(':id/answer')
  @HttpCode(200)
  @TakesBody()
  @Changes('configure')
  async answer(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Changing() change: Change,
  ): Promise<Done> {
    const conversation = this.#find(id);
    if (conversation.by !== nameOf(request)) throw new Refusal('setup_of_another', conversation.by);
    const { question: number, answer } = await readBody(request, SetupAnswerBody, 32 * 1024);
    const { question } = conversation;
    if (question?.number !== number) throw new Refusal('no_such_question');
    const { choices, message } = question;
    if (choices.length > 0 && !choices.some(({ value }) => value === answer)) {
      throw new Refusal('invalid_body', 'answer must be one of the choices');
    }
    change.after = { question: message };
    this.options.setup?.keep();
    conversation.answer(answer);
    return { ok: true };
  }

  /**
   * Ends and forgets one, whoever began it, as Ctrl-C would.
   * @param id Of the setup.
   * @throws Refusal 404
   */
  @Delete(':id')
  @Changes('configure')
  async end(@Param('id') id: string): Promise<Done> {
    this.#find(id);
    await this.#guide.end();
    return { ok: true };
  }

  /** @throws Refusal 501 in an application that has no files of ours */
  get #guide(): SetupGuide {
    const { setup } = this.options;
    if (setup === undefined) throw new Refusal('no_configuration_files');
    return setup;
  }

  /** @throws Refusal 404 */
  #find(id: string): SetupConversation {
    const current = this.options.setup?.current;
    if (current?.id !== id) throw new Refusal('unknown_setup');
    return current;
  }
}

/** What others are shown of one. */
const UNSEEN = { entries: [], question: null, eventId: null };

function nameOf(request: FastifyRequest): string {
  return operatorOf(request)?.id ?? '';
}
