import { expect, test } from "vitest";
import { openCluster } from "../cluster.test-support.ts";

const candidates = "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates";
const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/component";
const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

test("a lease gets the best of its candidates as holder, and candidates that are gone are deleted", async () => {
  const runtimeConfig = { "coordination.k8s.io/v1beta1": true };
  const { ask, merge, settle, clock } = await openCluster({
    runtimeConfig,
    features: new Set(["CoordinatedLeaderElection"]),
  });
  const renew = (name: string) =>
    merge(`${candidates}/${name}`, { spec: { renewTime: microTime(clock.now()) } });
  const add = async (name: string, emulationVersion: string) => {
    const spec = {
      ...{ leaseName: "component", binaryVersion: "1.36.0", emulationVersion },
      ...{ strategy: "OldestEmulationVersion", renewTime: microTime(clock.now()) },
    };
    await ask({ method: "POST", path: candidates, body: { metadata: { name }, spec } });
    await settle();
  };
  const held = async () => {
    const { holderIdentity, preferredHolder, strategy } = (await ask(lease)).body.spec;
    return { holderIdentity, preferredHolder, strategy };
  };
  const strategy = "OldestEmulationVersion";
  await add("new", "1.36.0");
  expect(await held()).toEqual({ holderIdentity: "new", preferredHolder: undefined, strategy });
  await merge(lease, { spec: { renewTime: microTime(clock.now()) } });
  await add("old", "1.35.0");
  expect(await held()).toEqual({ holderIdentity: "new", preferredHolder: "old", strategy });
  // Nobody renews the lease: the candidates are asked, and the one that answers gets it.
  await clock.advance(10_000);
  await settle();
  const { body } = await ask(`${candidates}/old`);
  expect(Date.parse(body.spec.pingTime)).toBeGreaterThan(Date.parse(body.spec.renewTime));
  await renew("old");
  await clock.advance(10_000);
  await settle();
  expect(await held()).toEqual({ holderIdentity: "old", preferredHolder: undefined, strategy });
  await clock.advance(31 * 60_000);
  await settle();
  expect((await ask(candidates)).body.items).toEqual([]);
});
