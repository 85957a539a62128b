import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Counter, Family, Metrics } from "../../base/metrics.ts";
import type { AuditEvent } from "./audit-event.ts";

/** Whether events were taken; false lets a request fail that must be audited. */
export type Taken = boolean | Promise<boolean>;

/** Where audit events go: a log, a webhook, or what is put in front of them. */
export interface AuditSink {
  /** Never throws. */
  send(events: readonly AuditEvent[]): Taken;
  /** Sends what is still buffered, and resolves when it has arrived or failed for good. */
  close(): Promise<void>;
}

/** Counts and logs events that were lost, by the part that lost them. */
export type LostEvents = (plugin: string, error: unknown, events: readonly AuditEvent[]) => void;

/** The log says how many events were lost and which, without their objects. */
export function lostEvents(metrics: Metrics, log: Log): LostEvents {
  const errors: Family<Counter> = metrics.counter(errorTotal);
  return (plugin, error, events) => {
    errors.of(plugin).add(events.length);
    log.error("audit events were lost", new Error(errorMessage(error)), {
      plugin,
      count: events.length,
      auditIDs: events.slice(0, mostNamed).map(({ facts }) => facts.auditID),
    });
  };
}

const mostNamed = 10;

const errorTotal = {
  name: "apiserver_audit_error_total",
  help: "Audit events that were not written as they should be, by the part that failed.",
  stability: "ALPHA",
  labels: ["plugin"],
} as const;

/** Sends events to several sinks; all of them must take an event. */
export function unionSink(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks;
  if (only && sinks.length === 1) return only;
  return {
    send(events) {
      const taken = sinks.map((sink) => sink.send(events));
      const allTaken = (each: readonly boolean[]) => each.every((one) => one);
      return taken.some((one) => one instanceof Promise)
        ? Promise.all(taken).then(allTaken)
        : allTaken(taken as boolean[]);
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

/** A sink whose failures do not matter to requests, which wait for it nevertheless. */
export const ignoringFailures = (sink: AuditSink): AuditSink => ({
  send(events) {
    const taken = sink.send(events);
    return taken instanceof Promise ? taken.then(() => true) : true;
  },
  close: () => sink.close(),
});
