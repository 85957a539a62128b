import { onTestFinished } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";
import type { AuditPolicy } from "./audit-policy.ts";

/** An event as its readers see it. */
export interface SeenEvent {
  readonly level: string;
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: object;
  readonly authenticationMetadata?: object;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  readonly requestObject?: Readonly<Record<string, unknown>>;
  readonly responseObject?: Readonly<Record<string, unknown>>;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A server whose events are collected; `take` removes and returns those since the last time. */
export async function openAudited(policy: AuditPolicy, options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  let takes = true;
  const server = await openServer(clock, undefined, {
    audit: {
      policy,
      sink: () => ({
        send(events) {
          lines.push(...events.map(({ line }) => line));
          return takes;
        },
        close: async () => {},
      }),
    },
    ...options,
  });
  onTestFinished(() => server.close());
  const take = (): SeenEvent[] => lines.splice(0).map((line) => JSON.parse(line) as SeenEvent);
  return {
    server,
    clock,
    lines,
    take,
    /** Sends a request and returns its events. */
    async events(request: TestRequest): Promise<SeenEvent[]> {
      await send(server, request);
      return take();
    },
    call: (request: TestRequest) => send(server, request),
    /** From now on no event is taken. */
    fail() {
      takes = false;
    },
  };
}
