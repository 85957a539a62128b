import { send } from "../apiserver/apiserver-client.ts";
import { allGone, until } from "../cluster/cluster-client.ts";
import type { RawObjects } from "../cluster/raw-creates.ts";
import { measureWorkload } from "./measured-workload.ts";

const count = 10_000;
const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const volumes = "/api/v1/persistentvolumes";

/** Claims that are created while there is a volume for each. */
export const benchClaims = (work: string): Promise<void> =>
  measureWorkload(work, {
    name: `${count} claims bound`,
    count,
    nodes: 0,
    raw: smallClaims,
    bound: 0.05,
    prepare: (session, round) =>
      inTurn((i) => {
        const body = volumeNamed(`volume-${round}-${i}`);
        return send(session, { method: "POST", path: volumes, body }, 201);
      }),
    async run(session, round) {
      const bound = new Set<string>();
      const allBound = until(session, claims, ({ metadata, status }) => {
        if (status?.phase === "Bound") bound.add(metadata.name);
        return bound.size === count;
      });
      await inTurn((i) => {
        const body = smallClaims.body(`claim-${round}-${i}`);
        return send(session, { method: "POST", path: claims, body }, 201);
      });
      await allBound;
    },
    async clear(session) {
      for (const path of [claims, volumes]) {
        await send(session, { method: "DELETE", path }, 200);
        await allGone(session, path);
      }
    },
  });

const size = "1Gi";
const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "bench" };

const smallClaims: RawObjects = {
  path: claims,
  body: (name) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { ...spec, resources: { requests: { storage: size } } },
  }),
};

const volumeNamed = (name: string): object => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    ...spec,
    capacity: { storage: size },
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: `/nowhere/${name}` },
  },
});

/** Creates all of them, 32 in flight. */
async function inTurn(create: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: 32 }, work));
}
