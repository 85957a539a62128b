import { afterEach, beforeEach, expect, test } from "vitest";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { SeededRandom } from "../../base/random.ts";
import { createClient } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { type Machine, machine, type Weather } from "./election-world.test-support.ts";
import { fenced } from "./fence.ts";
import { createLeaderElection } from "./leader-election.ts";
import type { LeaderElection } from "./leader-election-options.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
});
afterEach(() => api.close());

const key = { namespace: "default", name: "leader" };

interface Candidate {
  readonly name: string;
  readonly machine: Machine;
  readonly election: LeaderElection;
  /** Through this it writes as a leader. */
  readonly transport: Transport;
  readonly stop: AbortController;
  /** How its run ended. */
  readonly ended: Promise<"stopped" | Error>;
  ledAt: number | undefined;
}

const calm = { lostCalls: 0, lostAnswers: 0, failures: 0, slowestMs: 0 };

function candidate(
  name: string,
  {
    rate = 1,
    offset = 0,
    weather = { random: new SeededRandom(1), ...calm },
    transport = api.transport,
    ...rest
  }: {
    rate?: number;
    offset?: number;
    weather?: Weather;
    releaseOnStop?: boolean;
    metrics?: MetricsRegistry;
    transport?: Transport;
  } = {},
): Candidate {
  const own = machine(api.clock, rate, offset);
  const network = own.connect(transport, weather);
  const stop = new AbortController();
  const election = createLeaderElection({
    client: createClient(network, { clock: own }),
    clock: own,
    ticks: own.ticks,
    random: weather.random.fork(),
    lease: key,
    identity: name,
    ...rest,
  });
  const ended = election
    .run({
      signal: stop.signal,
      lead() {
        self.ledAt = api.clock.now();
      },
    })
    .then(
      () => "stopped" as const,
      (error: Error) => error,
    );
  const self: Candidate = {
    name,
    machine: own,
    election,
    transport: fenced(network, election),
    stop,
    ended,
    ledAt: undefined,
  };
  return self;
}

const lease = () => api.client.get(Lease, key);

test("the first candidate leads, and keeps the lease renewed", async () => {
  const a = candidate("a");
  await api.clock.advance(100);
  expect([a.election.isLeader, a.election.leader]).toEqual([true, "a"]);
  const first = await lease();
  expect(first.spec).toEqual({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:00.000000Z",
    leaseTransitions: 0,
  });
  const b = candidate("b");
  await api.clock.advance(60_000);
  expect([a.election.isLeader, b.election.isLeader, b.election.leader]).toEqual([true, false, "a"]);
  const { spec } = await lease();
  expect(spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 0 });
  expect(spec.acquireTime).toBe(first.spec.acquireTime);
  expect(Date.parse(spec.renewTime ?? "")).toBeGreaterThan(api.clock.now() - 2_100);
  a.stop.abort();
  b.stop.abort();
  expect([await a.ended, await b.ended]).toEqual(["stopped", "stopped"]);
});

