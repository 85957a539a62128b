import { expect, test, vi } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { Transport, TransportRequest } from "../../src/client/transport.ts";
import { kubectl } from "../../src/kubectl/kubectl.ts";
import { InterruptedError } from "../../src/kubectl/program/command-error.ts";
import type { Cluster } from "../../src/testing/cluster.ts";
import { startCluster } from "../../src/testing/start-cluster.ts";

const stuck = `
apiVersion: v1
kind: ConfigMap
metadata: { name: a, finalizers: [example.com/wait] }
`;

async function clusterWithStuckObject(): Promise<Cluster> {
  const cluster = await startCluster();
  await cluster.kubectl("create -f -", { stdin: stuck });
  return cluster;
}

/** Runs a command line until the server has answered a request, and then interrupts it as main does. */
async function interrupted(
  cluster: Cluster,
  line: string,
  isLast = ({ query }: TransportRequest) => query.includes("watch=true"),
) {
  const stop = new AbortController();
  const { clock } = cluster;
  const transport: Transport = async (request) => {
    const response = await cluster.transport(request);
    if (isLast(request)) setImmediate(() => stop.abort(new InterruptedError("SIGINT")));
    return response;
  };
  return kubectl(createClient(transport, { clock }))(line, { signal: stop.signal });
}

test("kubectl wait: a signal while an object is watched ends the command at once", async () => {
  await using cluster = await clusterWithStuckObject();
  for (const condition of ["delete", "jsonpath={.data.k}", "condition=Ready"]) {
    const result = await interrupted(cluster, `wait cm/a --for=${condition}`);
    expect(result, condition).toEqual({ stdout: "", stderr: "", exitCode: 1 });
  }
});

test("kubectl wait: a signal while objects are looked for is that of the process", async () => {
  await using cluster = await clusterWithStuckObject();
  const result = await interrupted(cluster, "wait cm/b --for=create", ({ path }) =>
    path.endsWith("/configmaps/b"),
  );
  expect(result).toEqual({ stdout: "", stderr: "", exitCode: 130 });
});

test("kubectl delete: a signal ends the waiting, not the deletion", async () => {
  await using cluster = await clusterWithStuckObject();
  const result = await interrupted(cluster, "delete cm a");
  expect(result).toEqual({
    stdout: 'configmap "a" deleted from default namespace\n',
    stderr: "",
    exitCode: 1,
  });
  expect(await deletionTime(cluster)).not.toBe("");
});

test("kubectl delete: finalizers that go while the command waits let it end", async () => {
  await using cluster = await clusterWithStuckObject();
  const running = cluster.kubectl("delete cm a");
  await vi.waitFor(async () => expect(await deletionTime(cluster)).not.toBe(""));
  await cluster.kubectl(["patch", "cm", "a", "-p", '{"metadata":{"finalizers":null}}']);
  expect(await running).toMatchObject({ stderr: "", exitCode: 0 });
});

async function deletionTime(cluster: Cluster): Promise<string> {
  const { stdout } = await cluster.kubectl("get cm a -o jsonpath={.metadata.deletionTimestamp}");
  return stdout;
}

test("kubectl events: --watch prints events as they come, until a signal", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const event = (name: string, type: string) =>
    cluster.kubectl("create -f -", {
      stdin: JSON.stringify({
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace: "default" },
        involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "default" },
        ...{ type, reason: "Because", message: name, eventTime: null },
        firstTimestamp: "2020-01-01T00:00:00Z",
        lastTimestamp: "2020-01-01T00:00:00Z",
      }),
    });
  await event("first", "Normal");
  const stop = new AbortController();
  const names = lines();
  const table = lines();
  const options = { signal: stop.signal };
  const running = cluster.kubectl("events --watch --types=Normal -o name", {
    ...options,
    onOutput: names.add,
  });
  const shown = cluster.kubectl("events -w --for=pod/p", { ...options, onOutput: table.add });
  await vi.waitFor(() => expect([names.count(), table.count()]).toEqual([1, 2]));
  await event("second", "Warning");
  await event("third", "Normal");
  await vi.waitFor(() => expect([names.count(), table.count()]).toEqual([2, 4]));
  stop.abort(new InterruptedError("SIGINT"));
  expect(await running).toEqual({
    stdout: "event/first\nevent/third\n",
    stderr: "",
    exitCode: 1,
  });
  const { stdout } = await shown;
  expect(stdout.split("\n").map((line) => line.replace(/^\S+ +/, ""))).toEqual([
    "SEEN   TYPE     REASON    OBJECT   MESSAGE",
    "Normal   Because   Pod/p    first",
    "Warning   Because   Pod/p    second",
    "Normal    Because   Pod/p    third",
    "",
  ]);
});

function lines() {
  let text = "";
  return {
    add: (more: string): void => {
      text += more;
    },
    count: (): number => text.split("\n").length - 1,
  };
}

test("kubectl run: a signal while the pod does not run leaves it there, with --rm, too", async () => {
  await using cluster = await startCluster();
  const result = await interrupted(cluster, "run p --image=i --attach --rm");
  expect(result).toEqual({ stdout: "", stderr: "", exitCode: 1 });
  expect(await cluster.kubectl("get pod p -o name")).toMatchObject({ stdout: "pod/p\n" });
});
