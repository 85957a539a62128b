import { test } from "vitest";
import type { Clock } from "../../base/clock.ts";
import type { Client, ClientOptions } from "../client.ts";
import { callsSuite } from "./calls-suite.ts";
import { deletionSuite } from "./deletion-suite.ts";
import { dynamicSuite } from "./dynamic-suite.ts";
import { listsSuite } from "./lists-suite.ts";
import { objectsSuite } from "./objects-suite.ts";
import { patchesSuite } from "./patches-suite.ts";
import { subresourcesSuite } from "./subresources-suite.ts";
import { watchesSuite } from "./watches-suite.ts";

/** A server, and a transport to it. */
export interface ClientHarness {
  /** A client in the name of an administrator. */
  client(options?: Partial<ClientOptions>): Client;
  /** Lets a function answer calls in the server's place, as far as it does. */
  intercept(answer: (call: InterceptedCall) => InterceptedAnswer | undefined): void;
  /** Moves the time of client and server on until something is done. */
  passTime<T>(work: Promise<T>): Promise<T>;
  readonly clock: Clock;
  close(): Promise<void>;
}

export interface InterceptedCall {
  readonly method: string;
  readonly path: string;
}
export interface InterceptedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Defines a test of a client of a new server. */
export type ClientTest = (
  title: string,
  run: (client: Client, harness: ClientHarness) => Promise<void>,
) => void;

/** What a client promises, as tests; run over each transport. */
export function clientSuite(name: string, open: () => Promise<ClientHarness>): void {
  const clientTest: ClientTest = (title, run) =>
    test(`${name}: ${title}`, async () => {
      const harness = await open();
      try {
        await run(harness.client(), harness);
      } finally {
        await harness.close();
      }
    });

  objectsSuite(clientTest);
  patchesSuite(clientTest);
  deletionSuite(clientTest);
  listsSuite(clientTest);
  watchesSuite(clientTest);
  subresourcesSuite(clientTest);
  callsSuite(clientTest);
  dynamicSuite(clientTest);
}
