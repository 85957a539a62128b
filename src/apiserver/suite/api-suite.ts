import { test } from "vitest";
import type { Store } from "../../store/store.ts";
import { concurrencySuite } from "./concurrency-suite.ts";
import { deletionSuite, expirySuite } from "./deletion-suite.ts";
import { documentsSuite } from "./documents-suite.ts";
import { Api, type Harness, type SuiteTest } from "./harness-suite.ts";
import { hostileSuite } from "./hostile-suite.ts";
import { listsSuite } from "./lists-suite.ts";
import { namespacesSuite } from "./namespaces-suite.ts";
import { objectsSuite } from "./objects-suite.ts";
import { unreadableSuite } from "./unreadable-suite.ts";
import { watchesSuite } from "./watches-suite.ts";

export interface ApiSuiteOptions {
  /** A new server on a new store, which `before` may change first. */
  open(before: (store: Store) => Promise<void>): Promise<Harness>;
  /** The store keeps its own time, not that of the clock: nothing is asked about what expires. */
  readonly ownTime?: true;
}

/** What the API promises its clients, as tests; run over each transport. */
export function apiSuite(name: string, { open, ownTime }: ApiSuiteOptions): void {
  const suiteTest: SuiteTest = (title, run, before = nothing) =>
    test(`${name}: ${title}`, async () => {
      const api = new Api(await open(before));
      try {
        await run(api);
      } finally {
        await api.close();
      }
    });

  objectsSuite(suiteTest);
  namespacesSuite(suiteTest);
  deletionSuite(suiteTest);
  if (!ownTime) expirySuite(suiteTest);
  listsSuite(suiteTest);
  watchesSuite(suiteTest);
  documentsSuite(suiteTest);
  concurrencySuite(suiteTest);
  hostileSuite(suiteTest);
  unreadableSuite(suiteTest);
}

const nothing = async (): Promise<void> => {};
