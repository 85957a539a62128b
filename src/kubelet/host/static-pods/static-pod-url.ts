import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { type Clock, sleep } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import { requestManifest } from "./manifest-request.ts";

export interface StaticPodUrlOptions {
  readonly url: string;
  /** The headers of requests; never logged. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly periodMs: number;
  /** Reads the pods of a text; throws if one is invalid. */
  readonly parse: (text: string) => readonly Pod[];
  readonly clock: Clock;
  readonly log: Log;
  /** Called with all pods after they have changed. */
  readonly onRead: (pods: readonly Pod[]) => void;
}

/** Follows the static pods of a URL, until it is closed. What cannot be read or used leaves them as they are. */
export function followStaticPodUrl(options: StaticPodUrlOptions): { close(): void } {
  const { periodMs, clock, log, onRead, parse } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const shown = shownUrl(options.url);
  let known: string | undefined;
  let failures = 0;

  const read = async (): Promise<void> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const url = new URL(options.url);
    const text = await requestManifest({ url, headers: options.headers, signal: limit });
    if (text === "") {
      onRead([]);
      throw new Error("zero-length data received");
    }
    if (text === known) return;
    const pods = parse(text);
    known = text;
    onRead(pods);
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await read();
        if (failures > 0) log.info("read static pods from the URL again", { url: shown });
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        const write = failures <= mostWarnings ? log.warn : log.debug;
        write("failed to read static pods from the URL", {
          url: shown,
          error: errorMessage(error),
        });
      }
      await sleep(clock, periodMs, signal);
    }
  };
  follow().catch(() => {});
  return { close: () => closing.abort() };
}

/** Later failures are not worth a warning each. */
const mostWarnings = 3;
const timeoutMs = 10_000;

/** A URL for the log: neither its user nor its query, which may be a credential. */
function shownUrl(text: string): string {
  try {
    const { origin, pathname } = new URL(text);
    return origin + pathname;
  } catch {
    return "invalid URL";
  }
}
