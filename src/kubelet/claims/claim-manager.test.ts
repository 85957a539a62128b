import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { errorMessage } from "../../base/error-message.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { decodeClaimCheckpoint, encodeClaimCheckpoint } from "./claim-checkpoint.ts";
import type { ClaimDriver } from "./claim-driver.ts";
import { ClaimManager } from "./claim-manager.ts";
import { createClaimMetrics } from "./claim-metrics.ts";
import { claimWith, podWith } from "./claims.test-support.ts";
import { type ClaimIdentity, NodeClaims } from "./node-claim.ts";

/** A node with drivers that note their calls. */
class World {
  readonly calls: string[] = [];
  /** The errors of claims by the name of the driver, the call and the claim; `throw` as claim for all. */
  readonly errors = new Map<string, string>();
  readonly objects = new Map<string, ResourceClaim>();
  readonly drivers = new Set(["d", "e"]);
  /** The texts of the checkpoints. */
  readonly saved: string[] = [];
  readonly metrics = new MetricsRegistry();
  /** Awaited before a driver answers. */
  hold: Promise<void> | undefined;
  claims = new NodeClaims();
  manager = this.#open();

  constructor(...objects: readonly ResourceClaim[]) {
    for (const object of objects) this.objects.set(object.metadata.name ?? "", object);
  }

  /** Another kubelet, which knows what was saved. */
  restart(): void {
    this.claims = new NodeClaims();
    for (const claim of decodeClaimCheckpoint(this.saved.at(-1) ?? encodeClaimCheckpoint([])))
      this.claims.set(claim);
    this.manager = this.#open();
  }

  #open(): ClaimManager {
    const { claims } = this;
    return new ClaimManager({
      claims,
      read: async (_, name) => {
        const found = this.objects.get(name);
        if (found) return found;
        throw new Error(`resourceclaims.resource.k8s.io "${name}" not found`);
      },
      driver: (name) => {
        if (!this.drivers.has(name)) throw new Error(`DRA driver ${name} is not registered`);
        return this.#driver(name);
      },
      save: async (all) => {
        if (this.errors.has("save")) throw new Error(this.errors.get("save"));
        this.saved.push(encodeClaimCheckpoint(all));
      },
      metrics: createClaimMetrics(this.metrics, new VirtualClock(), () => claims.all()),
    });
  }

  #driver(name: string): ClaimDriver {
    const answer = async (call: string, claims: readonly ClaimIdentity[]) => {
      this.calls.push([name, call, ...claims.map((claim) => claim.name)].join(" "));
      await this.hold;
      const failure = this.errors.get(`${name} ${call} throw`);
      if (failure !== undefined) throw new Error(failure);
      const known = claims.filter((one) => !this.errors.has(`${name} ${call} skip ${one.name}`));
      const added = this.errors.has(`${name} ${call} add`) ? [{ uid: "other", name: "other" }] : [];
      return new Map(
        [...known, ...added].map((claim) => [
          claim.uid,
          {
            error: this.errors.get(`${name} ${call} ${claim.name}`) ?? "",
            devices: [{ pool: name, device: claim.name, requests: [], cdiDevices: ["v/c=x"] }],
          },
        ]),
      );
    };
    return {
      name,
      prepare: (claims) => answer("prepare", claims),
      unprepare: (claims) => answer("unprepare", claims),
    };
  }
}

/** Why work failed. */
const failureOf = (work: Promise<void>): Promise<string> =>
  work.then(() => "nothing failed", errorMessage);

const unprepared = "unprepare dynamic resources";

test("ClaimManager: a claim is stored before drivers are called, and until they are done with it", async () => {
  const world = new World(claimWith("a", { drivers: ["d", "e"] }), claimWith("b"));
  await world.manager.prepare(podWith("p", "a b"));
  expect(world.calls).toEqual(["d prepare a b", "e prepare a"]);
  expect(world.saved.map((text) => decodeClaimCheckpoint(text).length)).toEqual([2, 2]);
  const devices = (text = "") =>
    decodeClaimCheckpoint(text).flatMap(({ drivers }) => [...drivers.values()].flat());
  expect(world.saved.map((text) => devices(text).length)).toEqual([0, 3]);
  await world.manager.prepare(podWith("p", "a b"));
  expect(world.calls).toHaveLength(2);
  await world.manager.unprepare("p");
  expect(world.calls.slice(2)).toEqual(["d unprepare a b", "e unprepare a"]);
  expect(world.saved.at(-1)).toBe(encodeClaimCheckpoint([]));
  await world.manager.unprepare("p");
  expect(world.calls).toHaveLength(4);
});

