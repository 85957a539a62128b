import type { LostEvents } from "../../apiserver/audit/audit-sink.ts";
import { type AuditSink, ignoringFailures, unionSink } from "../../apiserver/audit/audit-sink.ts";
import type { AuditOptions } from "../../apiserver/audit/auditing.ts";
import { BatchingSink } from "../../apiserver/audit/sinks/batching-sink.ts";
import { type LogOutput, logSink } from "../../apiserver/audit/sinks/log-sink.ts";
import { truncatingSink } from "../../apiserver/audit/sinks/truncating-sink.ts";
import { webhookSink } from "../../apiserver/audit/sinks/webhook-sink.ts";
import type { Log } from "../../base/log.ts";
import { findConnection } from "../../kubeconfig/connect.ts";
import { type HttpsTransport, httpsTransport } from "../../kubeconfig/https-transport.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import { realClock } from "../../platform/real-clock.ts";
import { RotatingFile } from "../../platform/rotating-file.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import type {
  AuditLogSettings,
  AuditSettings,
  AuditWebhookSettings,
  DeliverySettings,
} from "./audit-settings.ts";

/** The audit options of a server, and what must be closed after it: then all events have arrived or are lost. */
export interface OpenAuditing {
  readonly options: AuditOptions;
  close(): Promise<void>;
}

/** Opens the log and the webhook of an audit; undefined if events would go nowhere. */
export async function openAuditing(
  { policy, log: logged, webhook }: AuditSettings,
  { log, dial }: { readonly log: Log; readonly dial?: Dial | undefined },
): Promise<OpenAuditing | undefined> {
  if (!logged && !webhook) {
    log.warn("no request is audited: neither a log nor a webhook is given");
    return undefined;
  }
  const output = logged && (await openOutput(logged, log));
  const connection = webhook && (await openWebhook(webhook, dial));
  const isLate = new AbortController();
  let sink: AuditSink | undefined;
  const open = (lost: LostEvents): AuditSink => {
    const sinks: AuditSink[] = [];
    if (logged && output) {
      const { format } = logged;
      sinks.push(delivered(logSink({ output, format, lost }), logged, { lost, concurrent: false }));
    }
    if (webhook && connection) {
      const to = webhookSink({
        ...connection,
        initialBackoffMs: webhook.initialBackoffMs,
        clock: realClock,
        random: systemRandom,
        signal: isLate.signal,
        lost,
      });
      sinks.push(delivered(to, webhook, { lost, concurrent: true }));
    }
    return unionSink(sinks);
  };
  return {
    options: {
      policy,
      sink(lost) {
        sink ??= open(lost);
        return sink;
      },
    },
    async close() {
      const timer = realClock.setTimer(patienceMs, () => isLate.abort(new Error(stopped)));
      try {
        if (sink) await sink.close();
        else {
          await output?.close();
          connection?.close();
        }
      } finally {
        timer.cancel();
      }
    },
  };
}

/** How long a server that stops waits for a webhook. */
const patienceMs = 10_000;
const stopped = "the server was stopped before the webhook accepted the events";

/** In batches, or blocking; too large events are truncated before that. */
function delivered(
  sink: AuditSink,
  { mode, batch, truncation }: DeliverySettings,
  { lost, concurrent }: { readonly lost: LostEvents; readonly concurrent: boolean },
): AuditSink {
  const timely =
    mode === "batch"
      ? new BatchingSink(sink, { ...batch, concurrent }, { clock: realClock, lost })
      : mode === "blocking"
        ? ignoringFailures(sink)
        : sink;
  return truncation ? truncatingSink(timely, { limits: truncation, lost }) : timely;
}

async function openOutput(settings: AuditLogSettings, log: Log): Promise<LogOutput> {
  if (settings.path === "-") return standardOutput;
  const { path, maxAgeDays, maxBackups, maxMegabytes, compress } = settings;
  const onFault = (error: unknown): void => log.error("tidying audit logs failed", error);
  try {
    return await RotatingFile.open({
      path,
      maxAgeDays,
      maxBackups,
      maxBytes: maxMegabytes * 2 ** 20,
      compress,
      now: () => realClock.now(),
      onFault,
    });
  } catch (cause) {
    throw new Error(`cannot open ${path}, given by --audit-log-path`, { cause });
  }
}

const standardOutput: LogOutput = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => {},
};

/** The webhook is the server of a kubeconfig's current context. */
async function openWebhook({ kubeconfig: path }: AuditWebhookSettings, dial: Dial | undefined) {
  const { transport: how } = await findConnection({ path, inCluster: false }).catch(
    (cause: unknown) => {
      throw new Error(`initializing audit webhook: ${path} cannot be used`, { cause });
    },
  );
  const transport = httpsTransport({ ...how, dial, userAgent: "kube-apiserver" });
  const { pathname, search } = new URL(how.server);
  const target = { path: pathname === "/" ? "/" : "", query: search.slice(1) };
  return {
    post: (json: string, signal: AbortSignal) => posted(transport, { ...target, json, signal }),
    close: () => transport.close(),
  };
}

async function posted(
  transport: HttpsTransport,
  {
    path,
    query,
    json,
    signal,
  }: {
    readonly path: string;
    readonly query: string;
    readonly json: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const headers = { "content-type": "application/json" };
  const until = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
  const response = await transport({
    method: "POST",
    path,
    query,
    headers,
    body: json,
    signal: until,
  });
  await response.value().catch(() => undefined);
  if (response.status >= 300) throw new Error(`the webhook responded with ${response.status}`);
}

/** How long one call of the webhook may take. */
const callMs = 30_000;
