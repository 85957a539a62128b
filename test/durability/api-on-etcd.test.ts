import { afterAll, describe } from "vitest";
import { inProcessHarness } from "../../src/apiserver/in-process-harness.test-support.ts";
import { apiSuite } from "../../src/apiserver/suite/api-suite.ts";
import { newYear } from "../../src/apiserver/suite/harness-suite.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import {
  type EtcdServers,
  hasEtcd,
  startEtcdServers,
} from "../../src/store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../src/store/etcd/etcd-store.ts";

describe.skipIf(!hasEtcd)("the API on a real etcd", () => {
  let servers: Promise<EtcdServers> | undefined;
  afterAll(async () => (await servers)?.stop());
  let stores = 0;

  apiSuite("on etcd", {
    ownTime: true,
    async open(before) {
      servers ??= startEtcdServers({
        // The suite writes much at once, by the store itself.
        arguments: ["--max-txn-ops", "10000", "--max-request-bytes", "33554432"],
      });
      const { endpoints } = await servers;
      const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
      const clock = new VirtualClock(newYear, { settle });
      const prefix = `/n${stores++}`;
      const store = await openEtcdStore({ endpoints, prefix, clock: realClock });
      await before(store);
      return inProcessHarness(store, clock);
    },
  });
});