test("ClaimManager: a shared claim is prepared once, and unprepared after the last pod", async () => {
  const world = new World(claimWith("a", { pods: ["p", "q"] }));
  let answer = (): void => {};
  world.hold = new Promise((resolve) => {
    answer = resolve;
  });
  const both = Promise.all(["p", "q"].map((uid) => world.manager.prepare(podWith(uid, "a"))));
  answer();
  await both;
  expect(world.calls).toEqual(["d prepare a"]);
  await world.manager.unprepare("p");
  expect(world.calls).toHaveLength(1);
  expect([...world.claims.podUids()]).toEqual(["q"]);
  await world.manager.unprepare("other");
  await world.manager.unprepare("q");
  expect(world.calls).toEqual(["d prepare a", "d unprepare a"]);
});

test("ClaimManager: a pod that begins while the last one ends has its claim prepared again", async () => {
  const world = new World(claimWith("a", { pods: ["p", "q"] }));
  await world.manager.prepare(podWith("p", "a"));
  await Promise.all([world.manager.unprepare("p"), world.manager.prepare(podWith("q", "a"))]);
  expect(world.calls).toEqual(["d prepare a", "d unprepare a", "d prepare a"]);
  expect([...world.claims.podUids()]).toEqual(["q"]);
});

each<[string, (world: World) => void, string, Pod?]>([
  [
    "it does not exist",
    (world) => world.objects.clear(),
    'fetch ResourceClaim a: resourceclaims.resource.k8s.io "a" not found',
  ],
  [
    "it is not allocated",
    ({ objects }) => objects.set("a", claimWith("a", { drivers: undefined })),
    "ResourceClaim a: not allocated",
  ],
  [
    "it is reserved for another pod",
    ({ objects }) => objects.set("a", claimWith("a", { pods: ["q"] })),
    "pod p (p) is not allowed to use ResourceClaim a (uid-a)",
  ],
  [
    "it was made for another pod",
    ({ objects }) => objects.set("a", claimWith("a", { owner: "q" })),
    "ResourceClaim default/a was not created for Pod default/p (Pod is not owner)",
    podWith("p", "t:a"),
  ],
  ["its driver is missing", (world) => world.drivers.delete("d"), "DRA driver d is not registered"],
])("ClaimManager: nothing is left of a claim if %s", async (_, spoil, message, pod) => {
  const world = new World(claimWith("a", { owner: "p" }));
  spoil(world);
  expect(await failureOf(world.manager.prepare(pod ?? podWith("p", "a")))).toBe(
    `prepare dynamic resources: ${message}`,
  );
  expect([world.calls, world.saved, world.claims.all()]).toEqual([[], [], []]);
  expect(world.manager.takeFailing()).toEqual(["p"]);
});

each<[string, string, string]>([
  ["d prepare throw", "rpc error: x", "NodePrepareResources: rpc error: x"],
  ["d prepare a", "no room", "NodePrepareResources failed for ResourceClaim a: no room"],
  ["d prepare skip a", "", "NodePrepareResources skipped 1 ResourceClaims"],
  ["d prepare add", "", "NodePrepareResources returned result for unknown claim UID other"],
  ["save", "disk full", "checkpoint ResourceClaim cache: disk full"],
])("ClaimManager: preparing is retried after %s", async (what, error, message) => {
  const world = new World(claimWith("a"));
  world.errors.set(what, error);
  const pod = podWith("p", "a");
  expect(await failureOf(world.manager.prepare(pod))).toBe(`prepare dynamic resources: ${message}`);
  world.errors.clear();
  await world.manager.prepare(pod);
  expect(world.calls.at(-1)).toBe("d prepare a");
  expect(world.claims.get("default", "a")?.drivers.get("d")).toHaveLength(1);
  expect(world.manager.takeFailing()).toEqual([]);
});

