import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../platform/process-identity.ts";
import { masked, newMachine } from "./machine.test-support.ts";

const minutes = 120_000;

const others = `apiVersion: v1
clusters:
- cluster:
    server: https://prod.example.com
  name: prod
contexts:
- context:
    cluster: prod
    user: me
  name: prod
current-context: prod
kind: Config
preferences: {}
users:
- name: me
  user:
    token: secret
`;

test(
  "up, use, down, up again, delete: a cluster keeps its objects, and foreign kubeconfig entries are kept",
  async () => {
    const machine = newMachine();
    const { run, kubectl, kubeconfig } = machine;
    writeFileSync(kubeconfig, others, { mode: 0o600 });
    const first = await run("up");
    expect(first).toMatchObject({ code: 0 });
    expect(
      masked(first.stdout, machine),
    ).toBe(`The cluster "wherry" is up (TIME): 1 simulated node, Kubernetes v1.36.0, https://127.0.0.1:PORT.
Nodes are simulated: pods go through their phases, but no containers run.

kubectl now uses it, through the context "wherry". Try:
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods
  wherry down  # stop it; "wherry up" starts it again with the same data
`);
    expect(first.stderr).toBe(
      'starting the cluster "wherry"\nthe API server is ready\nwaiting for nodes: 0 of 1 ready\nwaiting for nodes: 1 of 1 ready\n',
    );
    const { port, dataDir, process: identity } = machine.record("wherry");
    for (const path of [machine.clusterDir("wherry"), dataDir])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const file of ["cluster.json", "server.log"])
      expect(statSync(join(machine.clusterDir("wherry"), file)).mode & 0o777).toBe(0o600);

    expect((await kubectl("config", "current-context")).stdout).toBe("wherry\n");
    expect((await kubectl("get", "nodes", "-o", "name")).stdout).toBe("node/node-1\n");
    expect((await kubectl("create", "configmap", "kept")).stdout).toBe("configmap/kept created\n");

    const second = await run("up");
    expect(second).toMatchObject({ code: 0 });
    expect(masked(second.stdout, machine)).toBe(
      'The cluster "wherry" is already running: 1 simulated node, Kubernetes v1.36.0, https://127.0.0.1:PORT.\n',
    );
    expect(machine.record("wherry").process).toEqual(identity);
    expect(await run("up", "--nodes", "3", "--port", "1234")).toMatchObject({
      code: 1,
      stderr: `Error: the cluster "wherry" is already running with --nodes=1 --port=${port}: to change that, run "wherry down" and then "wherry up --nodes=3 --port=1234"\n`,
    });

    const status = await run("status");
    expect(status.code).toBe(0);
    expect(masked(status.stdout, machine)).toBe(`NAME  STATE  NODES  SERVER  UP  DATA
wherry  running  1/1  https://127.0.0.1:PORT  0s  DIR/data/wherry/clusters/wherry/data
`);
    expect(JSON.parse((await run("status", "-o", "json")).stdout)).toMatchObject({
      name: "wherry",
      state: "running",
      nodes: 1,
      nodesReady: 1,
      server: `https://127.0.0.1:${port}`,
      pid: identity?.pid,
      kubeconfig: join(dataDir, "admin.kubeconfig"),
    });
    const logs = await run("logs", "--tail", "1000");
    expect(logs.stdout).toContain(`ready: https://127.0.0.1:${port}\n`);

    expect(await run("down")).toMatchObject({
      code: 0,
      stdout:
        'The cluster "wherry" is stopped. "wherry up" starts it again, "wherry delete" deletes it.\n',
    });
    expect(identity && isRunning(identity)).toBe(false);
    expect((await kubectl("config", "current-context")).stdout).toBe("prod\n");
    expect(await run("down")).toMatchObject({
      code: 0,
      stdout: 'The cluster "wherry" was not running.\n',
    });
    expect((await run("status")).code).toBe(3);

    expect(await run("up", "--nodes", "2")).toMatchObject({ code: 0 });
    expect(machine.record("wherry").port).toBe(port);
    expect((await kubectl("get", "configmap", "kept", "-o", "name")).stdout).toBe(
      "configmap/kept\n",
    );
    expect((await kubectl("get", "nodes", "-o", "name")).stdout).toBe("node/node-1\nnode/node-2\n");

    expect(await run("delete")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "standard input is not a terminal, so there is nobody to confirm: give --yes",
      ),
    });
    expect(await run("delete", "--yes")).toMatchObject({
      code: 0,
      stdout: 'The cluster "wherry" and its data were deleted.\n',
    });
    expect(existsSync(machine.clusterDir("wherry"))).toBe(false);
    expect(readFileSync(kubeconfig, "utf8")).toBe(others);
    expect(await run("list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: 'There are no clusters: start one with "wherry up".\n',
    });
  },
  minutes,
);

