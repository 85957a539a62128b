import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  configMapNamed,
  configMaps,
  createNamespace,
  measureBytes,
  open,
  type Session,
} from "../apiserver/apiserver-client.ts";
import { startWherry, stop } from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { value } from "./store-context.ts";
import { http2Client, startEtcd } from "./store-etcd.ts";
import { measureInTurn, show } from "./store-measure.ts";

const namespace = "production";
const workers = 32;

/** Creates through a server whose store is an etcd, against one with its own, and puts without a server. */
export async function benchCreatesOnEtcd(): Promise<void> {
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".bench-store-"));
  const etcd = await startEtcd(join(root, "etcd"));
  if (!etcd) {
    console.log("\netcd is not installed (Debian: etcd-server): no creates on it");
    rmSync(root, { recursive: true });
    return;
  }
  const connect = async (name: string, ...flags: string[]) => {
    const data = join(root, name);
    const server = await startWherry(data, "apiserver", ...flags);
    const session = open(server.port, join(data, "pki"));
    await createNamespace(session, namespace);
    return { server, session };
  };
  const own = await connect("own");
  const onEtcd = await connect("on-etcd", `--etcd-servers=http://${etcd.address}`);
  const raw = http2Client(etcd.address);
  let number = 0;
  const create = (session: Session) => () => {
    const body = configMapNamed(`web-${++number}`);
    return measureBytes(session, { method: "POST", path: configMaps(namespace), body }, 201);
  };
  const contenders = {
    "creates on etcd": create(onEtcd.session),
    "creates on lmdb": create(own.session),
    "puts into etcd": () => raw.put(`/raw/web-${++number}`, value.subarray(0, 400)),
  };
  // The first round of all is for compilers.
  await measureInTurn({ workers, seconds: 2, rounds: 1 }, contenders);
  const rates = await measureInTurn({ workers, seconds: 0.8, rounds: 5 }, contenders);
  console.log("");
  for (const [name, rate] of Object.entries(rates)) console.log(`${name.padEnd(42)} ${show(rate)}`);
  const lower = Math.min(rates["creates on lmdb"].perSecond, rates["puts into etcd"].perSecond);
  const ratio = rates["creates on etcd"].perSecond / lower;
  verdict("creates on etcd to the lower of both others", ratio, { least: 0.5, unit: "×" });
  raw.close();
  for (const { session, server } of [own, onEtcd]) {
    session.close();
    await stop(server);
  }
  await etcd.stop();
  rmSync(root, { recursive: true, force: true });
}
