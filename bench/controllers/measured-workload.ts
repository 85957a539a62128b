import { join } from "node:path";
import type { Session } from "../apiserver/apiserver-client.ts";
import { processorMs, startWherry, stop } from "../apiserver/apiserver-process.ts";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";
import { accountReady, administer, eventsWritten, nodesReady } from "../cluster/cluster-client.ts";
import { type RawObjects, startRawCreates } from "../cluster/raw-creates.ts";

/** What controllers have to do for many objects. */
export interface Workload {
  readonly name: string;
  /** How many objects it is about. */
  readonly count: number;
  /** The simulated nodes of the cluster. */
  readonly nodes: number;
  /** The same objects, created without anything to do for them. */
  readonly raw: RawObjects;
  readonly bound: number;
  /** What is not measured: objects that are there before. */
  readonly prepare?: (session: Session, round: number) => Promise<void>;
  /** Resolves when all of it is done. */
  readonly run: (session: Session, round: number) => Promise<void>;
  /** Deletes it, and resolves when nothing is left. */
  readonly clear: (session: Session, round: number) => Promise<void>;
}

/** The first round is what a compiler needs to see. */
const warmUps = 1;
/** An odd number: of an even one, the median would be the upper of two. */
const rounds = 3;

/**
 * How many objects a second a workload gets done, to how many of them the API server alone creates. The
 * two take turns, so that what else goes on in the machine meets both.
 */
export async function measureWorkload(work: string, workload: Workload): Promise<void> {
  const { name, count, nodes, raw, bound } = workload;
  const alone = await startRawCreates(join(work, "raw"), raw);
  const data = join(work, "data");
  const server = await startWherry(data, "server", "--nodes", String(nodes));
  const session = administer(server, data);
  await accountReady(session);
  if (nodes > 0) await nodesReady(session, nodes);
  console.log(`\n${name}: done a second, and created a second by the API server alone just before`);
  const ratios: number[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const created = await alone.perSecond();
    await alone.clear();
    await workload.prepare?.(session, round);
    const [began, processor] = [performance.now(), processorMs(server)];
    await workload.run(session, round);
    const done = count / ((performance.now() - began) / 1000);
    const each = (processorMs(server) - processor) / count;
    ratios.push(done / created);
    console.log(
      `${done.toFixed(0)}\t${created.toFixed(0)}\t${(done / created).toFixed(2)} ×, ${each.toFixed(1)} ms of processor each`,
    );
    await workload.clear(session, round);
    await eventsWritten(session);
  }
  session.close();
  await stop(server);
  await alone.stop();
  verdict(`${name}, to creates`, median(ratios.slice(warmUps)), { least: bound, unit: "×" });
}
