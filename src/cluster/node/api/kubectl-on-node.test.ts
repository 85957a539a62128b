import { type ChildProcess, spawn as spawnChild } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { describeWith, requires } from "../../../../test/requires.ts";
import { ask } from "../../../../test/support/apiserver.test-support.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { testImage } from "../../../engine/engine.test-support.ts";
import { type ProgramInTerminal, runInTerminal } from "../../../engine/terminal.test-support.ts";
import { mustRun, runChild } from "../../../platform/run-child.ts";
import { openRealNode } from "../real-node.test-support.ts";

/** A pod that serves HTTP and logs, with a shell in a terminal beside it. */
const app = {
  metadata: { name: "app", namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "main",
        image: testImage,
        command: ["sh", "-c"],
        args: [
          "mkdir /www; echo hello > /www/index.html; echo one; echo two >&2; exec httpd -f -p 8080 -h /www",
        ],
      },
      { name: "shell", image: testImage, command: ["sh"], stdin: true, tty: true },
    ],
  },
};

/** A pod that counts to three and ends. */
const short = {
  metadata: { name: "short", namespace: "default" },
  spec: {
    restartPolicy: "Never",
    containers: [
      {
        name: "c",
        image: testImage,
        command: ["sh", "-c", "for i in 1 2 3; do echo line $i; sleep 0.3; done"],
      },
    ],
  },
};

