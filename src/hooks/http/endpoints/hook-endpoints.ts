import { Injectable } from '@nestjs/common';
import type { HookRequest } from '../../ingest/hook-request.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { MappingService } from '../../ingest/mapping/mapping-service.ts';
import { Rejection } from '../../rejections/index.ts';
import { AgentController } from './agent.controller.ts';
import { MappedController } from './mapped.controller.ts';
import type { Understood } from './understood.ts';
import { WakeController } from './wake.controller.ts';

/** What a request reached. */
export interface Endpoint {
  /** `wake`, `agent` or the id of the mapping; never a name from the URL. */
  readonly name: string;
  /** What the request means here; nothing has happened then. @throws Rejection */
  understand(): Understood | Promise<Understood>;
}

/** Behind the one door: which endpoint a name means. Built-ins are exact and win over mappings of the same name. */
@Injectable()
export class HookEndpoints {
  constructor(
    private readonly wake: WakeController,
    private readonly agent: AgentController,
    private readonly mapped: MappedController,
    private readonly mappings: MappingService,
  ) {}

  /** @throws Rejection unknown_hook */
  reach(request: HookRequest, settings: ResolvedHooksOptions): Endpoint {
    const { name } = request;
    if (name === 'wake') return { name, understand: () => this.wake.understand(request, settings) };
    if (name === 'agent') {
      return { name, understand: () => this.agent.understand(request, settings) };
    }
    const mapping = this.mappings.match(request, settings);
    if (mapping === null) throw new Rejection('unknown_hook');
    const understand = () => this.mapped.understand(mapping, request, settings);
    return { name: mapping.id, understand };
  }
}
