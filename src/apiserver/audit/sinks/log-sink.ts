import { type AuditEvent, legacyLine } from "../audit-event.ts";
import type { AuditSink, LostEvents } from "../audit-sink.ts";

/** Where a log is written to. */
export interface LogOutput {
  /** Resolves when the text is written; rejects if it cannot be. */
  write(text: string): Promise<void>;
  /** Resolves when all that was written has arrived, and closes the file. */
  close(): Promise<void>;
}

export interface LogSinkOptions {
  readonly output: LogOutput;
  /** JSON, or a line of text with less in it. */
  readonly format: "json" | "legacy";
  readonly lost: LostEvents;
}

/** Writes one line for each event. */
export function logSink({ output, format, lost }: LogSinkOptions): AuditSink {
  const lineOf = (event: AuditEvent) => (format === "json" ? event.line : legacyLine(event));
  const write = async (event: AuditEvent): Promise<boolean> => {
    try {
      await output.write(lineOf(event));
      return true;
    } catch (error) {
      lost("log", error, [event]);
      return false;
    }
  };
  return {
    send(events) {
      const [only] = events;
      if (only && events.length === 1) return write(only);
      return Promise.all(events.map(write)).then((written) => written.every((one) => one));
    },
    close: () => output.close(),
  };
}
