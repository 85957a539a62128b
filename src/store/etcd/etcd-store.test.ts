import { describe } from "vitest";
import { realClock } from "../../platform/real-clock.ts";
import { storeSuite } from "../suite/store-suite.ts";
import { hasEtcd, startEtcdServers } from "./etcd-server.test-support.ts";
import { openEtcdStore } from "./etcd-store.ts";

describe.skipIf(!hasEtcd)("on a real etcd", () => {
  storeSuite("EtcdStore", {
    lateMs: 3000,
    async open() {
      // The suite counts revisions from the first: each store has its own etcd.
      const servers = await startEtcdServers();
      const store = await openEtcdStore({ endpoints: servers.endpoints, clock: realClock });
      const close = store.close.bind(store);
      store.close = async () => {
        await close();
        await servers.stop();
      };
      return store;
    },
  });
});
