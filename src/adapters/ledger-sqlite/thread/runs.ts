import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunChange } from '../../../hooks/ports/change.ts';
import type { WireRunUpdate } from '../wire-data.ts';
import { text } from './row.ts';

/** The stories of runs. */
export class Runs {
  readonly #insert: StatementSync;
  readonly #update: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      `INSERT INTO runs (id, event_id, agent_id, session_key, model, thinking)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE runs SET status = ifnull(?, status), model = ifnull(?, model),
         prompt = ifnull(?, prompt), reply = ifnull(?, reply), summary = ifnull(?, summary),
         contract = ifnull(?, contract), usage = ifnull(?, usage), warnings = ifnull(?, warnings),
         tool_calls = ifnull(?, tool_calls),
         finished_at = ifnull(?, finished_at), error = iif(?, ?, error),
         notes = iif(? IS NULL, notes, json_insert(notes, '$[#]', json(?)))
       WHERE id = ? RETURNING event_id`,
    );
  }

  begin(run: RunChange): void {
    this.#insert.run(
      run.id,
      run.eventId,
      run.agentId,
      run.sessionKey,
      run.model ?? null,
      run.thinking ?? null,
    );
  }

  /** The run's event; null for an unknown run. */
  update(run: WireRunUpdate): string | null {
    const { note = null } = run;
    const row = this.#update.get(
      run.status ?? null,
      run.model ?? null,
      run.prompt ?? null,
      run.reply ?? null,
      run.summary ?? null,
      run.contract ?? null,
      run.usage ?? null,
      run.warnings ?? null,
      run.toolCalls ?? null,
      run.finishedAt ?? null,
      run.error === undefined ? 0 : 1,
      run.error ?? null,
      note,
      note,
      run.id,
    );
    return row === undefined ? null : text(row, 'event_id');
  }
}