each<[string, string, string]>([
  ["d unprepare throw", "rpc error: x", "NodeUnprepareResources: rpc error: x"],
  ["d unprepare a", "busy", "NodeUnprepareResources failed for ResourceClaim a: busy"],
  ["d unprepare skip a", "", "NodeUnprepareResources skipped 1 ResourceClaims"],
  ["d unprepare add", "", "NodeUnprepareResources returned result for unknown claim UID other"],
  ["save", "disk full", "checkpoint ResourceClaim state: disk full"],
])("ClaimManager: unpreparing is retried after %s", async (what, error, message) => {
  const world = new World(claimWith("a"));
  await world.manager.prepare(podWith("p", "a"));
  world.errors.set(what, error);
  expect(await failureOf(world.manager.unprepare("p"))).toBe(`${unprepared}: ${message}`);
  world.errors.clear();
  expect([...world.claims.podUids()]).toEqual(["p"]);
  world.restart();
  expect([...world.claims.podUids()]).toEqual(["p"]);
  await world.manager.unprepare("p");
  expect(world.calls.at(-1)).toBe("d unprepare a");
  expect(decodeClaimCheckpoint(world.saved.at(-1) ?? "")).toEqual([]);
});

test("ClaimManager: a pod that failed to prepare is unprepared", async () => {
  const world = new World(claimWith("a", { drivers: ["d", "e"] }));
  world.errors.set("e prepare a", "no");
  expect(await failureOf(world.manager.prepare(podWith("p", "a")))).toContain(
    "failed for ResourceClaim a: no",
  );
  await world.manager.unprepare("p");
  expect(world.calls).toEqual(["d prepare a", "e prepare a", "d unprepare a", "e unprepare a"]);
});

test("ClaimManager: without its driver a claim stays until the driver is back", async () => {
  const world = new World(claimWith("a"));
  await world.manager.prepare(podWith("p", "a"));
  world.drivers.delete("d");
  world.restart();
  expect(await failureOf(world.manager.unprepare("p"))).toBe(
    `${unprepared}: DRA driver d is not registered`,
  );
  world.drivers.add("d");
  await world.manager.unprepare("p");
  expect(world.claims.all()).toEqual([]);
});

test("ClaimManager: a claim that replaced one that is not unprepared is refused", async () => {
  const world = new World(claimWith("a"));
  await world.manager.prepare(podWith("p", "a"));
  world.objects.set("a", claimWith("a", { uid: "new", pods: ["q"] }));
  const saves = world.saved.length;
  expect(await failureOf(world.manager.prepare(podWith("q", "a")))).toBe(
    "prepare dynamic resources: old ResourceClaim with same name a and different UID uid-a still exists (previous pod force-deleted?!)",
  );
  expect(world.saved).toHaveLength(saves);
  await world.manager.unprepare("p");
  await world.manager.prepare(podWith("q", "a"));
  expect(world.claims.get("default", "a")?.uid).toBe("new");
});

test("ClaimManager: metrics count operations and prepared claims", async () => {
  const world = new World(claimWith("a", { drivers: ["d", "e"] }), claimWith("b"));
  await world.manager.prepare(podWith("p", "a b"));
  world.drivers.clear();
  expect(await failureOf(world.manager.unprepare("p"))).toContain("not registered");
  const lines = () => world.metrics.text().match(/^dra_(resource.*|.*_count.*)$/gm);
  expect(lines()).toEqual([
    'dra_operations_duration_seconds_count{is_error="false",operation_name="PrepareResources"} 1',
    'dra_operations_duration_seconds_count{is_error="true",operation_name="UnprepareResources"} 1',
    'dra_resource_claims_in_use{driver_name="<any>"} 0',
  ]);
  world.drivers.add("d").add("e");
  await world.manager.prepare(podWith("p", "a b"));
  expect(lines()?.slice(-3)).toEqual([
    'dra_resource_claims_in_use{driver_name="<any>"} 2',
    'dra_resource_claims_in_use{driver_name="d"} 2',
    'dra_resource_claims_in_use{driver_name="e"} 1',
  ]);
});
