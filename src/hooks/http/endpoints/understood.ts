import type { HookEvent } from '../../accept/hook-action.ts';
import type { Rejection } from '../../rejections/index.ts';

/** What a request means, before anything happened. */
export interface Understood {
  readonly event: HookEvent;
  /** The mapping broke: the event is kept as failed, and this is answered. */
  readonly broke?: Rejection;
}
