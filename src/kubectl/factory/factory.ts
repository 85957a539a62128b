import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { RestMapper } from "../../client/discovery/rest-mapper.ts";
import type { ApiStreams } from "../../kubeconfig/dial-api-streams.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import type { OpenapiV3 } from "./openapi-v3.ts";

/** What commands need to reach a server. Nothing is loaded or sent before it is needed, and each part once. */
export interface Factory {
  /** Sends requests, with the headers that name the command. */
  client(): Promise<Client>;
  /** Says that the command reads objects from standard input: credential plugins cannot prompt from now on. */
  useStdin(): void;
  discovery(): Promise<Discovery>;
  /** Finds kinds by what users type. */
  mapper(): Promise<RestMapper>;
  /** The OpenAPI documents of the server. */
  openapi(): Promise<OpenapiV3>;
  /** The namespace of objects that name none, and whether a flag named it. */
  namespace(): Promise<{ readonly namespace: string; readonly isGiven: boolean }>;
  /** Opens connections with many streams, for exec, attach, cp and port-forward. */
  streams(): Promise<Pick<ApiStreams, "spdy"> & Partial<ApiStreams>>;
  /** How the server is reached, for commands that pass on requests of others. */
  serverOptions(): Promise<HttpsTransportOptions>;
  /** The kubeconfig after the flags were applied; only for commands that print it. */
  kubeconfig(): Promise<Kubeconfig>;
  /** The URL of the server. */
  server(): Promise<string>;
  readonly clock: Clock;
  /** How many different warnings servers have sent. */
  readonly warningCount: number;
  /** Logs that discovery failed, as often as the original asks again in vain. */
  logUnreachable(error: unknown, times: number): void;
  /** Prints a warning as those of servers are printed. */
  warn(text: string): void;
}

/** Something that is made when it is first needed, and then kept. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
