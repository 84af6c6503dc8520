import { Injectable } from '@nestjs/common';
import { HookEndpoints } from '../http/endpoints/hook-endpoints.ts';
import { StoredRequests } from '../http/endpoints/stored-requests.ts';
import type { Understood } from '../http/endpoints/understood.ts';
import { requestOf } from './request-of.ts';
import type { HookRequest } from '../ingest/hook-request.ts';
import { MappingService } from '../ingest/mapping/mapping-service.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../rejections/index.ts';
import { ActionPreview } from './action-preview.ts';
import type { Preview, PreviewRequest, PreviewedRefusal } from './preview.ts';

/** Says what would become of a request, by the code that would make it happen, and has no effect whatsoever. */
@Injectable()
export class HookPreview {
  constructor(
    private readonly endpoints: HookEndpoints,
    private readonly mappings: MappingService,
    private readonly stored: StoredRequests,
    private readonly actions: ActionPreview,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  of(request: PreviewRequest): Promise<Preview> {
    return this.#preview(requestOf(request, this.clock.now()));
  }

  /** What would become of an earlier event's request today. `pruned`: its payload was forgotten. */
  async ofEvent(eventId: string): Promise<Preview | 'unknown' | 'pruned'> {
    const request = await this.stored.get(eventId);
    return typeof request === 'string' ? request : this.#preview(request);
  }

  async #preview(request: HookRequest): Promise<Preview> {
    const isBuiltIn = request.name === 'wake' || request.name === 'agent';
    const considered = isBuiltIn ? [] : this.mappings.consider(request, this.settings.current);
    const began = performance.now();
    const understood = await this.#understand(request);
    const ms = Math.round((performance.now() - began) * 1000) / 1000;
    const mapping = considered.find(({ takes }) => takes)?.mapping ?? null;
    const about = { hook: request.name, mapping, considered, ms };
    if ('refusal' in understood) {
      const { refusal } = understood;
      return { ...about, actions: [], warnings: [], console: [], refusal, failure: null };
    }
    const { event, broke } = understood;
    const { warnings, console = [], failure = null } = event;
    const actions = await Promise.all(event.actions.map((one) => this.actions.of(one, event)));
    const refusal = broke === undefined ? null : refusalOf(broke);
    return { ...about, actions, warnings, console, refusal, failure };
  }

  async #understand(request: HookRequest): Promise<Understood | { refusal: PreviewedRefusal }> {
    try {
      return await this.endpoints.reach(request, this.settings.current).understand();
    } catch (error) {
      if (error instanceof Rejection) return { refusal: refusalOf(error) };
      throw error;
    }
  }
}

function refusalOf({ status, code, message }: Rejection): PreviewedRefusal {
  return { status, code, error: message };
}
