import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { EventStore } from '../../../hooks/index.ts';
import type { RunStory } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

@Controller('ops/api/runs')
@UseGuards(OperatorGuard)
export class RunsController {
  constructor(private readonly events: EventStore) {}

  /** One run with its event and its deliveries. @throws Refusal 404 */
  @Get(':runId')
  async get(@Param('runId') runId: string): Promise<RunStory> {
    const story = await this.events.run(runId);
    if (story === null) throw new Refusal('unknown_run');
    const signals = await this.#signalsOf(story);
    return signals === undefined ? story : { ...story, action: { ...story.action, signals } };
  }

  /** They are counted in the event, which has the message. */
  async #signalsOf({ event, run }: RunStory): Promise<unknown> {
    const { runs = [], actions = [] } = (await this.events.get(event.id)) ?? {};
    const at = runs.findIndex(({ id }) => id === run.id);
    return actions.filter(({ kind }) => kind === 'agent')[at]?.['signals'];
  }
}