test("a leader that stops keeps its lease until it expires, or releases it with releaseOnStop", async () => {
  const a = candidate("a", { releaseOnStop: true });
  await api.clock.advance(100);
  a.stop.abort();
  await api.clock.advance(0);
  expect([await a.ended, a.election.isLeader]).toEqual(["stopped", false]);
  expect((await lease()).spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  const b = candidate("b");
  await api.clock.advance(0);
  expect(b.election.isLeader).toBe(true);
  expect((await lease()).spec.leaseTransitions).toBe(1);
  b.stop.abort();
  await b.ended;
  expect((await lease()).spec.holderIdentity).toBe("b");
  const c = candidate("c");
  await api.clock.advance(14_000);
  expect(c.election.isLeader).toBe(false);
  await api.clock.advance(1_000);
  expect(c.election.isLeader).toBe(true);
  c.stop.abort();
  await c.ended;
});

test("without the server, a leader starts no write after its renew deadline, and its run ends", async () => {
  let isDown = false;
  const a = candidate("a", {
    transport: (request) => {
      if (isDown) throw new Error("unreachable");
      return api.transport(request);
    },
  });
  await api.clock.advance(100);
  const client = createClient(a.transport, { clock: a.machine });
  const { spec } = await api.finished(write(client, "one").then(lease));
  isDown = true;
  const renewedAt = Date.parse(spec.renewTime ?? "");
  await api.clock.advance(renewedAt + 9_999 - api.clock.now());
  expect(a.election.isLeader).toBe(true);
  await api.clock.advance(1);
  expect(a.election.isLeader).toBe(false);
  expect(await a.ended).toMatchObject({ message: "leader election lost" });
  isDown = false;
  await expect(write(client, "two")).rejects.toMatchObject({ name: "NotLeaderError" });
  const { items } = await api.client.list(ConfigMap, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["one"]);
});

test("a running write is cancelled when the leadership is lost", async () => {
  let isDown = false;
  const a = candidate("a", {
    transport: (request) => (isDown ? new Promise(() => {}) : api.transport(request)),
  });
  await api.clock.advance(100);
  isDown = true;
  const client = createClient(a.transport, { clock: a.machine });
  const hanging = expect(write(client, "one")).rejects.toMatchObject({ name: "NotLeaderError" });
  await api.clock.advance(10_000);
  await hanging;
  await a.ended;
});

test("a process that was suspended for too long starts no write when it continues", async () => {
  const a = candidate("a");
  await api.clock.advance(100);
  const client = createClient(a.transport, { clock: a.machine });
  a.machine.pause(api.clock.now() + 12_000);
  await api.clock.advance(11_999);
  await expect(write(client, "one")).rejects.toMatchObject({ name: "NotLeaderError" });
  await api.clock.advance(1);
  expect(await a.ended).toMatchObject({ message: "leader election lost" });
});

test("the leader stops in time although its monotonic clock stopped while the machine slept", async () => {
  let slept = 0;
  const sleeping = {
    now: () => api.clock.now() + slept,
    setTimer: api.clock.setTimer.bind(api.clock),
  };
  const election = createLeaderElection({
    client: api.client,
    clock: sleeping,
    ticks: () => api.clock.now(),
    random: api.random,
    lease: key,
    identity: "a",
  });
  const stop = new AbortController();
  const ended = election.run({ signal: stop.signal, lead() {} }).catch((error: Error) => error);
  await api.clock.advance(100);
  expect(election.mayWrite()).toBe(true);
  slept = 3_600_000;
  expect(election.mayWrite()).toBe(false);
  stop.abort();
  await ended;
});

test("a lease that another candidate took by force is not acquired again, and the run ends", async () => {
  const a = candidate("a");
  await api.clock.advance(100);
  const spec = { holderIdentity: "thief" };
  await api.client.patch(Lease, key, { merge: { spec } });
  await api.clock.advance(2_000);
  expect(a.election.isLeader).toBe(false);
  expect(await a.ended).toMatchObject({ message: "leader election lost" });
  expect((await lease()).spec.holderIdentity).toBe("thief");
});

test("metrics have upstream's names", async () => {
  const metrics = new MetricsRegistry();
  const a = candidate("a", { metrics });
  expect(metrics.text()).toContain('leader_election_master_status{name="leader"} 0\n');
  await api.clock.advance(100);
  expect(metrics.text()).toContain('leader_election_master_status{name="leader"} 1\n');
  await api.client.patch(Lease, key, { merge: { metadata: { labels: { touched: "yes" } } } });
  await api.clock.advance(2_000);
  expect(metrics.text()).toContain('leader_election_slowpath_total{name="leader"} 1\n');
  a.stop.abort();
  await a.ended;
});

test.each([
  [{ leaseDurationMs: 10_000 }, "leaseDuration must be greater than renewDeadline"],
  [{ retryPeriodMs: 9_000 }, "renewDeadline must be greater than retryPeriod*JitterFactor"],
  [{ retryPeriodMs: 0 }, "retryPeriod must be greater than zero"],
  [{ identity: "" }, "Lock identity is empty"],
])("limits that make no sense are refused: %o", (wrong, message) => {
  const { client, clock, random } = api;
  const options = { client, clock, random, lease: key, identity: "a", ...wrong };
  expect(() => createLeaderElection(options)).toThrow(message);
});

test("with pauses, clocks off by 10 %, lost calls and lost responses, at most one candidate writes, and one eventually leads", async () => {
  for (let seed = 1; seed <= 12; seed++) await stormyScenario(seed);
});

test("when the leader dies, another one leads within the lease, a retry and its jitter", async () => {
  for (let seed = 1; seed <= 12; seed++) await takeOverScenario(seed);
});

/** A minute or two of bad weather, then a calm end in which somebody must lead. */
async function stormyScenario(seed: number): Promise<void> {
  await withOwnApi(async () => {
    const random = new SeededRandom(seed);
    const rates = [0.9, 1.1, 0.9 + random.next() * 0.2, 1];
    const weather = {
      random,
      lostCalls: random.next() * 0.2,
      lostAnswers: random.next() * 0.3,
      failures: random.next() * 0.2,
      slowestMs: random.next() * 4_000,
    };
    let candidates = rates.map((rate, i) =>
      candidate(`c${i}`, { rate, offset: i * 86_400_000, weather }),
    );
    for (let step = 0; step < 400; step++) {
      await api.clock.advance(250 + random.next() * 100);
      assertOneWriter(candidates, seed);
      const one = candidates[Math.floor(random.next() * candidates.length)] as Candidate;
      if (random.next() < 0.04) one.machine.pause(api.clock.now() + random.next() * 30_000);
      if (random.next() < 0.02)
        await api.client
          .patch(Lease, key, { merge: { metadata: { labels: { step: `${step}` } } } })
          .catch(() => undefined);
      candidates = await restarted(candidates, { weather, random });
    }
    Object.assign(weather, calm);
    for (let step = 0; step < 300; step++) {
      await api.clock.advance(250);
      assertOneWriter(candidates, seed);
      candidates = await restarted(candidates, { weather, random });
    }
    const leaders = candidates.filter(({ election }) => election.isLeader);
    expect(leaders, `seed ${seed}`).toHaveLength(1);
    for (const { stop } of candidates) stop.abort();
  });
}

/** Whoever lost its lease ended, and is started anew, as another one. */
async function restarted(
  candidates: readonly Candidate[],
  { weather, random }: { weather: Weather; random: SeededRandom },
): Promise<Candidate[]> {
  return Promise.all(
    candidates.map(async (one) => {
      const result = await Promise.race([one.ended, undefined]);
      if (result === undefined) return one;
      expect(result).toMatchObject({ message: "leader election lost" });
      const rate = 0.9 + random.next() * 0.2;
      return candidate(`${one.name}+`, { rate, offset: api.clock.now(), weather });
    }),
  );
}

function assertOneWriter(candidates: readonly Candidate[], seed: number): void {
  const writers = candidates.filter(({ election }) => election.mayWrite()).map(({ name }) => name);
  if (writers.length > 1) throw new Error(`seed ${seed}: ${writers} may write at the same time`);
}

async function takeOverScenario(seed: number): Promise<void> {
  await withOwnApi(async () => {
    const random = new SeededRandom(seed);
    const weather = { random, ...calm, slowestMs: 20 };
    const candidates = [0.9, 1.1, 1].map((rate, i) => candidate(`c${i}`, { rate, weather }));
    await api.clock.advance(20_000 + random.next() * 5_000);
    const [leader] = candidates.filter(({ election }) => election.isLeader);
    const diedAt = api.clock.now();
    leader?.machine.pause(Infinity);
    const others = candidates.filter((one) => one !== leader);
    let leads: Candidate | undefined;
    while (leads === undefined && api.clock.now() < diedAt + 60_000) {
      await api.clock.advance(50);
      assertOneWriter(candidates, seed);
      leads = others.find(({ election }) => election.isLeader);
    }
    // By the slowest of the clocks, the calls included.
    const atMost = (15_000 + 2_000 * 2.2) / 0.9 + 200;
    expect(api.clock.now() - diedAt, `seed ${seed}`).toBeLessThanOrEqual(atMost);
    for (const { stop } of candidates) stop.abort();
  });
}

async function withOwnApi(work: () => Promise<void>): Promise<void> {
  await api.close();
  api = await openTestApi();
  await work();
}

const write = (client: ReturnType<typeof createClient>, name: string) =>
  client.create(ConfigMap, { metadata: { name } });