describeWith(requires("containers", "kubectl"))("kubectl on a real node", () => {
  let node: Awaited<ReturnType<typeof openRealNode>>;
  const args = (...more: string[]) => ["--kubeconfig", node.kubeconfig, ...more];
  const kubectl = (...more: string[]) => mustRun("kubectl", args(...more));
  /** Asks the kubelet itself: the API server does not connect others to its own machine. */
  const kubelet = async (path: string, method = "GET"): Promise<string> => {
    const pki = join(node.root, "server", "pki");
    const cert = readFileSync(join(pki, "admin.crt"));
    const key = readFileSync(join(pki, "admin.key"));
    return (await ask(node, path, { method, cert, key })).text;
  };

  beforeAll(async () => {
    node = await openRealNode({
      features: ["PodLogsQuerySplitStreams"],
      configuration: { enableSystemLogQuery: true },
    });
    await node.client.create(Pod, app as never);
    await eventually(async () => expect((await node.pod("app")).status.phase).toBe("Running"));
  }, 60_000);
  afterAll(async () => {
    if (!node) return;
    await kubectl("delete", "pods", "--all", "--now").finally(node.close);
  }, 30_000);

  function terminal(...more: string[]): ProgramInTerminal {
    const running = runInTerminal("kubectl", args(...more));
    onTestFinished(() => running.pty.kill());
    return running;
  }

  /** Starts kubectl, until the test ends; gives what it has written so far. */
  function background(...more: string[]): { readonly child: ChildProcess; text(): string } {
    const child = spawnChild("kubectl", args(...more));
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece;
    });
    onTestFinished(() => void child.kill());
    return { child, text: () => text };
  }

  test("logs: follows a container until it ends", { timeout: 20_000 }, async () => {
    await node.client.create(Pod, short as never);
    await expect
      .poll(() => runChild("kubectl", args("logs", "short")), { timeout: 10_000 })
      .toMatchObject({ code: 0 });
    expect(await kubectl("logs", "-f", "short")).toBe("line 1\nline 2\nline 3\n");
    const [first = ""] = (await kubectl("logs", "--timestamps", "short")).split("\n");
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line 1$/);
    expect(await kubectl("logs", "--tail=1", "short")).toBe("line 3\n");
    expect(await kubectl("logs", "--limit-bytes=8", "short")).toBe("line 1\nl");
    expect(await kubectl("logs", "--since-time=2999-01-01T00:00:00Z", "short")).toBe("");
    expect((await runChild("kubectl", args("logs", "-p", "short"))).stderr).toContain(
      'previous terminated container "c" in pod "short" not found',
    );
    expect(await kubectl("logs", "app", "-c", "main")).toBe("one\ntwo\n");
  });

  test("logs: one stream of a container, and the services of the node", async () => {
    const log = "/api/v1/namespaces/default/pods/app/log?container=main";
    expect(await kubectl("get", "--raw", log)).toBe("one\ntwo\n");
    expect(await kubectl("get", "--raw", `${log}&stream=Stderr`)).toBe("two\n");
    expect(await kubectl("get", "--raw", `${log}&stream=Stdout`)).toBe("one\n");
    expect(await kubelet("/logs/?query=wherry-none")).toBe("\nlog not found for wherry-none\n");
    expect(await kubelet("/logs/?tailLines=1")).toBe(
      "query: Required value: cannot be empty with options\n",
    );
  });

  test("logs: a client that leaves ends the reading", { timeout: 20_000 }, async () => {
    const following = background("logs", "-f", "app", "-c", "main");
    await eventually(() => expect(following.text()).toBe("one\ntwo\n"));
    const inFlight = /kubelet_http_inflight_requests\{[^}]*path="containerLogs"[^}]*\} (\d+)/;
    expect(inFlight.exec(await kubelet("/metrics"))?.[1]).toBe("1");
    following.child.kill();
    await eventually(async () => expect(inFlight.exec(await kubelet("/metrics"))?.[1]).toBe("0"));
  });

  test("exec: output, errors and the exit code are passed on", { timeout: 20_000 }, async () => {
    const script = "cat; echo err >&2; exit 7";
    const { child, text } = background("exec", "-i", "app", "-c", "main", "--", "sh", "-c", script);
    let errors = "";
    child.stderr?.on("data", (piece: Buffer) => {
      errors += piece;
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin?.end("input");
    expect(await ended).toBe(7);
    expect(text()).toBe("input");
    expect(errors).toContain("err\n");
    const missing = await runChild("kubectl", args("exec", "short", "--", "true"));
    expect(missing.stderr).toMatch(/container not found \("c"\)|completed pod/);
  });

  test("exec -it: a terminal that can be resized", { timeout: 20_000 }, async () => {
    const { pty, text, ended } = terminal("exec", "-it", "app", "-c", "main", "--", "sh");
    await eventually(() => expect(text()).toContain("/ # "));
    pty.write("stty size\r");
    await eventually(() => expect(text()).toContain("40 100"));
    pty.resize(120, 50);
    await eventually(() => {
      pty.write("stty size\r");
      expect(text()).toContain("50 120");
    });
    pty.write("exit 9\r");
    expect(await ended).toBe(9);
  });

  test("attach -it: the terminal of the container", { timeout: 20_000 }, async () => {
    const { pty, text } = terminal("attach", "-it", "app", "-c", "shell");
    await eventually(() => {
      pty.write("echo $((40 + 2)); hostname\r");
      expect(text()).toMatch(/42\r\napp\r\n/);
    });
  });

  test("cp: copies to and from a container", { timeout: 20_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "wherry-cp-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const content = "x".repeat(300_000);
    writeFileSync(join(folder, "there"), content);
    await kubectl("cp", join(folder, "there"), "app:/tmp/there", "-c", "main");
    await kubectl("cp", "app:/tmp/there", join(folder, "back"), "-c", "main");
    expect(readFileSync(join(folder, "back"), "utf8")).toBe(content);
  });

  test("port-forward: several connections to a port", { timeout: 20_000 }, async () => {
    const { text } = background("port-forward", "pod/app", ":8080");
    const port = /127\.0\.0\.1:(\d+) -> 8080/;
    await eventually(() => expect(text()).toMatch(port));
    const url = `http://127.0.0.1:${port.exec(text())?.[1]}/`;
    for (let i = 0; i < 2; i++) expect(await (await fetch(url)).text()).toBe("hello\n");
  });

  test("statistics and metrics show the pod", { timeout: 20_000 }, async () => {
    const summary = JSON.parse(await kubelet("/stats/summary"));
    const pod = summary.pods.find((one: { podRef: { name: string } }) => one.podRef.name === "app");
    expect(pod.containers.map(({ name }: { name: string }) => name).sort()).toEqual([
      "main",
      "shell",
    ]);
    expect(pod.memory.workingSetBytes).toBeGreaterThan(0);
    expect(pod.network.name).toBe("eth0");
    expect(pod["ephemeral-storage"].usedBytes).toBeGreaterThan(0);
    expect(summary.node.fs.capacityBytes).toBeGreaterThan(0);
    expect(summary.node.systemContainers).toContainEqual(expect.objectContaining({ name: "pods" }));
    const labels = 'container="main",namespace="default",pod="app"';
    expect(await kubelet("/metrics/resource")).toContain(
      `container_memory_working_set_bytes{${labels}}`,
    );
    const cadvisor = await kubelet("/metrics/cadvisor");
    expect(cadvisor).toMatch(
      /container_cpu_usage_seconds_total\{container="main",cpu="total",id="[^"]+",image="registry.test\/bb:1",name="[^"]+",namespace="default",pod="app"\}/,
    );
    expect(cadvisor).toMatch(
      /container_network_receive_bytes_total\{container="",[^}]*interface="eth0",[^}]*pod="app"\}/,
    );
    expect(cadvisor).toMatch(/machine_cpu_cores\{[^}]*\} \d/);
    const metrics = await kubelet("/metrics");
    for (const name of [
      'kubelet_node_name{node="node-1"} 1',
      "kubelet_running_pods ",
      'kubelet_running_containers{container_state="running"} 2',
      'kubelet_runtime_operations_total{operation_type="create_container"} ',
      "kubelet_pod_start_duration_seconds_count ",
      'kubelet_pod_worker_duration_seconds_count{operation_type="create"} ',
      'rest_client_requests_total{code="200",',
      "kubernetes_build_info{",
      "process_resident_memory_bytes ",
    ])
      expect(metrics).toContain(name);
  });

  test("the kubelet's own pages, and what it cannot do", { timeout: 20_000 }, async () => {
    expect(await kubelet("/healthz")).toBe("ok");
    expect(JSON.parse(await kubelet("/configz")).kubeletconfig.kind).toBe("KubeletConfiguration");
    const running = JSON.parse(await kubelet("/runningpods/")).items;
    expect(running).toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ name: "app" }) }),
    );
    expect(await kubelet("/checkpoint/default/app/main", "POST")).toContain(
      "checkpointing of default/app/main failed (rpc error: code = Unimplemented desc = ",
    );
  });
});