test(
  "several clusters by name; an ephemeral one leaves nothing behind",
  async () => {
    const machine = newMachine();
    const { run, kubectl, dir, kubeconfig } = machine;
    const data = join(dir, "elsewhere");
    expect(await run("up", "a", "--nodes", "0", "--data-dir", data)).toMatchObject({ code: 0 });
    expect(await run("up", "b", "--nodes", "2", "--ephemeral")).toMatchObject({ code: 0 });
    const listed = await run("list");
    const [, a = "", b = ""] = masked(listed.stdout, machine).split("\n");
    expect(a).toBe("a  running  0/0  https://127.0.0.1:PORT  0s  DIR/elsewhere");
    expect(b).toMatch(/^b {2}running {2}2\/2 {2}\S+ {2}0s {2}DIR\/wherry-b-\w+ \(ephemeral\)$/);
    const names = (text: string) => JSON.parse(text).map(({ name }: { name: string }) => name);
    expect(names((await run("list", "-o", "json")).stdout)).toEqual(["a", "b"]);
    expect((await kubectl("--context=a", "get", "nodes")).stderr).toBe("No resources found\n");
    expect((await kubectl("--context=b", "get", "nodes", "-o", "name")).stdout).toBe(
      "node/node-1\nnode/node-2\n",
    );
    const { dataDir } = machine.record("b");
    expect(await run("down", "b")).toMatchObject({
      code: 0,
      stdout: 'The cluster "b" is stopped and its data was deleted.\n',
    });
    expect(existsSync(dataDir)).toBe(false);
    expect((await kubectl("config", "get-contexts", "-o", "name")).stdout).toBe("a\n");
    expect((await kubectl("config", "current-context")).stdout).toBe("a\n");
    expect(await run("delete", "a", "-y")).toMatchObject({ code: 0 });
    expect(existsSync(data)).toBe(false);
    expect(readFileSync(kubeconfig, "utf8")).not.toMatch(/127\.0\.0\.1|name: [ab]$/m);
  },
  minutes,
);

test(
  "a cluster that was killed starts again with its data",
  async () => {
    const machine = newMachine();
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "0")).toMatchObject({ code: 0 });
    expect((await kubectl("create", "namespace", "kept")).code).toBe(0);
    const { process: identity } = machine.record("wherry");
    process.kill(identity?.pid ?? 0, "SIGKILL");
    await expect.poll(() => identity && isRunning(identity)).toBe(false);
    expect((await run("status")).code).toBe(3);
    expect(await run("up")).toMatchObject({ code: 0 });
    expect((await kubectl("get", "namespace", "kept", "-o", "name")).stdout).toBe(
      "namespace/kept\n",
    );
  },
  minutes,
);

test(
  "logs -f prints new lines until it is interrupted",
  async () => {
    const machine = newMachine();
    expect(await machine.run("up", "--nodes", "0")).toMatchObject({ code: 0 });
    const following = machine.start("logs", "--follow", "--tail", "0");
    await expect
      .poll(async () => {
        const log = join(machine.clusterDir("wherry"), "server.log");
        writeFileSync(log, "one more line\n", { flag: "a" });
        return following.output();
      })
      .toContain("one more line\n");
    expect(await following.end("SIGINT")).toMatchObject({ code: 0 });
  },
  minutes,
);
