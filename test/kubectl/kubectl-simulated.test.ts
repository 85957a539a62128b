import { afterAll, beforeAll, expect, test } from "vitest";
import { SeededRandom } from "../../src/base/random.ts";
import { createClient } from "../../src/client/client.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { createManager } from "../../src/controller-runtime/manager/manager.ts";
import { createSimulatedNodes } from "../../src/kubelet/simulated/simulated-nodes.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { realNetwork } from "../../src/platform/real-network.ts";
import { serveSpdy } from "../../src/platform/spdy/serve-spdy.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Tour } from "./kubectl.test-support.ts";

describeWith(requires("kubectl"))("kubectl with simulated nodes", () => {
  let tour: Tour;
  const stop = new AbortController();
  let running: Promise<void>;

  beforeAll(async () => {
    const admin = { commonName: "admin", organizations: ["system:masters"] };
    const nodes = createSimulatedNodes({
      nodes: 2,
      clientFor: () =>
        createClient(inProcessTransport(tour.server.core.handle, admin), { clock: realClock }),
      serveStreams: serveSpdy,
    });
    const core = {
      network: nodes.network(realNetwork),
      kubelet: { preferredAddressTypes: ["Hostname", "InternalIP"] },
    };
    tour = await openTour(
      { "in.txt": "what is said\n", "line.txt": "hostname\nexit 4\n" },
      { core },
    );
    const transport = inProcessTransport(tour.server.core.handle, admin);
    const manager = createManager({ transport, clock: realClock, random: new SeededRandom(1) });
    manager.add(nodes);
    running = manager.run({ signal: stop.signal });
    await tour.run("wait node/node-1 --for=create --timeout=10s");
    const overrides = JSON.stringify({
      metadata: { annotations: { "wherry.dev/log": "line {n}", "wherry.dev/log-every": "50ms" } },
      spec: { nodeName: "node-1" },
    });
    for (const line of [
      `run web --image nginx --overrides '${overrides}'`,
      "wait pod/web --for=condition=Ready --timeout=10s",
    ])
      expect(await tour.run(line)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await tour.close();
  });

  test("nodes are ready", async () => {
    expect((await tour.run("get nodes --no-headers")).printed).toMatch(
      /^node-1\s+Ready\s+<none>\s+\d+s\s+v1\.36\.0\nnode-2\s+Ready/,
    );
  });

  test("logs, also followed", async () => {
    const follower = tour.follow("logs web -f");
    expect(await follower.until(/line 3\n/)).toMatch(/^line 1\nline 2\nline 3\n/);
    await follower.stop();
    expect((await tour.run("logs web --tail=2")).printed).toMatch(/^line \d+\nline \d+\n$/);
    expect((await tour.run("logs web --limit-bytes=9")).printed).toBe("line 1\nli");
    expect((await tour.run("logs web --timestamps --tail=1")).printed).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z line \d+\n$/,
    );
    expect(await tour.run("logs web --previous")).toEqual({
      code: 1,
      printed:
        'Error from server (BadRequest): previous terminated container "web" in pod "web" not found\n',
    });
  });

  test("exec prints the output of the command and returns its exit code", async () => {
    expect(await tour.run("exec web -- echo hello")).toEqual({ code: 0, printed: "hello\n" });
    expect(await tour.run("exec -i web -- cat < in.txt")).toEqual({
      code: 0,
      printed: "what is said\n",
    });
    expect(await tour.run("exec web -- sh -c 'exit 3'")).toEqual({
      code: 3,
      printed: "command terminated with exit code 3\n",
    });
    expect(await tour.run("exec -i web -- sh < line.txt")).toEqual({
      code: 4,
      printed: "# web\n# command terminated with exit code 4\n",
    });
    expect(await tour.run("exec web -- nothing")).toMatchObject({
      code: 1,
      printed: expect.stringContaining('exec: "nothing": executable file not found in $PATH'),
    });
  });

  test("attach prints the output of a container", async () => {
    const follower = tour.follow("attach web");
    expect(await follower.until(/line \d+\nline \d+\n/)).toContain("line");
    await follower.stop();
  });

  test("an interactive shell ends with the exit code that was typed", async () => {
    const run = (name: string, rest: string) =>
      tour.run(
        `run ${name} -i --rm --quiet --restart=Never --image busybox --overrides '{"spec":{"nodeName":"node-1"}}' --override-type strategic ${rest}`,
      );
    expect(await run("said", "-- cat < in.txt")).toEqual({ code: 0, printed: "what is said\n" });
    expect(await run("shell", "-- sh < line.txt")).toEqual({
      code: 4,
      printed: "# shell\n# pod default/shell terminated (Error)\n",
    });
  });

  test("port-forward finds nothing that listens", async () => {
    const follower = tour.follow("port-forward web :80");
    const [, port] =
      /127\.0\.0\.1:(\d+)/.exec(await follower.until(/127\.0\.0\.1:\d+ -> 80/)) ?? [];
    await fetch(`http://127.0.0.1:${port}`).catch(() => {});
    await follower.until(
      /error forwarding port 80 to pod \w+, uid : failed to connect to localhost:80 inside namespace \\"\w+\\": connection refused/,
    );
    await follower.stop();
  });

  test("requests to a kubelet go through its node's proxy", async () => {
    const pods = await tour.run("get --raw /api/v1/nodes/node-1/proxy/pods");
    expect(JSON.parse(pods.printed).items).toMatchObject([{ metadata: { name: "web" } }]);
    const stats = await tour.run("get --raw /api/v1/nodes/node-1/proxy/stats/summary");
    expect(JSON.parse(stats.printed)).toMatchObject({
      node: { nodeName: "node-1" },
      pods: [{ podRef: { name: "web", namespace: "default" }, containers: [{ name: "web" }] }],
    });
    for (const node of ["node-2", "node-2:10250"])
      expect((await tour.run(`get --raw /api/v1/nodes/${node}/proxy/healthz`)).printed).toBe("ok");
    const metrics = await tour.run("get --raw /api/v1/nodes/node-1/proxy/metrics/resource");
    expect(metrics.printed).toMatch(
      /container_memory_working_set_bytes\{container="web",namespace="default",pod="web"\} \d+/,
    );
  });
});
