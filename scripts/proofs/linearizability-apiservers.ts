import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createNamespace, open } from "../../bench/apiserver/apiserver-client.ts";
import {
  bundleServers,
  killAll,
  type Server,
  startWherry,
} from "../../bench/apiserver/apiserver-process.ts";
import type { Random } from "../../src/base/random.ts";
import { startEtcdServers } from "../../src/store/etcd/etcd-server.test-support.ts";
import { type Harm, harmMembers } from "./etcd-nemesis.ts";
import type { Backend } from "./linearizability-backends.ts";
import { httpSource, type ServerAccess } from "./linearizability-http.ts";

/** Two servers of the API on an etcd of three members, to all of which things happen. */
export async function openApiservers(harms: readonly Harm[]): Promise<Backend> {
  const members = await startEtcdServers({ members: 3 });
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".linearizability-"));
  await bundleServers();
  const flag = `--etcd-servers=${members.endpoints.join(",")}`;
  const start = async (name: string): Promise<HarmedServer> => {
    const dir = join(root, name);
    const run = () => startWherry(dir, "apiserver", flag);
    const { child, port } = await run();
    return { access: { port, pki: join(dir, "pki") }, child, run };
  };
  const [one, other] = [await start("one"), await start("other")];
  return {
    prepare: async (name) => {
      const session = open(one.access.port, one.access.pki);
      await createNamespace(session, name);
      session.close();
      const sources = [httpSource(one.access, name), httpSource(other.access, name)];
      return { sources, keys: Array.from({ length: 8 }, (_, n) => `key-${n}`) };
    },
    blind: false,
    async disturb({ random, ended }) {
      const harming = harmMembers(members, { random, ended, harms });
      await Promise.all([harming, killServers([one, other], random, ended)]);
    },
    async close() {
      killAll();
      await members.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface HarmedServer {
  readonly access: ServerAccess;
  child: ChildProcess;
  readonly run: () => Promise<Server>;
}

/** Kills a server now and then, and starts it again. */
async function killServers(
  servers: readonly HarmedServer[],
  random: Random,
  ended: () => boolean,
): Promise<void> {
  const wait = () => new Promise((resolve) => setTimeout(resolve, random.next() * 4000));
  for (await wait(); !ended(); await wait()) {
    const server = servers[Math.floor(random.next() * servers.length)];
    if (!server) continue;
    const gone = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await gone;
    await restart(server);
  }
}

/** It gives up where no member of its etcd answers, and is started again, as a supervisor would. */
async function restart(server: HarmedServer): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { child, port } = await server.run();
      server.child = child;
      server.access.port = port;
      return;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
