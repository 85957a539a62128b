import { onTestFinished } from "vitest";
import { Node } from "../../../../api/core/v1/node/node.ts";
import { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import type { Clock } from "../../../../base/clock.ts";
import { noLog } from "../../../../base/log.ts";
import { noMetrics } from "../../../../base/metrics.ts";
import type { Client } from "../../../../client/client.ts";
import { createInformers } from "../../../../client/informer/informers.ts";
import { testFolder } from "../../plugins/plugin.test-support.ts";
import { openVolumes, type VolumesWorld } from "../volumes.test-support.ts";
import { serveDriver, type TestDriver, type TestDriverOptions } from "./csi-driver.test-support.ts";
import { type Csi, openCsi } from "./open-csi.ts";

/** The volumes of a node with a CSI driver. */
export interface CsiWorld extends VolumesWorld {
  readonly driver: TestDriver;
  /** The CSI of the volumes that were opened last. */
  readonly csi: Csi;
  register(): Promise<void>;
  /** Lets time pass for volumes that are renewed. */
  skip(ms: number): void;
  /** Creates a persistent volume of the driver, bound to a claim of the same name. */
  bind(name: string, csi?: object, spec?: object): Promise<void>;
}

export interface CsiWorldOptions extends Partial<TestDriverOptions> {
  /** The spec of the driver's object; null if there is none. */
  readonly object?: object | null;
}

export const nodeName = "node-1";

/** Opens volumes, and registers a driver. */
export async function openCsiVolumes(options: CsiWorldOptions = {}): Promise<CsiWorld> {
  const driver = await serveDriver({ folder: testFolder(), ...options });
  let csi: Csi | undefined;
  let skipped = 0;
  const current = (): Csi => {
    if (!csi) throw new Error("not open");
    return csi;
  };
  const world = await openVolumes(async ({ cluster, root, events, changed }) => {
    const { client, clock, random } = cluster;
    if (!csi) await createObjects(client, driver.name, options.object);
    const later: Clock = {
      now: () => clock.now() + skipped,
      setTimer: (ms, fire) => clock.setTimer(ms, fire),
    };
    const informers = createInformers({ client, clock, random });
    const nodes = informers.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
    await nodes.synced();
    csi?.close();
    csi = await openCsi({
      ...{ nodeName, rootDir: root, client, informers, random, log: noLog },
      clock: later,
      metrics: noMetrics,
      record: (_, { reason, message }) => void events.push(`${reason}: ${message}`),
      recordClaim: ({ metadata }, { reason, message }) =>
        void events.push(`${metadata.name} ${reason}: ${message}`),
      changed: (podUid) => void changed.push(podUid),
      inUseChanged: () => {},
    });
    const { close } = csi;
    onTestFinished(() => {
      close();
      informers.close();
    });
    return { plugins: [csi.plugin], node: () => nodes.get({ name: nodeName }) };
  });
  const { client } = world.cluster;
  const register = (): Promise<void> =>
    current().handler.register({
      ...{ name: driver.name, endpoint: driver.socket, versions: ["1.0.0"] },
    });
  await register();
  return {
    ...world,
    driver,
    get csi() {
      return current();
    },
    register,
    skip: (ms) => {
      skipped += ms;
    },
    bind: (name, source = {}, spec = {}) =>
      bind(client, name, { csi: { driver: driver.name, volumeHandle: name, ...source }, ...spec }),
  };
}

async function createObjects(
  client: Client,
  name: string,
  spec: CsiWorldOptions["object"],
): Promise<void> {
  await client.create(Node, { metadata: { name: nodeName } } as never);
  if (spec === null) return;
  await client.create(CSIDriver, {
    metadata: { name },
    spec: { attachRequired: false, ...spec },
  } as never);
}

async function bind(client: Client, name: string, spec: object): Promise<void> {
  const storage = "1Gi";
  const common = { accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem" };
  const { accessModes, volumeMode } = { ...common, ...spec };
  const claim = await client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      ...{ accessModes, volumeMode, storageClassName: "", volumeName: name },
      resources: { requests: { storage } },
    },
  } as never);
  await client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      ...{ ...common, capacity: { storage }, ...spec },
      claimRef: { namespace: "default", name, uid: claim.metadata.uid },
    },
  } as never);
  const status = { phase: "Bound", capacity: { storage } };
  await client.update(PersistentVolumeClaim, { ...claim, status } as never, {
    subresource: "status",
  });
}

/** The volume of a pod that uses a claim. */
export const claimOf = (name: string, more: object = {}) => ({
  name,
  persistentVolumeClaim: { claimName: name, ...more },
});
