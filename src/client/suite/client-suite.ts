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

/** A server, and clients that are connected to it. */
export interface ClientHarness {
  /** A client with administrator rights. */
  client(options?: Partial<ClientOptions>): Client;
  /** Lets a function respond in the server's place; undefined passes the request on. */
  intercept(answer: (call: InterceptedCall) => InterceptedAnswer | undefined): void;
  /** Advances the clock of client and server until a promise settles. */
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

/** Defines a test with a client of a new server. */
export type ClientTest = (
  title: string,
  run: (client: Client, harness: ClientHarness) => Promise<void>,
) => void;

/** The contract of clients, as tests for any transport. */
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
