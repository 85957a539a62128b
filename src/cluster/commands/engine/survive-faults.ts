import type { Log } from "../../../base/log.ts";

/**
 * Logs faults that nothing has handled, instead of ending the process as Node does: those of one request or stream
 * must not end the engine for all others. Returns how to stop.
 */
export function surviveFaults(log: Log): () => void {
  const faulty = (fault: unknown): void => log.error("a fault was not handled", fault);
  // Whoever reads the log may be gone: that is not worth another message.
  const ignored = (): void => {};
  process.on("unhandledRejection", faulty);
  process.on("uncaughtException", faulty);
  process.stderr.on("error", ignored);
  return () => {
    process.off("unhandledRejection", faulty);
    process.off("uncaughtException", faulty);
    process.stderr.off("error", ignored);
  };
}
