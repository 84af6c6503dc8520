// Written by `npm run docs:api`.
export interface paths {
    "/hooks/wake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Wakes the default agent: a system event for its main session */
        post: operations["wake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks an agent */
        post: operations["runAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tells what became of a run
         * @description For the token of `hooks.tokens` that the run was made with; others get 404, and `hooks.token` the status alone.
         */
        get: operations["tellRun"];
        put?: never;
        /**
         * Tells what an agent that runs elsewhere has done
         * @description For the token that the agent was started with, `hookrun_…`, which is good for this run alone; in `x-a2a-notification-token`, too.
         */
        post: operations["callBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends anything to the first mapping that takes it
         * @description Any JSON; forms and texts where the mapping says so. Where it verifies a signature, that is the proof instead of a token.
         */
        post: operations["sendToMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was accepted, refused, run and delivered in each minute of the last hour
         * @description What was accepted, refused, run and delivered in each minute of the last hour; the last one is the present one.
         */
        get: operations["activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What does not mend itself, the worst first
         * @description What does not mend itself, the worst first. It answers while the ledger does not.
         */
        get: operations["attentionList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What operators did, newest first
         * @description What operators did, newest first: by which token, when, and what was before and after. No secrets, no payloads.
         */
        get: operations["auditList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The channels that are configured
         * @description The channels that are configured; what happened is known over restarts and of all instances.
         */
        get: operations["channelsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a test message at once, past the outbox */
        post: operations["channelsTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is in force and where it comes from, what is wrong with the files, and what waits for a restart */
        get: operations["configurationReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events that are accepted or change their status, as server-sent events
         * @description Events that are accepted or change their status, as server-sent events: `event: events` with `{events, more}`, the last that changed first, at most four times a second. `Last-Event-ID` goes on after a break. With `refusals=true` also `event: refusals` with `{refusals}`, the newest 50 as they stand, at most once a second.
         */
        get: operations["eventStreamFollow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events, newest first */
        get: operations["eventsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that became of one event */
        get: operations["eventsGet"];
        put?: never;
        post?: never;
        /** Erases an event with its runs, deliveries, waiting lines and the turns that were shown it */
        delete: operations["forget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts what is dead of all events back into the queue, the oldest first
         * @description Puts what is dead of all events back into the queue, the oldest first; `nextCursor`: there was more.
         */
        post: operations["eventsRetryAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forgets what is dead of all events, the oldest first
         * @description Forgets what is dead of all events, the oldest first; `nextCursor`: there was more.
         */
        post: operations["eventsDismissAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forgets what died of an event
         * @description Forgets what died of an event: it is counted no more and cannot be retried.
         */
        post: operations["eventsDismiss"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts what died of an event back into the queue, and lets what waits be tried at once
         * @description Puts what died of an event back into the queue, and lets what waits be tried at once: for its next attempt, or for a backend that rests.
         */
        post: operations["eventsRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/events/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends the request of an event once more, and answers what the sender would be answered today */
        post: operations["eventsReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process answers */
        get: operations["healthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events can be stored
         * @description Events can be stored. A paused service is ready: its own 503 tells senders to come back, and taking it out of rotation would only hide that sentence. So is one whose mailbox cannot be read, and one that had to refuse what verified senders sent in the last hour: it takes requests as ever, and `degraded` says what does not work. One that stops is not ready from the first moment, though it goes on accepting.
         */
        get: operations["healthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every way in, the built-in ones first, with what was accepted and refused there in the last 24 hours */
        get: operations["hooksList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * From now on hooks answer 503 and no work is begun
         * @description From now on hooks answer 503 and no work is begun; what runs goes on.
         */
        post: operations["intakePause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes requests and begins work again */
        post: operations["intakeResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/backends/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lets turns of this process ask every backend that rests
         * @description Lets turns of this process ask every backend that rests: something was mended.
         */
        post: operations["intakeTryBackends"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the mailboxes are doing
         * @description How the mailboxes are doing; null where none is configured.
         */
        get: operations["mailReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Those that were saved here and changed by nobody since, and why no more can be */
        get: operations["mappingsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/mappings/trial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a mapping would have made of the last 200 events of seven days, in at most two seconds, without any effect
         * @description What a mapping would have made of the last 200 events of seven days, in at most two seconds, without any effect. Rules are not looked at.
         */
        post: operations["mappingsTrial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/mappings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Saves a mapping as `gateway.d/mapping-<id>.json5`, in force at once, if the whole configuration is sound with it */
        put: operations["mappingsSave"];
        post?: never;
        /** Removes a mapping that was saved here, at once */
        delete: operations["mappingsRemove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything in the format of Prometheus */
        get: operations["metricsScrape"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description This document: every operation with what it takes and answers, as OpenAPI 3.1.
         */
        get: operations["openapiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/presets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enables a preset as `hooks setup <preset>` does, in force at once
         * @description Enables a preset as `hooks setup <preset>` does, in force at once: a fragment of its own, with a secret or a token that is told this once. One that is enabled already stays as it is.
         */
        post: operations["presetsEnable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What would become of a request
         * @description What would become of a request. One that would be refused is a preview, too: its `refusal` says so.
         */
        post: operations["preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Refused requests, newest first */
        get: operations["refusalsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/refusals/lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What verified senders lost in the last hour, the most first */
        get: operations["refusalsLost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run with its event and its deliveries */
        get: operations["runsGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The presets that have samples, with the names of these */
        get: operations["samplesList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/samples/{preset}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them, as its sender would send it, without its signature */
        get: operations["samplesGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/secret-windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The window of a hook, and what it took */
        get: operations["secretWindowsShow"];
        put?: never;
        /** Opens a window for ten minutes, or shows the one that there is */
        post: operations["secretWindowsOpen"];
        /** Closes the window of a hook and forgets what it took */
        delete: operations["secretWindowsDiscard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a request of your own as a new event, verified by `operator` or in the name of its sender, and answers what a sender would be answered */
        post: operations["send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a request of your own as its sender would, now, to be sent by another program
         * @description Signs a request of your own as its sender would, now, to be sent by another program: a proof of this one request, never the secret.
         */
        post: operations["sendSign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this browser is logged in, and until when */
        get: operations["session"];
        put?: never;
        /**
         * Logs in with the operator's token
         * @description Logs in with the operator's token; a session that this browser had is ended.
         */
        post: operations["sessionStart"];
        /** Logs out */
        delete: operations["sessionEnd"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, in order of their full keys */
        get: operations["sessionsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/sessions/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one session remembers, with a page of the system events that wait, the oldest first */
        get: operations["sessionsGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/sessions/{key}/route": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** From now on the main session last spoke there */
        put: operations["sessionsSetRoute"];
        post?: never;
        /** From now on the main session has spoken nowhere, to nobody */
        delete: operations["sessionsClearRoutes"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/sessions/{key}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * The next turn of the session is the first
         * @description The next turn of the session is the first: its transcript is forgotten, and the conversation that its runner keeps by itself is no longer continued. What waits for that turn stays.
         */
        delete: operations["sessionsClearTranscript"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the service is doing
         * @description How the service is doing. It answers while the ledger does not: that is when somebody looks.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every token in force, by its place
         * @description Every token in force, by its place: who has it, what it opens, until when, and when it was last used.
         */
        get: operations["tokensList"];
        put?: never;
        /**
         * Makes a token for a sender, in force at once, and tells it this once
         * @description Makes a token for a sender, in force at once, and tells it this once; those that the sender has go on counting.
         */
        post: operations["tokensMake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends tokens that were made here or by `hooks token new`, at once */
        delete: operations["tokensRetire"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens and their cost of the turns that said what they used, heartbeats apart, in the order of names */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/waits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What nobody has decided yet, the oldest first */
        get: operations["waitsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/api/waits/{id}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves or denies what a run waits for
         * @description Approves or denies what a run waits for; the first decision counts.
         */
        post: operations["waitsDecide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What happened in the last hour in equal steps, the earliest first; the last one is the present one. */
        ActivityReport: {
            /** @description Length of a step. */
            stepSeconds: number;
            /** @description When the first step begins. */
            from: string;
            /** @description Events that were stored, those included that failed at once or had nothing to do. */
            accepted: number[];
            /** @description Refused requests that are kept (`Refusals.record`). */
            refused: number[];
            runsSucceeded: number[];
            /** @description Runs that ended as `failed`, `timed-out` or `interrupted`. */
            runsFailed: number[];
            /** @description Deliveries that ended as `delivered` or `accepted`. */
            delivered: number[];
            /** @description Deliveries that ended as `dead` or `unknown`. */
            deliveriesFailed: number[];
        };
        /** @description A tool call that an agent wants to make. */
        AskedCall: {
            /** @description `<server>_<tool>`, or as a program calls its own. */
            tool: string;
            /** @description Its whole input as JSON text. */
            input: string;
        };
        /** @description A button: a POST to this API without a body. */
        AttentionAction: {
            /** @description Two or three words, such as `Retry all`. */
            label: string;
            /** @description With its query. An answer with a `nextCursor` wants to be asked again with that `cursor`. */
            path: string;
            /** @description It cannot be undone: ask whether it is meant. */
            isFinal: boolean;
        };
        /** @description One thing that needs a person. */
        AttentionItem: {
            /** @enum {string} */
            kind: "backend-resting" | "channel-failing" | "channel-paused" | "configuration-refused" | "configuration-warning" | "dead-work" | "decisions-open" | "demo" | "disk-nearly-full" | "ledger-damaged" | "loop-held" | "mail-degraded" | "mapping-failing" | "packages-missing" | "paused" | "requests-lost" | "restart-pending" | "store-unavailable";
            /**
             * @description `error`: something is lost, refused or stands still. `warning`: something does not work. `info`: good to know.
             * @enum {string}
             */
            severity: "error" | "info" | "warning";
            /** @description One sentence without its stop and without times. May hold words of a platform: show it as text. */
            what: string;
            /** @description What to do, likewise. */
            todo: string;
            /** @description What to type for it; null: there is no command. */
            command: string | null;
            /** @description Since the first time; null: nobody knows. */
            since: string | null;
            /** @description When it is tried again by itself; null: it is not, or it is being tried now. */
            next: string | null;
            /** @description How many requests, runs or deliveries are behind it; null: it cannot be counted. */
            count: number | null;
            /** @description What it is about one by one, where one item stands for several. */
            parts: components["schemas"]["LostAndWhy"][];
            /** @description The hook it is about; null: it is about none, or about one that is not there. */
            hook: string | null;
            /** @description `chan_1` to `chan_8`; null: it is about none. */
            channel: string | null;
            /** @description The first is the one to press. */
            actions: components["schemas"]["AttentionAction"][];
        };
        /** @description What needs a person, the worst first. */
        AttentionList: {
            items: components["schemas"]["AttentionItem"][];
        };
        /** @description An operator's action that changed something, or was to. */
        AuditEntry: {
            /** @description ISO 8601 in UTC. */
            at: string;
            /** @description Id of the token it was done with: `operator`, or one of `ops.tokens`; `files`: the files of the configuration changed. */
            actor: string;
            /** @description Address that it came from; null: from this process. */
            client: string | null;
            /** @description Route as docs/http-api.md has it, such as `POST /ops/api/pause`; of `files`: `reload`. */
            operation: string;
            /** @description What it was done to, such as the id of an event; null: the whole service. */
            subject: string | null;
            /** @description `done`, or the code of the refusal (docs/errors.md). */
            outcome: string;
            /** @description Null: nothing is known of it. Of a decision that sent other words than those of the reply, `text` is the reply here, and in `after` what was sent, for as long as its event has them. */
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Entries, newest first. */
        AuditPage: {
            entries: components["schemas"]["AuditEntry"][];
            /** @description `cursor` of the next page; null: there is none. */
            nextCursor: string | null;
        };
        /** @description What one turn of an agent may do, decided by us before it begins and never by what it reads. */
        CapabilityContract: {
            /**
             * @description `untrusted`: the agent is shown text from outside.
             * @enum {string}
             */
            trust: "trusted" | "untrusted";
            /** @description How the sender was verified, e.g. `token`; `none`: there was no sender (a heartbeat). */
            verifiedBy: string;
            /** @description Id of the mapping that made the run; absent for the built-in wake and agent hooks. */
            mapping?: string;
            /** @description Names of the tools it may use, of those that the agent has; `all` of them only when nothing shown came from outside. */
            allowedTools: "all" | string[];
            /** @description Where its reply may go; null: nowhere. */
            mayDeliverTo: components["schemas"]["Destination"] | null;
        };
        /** @description An event that would become something else. */
        ChangedPreview: {
            event: string;
            /** @description ISO 8601. */
            receivedAt: string;
            hook: string;
            /** @description What: `mapping`, `outcome`, `prompt`, `message`, or a field of its action, such as `sessionKey`. */
            what: string[];
        };
        /** @description One channel as an operator sees it. Times are ISO 8601 in UTC; what happened is known over restarts and of all instances. */
        ChannelReport: {
            /** @enum {string} */
            id: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
            /** @description Name of the platform. */
            provider: string;
            /**
             * @description `untried`: nothing was sent yet. `working`: the last message was taken. `failing`: it was not. `paused`: the platform asked to send more slowly, see `pausedUntil`.
             * @enum {string}
             */
            state: "failing" | "paused" | "untried" | "working";
            pausedUntil: string | null;
            lastSuccessAt: string | null;
            lastError: {
                at: string;
                /** @description Of the first failure after the last message that was taken. */
                since: string;
                /** @enum {string} */
                kind: "auth" | "permanent" | "rate-limited" | "retryable" | "unknown";
                message: string;
            } | null;
        };
        /** @description Every configured channel; what happened is known over restarts and of all instances. */
        Channels: {
            channels: components["schemas"]["ChannelReport"][];
        };
        /** @description The configuration in force, and what is wrong with the files as they are now. */
        ConfigurationReport: {
            /** @description True: there is neither gateway.json5 nor a fragment. */
            isDemo: boolean;
            /** @description While there are some, changed files are refused and the configuration in force stays. */
            problems: components["schemas"]["Problem"][];
            warnings: components["schemas"]["Problem"][];
            /** @description Keys that were changed and hold only after a restart; `configuration` has the new values. */
            restartFor: string[];
            /** @description The directory of the configuration. */
            dir: string;
            /** @description Who says something of each section, the strongest last: `defaults`, `demo`, `gateway.json5`, `gateway.d/mail.json5`, `GATEWAY_PORT (environment)`. */
            sources: {
                [key: string]: string[];
            };
            /** @description Where each variable that the files name comes from: `environment` or `.env`. */
            variables: {
                [key: string]: string;
            };
            /** @description Every section with its defaults. */
            configuration: {
                [key: string]: unknown;
            };
        };
        /** @description Whether a browser is logged in to the console. */
        ConsoleLogin: {
            loggedIn: boolean;
            /** @description When the session ends unless it is used again; null: there is none. */
            endsAt: string | null;
            /** @description With whose token; null: there is no session. */
            as: components["schemas"]["LoggedIn"] | null;
            /** @description An application has this console within itself: neither files of a service nor the command `hooks` belong to it. */
            isEmbedded: boolean;
        };
        /** @description A part of the service that does not work while the rest does; of `hooks`: senders are losing what they send; of `ledger`: its file is damaged, and what is stored may be lost; of `agents`: a model, gateway or program is away, and its runs wait. */
        Degradation: {
            /** @enum {string} */
            part: "agents" | "hooks" | "ledger" | "mail";
            state: string;
        };
        /** @description A message is on its way to a channel; no agent is asked. */
        DeliveryAnswer: {
            /** @description Of the first message. */
            deliveryId: string;
            /** @description Of several messages; absent where there is one. */
            deliveryIds?: string[];
            /** @constant */
            ok: true;
            /** @description The event that it became. */
            eventId: string;
            /** @description What could not be done as asked, one sentence each; absent: nothing. */
            warnings?: string[];
        };
        /** @description One delivery and what became of it. */
        DeliveryDetails: {
            id: string;
            /** @description Whose reply it is; null: the hook's own message, which no agent wrote. */
            runId: string | null;
            channel: string;
            /** @description Null: nobody knew a recipient. */
            to: string | null;
            /** @enum {string} */
            status: "accepted" | "dead" | "delivered" | "pending" | "skipped" | "unknown";
            attempts: components["schemas"]["EventNote"][];
            /** @description The platform's own id of the message. */
            messageId: string | null;
            error: string | null;
        };
        /** @description A channel, and a recipient where one was named. */
        Destination: {
            /** @enum {string} */
            channel: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8" | "last";
            to?: string;
        };
        /** @description Dead runs and deliveries were forgotten. */
        Dismissed: {
            /** @description How many. */
            dismissed: number;
            /** @constant */
            ok: true;
        };
        /** @description Some of those that were asked for. */
        DismissedPage: {
            /** @description `cursor` of the next call; null: there was no more. */
            nextCursor: string | null;
            /** @description How many. */
            dismissed: number;
            /** @constant */
            ok: true;
        };
        /** @description Done; there is nothing else to say. */
        Done: {
            /** @constant */
            ok: true;
        };
        /** @description The JSON shape of every refusal and failure of the service, that of the hooks included. */
        ErrorBody: {
            /** @constant */
            ok: false;
            error: string;
            code: string;
        };
        /** @description Everything that became of one event. */
        EventDetails: {
            request: {
                path: string;
                query: {
                    [key: string]: string;
                };
                headers: {
                    [key: string]: string;
                };
                /** @description Address of whoever sent it, trusted proxies left out. */
                client: string;
                /** @description How the sender was verified, e.g. `token`. */
                verifiedBy: string;
                /** @description What its signature proved, when it has one. */
                signature?: components["schemas"]["RequestSignature"];
                /** @description Id of the event this one repeats, when an operator replayed it. */
                replayOf?: string;
                /** @description The body as it was parsed, credentials left out; numbers that JavaScript would round are written exactly by `JSON.stringify`. Null once the retention of payloads has passed. */
                payload: unknown;
                /** @description How many bytes the body has, where they are more than 1,048,576: only its beginning is in `payload`. */
                payloadBytes?: number;
            };
            /** @description `text` of a wake and `message` of a run are gone once the retention of payloads has passed. */
            actions: {
                [key: string]: unknown;
            }[];
            runs: components["schemas"]["RunDetails"][];
            /** @description What was posted into the main session, a line per run. */
            summary: string | null;
            /** @enum {string} */
            heartbeat: "done" | "failed" | "none" | "requested";
            deliveries: components["schemas"]["DeliveryDetails"][];
            /** @description Why it was skipped; null: it was not, or by an older release. */
            skipped: string | null;
            warnings: string[];
            /** @description What a transform wrote with `console`; empty once the retention of payloads has passed. */
            console: string[];
            id: string;
            /** @description Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
            hook: string;
            /** @enum {string} */
            status: "accepted" | "delivering" | "done" | "failed" | "running" | "skipped" | "waiting";
            receivedAt: string;
            /** @description Id of the mapping that matched. */
            mapping: string | null;
            /** @description What it was about: name and first words of its first action, in one line of at most 160 characters, without anything that looks like a credential. Null: there is no action, or the retention of payloads has passed, or its first words have no character that one could see. */
            headline: string | null;
            /** @description Why it was skipped or failed: of its parts the first that did; at most 160 characters in a list. Null: it was not, or did not. */
            error: string | null;
            /** @description Why it goes on later: what the first of its runs and deliveries that wait for another attempt has met, in at most 160 characters. Null: none of them waits, or they were not tried yet. */
            waitReason: string | null;
            /** @description The agent of its first action. Null: there is no action. */
            agentId: string | null;
            /** @description Where its reply goes: the channel of its first delivery, else what its first action asks for, which may be `last`. Null: nowhere. */
            channel: string | null;
            /** @description Of a search: in one line what was found, with the words around it, without anything that looks like a credential. */
            match?: string;
        };
        /** @description What became of one attempt, with times in ISO 8601. */
        EventNote: {
            error?: string;
            /**
             * @description `accepted` and `unknown` as in {@link DeliveryStatus}; `dismissed`: an operator gave it up.
             * @enum {string}
             */
            outcome: "accepted" | "delivered" | "dismissed" | "failed" | "interrupted" | "retry" | "unknown";
            /** @description From 1. */
            attempt: number;
            at: string;
            nextAt?: string;
        };
        /** @description A page of events, newest first. */
        EventPage: {
            events: components["schemas"]["EventSummary"][];
            /** @description `cursor` of the next page; null: there is none. A search that takes too long gives a page that is not full. */
            nextCursor: string | null;
            /** @description Of a search: what came from this time on may be missing, since the index is behind; null: nothing is. */
            searchedUntil?: string | null;
        };
        /** @description One line of the list of events. All times here are ISO 8601 in UTC. */
        EventSummary: {
            id: string;
            /** @description Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
            hook: string;
            /** @enum {string} */
            status: "accepted" | "delivering" | "done" | "failed" | "running" | "skipped" | "waiting";
            receivedAt: string;
            /** @description Id of the mapping that matched. */
            mapping: string | null;
            /** @description What it was about: name and first words of its first action, in one line of at most 160 characters, without anything that looks like a credential. Null: there is no action, or the retention of payloads has passed, or its first words have no character that one could see. */
            headline: string | null;
            /** @description Why it was skipped or failed: of its parts the first that did; at most 160 characters in a list. Null: it was not, or did not. */
            error: string | null;
            /** @description Why it goes on later: what the first of its runs and deliveries that wait for another attempt has met, in at most 160 characters. Null: none of them waits, or they were not tried yet. */
            waitReason: string | null;
            /** @description The agent of its first action. Null: there is no action. */
            agentId: string | null;
            /** @description Where its reply goes: the channel of its first delivery, else what its first action asks for, which may be `last`. Null: nowhere. */
            channel: string | null;
            /** @description Of a search: in one line what was found, with the words around it, without anything that looks like a credential. */
            match?: string;
        };
        /** @description What was erased. */
        Forgotten: {
            events: number;
            /** @description Turns of sessions that were shown it. */
            turns: number;
            /** @description Lines that waited for a turn. */
            lines: number;
            /** @description Where it may still stand, beyond the reach of the service, and what to do there: a sentence each. */
            leftovers: string[];
            /** @constant */
            ok: true;
        };
        /** @description The host's code will be asked. */
        HandledAnswer: {
            /** @constant */
            ok: true;
            /** @description The event that it became. */
            eventId: string;
            /** @description What could not be done as asked, one sentence each; absent: nothing. */
            warnings?: string[];
        };
        /** @description One way in. */
        HookReport: {
            /** @description `wake`, `agent`, or a sub-path; null: every name that nothing else takes. */
            name: string | null;
            /** @description As a request has it: `/hooks/github`; null for every name. */
            path: string | null;
            /** @description The address to enter at the sender; null: `hooks.publicUrl` is not set, and the service does not know its own. */
            url: string | null;
            /** @description Ids of its mappings, in the order they are tried; none of the built-in hooks. */
            mappings: string[];
            /** @description Class and method of the host's code that decide about its events (`@OnHook`); null: its mappings do. */
            handler: string | null;
            /** @description The preset whose path it is; null: none. */
            preset: string | null;
            /** @description What the sender of that preset is called. */
            sender: string | null;
            verification: components["schemas"]["HookVerification"];
            /** @description When its last event that is still kept was accepted; null: none is. */
            lastUsedAt: string | null;
            /** @description Events since `since`, at most 100,000; null for every name. */
            accepted: number | null;
            /** @description The same by how they stand now, `accepted` to `skipped`; absent: none. Null for every name. */
            statuses: {
                running?: number;
                waiting?: number;
                failed?: number;
                skipped?: number;
                accepted?: number;
                done?: number;
                delivering?: number;
            } | null;
            /** @description Requests that were refused since `since`, as far as refusals are kept. */
            refused: number;
            /** @description What to do at the sender of its preset, a step each; words in angle brackets stand for secrets. */
            steps: string[];
        };
        /** @description Every way in. */
        Hooks: {
            /** @description `hooks.enabled`; false: each of them answers 404. */
            isEnabled: boolean;
            /** @description Since when requests are counted. */
            since: string;
            hooks: components["schemas"]["HookReport"][];
        };
        /** @description How requests to one hook prove who sends them; with neither a scheme nor a token nobody can. */
        HookVerification: {
            /** @description Signatures of this scheme; null: none is asked for. */
            scheme: string | null;
            /** @description Who signs so, as people call it. */
            signer: string | null;
            /** @description The tokens that open it now, as stories name them: `token` is `hooks.token`, `token ci` one of `hooks.tokens`. */
            tokens: string[];
            /** @description One more header in which the token may come. */
            tokenHeader: string | null;
            /**
             * @description How a request can be sent in the name of its sender with what the configuration holds: `signed`, `secret` where the sender shows its secret as it is, `token`; null: it cannot, since only the sender can sign or digests are kept alone.
             * @enum {string|null}
             */
            sendable: "secret" | "signed" | "token" | null;
            /** @description The header in which the sender shows its secret as it is, `authorization` for user and password; null: in none. */
            secretHeader: string | null;
        };
        /** @description Whether intake and work stand still. */
        Intake: {
            paused: boolean;
            /** @constant */
            ok: true;
        };
        /** @description What an agent elsewhere said of a run that had ended: nothing was stored. */
        LateAnswer: {
            /** @constant */
            ok: true;
            /** @constant */
            skipped: true;
            /** @constant */
            reason: "the run has ended";
        };
        /** @description Who is logged in, and what they may do: each role also what the ones before it may. */
        LoggedIn: {
            /** @description `operator`: with the token that may do all; else the id of one of `ops.tokens`. */
            id: string;
            /** @enum {string} */
            role: "configure" | "operate" | "read";
        };
        /** @description What verified senders lost at one hook, with what to do about it. */
        LostAndWhy: {
            /** @description One sentence without its stop and without times. */
            what: string;
            todo: string;
            /** @description Null: there is no such hook. */
            hook: string | null;
            code: string;
            status: number;
            count: number;
            /** @description When the first of them came, ISO 8601 in UTC. */
            since: string;
        };
        /** @description What verified senders lost in the last hour, the most first. */
        LostLately: {
            lost: components["schemas"]["LostAndWhy"][];
        };
        /** @description One mailbox of it. */
        MailboxStatus: {
            mailbox: string;
            state: string;
            /** @description ISO 8601. */
            since: string;
            connectedSince: string | null;
            lastMessageAt: string | null;
            lastError: {
                at: string;
                message: string;
            } | null;
            /** @description Messages since the start of the watcher. */
            delivered: number;
            refused: number;
            /** @description Messages that are known and not accepted yet. */
            waiting: number;
            lagSeconds: number;
        };
        /** @description How the mailboxes are doing. */
        MailReport: {
            /** @description Null: no mailbox is configured. */
            mail: components["schemas"]["MailStatus"] | null;
        };
        /** @description State of a mailbox watcher, as far as the operator API shows it. */
        MailStatus: {
            account: string;
            state: string;
            /** @description True: mail does not get through, and not only for a moment. */
            isDegraded: boolean;
            /** @description What to do about it. */
            hint: string | null;
            mailboxes: components["schemas"]["MailboxStatus"][];
        };
        /** @description A mapping was saved, or removed. */
        MappingChange: {
            /** @constant */
            ok: true;
            /** @description Keys that wait for a restart. */
            restartFor: string[];
            file: string;
            /** @description Of what the file has now; null: it is gone. */
            revision: string | null;
            /** @description What would work and cannot be meant. */
            warnings: string[];
            /** @description False: the files say it, and the service goes on as before; what is wrong is shown as with any changed file. */
            isInForce: boolean;
        };
        /** @description The mappings that were saved here. */
        Mappings: {
            /** @description Why none can be saved, in a sentence; null: nothing is in the way. */
            unwritable: string | null;
            mappings: components["schemas"]["SavedMapping"][];
        };
        /** @description What a mapping would change. Nothing of what was sent is in it. */
        MappingTrial: {
            /** @description ISO 8601: since when events were looked at. */
            since: string;
            /** @description How many were looked at, the newest first: at most 200, and as many as two seconds allow. */
            events: number;
            /** @description Whether these were all. */
            isComplete: boolean;
            changed: number;
            /** @description The newest of those that change. */
            examples: components["schemas"]["ChangedPreview"][];
            /** @description What is wrong with the mapping; while there are problems, no event was looked at. */
            draft: components["schemas"]["SettingsFindings"];
        };
        /** @description One mapping, and why it takes a request or not. Part of a preview, as the HTTP API gives it. */
        MatchExplanation: {
            /** @description The id of the mapping. */
            mapping: string;
            takes: boolean;
            /** @description Whether it has the request's path, or none and so takes every path. */
            samePath: boolean;
            /** @description One sentence for the operator; it names the path or the source of the request, or the value that a condition found. */
            because: string;
        };
        /** @description A token that was made, which is told here and nowhere else, and its sender. */
        NewToken: {
            token: string;
            id: string;
            hooks: string[];
            /** @description Last day or moment as it was given; null: no end. */
            notAfter: string | null;
            /** @description Where its digest is kept. */
            file: string;
            /** @description How many tokens the sender has, this one included. */
            count: number;
            /** @description Those of `hooks` that are no hooks yet. */
            strange: string[];
        };
        /** @description An OpenAPI 3.1 document, as far as somebody needs to know it who merges two. */
        OpenApiDocument: {
            openapi: string;
            info: {
                [key: string]: unknown;
            };
            /** @description Where it is served; absent where the host knows better. */
            servers?: {
                url: string;
            }[];
            /** @description Operations by path. */
            paths: {
                [key: string]: Record<string, never>;
            };
            /** @description What the operations refer to, by kind (`schemas`, `securitySchemes`, `responses`) and name. */
            components: {
                [key: string]: {
                    [key: string]: Record<string, never>;
                };
            };
        };
        /** @description A preset was enabled, or was already. */
        PresetEnabled: {
            /** @constant */
            ok: true;
            /** @description What its sender is called on a screen. */
            sender: string;
            /** @description The files that were written; empty: everything was there. */
            files: string[];
            /** @description What to do at the sender, a step each, with what was made just now: it is told this once. */
            steps: string[];
            /** @description The secret or token that was made; null: none was. */
            made: string | null;
            /** @description False: the files say it, and the service goes on as before; what is wrong is shown as with any changed file. */
            isInForce: boolean;
            /** @description Keys that wait for a restart. */
            restartFor: string[];
        };
        /** @description The samples of one preset. */
        PresetSamples: {
            preset: string;
            /** @description What its sender is called on a screen. */
            sender: string;
            /** @description Where its sender posts to, below the prefix. */
            hook: string;
            /** @description Whether `hooks.presets` names it. */
            isEnabled: boolean;
            /**
             * @description What its sender proves itself by: a `token` of ours, its `own-secret` that is made here, or `their-secret`.
             * @enum {string}
             */
            proof: "own-secret" | "their-secret" | "token";
            /** @description Whether the address that it sends to is part of what it signs. */
            signsAddress: boolean;
            /** @description Names of its samples, in order: at least one. */
            samples: string[];
        };
        /** @description What would become of a request, without any of it. */
        Preview: {
            hook: string;
            /** @description Id of the mapping that takes it; null for the built-in hooks, and when none does. */
            mapping: string | null;
            /** @description Every mapping in the order they are tried, and why it takes the request or not. Empty for the built-in hooks. */
            considered: components["schemas"]["MatchExplanation"][];
            actions: components["schemas"]["PreviewedAction"][];
            /** @description What the rules of the mapping do to its runs and messages, and how the budgets stand that its runs are of, a sentence each. */
            rules: string[];
            warnings: string[];
            /** @description What the transform wrote to its console. */
            console: string[];
            /** @description Why there would be nothing to do; null: there would be something, or a refusal. */
            skipped: string | null;
            /** @description What the sender would be refused with. */
            refusal: components["schemas"]["PreviewedRefusal"] | null;
            /** @description Why the mapping or its transform broke: what the event's details would say, and the sender would not learn. */
            failure: string | null;
            /** @description Milliseconds that resolving the request took. */
            ms: number;
            /** @description What is to be said of the mapping of the request, by its place: `mapping.channel` and the like, or that of another mapping that it would make wrong. Null: the request had none. With problems, nothing else was looked at. */
            draft: {
                problems: components["schemas"]["Problem"][];
                warnings: components["schemas"]["Problem"][];
            } | null;
        };
        /** @description The fields of the action as the event's details would show them, and what the agent or the recipient would read. */
        PreviewedAction: {
            /** @enum {string} */
            kind: "agent" | "deliver" | "handler" | "wake";
            /** @description Word for word, but for the ids of the safety boundary, which are fresh each time. Empty: no agent is asked. */
            prompt: string;
            /** @description The messages of one that is delivered without an agent, as its channel would send them. */
            messages?: string[];
            /** @description Where they would go, or why they would not. */
            delivery?: string;
            /** @description What it costs, where that is more than its run. */
            costs?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description What the sender would be answered. */
        PreviewedRefusal: {
            status: number;
            /** @enum {string} */
            code: "agent_not_allowed" | "body_timeout" | "budget_used_up" | "event_queue_full" | "hook_queue_full" | "idempotency_conflict" | "intake_busy" | "internal_error" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "invalid_query" | "invalid_signature" | "mapping_failed" | "method_not_allowed" | "model_not_allowed" | "paused" | "payload_too_large" | "refused_by_host" | "run_unavailable" | "session_key_not_allowed" | "shutting_down" | "signature_reused" | "store_unavailable" | "token_in_query" | "too_many_auth_failures" | "too_many_waits" | "transform_failed" | "transform_queue_full" | "transform_timeout" | "unauthorized" | "unknown_hook" | "unknown_run" | "unsupported_media_type" | "verification_busy" | "verification_unavailable" | "waits_full";
            error: string;
        };
        /** @description One mistake in the configuration: the key, and what to do. */
        Problem: {
            /** @description Path of the key, e.g. `mappings[0].channel`. */
            key: string;
            /** @description Continues the key to a sentence. */
            message: string;
        };
        Readiness: {
            /** @constant */
            ok: true;
            /** @constant */
            status: "ready";
            paused: boolean;
            /** @description Absent while everything works. */
            degraded?: components["schemas"]["Degradation"][];
        };
        /** @description A page of refused requests, newest first. */
        RefusalPage: {
            refusals: components["schemas"]["RefusedRequest"][];
            /** @description `cursor` of the next page; null: there is none. */
            nextCursor: string | null;
        };
        /** @description A refused request as an operator sees it, without anything of its payload. */
        RefusedRequest: {
            /** @description ISO 8601 in UTC; of a sum, when the first of them came. */
            at: string;
            /** @enum {string} */
            kind: "failed" | "lost" | "repeated" | "unverified";
            /** @description `wake`, `agent`, or the mapping (its id; its path where several share one); null: none was reached. */
            hook: string | null;
            /** @description The sub-path that a verified sender asked for, where there is no such hook; never a stranger's. */
            name: string | null;
            /** @description Address of the sender; null: one sum for all that were too many to be told apart. */
            client: string | null;
            /** @description HTTP status of the answer. */
            status: number;
            /** @description Stable code of the answer (docs/errors.md); `repeat`: the answer to the first request was given again. */
            code: string;
            /** @description The sentence of the answer; of a repeat, which event the first request made. */
            reason: string;
            /** @description How the sender proved who it is, also where it may not speak: `token <id>`; null: it did not. */
            verifiedBy: string | null;
            /** @description Size of the body in bytes as the sender announced it; null: it did not. */
            bytes: number | null;
            /** @description How many requests this stands for; 1 but for sums. */
            count: number;
        };
        /** @description A refusal or a failure. */
        RejectedAnswer: {
            /** @constant */
            ok: false;
            /** @description One sentence that says what to do. */
            error: string;
            /** @description For programs; never changes its meaning (docs/errors.md). */
            code: string;
            /** @description What came of it is kept as a failed event; absent: nothing was stored. */
            eventId?: string;
        };
        /** @description A signature that was found to be right; nothing of it is a secret. */
        RequestSignature: {
            /** @description Id of the scheme, e.g. `github`. */
            scheme: string;
            /** @description The sender's own id of the delivery, the same when it is sent again. `isSigned`: the signature covers it. */
            deliveryId?: {
                id: string;
                isSigned: boolean;
            };
            /** @description SHA-256 in base64 of exactly what was signed: two deliveries of one signed text have the same. Absent: a shared secret. */
            signedDigest?: string;
            /** @description True: with another body the signature would be wrong. */
            coversBody: boolean;
            /** @description How old, or how far ahead, the signed time may be. Absent: the scheme signs none. */
            toleranceSeconds?: number;
        };
        /** @description The event that resumed a run. */
        ResumingEvent: {
            eventId: string;
            /** @description What its mapping made of it, whole; empty once it was forgotten. Hostile, unless its trust says otherwise. */
            message: string;
            source: string;
            /** @description Name of its hook. */
            hook: string;
            trust: components["schemas"]["Trust"];
            /** @description Epoch milliseconds. */
            receivedAt: number;
        };
        /** @description Tokens of a sender were ended. */
        RetiredTokens: {
            /** @description How many. */
            retired: number;
            /** @description How many it has now; 0: the sender is gone. */
            left: number;
            /** @constant */
            ok: true;
        };
        /** @description Dead runs and deliveries were put back into their queues. */
        Retried: {
            /** @description How many. */
            retried: number;
            /** @constant */
            ok: true;
        };
        /** @description Some of those that were asked for. */
        RetriedPage: {
            /** @description `cursor` of the next call; null: there was no more. */
            nextCursor: string | null;
            /** @description How many. */
            retried: number;
            /** @constant */
            ok: true;
        };
        /** @description Where a session last spoke. */
        Route: {
            /** @enum {string} */
            channel: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
            /** @description Recipient in the platform's own form. */
            to: string;
        };
        /** @description An agent will be asked. */
        RunAnswer: {
            /** @description Of the first run. */
            runId: string;
            /** @constant */
            ok: true;
            /** @description The event that it became. */
            eventId: string;
            /** @description What could not be done as asked, one sentence each; absent: nothing. */
            warnings?: string[];
            /** @description Absent where there is one action only. */
            runIds?: string[];
        };
        /** @description One run of an agent and what became of it. */
        RunDetails: {
            id: string;
            /** @enum {string} */
            status: "collected" | "denied" | "failed" | "interrupted" | "queued" | "running" | "skipped" | "succeeded" | "timed-out" | "waiting";
            agentId: string;
            /** @description Short key, e.g. `hook:x`. */
            sessionKey: string;
            model: string | null;
            thinking: string | null;
            prompt: string | null;
            reply: string | null;
            error: string | null;
            /** @description What it was allowed to do; null before its first attempt has ended. */
            contract: components["schemas"]["CapabilityContract"] | null;
            /** @description Null: the runner does not know. */
            usage: components["schemas"]["TokenUsage"] | null;
            /** @description What could not be done as asked. */
            warnings: string[];
            toolCalls: components["schemas"]["ToolCallDetails"][];
            /** @description How often it was begun; the notes say what became of an attempt that asked nobody. */
            attempts: number;
            /** @description Why attempts had to be repeated. */
            notes: components["schemas"]["EventNote"][];
            /** @description What it waited for, or waits for, the first one first. */
            waits: components["schemas"]["WaitDetails"][];
            /** @description The run whose message lists its event; null: it is one of its own. */
            joined: string | null;
            startedAt: string | null;
            finishedAt: string | null;
        };
        /** @description The same for the token that made the run. Times are ISO 8601 in UTC. */
        RunOutcomeAnswer: {
            /** @description Null: it was not begun yet. */
            startedAt: string | null;
            /** @description Null: it has not ended. */
            finishedAt: string | null;
            /**
             * @description What became of sending its reply to a channel; absent: it goes nowhere, or there is none yet.
             * @enum {string}
             */
            delivery?: "accepted" | "dead" | "delivered" | "pending" | "skipped" | "unknown";
            /** @description How it ended badly, as a sentence; absent: it did not. */
            error?: string;
            /** @description What cannot be asked at the moment, since when, when it is tried next and how many wait; absent: nothing. */
            waitsFor?: string;
            /** @description What the agent answered; only where the operator exposes it, and until payloads are forgotten. */
            reply?: string;
            /** @constant */
            ok: true;
            runId: string;
            /** @enum {string} */
            status: "collected" | "denied" | "failed" | "interrupted" | "queued" | "running" | "skipped" | "succeeded" | "timed-out" | "waiting";
        };
        /** @description How a run stands: all that the shared token is told. */
        RunStatusAnswer: {
            /** @constant */
            ok: true;
            runId: string;
            /** @enum {string} */
            status: "collected" | "denied" | "failed" | "interrupted" | "queued" | "running" | "skipped" | "succeeded" | "timed-out" | "waiting";
        };
        /** @description One run beside the event that asked for it. */
        RunStory: {
            event: components["schemas"]["EventSummary"];
            /** @description How the sender of the event was verified, e.g. `token` or `token ci`. */
            verifiedBy: string;
            /** @description What was asked, as the event's details show it, but for the message: the run's prompt has that. */
            action: {
                [key: string]: unknown;
            };
            run: components["schemas"]["RunDetails"];
            /** @description The model, provider, gateway or program it waits for, as turns and logs name it; null: none. */
            waitsFor: string | null;
            /** @description What became of its reply; empty: it goes nowhere, or there is none yet. */
            deliveries: components["schemas"]["DeliveryDetails"][];
        };
        /** @description One sample as a request, without what would prove its sender. */
        SampleRequest: {
            preset: string;
            name: string;
            /** @description Where the vendor publishes it, and what was left out of it if anything. */
            source: string;
            /** @description Where its sender posts to, below the prefix. */
            hook: string;
            /** @description Names in lower case, the content type among them. */
            headers: {
                [key: string]: string;
            };
            query: {
                [key: string]: string;
            };
            /** @description As it goes on the wire. */
            body: string;
            contentType: string;
        };
        /** @description Every preset that has samples. */
        Samples: {
            presets: components["schemas"]["PresetSamples"][];
        };
        /** @description A mapping that was saved. */
        SavedMapping: {
            id: string;
            /** @description Where it stands. */
            file: string;
            /** @description Names the content of the file: whoever saves it says which one was seen. */
            revision: string;
            /** @description As an entry of `hooks.mappings`. */
            mapping: {
                [key: string]: unknown;
            };
        };
        /** @description What the operator is shown of a window: open, or with the secret that came. */
        SecretWindow: {
            /** @description Without outer slashes. */
            hook: string;
            /** @description Id of the scheme of its sender. */
            scheme: string;
            /** @description When it closes, or closed, if nothing comes; ISO 8601. */
            closesAt: string;
            /** @description Null: nothing came yet. Otherwise the window is closed. */
            taken: components["schemas"]["TakenSecret"] | null;
        };
        /** @description How the service is doing as a whole. */
        ServiceStatus: {
            /** @description Of this package. */
            version: string;
            /** @description Version of Node. */
            node: string;
            /** @description When the process began. */
            startedAt: string;
            /** @description Whether events can be stored at the moment. */
            ready: boolean;
            /** @description An operator paused intake and work; false where the ledger cannot be asked. */
            paused: boolean;
            /** @description Every kind and state that has any work; null: the ledger cannot be asked. */
            work: components["schemas"]["WorkCounts"][] | null;
            channels: components["schemas"]["ChannelReport"][];
            /** @description Null: no mailbox is configured. */
            mail: components["schemas"]["MailStatus"] | null;
            /** @description What needs a person, the worst first. */
            attention: components["schemas"]["AttentionItem"][];
        };
        /** @description What a session remembers. */
        SessionDetails: {
            /** @description Full key. */
            key: string;
            agentId: string;
            /** @description A page of them, oldest first. */
            pendingSystemEvents: {
                text: string;
                at: string;
                trust: components["schemas"]["Trust"];
            }[];
            /** @description Where the next of them begin; null: no more wait. */
            nextCursor: string | null;
            lastRoute: components["schemas"]["Route"] | null;
            /** @description Whom the session last spoke to, by channel. */
            recipients: {
                chan_1?: string;
                chan_2?: string;
                chan_3?: string;
                chan_4?: string;
                chan_5?: string;
                chan_6?: string;
                chan_7?: string;
                chan_8?: string;
            };
            turns: {
                role: string;
                text: string;
                at: string;
            }[];
        };
        /** @description A page of sessions, in order of their full keys. */
        SessionPage: {
            sessions: components["schemas"]["SessionSummary"][];
            /** @description `cursor` of the next page; null: there is none. */
            nextCursor: string | null;
        };
        /** @description One line of the list of sessions. */
        SessionSummary: {
            /** @description Full key. */
            key: string;
            agentId: string;
            /** @description Null: nothing but system events and routes so far. */
            lastTurnAt: string | null;
            /** @description How many turns its transcript holds. */
            turns: number;
            /** @description How many wait. */
            pendingSystemEvents: number;
        };
        /** @description What a check found; keys are places of gateway.json5, e.g. `hooks.mappings[0].to`. */
        SettingsFindings: {
            problems: components["schemas"]["Problem"][];
            /** @description Read only when there is no problem anywhere. */
            warnings: components["schemas"]["Problem"][];
        };
        /** @description A request that was signed, to be sent by somebody else. */
        SignedRequest: {
            /** @description Where to; null: nobody said where the hooks are reached, and the sender signs no address. */
            url: string | null;
            /** @description Below the prefix, with its query. */
            path: string;
            /** @description Those that prove the sender among them. */
            headers: {
                [key: string]: string;
            };
            body: string;
            /** @description Who signs so, as people call it. */
            signer: string;
            /** @description Names of the headers that sign; none where the signature stands in the body or in the address. */
            signedBy: string[];
            /** @description How long it is taken; null: as long as the secret counts, once. */
            validSeconds: number | null;
        };
        /** @description There was nothing to do: conditions said no, the mapping says `ignore`, or a `forEach` list was empty. */
        SkippedAnswer: {
            /** @constant */
            skipped: true;
            reason: string;
            /** @constant */
            ok: true;
            /** @description The event that it became. */
            eventId: string;
            /** @description What could not be done as asked, one sentence each; absent: nothing. */
            warnings?: string[];
        };
        /** @description A secret of which nobody knows yet whose it is. */
        TakenSecret: {
            secret: string;
            /** @description Address of whoever sent it. */
            client: string;
            /** @description ISO 8601. */
            at: string;
        };
        /** @description A test message was sent. */
        TestSent: {
            /**
             * @description `accepted`: the platform took it and says nothing of its arrival.
             * @enum {string}
             */
            status: "accepted" | "delivered";
            /** @description The platform's own id of it; null: the platform gives none. */
            messageId: string | null;
            /** @constant */
            ok: true;
        };
        /** @description One token that opens hooks, without anything it could be found by. */
        TokenReport: {
            /** @description Where it stands: `hooks.token`, or `hooks.tokens[0].tokens[1]`. */
            key: string;
            /** @description Its sender; null: `hooks.token`, which is nobody's in particular. */
            id: string | null;
            /** @description What it opens; `*`: every hook. */
            hooks: string[];
            /** @description Null: no end. */
            notAfter: string | null;
            isEnded: boolean;
            /** @description Null: not since it is there. */
            lastUsedAt: string | null;
            /** @description Why it should be replaced, to continue the key; null: it need not. */
            warning: string | null;
            /** @description True: it was made by command or console, and can be ended by them; another stands in a file of the operator's. */
            canRetire: boolean;
        };
        /** @description Every token in force. */
        Tokens: {
            tokens: components["schemas"]["TokenReport"][];
        };
        /** @description Tokens of one turn, as the provider counted them. */
        TokenUsage: {
            inputTokens: number;
            outputTokens: number;
        };
        /** @description One use of a tool; input and result are null once the retention of payloads has passed. */
        ToolCallDetails: {
            input: string | null;
            result: string | null;
            /** @description `<server>_<tool>`. */
            tool: string;
            /**
             * @description `refused`: the contract of the turn does not allow the tool; it was not called.
             * @enum {string}
             */
            outcome: "failed" | "refused" | "succeeded";
            /** @description How long it took, in milliseconds. */
            ms: number;
        };
        /** @description Backends that rested may be asked again. */
        TriedBackends: {
            /** @description False: none rested. */
            tried: boolean;
            /** @constant */
            ok: true;
        };
        /** @description Where a text came from, and how sure we are of it. Decided once, when the request is read; never inferred from text. */
        Trust: {
            /**
             * @description `untrusted`: came over HTTP (put between markers before an agent sees it). `trusted`: the operator vouches for the hook.
             * @enum {string}
             */
            level: "trusted" | "untrusted";
            /** @description How the sender was verified, e.g. `token`; `none` for text that no sender wrote (a run's summary). */
            verifiedBy: string;
            /** @description Id of the mapping that made the action; absent for the built-in wake and agent hooks. */
            mapping?: string;
        };
        /** @description What turns used, of a hook, an agent, a model, a sender, or a day. */
        UsageLine: {
            /** @description Which; empty: nobody's. A day as `2026-11-28`. */
            name: string;
            /**
             * @description Heartbeats are told apart.
             * @enum {string}
             */
            kind: "heartbeat" | "run";
            turns: number;
            inputTokens: number;
            outputTokens: number;
            /** @description In US dollars, of the turns whose model has a price. */
            cost: number;
            /** @description Turns whose cost is not known: their model has no price, or nobody counted them. */
            unpriced: number;
            /** @description Those of them that nobody counted: of programs, of agents elsewhere, or cut off. They have no tokens here. */
            uncounted: number;
        };
        /** @description What turns used that said so, runs and heartbeats apart. */
        UsageReport: {
            /** @enum {string} */
            by: "agent" | "day" | "hook" | "model" | "sender";
            /** @description In UTC, the present one among them. */
            days: number;
            usage: components["schemas"]["UsageLine"][];
        };
        /** @description How a wait ended, likewise. */
        WaitDecision: {
            /** @enum {string} */
            verdict: "approved" | "denied" | "expired" | "resumed";
            /** @description Null: time decided. */
            by: string | null;
            at: string;
            reason: string | null;
            /** @description What was sent in place of the reply; null: the reply itself, or it was forgotten. */
            text: string | null;
            /** @description What resumed it; null: no event did. */
            event: components["schemas"]["ResumingEvent"] | null;
        };
        /** @description A wait as an operator reads it. All times are ISO 8601 in UTC. */
        WaitDetails: {
            id: string;
            /** @enum {string} */
            kind: "event" | "reply" | "run" | "tools";
            openedAt: string;
            until: string;
            /** @enum {string} */
            whenOver: "deny" | "expire";
            /** @description Where a reply would go; null: it is about no reply. */
            recipient: components["schemas"]["WaitRecipient"] | null;
            /** @description Tool calls that would be made; empty: it is about none, or they were forgotten. */
            calls: components["schemas"]["AskedCall"][];
            /** @description What the event has to say that it waits for; null: it waits for a person. */
            key: string | null;
            /** @description What it waits for, in the words of its agent; null: it said nothing. */
            question: string | null;
            /** @description Null: nobody has decided yet. */
            decision: components["schemas"]["WaitDecision"] | null;
        };
        /** @description A run that waits for a person, beside what it is of. */
        WaitingRun: {
            /** @enum {string} */
            kind: "reply" | "run" | "tools";
            eventId: string;
            runId: string;
            agentId: string;
            /** @description Name under the prefix. */
            hook: string;
            /** @description Id of the mapping that made it; null: `agent` did. */
            mapping: string | null;
            /** @description What it is about, whole: the message that would begin the run, the tool calls, or the reply. Hostile in any case. */
            text: string;
            /** @description What its agent was asked: the first lines, at most 600 characters, between the markers of untrusted text, and above them a line where that is not all. Null: `text` is it. A ledger itself gives all of it, as it came. */
            request: string | null;
            id: string;
            until: string;
            /** @description Null: nobody has decided yet. */
            decision: components["schemas"]["WaitDecision"] | null;
            openedAt: string;
            /** @enum {string} */
            whenOver: "deny" | "expire";
            /** @description Where a reply would go; null: it is about no reply. */
            recipient: components["schemas"]["WaitRecipient"] | null;
            /** @description Tool calls that would be made; empty: it is about none, or they were forgotten. */
            calls: components["schemas"]["AskedCall"][];
        };
        /** @description A page of what waits for a person, the oldest first. */
        WaitPage: {
            waits: components["schemas"]["WaitingRun"][];
            /** @description How many there are on all pages. */
            total: number;
            /** @description Null: there are no more. */
            nextCursor: string | null;
        };
        /** @description A recipient that a person is asked about. */
        WaitRecipient: {
            channel: string;
            /** @description Null: nobody knew one. */
            to: string | null;
        };
        /** @description The session is told, and its heartbeat requested or left to the next one. */
        WakeAnswer: {
            /** @enum {string} */
            mode: "next-heartbeat" | "now";
            /** @constant */
            ok: true;
            /** @description The event that it became. */
            eventId: string;
            /** @description What could not be done as asked, one sentence each; absent: nothing. */
            warnings?: string[];
            /** @description Absent where there is one action only. */
            runIds?: string[];
        };
        /** @description The window in which a sender's secret is taken from its handshake. */
        Window: {
            window: components["schemas"]["SecretWindow"];
        };
        /** @description How much work stands where, for metrics. */
        WorkCounts: {
            /** @enum {string} */
            kind: "delivery" | "heartbeat" | "notice" | "run";
            /**
             * @description `dead`: given up, kept until its event is forgotten, and may be retried until then.
             * @enum {string}
             */
            state: "dead" | "running" | "waiting";
            count: number;
            /** @description Since when the oldest that is due waits, in epoch milliseconds; absent: none does. */
            oldestDueAt?: number;
        };
    };
    responses: {
        /** @description operator_token_ended, operator_unauthorized, session_ended */
        OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "operator_token_ended" | "operator_unauthorized" | "session_ended";
                };
            };
        };
        /** @description console_header_missing, foreign_origin, loopback_only, role_too_low */
        ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "console_header_missing" | "foreign_origin" | "loopback_only" | "role_too_low";
                };
            };
        };
        /** @description host_not_allowed */
        HostNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "host_not_allowed";
                };
            };
        };
        /** @description too_many_auth_failures */
        TooManyAuthFailures: {
            headers: {
                /** @description Seconds until it is worth asking again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "too_many_auth_failures";
                };
            };
        };
        /** @description internal_error */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "internal_error";
                };
            };
        };
        /** @description store_unavailable */
        StoreUnavailable: {
            headers: {
                /** @description Seconds until it is worth asking again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "store_unavailable";
                };
            };
        };
        /** @description invalid_query */
        InvalidQuery: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "invalid_query";
                };
            };
        };
        /** @description invalid_body */
        InvalidBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "invalid_body";
                };
            };
        };
        /** @description unknown_channel */
        UnknownChannel: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_channel";
                };
            };
        };
        /** @description body_too_large */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "body_too_large";
                };
            };
        };
        /** @description test_failed */
        TestFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "test_failed";
                };
            };
        };
        /** @description no_configuration_files */
        NoConfigurationFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "no_configuration_files";
                };
            };
        };
        /** @description stopping, store_unavailable, too_many_streams */
        StoppingOrStoreUnavailableOrTooManyStreams: {
            headers: {
                /** @description Seconds until it is worth asking again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "stopping" | "store_unavailable" | "too_many_streams";
                };
            };
        };
        /** @description search_off */
        SearchOff: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "search_off";
                };
            };
        };
        /** @description search_unavailable, store_unavailable */
        SearchUnavailableOrStoreUnavailable: {
            headers: {
                /** @description Seconds until it is worth asking again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "search_unavailable" | "store_unavailable";
                };
            };
        };
        /** @description unknown_event */
        UnknownEvent: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_event";
                };
            };
        };
        /** @description nothing_to_dismiss */
        NothingToDismiss: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "nothing_to_dismiss";
                };
            };
        };
        /** @description nothing_to_retry */
        NothingToRetry: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "nothing_to_retry";
                };
            };
        };
        /** @description event_under_way */
        EventUnderWay: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "event_under_way";
                };
            };
        };
        /** @description not_ready, stopping */
        NotReadyOrStopping: {
            headers: {
                /** @description Seconds until it is worth asking again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "not_ready" | "stopping";
                };
            };
        };
        /** @description unknown_mapping */
        UnknownMapping: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_mapping";
                };
            };
        };
        /** @description configuration_read_only, no_configuration_files */
        ConfigurationReadOnlyOrNoConfigurationFiles: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "configuration_read_only" | "no_configuration_files";
                };
            };
        };
        /** @description invalid_body, invalid_query */
        InvalidBodyOrInvalidQuery: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "invalid_body" | "invalid_query";
                };
            };
        };
        /** @description metrics_unavailable */
        MetricsUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "metrics_unavailable";
                };
            };
        };
        /** @description unknown_preset */
        UnknownPreset: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_preset";
                };
            };
        };
        /** @description payload_pruned */
        PayloadPruned: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "payload_pruned";
                };
            };
        };
        /** @description unknown_run */
        UnknownRun: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_run";
                };
            };
        };
        /** @description unknown_sample */
        UnknownSample: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_sample";
                };
            };
        };
        /** @description secrets_present */
        SecretsPresent: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "secrets_present";
                };
            };
        };
        /** @description no_secret_window */
        NoSecretWindow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "no_secret_window";
                };
            };
        };
        /** @description cannot_sign, nothing_to_sign */
        CannotSignOrNothingToSign: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "cannot_sign" | "nothing_to_sign";
                };
            };
        };
        /** @description console_header_missing, foreign_origin, loopback_only */
        ConsoleHeaderMissingOrForeignOriginOrLoopbackOnly: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "console_header_missing" | "foreign_origin" | "loopback_only";
                };
            };
        };
        /** @description operator_token_ended, operator_unauthorized */
        OperatorTokenEndedOrOperatorUnauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "operator_token_ended" | "operator_unauthorized";
                };
            };
        };
        /** @description unknown_session */
        UnknownSession: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_session";
                };
            };
        };
        /** @description no_main_session, unknown_channel */
        NoMainSessionOrUnknownChannel: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "no_main_session" | "unknown_channel";
                };
            };
        };
        /** @description no_main_session */
        NoMainSession: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "no_main_session";
                };
            };
        };
        /** @description unknown_sender */
        UnknownSender: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_sender";
                };
            };
        };
        /** @description unknown_wait */
        UnknownWait: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @constant */
                    code?: "unknown_wait";
                };
            };
        };
        /** @description decided_before, wait_over */
        DecidedBeforeOrWaitOver: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"] & {
                    /** @enum {unknown} */
                    code?: "decided_before" | "wait_over";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    wake: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request with the same key and body runs once, for 72 h; `x-gateway-idempotency-key` is the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Description of the event. Required, not blank; trimmed. */
                    text: string;
                    /**
                     * @description `now` (default): an immediate heartbeat. `next-heartbeat`: wait for the next periodic one.
                     * @enum {unknown}
                     */
                    mode?: "now" | "next-heartbeat";
                };
            };
        };
        responses: {
            /** @description Durable: the event is on disk. */
            200: {
                headers: {
                    /** @description `true`: the same key came before, and this is the first answer. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WakeAnswer"];
                };
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unauthorized";
                    };
                };
            };
            /** @description refused_by_host */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "refused_by_host";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "too_many_auth_failures";
                    };
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "internal_error";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, shutting_down, store_unavailable */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "shutting_down" | "store_unavailable";
                    };
                };
            };
        };
    };
    runAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request with the same key and body runs once, for 72 h; `x-gateway-idempotency-key` is the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Prompt the agent processes. Required, not blank; kept as sent. */
                    message: string;
                    /** @description Human-readable hook name, prefix of the summary. Default `Hook`. */
                    name?: string;
                    /** @description Agent that runs it; an unknown one falls back to the default agent. Subject to `hooks.allowedAgentIds`. */
                    agentId?: string;
                    /** @description Session of the run. Refused unless `hooks.allowRequestSessionKey` is true. */
                    sessionKey?: string;
                    /**
                     * @description `now` (default): an immediate heartbeat after the summary.
                     * @enum {unknown}
                     */
                    wakeMode?: "now" | "next-heartbeat";
                    /** @description Whether the reply goes to a channel. Default true. */
                    deliver?: boolean;
                    /**
                     * @description `last` (default) or `chan_1` … `chan_8`; any case.
                     * @enum {unknown}
                     */
                    channel?: "last" | "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
                    /** @description Recipient. Default: the last recipient of the main session. */
                    to?: string;
                    /** @description `<provider>/<model>` or an alias; must be allowed where `agents.defaults.models` is enforced. */
                    model?: string;
                    /**
                     * @description Thinking level.
                     * @enum {unknown}
                     */
                    thinking?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | "adaptive";
                    /** @description Longest run in seconds, over 0 and at most 86,400. Default `agents.defaults.timeoutSeconds`. */
                    timeoutSeconds?: number;
                    /** @description The same key with the same body runs once; the headers `Idempotency-Key` and `x-gateway-idempotency-key` win over it. */
                    idempotencyKey?: string;
                };
            };
        };
        responses: {
            /** @description Durable: the event is on disk. */
            200: {
                headers: {
                    /** @description `true`: the same key came before, and this is the first answer. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAnswer"];
                };
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unauthorized";
                    };
                };
            };
            /** @description refused_by_host */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "refused_by_host";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "too_many_auth_failures";
                    };
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "internal_error";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, shutting_down, store_unavailable */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "shutting_down" | "store_unavailable";
                    };
                };
            };
        };
    };
    tellRun: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run, in whole seconds, 0 to 60. Default: not at all. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description As the answer to `POST` had it: `runId`, or one of `runIds`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it stands now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunOutcomeAnswer"] | components["schemas"]["RunStatusAnswer"];
                };
            };
            /** @description invalid_query, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "invalid_query" | "token_in_query";
                    };
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unauthorized";
                    };
                };
            };
            /** @description refused_by_host */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "refused_by_host";
                    };
                };
            };
            /** @description unknown_run */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unknown_run";
                    };
                };
            };
            /** @description too_many_auth_failures, too_many_waits */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "too_many_auth_failures" | "too_many_waits";
                    };
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "internal_error";
                    };
                };
            };
            /** @description run_unavailable, waits_full */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "run_unavailable" | "waits_full";
                    };
                };
            };
        };
    };
    callBack: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request with the same key and body runs once, for 72 h; `x-gateway-idempotency-key` is the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description As the answer to `POST` had it: `runId`, or one of `runIds`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Durable: the event is on disk. */
            200: {
                headers: {
                    /** @description `true`: the same key came before, and this is the first answer. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAnswer"] | components["schemas"]["LateAnswer"];
                };
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description invalid_signature, signature_reused, unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "invalid_signature" | "signature_reused" | "unauthorized";
                    };
                };
            };
            /** @description refused_by_host */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "refused_by_host";
                    };
                };
            };
            /** @description unknown_hook, unknown_run */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "unknown_hook" | "unknown_run";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "too_many_auth_failures";
                    };
                };
            };
            /** @description internal_error, mapping_failed, transform_failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "internal_error" | "mapping_failed" | "transform_failed";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, run_unavailable, shutting_down, store_unavailable, transform_queue_full, verification_busy, verification_unavailable */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "run_unavailable" | "shutting_down" | "store_unavailable" | "transform_queue_full" | "verification_busy" | "verification_unavailable";
                    };
                };
            };
            /** @description transform_timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "transform_timeout";
                    };
                };
            };
        };
    };
    sendToMapping: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request with the same key and body runs once, for 72 h; `x-gateway-idempotency-key` is the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Path of a mapping; it may have slashes. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": unknown;
                "application/x-www-form-urlencoded": Record<string, never>;
                "text/plain": string;
            };
        };
        responses: {
            /** @description Durable: the event is on disk. */
            200: {
                headers: {
                    /** @description `true`: the same key came before, and this is the first answer. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WakeAnswer"] | components["schemas"]["RunAnswer"] | components["schemas"]["DeliveryAnswer"] | components["schemas"]["HandledAnswer"] | components["schemas"]["SkippedAnswer"];
                };
            };
            /** @description A transform had nothing to do. */
            204: {
                headers: {
                    /** @description `true`: the same key came before, and this is the first answer. */
                    "Idempotent-Replayed"?: "true";
                    /** @description Id of the event. */
                    "Event-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description invalid_signature, signature_reused, unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "invalid_signature" | "signature_reused" | "unauthorized";
                    };
                };
            };
            /** @description refused_by_host */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "refused_by_host";
                    };
                };
            };
            /** @description unknown_hook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unknown_hook";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "too_many_auth_failures";
                    };
                };
            };
            /** @description internal_error, mapping_failed, transform_failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "internal_error" | "mapping_failed" | "transform_failed";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, shutting_down, store_unavailable, transform_queue_full, verification_busy, verification_unavailable */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "shutting_down" | "store_unavailable" | "transform_queue_full" | "verification_busy" | "verification_unavailable";
                    };
                };
            };
            /** @description transform_timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "transform_timeout";
                    };
                };
            };
        };
    };
    activity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityReport"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    attentionList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttentionList"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    auditList: {
        parameters: {
            query?: {
                /** @description Only what was done with the token of this id: `operator`, or one of `ops.tokens`; `files`: changes of the files. */
                actor?: string;
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    channelsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channels"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    channelsTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `chan_1` to `chan_8`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Recipient in the platform's own form, at most 1,000 characters; absent: the channel's own. */
                    to?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestSent"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownChannel"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["TestFailed"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    configurationReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationReport"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["NoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventStreamFollow: {
        parameters: {
            query?: {
                /** @description `true`: refused requests are told, too. */
                refusals?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events, until somebody ends it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoppingOrStoreUnavailableOrTooManyStreams"];
        };
    };
    eventsList: {
        parameters: {
            query?: {
                /** @description Name of the hook: `wake`, `agent`, or the sub-path of a mapped hook. */
                hook?: string;
                /** @description `accepted`, `running`, `waiting`, `delivering`, `done`, `failed` or `skipped`. */
                status?: "accepted" | "running" | "waiting" | "delivering" | "done" | "failed" | "skipped";
                /** @description Id of the mapping that matched. */
                mapping?: string;
                /** @description Full key of a session, such as `agent:main:hook:x`: events with a run in it. */
                session?: string;
                /** @description Only those that were accepted then or later, ISO 8601. */
                since?: string;
                /** @description Only those that were accepted before, ISO 8601. */
                until?: string;
                /** @description Words and "quoted phrases" that are all in payload, prompt or reply, in upper or lower case; one of them of three characters at least. */
                search?: string;
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["SearchOff"];
            503: components["responses"]["SearchUnavailableOrStoreUnavailable"];
        };
    };
    eventsGet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetails"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownEvent"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    forget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forgotten"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownEvent"];
            409: components["responses"]["EventUnderWay"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventsRetryAll: {
        parameters: {
            query?: {
                /** @description Name of the hook, or id of the mapping. */
                hook?: string;
                /** @description `true`: only replies of heartbeats, which no hook asked for. Not together with `hook`. */
                heartbeats?: "true";
                /** @description `chan_1` to `chan_8`: only deliveries to it. A retry then makes those due, too, that wait for their next attempt. */
                channel?: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
                /** @description Only of events that came then or later, ISO 8601. */
                since?: string;
                /** @description How the run or delivery of an event ended: `failed`, `timed-out`, `interrupted`, `dead` or `unknown`. */
                status?: "failed" | "timed-out" | "interrupted" | "dead" | "unknown";
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventsDismissAll: {
        parameters: {
            query?: {
                /** @description Name of the hook, or id of the mapping. */
                hook?: string;
                /** @description `true`: only replies of heartbeats, which no hook asked for. Not together with `hook`. */
                heartbeats?: "true";
                /** @description `chan_1` to `chan_8`: only deliveries to it. A retry then makes those due, too, that wait for their next attempt. */
                channel?: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
                /** @description Only of events that came then or later, ISO 8601. */
                since?: string;
                /** @description How the run or delivery of an event ended: `failed`, `timed-out`, `interrupted`, `dead` or `unknown`. */
                status?: "failed" | "timed-out" | "interrupted" | "dead" | "unknown";
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DismissedPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventsDismiss: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dismissed"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownEvent"];
            409: components["responses"]["NothingToDismiss"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventsRetry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retried"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownEvent"];
            409: components["responses"]["NothingToRetry"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    eventsReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A new event: what its sender would be told. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WakeAnswer"] | components["schemas"]["RunAnswer"] | components["schemas"]["DeliveryAnswer"] | components["schemas"]["HandledAnswer"] | components["schemas"]["SkippedAnswer"];
                };
            };
            /** @description A new event: a transform had nothing to do. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, invalid_query, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "invalid_query" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description invalid_signature, operator_token_ended, operator_unauthorized, session_ended, signature_reused, unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "invalid_signature" | "operator_token_ended" | "operator_unauthorized" | "session_ended" | "signature_reused" | "unauthorized";
                    };
                };
            };
            /** @description console_header_missing, foreign_origin, loopback_only, refused_by_host, role_too_low */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "console_header_missing" | "foreign_origin" | "loopback_only" | "refused_by_host" | "role_too_low";
                    };
                };
            };
            /** @description unknown_event, unknown_hook, unknown_run */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "unknown_event" | "unknown_hook" | "unknown_run";
                    };
                };
            };
            /** @description method_not_allowed */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "method_not_allowed";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description payload_pruned */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_pruned";
                    };
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description host_not_allowed */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "host_not_allowed";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures, too_many_waits */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "too_many_auth_failures" | "too_many_waits";
                    };
                };
            };
            /** @description internal_error, mapping_failed, transform_failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "internal_error" | "mapping_failed" | "transform_failed";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, run_unavailable, shutting_down, store_unavailable, transform_queue_full, verification_busy, verification_unavailable, waits_full */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "run_unavailable" | "shutting_down" | "store_unavailable" | "transform_queue_full" | "verification_busy" | "verification_unavailable" | "waits_full";
                    };
                };
            };
            /** @description transform_timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "transform_timeout";
                    };
                };
            };
        };
    };
    healthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @constant */
                        status: "live";
                    };
                };
            };
        };
    };
    healthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            503: components["responses"]["NotReadyOrStopping"];
        };
    };
    hooksList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hooks"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    intakePause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Intake"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    intakeResume: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Intake"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    intakeTryBackends: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedBackends"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    mailReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailReport"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    mappingsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mappings"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    mappingsTrial: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An entry of `hooks.mappings`, kept nowhere: in place of the one with its id, else before all others. */
                    mapping: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingTrial"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    mappingsSave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the mapping. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An entry of `hooks.mappings` with that `id`. `${NAME}` in it is text; it holds no secret. */
                    mapping: {
                        [key: string]: unknown;
                    };
                    /** @description Of the one that it replaces; absent: there is none. */
                    revision?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingChange"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownMapping"];
            /** @description another_secret, configuration_broken, configuration_changed, demo_configuration, file_not_ours, secrets_elsewhere, sender_elsewhere, several_tokens */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"] & {
                        /** @enum {unknown} */
                        code?: "another_secret" | "configuration_broken" | "configuration_changed" | "demo_configuration" | "file_not_ours" | "secrets_elsewhere" | "sender_elsewhere" | "several_tokens";
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["ConfigurationReadOnlyOrNoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    mappingsRemove: {
        parameters: {
            query: {
                /** @description Of the one that is meant. */
                revision: string;
            };
            header?: never;
            path: {
                /** @description Of the mapping. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingChange"];
                };
            };
            400: components["responses"]["InvalidBodyOrInvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownMapping"];
            /** @description another_secret, configuration_broken, configuration_changed, demo_configuration, file_not_ours, secrets_elsewhere, sender_elsewhere, several_tokens */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"] & {
                        /** @enum {unknown} */
                        code?: "another_secret" | "configuration_broken" | "configuration_changed" | "demo_configuration" | "file_not_ours" | "secrets_elsewhere" | "sender_elsewhere" | "several_tokens";
                    };
                };
            };
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["ConfigurationReadOnlyOrNoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    metricsScrape: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics as text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["MetricsUnavailable"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    openapiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    presetsEnable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the preset. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The secret that its sender has made, in one line of at most 4,096 characters. Absent: it is made here, or there already. */
                    secret?: string;
                    /** @description `hooks.publicUrl`, where no file says it: where senders reach the service. */
                    publicUrl?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresetEnabled"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownPreset"];
            /** @description another_secret, configuration_broken, configuration_changed, demo_configuration, file_not_ours, secrets_elsewhere, sender_elsewhere, several_tokens */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"] & {
                        /** @enum {unknown} */
                        code?: "another_secret" | "configuration_broken" | "configuration_changed" | "demo_configuration" | "file_not_ours" | "secrets_elsewhere" | "sender_elsewhere" | "several_tokens";
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["ConfigurationReadOnlyOrNoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    preview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
                    hook?: string;
                    /** @description Id of an earlier event; then nothing else counts. */
                    event?: string;
                    /** @description A mapping as an entry of `hooks.mappings`, tried among those in force and kept nowhere: in place of the one with its id, else before all others. What is wrong with it is `draft` of the answer. Never beside `event`. */
                    mapping?: {
                        [key: string]: unknown;
                    };
                    /** @description Any JSON value; absent: `{}`. */
                    payload?: unknown;
                    /** @description Credentials are left out, as from a real request. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Parameters of the URL. */
                    query?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownEvent"];
            410: components["responses"]["PayloadPruned"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    refusalsList: {
        parameters: {
            query?: {
                /** @description `wake`, `agent`, the id or path of a mapping, or the name that a verified sender asked for. */
                hook?: string;
                /** @description Stable code of the answer, such as `payload_too_large`. */
                code?: "token_in_query" | "method_not_allowed" | "unauthorized" | "too_many_auth_failures" | "invalid_signature" | "verification_unavailable" | "verification_busy" | "intake_busy" | "unsupported_media_type" | "payload_too_large" | "body_timeout" | "invalid_json" | "invalid_body" | "invalid_payload" | "unknown_hook" | "invalid_query" | "unknown_run" | "run_unavailable" | "too_many_waits" | "waits_full" | "session_key_not_allowed" | "agent_not_allowed" | "model_not_allowed" | "refused_by_host" | "invalid_idempotency_key" | "idempotency_conflict" | "signature_reused" | "mapping_failed" | "transform_failed" | "transform_timeout" | "transform_queue_full" | "event_queue_full" | "hook_queue_full" | "budget_used_up" | "paused" | "shutting_down" | "store_unavailable" | "internal_error";
                /** @description Only those that came then or later, ISO 8601. */
                since?: string;
                /** @description `true`: only those of verified senders; `false`: only the others. */
                verified?: boolean;
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusalPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    refusalsLost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LostLately"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    runsGet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the runId. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStory"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownRun"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    samplesList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Samples"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    samplesGet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the preset. */
                preset: string;
                /** @description Name of the sample. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleRequest"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownSample"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    secretWindowsShow: {
        parameters: {
            query: {
                /** @description Path of a hook, as behind the prefix. */
                hook: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Window"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["NoSecretWindow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    secretWindowsOpen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Path of a hook, as behind the prefix. */
                    hook: string;
                    /** @description Of its sender; one whose secret arrives by handshake. */
                    scheme: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Window"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            409: components["responses"]["SecretsPresent"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    secretWindowsDiscard: {
        parameters: {
            query: {
                /** @description Path of a hook, as behind the prefix. */
                hook: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["NoSecretWindow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    send: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description In whose name. `operator`: yours, without a proof. `sender`: that of its sender, signed with the newest secret of the hook, or with its token, and verified like any request.
                     * @default operator
                     * @enum {unknown}
                     */
                    as?: "operator" | "sender";
                    /** @description What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
                    hook: string;
                    /** @description Any JSON value; absent: `{}`. */
                    payload?: unknown;
                    /** @description Credentials are left out, as from a real request. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Parameters of the URL. */
                    query?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description A new event: what its sender would be told. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WakeAnswer"] | components["schemas"]["RunAnswer"] | components["schemas"]["DeliveryAnswer"] | components["schemas"]["HandledAnswer"] | components["schemas"]["SkippedAnswer"];
                };
            };
            /** @description A new event: a transform had nothing to do. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description agent_not_allowed, invalid_body, invalid_idempotency_key, invalid_json, invalid_payload, invalid_query, model_not_allowed, session_key_not_allowed, token_in_query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "agent_not_allowed" | "invalid_body" | "invalid_idempotency_key" | "invalid_json" | "invalid_payload" | "invalid_query" | "model_not_allowed" | "session_key_not_allowed" | "token_in_query";
                    };
                };
            };
            /** @description invalid_signature, operator_token_ended, operator_unauthorized, session_ended, signature_reused, unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "invalid_signature" | "operator_token_ended" | "operator_unauthorized" | "session_ended" | "signature_reused" | "unauthorized";
                    };
                };
            };
            /** @description console_header_missing, foreign_origin, loopback_only, refused_by_host, role_too_low */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "console_header_missing" | "foreign_origin" | "loopback_only" | "refused_by_host" | "role_too_low";
                    };
                };
            };
            /** @description unknown_hook, unknown_run */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "unknown_hook" | "unknown_run";
                    };
                };
            };
            /** @description method_not_allowed */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "method_not_allowed";
                    };
                };
            };
            /** @description body_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "body_timeout";
                    };
                };
            };
            /** @description cannot_sign, no_token_kept, nothing_to_sign */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "cannot_sign" | "no_token_kept" | "nothing_to_sign";
                    };
                };
            };
            /** @description body_too_large, payload_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "body_too_large" | "payload_too_large";
                    };
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description host_not_allowed */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "host_not_allowed";
                    };
                };
            };
            /** @description idempotency_conflict */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "idempotency_conflict";
                    };
                };
            };
            /** @description too_many_auth_failures, too_many_waits */
            429: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "too_many_auth_failures" | "too_many_waits";
                    };
                };
            };
            /** @description internal_error, mapping_failed, transform_failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "internal_error" | "mapping_failed" | "transform_failed";
                    };
                };
            };
            /** @description budget_used_up, event_queue_full, hook_queue_full, intake_busy, paused, run_unavailable, shutting_down, store_unavailable, transform_queue_full, verification_busy, verification_unavailable, waits_full */
            503: {
                headers: {
                    /** @description Seconds until it is worth asking again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @enum {unknown} */
                        code?: "budget_used_up" | "event_queue_full" | "hook_queue_full" | "intake_busy" | "paused" | "run_unavailable" | "shutting_down" | "store_unavailable" | "transform_queue_full" | "verification_busy" | "verification_unavailable" | "waits_full";
                    };
                };
            };
            /** @description transform_timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedAnswer"] & {
                        /** @constant */
                        code?: "transform_timeout";
                    };
                };
            };
        };
    };
    sendSign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
                    hook: string;
                    /** @description Any JSON value; absent: `{}`. */
                    payload?: unknown;
                    /** @description Credentials are left out, as from a real request. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Parameters of the URL. */
                    query?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedRequest"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            409: components["responses"]["CannotSignOrNothingToSign"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleLogin"];
                };
            };
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnly"];
            421: components["responses"]["HostNotAllowed"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The operator's token, or one of `ops.tokens`.
                     * @default
                     */
                    token?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleLogin"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorized"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnly"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionEnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnly"];
            421: components["responses"]["HostNotAllowed"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionsList: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionsGet: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the full key, percent-encoded: `agent:main:hook:x`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDetails"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownSession"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionsSetRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the full one: `agent:main:main`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Where.
                     * @enum {unknown}
                     */
                    channel: "chan_1" | "chan_2" | "chan_3" | "chan_4" | "chan_5" | "chan_6" | "chan_7" | "chan_8";
                    /** @description Recipient in the platform's own form, at most 1,000 characters. */
                    to: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["NoMainSessionOrUnknownChannel"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionsClearRoutes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the full one: `agent:main:main`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["NoMainSession"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    sessionsClearTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the full one: `agent:main:main`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownSession"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    tokensList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    tokensMake: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The sender, which may be new: 1 to 64 letters, digits, `.`, `_` or `-`. */
                    id: string;
                    /** @description The hooks that it may speak to. Absent: those it has; of a new sender the one of its own name. */
                    hooks?: string[];
                    /** @description Its last day (`2027-01-31`) or moment in ISO 8601. Absent: as it is; of a new sender no end. */
                    notAfter?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownSender"];
            /** @description another_secret, configuration_broken, configuration_changed, demo_configuration, file_not_ours, secrets_elsewhere, sender_elsewhere, several_tokens */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"] & {
                        /** @enum {unknown} */
                        code?: "another_secret" | "configuration_broken" | "configuration_changed" | "demo_configuration" | "file_not_ours" | "secrets_elsewhere" | "sender_elsewhere" | "several_tokens";
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["ConfigurationReadOnlyOrNoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    tokensRetire: {
        parameters: {
            query?: {
                /** @description `old`: all but the newest. Absent: its only one. */
                which?: "old" | "all";
            };
            header?: never;
            path: {
                /** @description The sender. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetiredTokens"];
                };
            };
            400: components["responses"]["InvalidBodyOrInvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownSender"];
            /** @description another_secret, configuration_broken, configuration_changed, demo_configuration, file_not_ours, secrets_elsewhere, sender_elsewhere, several_tokens */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"] & {
                        /** @enum {unknown} */
                        code?: "another_secret" | "configuration_broken" | "configuration_changed" | "demo_configuration" | "file_not_ours" | "secrets_elsewhere" | "sender_elsewhere" | "several_tokens";
                    };
                };
            };
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            501: components["responses"]["ConfigurationReadOnlyOrNoConfigurationFiles"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    usage: {
        parameters: {
            query?: {
                /** @description What it is told by. */
                by?: "hook" | "agent" | "model" | "sender" | "day";
                /** @description Days in UTC, the present one among them. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    waitsList: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the answer before. */
                cursor?: string;
                /** @description Most rows of one answer, 1 to 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitPage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    waitsDecide: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What is decided.
                     * @enum {unknown}
                     */
                    verdict: "approved" | "denied";
                    /** @description Why, at most 1,000 characters; the main session of the agent is told. */
                    reason?: string;
                    /** @description Sent in place of the reply that is approved, Markdown. Default: the reply as it is. */
                    text?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["OperatorTokenEndedOrOperatorUnauthorizedOrSessionEnded"];
            403: components["responses"]["ConsoleHeaderMissingOrForeignOriginOrLoopbackOnlyOrRoleTooLow"];
            404: components["responses"]["UnknownWait"];
            409: components["responses"]["DecidedBeforeOrWaitOver"];
            413: components["responses"]["BodyTooLarge"];
            421: components["responses"]["HostNotAllowed"];
            429: components["responses"]["TooManyAuthFailures"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
}
