import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { testDir } from "../../../../test/support/apiserver.test-support.ts";
import { startWherry } from "../../../../test/support/wherry-process.test-support.ts";
import { wherryProgram } from "../../../../test/wherry-program.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { hostPort } from "../../../base/network.ts";
import { testImage } from "../../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../../engine/images/oci-image.test-support.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { isRunning } from "../../../platform/process-identity.ts";
import { runChild } from "../../../platform/run-child.ts";
import { boxesFolder, testBox } from "../../box/box.test-support.ts";
import { openBox } from "../../box/open-box.ts";
import { packagesFolder } from "../../node/program-paths.ts";
import { callEngine } from "../image/run-in-engine.ts";
import { startServer } from "../server/server-command.ts";
import { hasSystemd } from "./enable-service.ts";

each<[args: readonly string[], problem: string]>([
  [["--token", "a"], "give the SERVER:PORT of the cluster"],
  [["a:1"], "give --token"],
  [["a:1", "--token", "a"], "give --discovery-token-ca-cert-hash, or"],
])("join: %j is not enough", async (args, problem) => {
  const joining = startWherry(["join", ...args, "--root-dir", testDir()]);
  expect(await joining.ended).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
});

test("join: the service has the exact paths, and nothing is done to print it", async () => {
  const rootDir = join(testDir(), "kubelet");
  const args = ["join", "--print-service", "--root-dir", rootDir, "--node-name", "N1"];
  const { code, stdout } = await startWherry([...args, "--", "--node-labels", "a=b"]).ended;
  expect(code).toBe(0);
  expect(stdout).toContain(
    `ExecStart=${process.execPath} ${wherryProgram()} node --kubeconfig ${rootDir}/kubeconfig `,
  );
  expect(stdout).toContain(
    " --hostname-override n1 --network routes,proxy,policies,dns --node-labels a=b\n",
  );
  expect(existsSync(rootDir)).toBe(false);
});

test.skipIf(hasSystemd())(
  "join: without systemd there is no service, and nothing is done",
  async () => {
    const rootDir = join(testDir(), "kubelet");
    const { code, stderr } = await startWherry(["join", "a:1", "--service", "--root-dir", rootDir])
      .ended;
    expect([code, stderr]).toEqual([
      1,
      'Error: systemd does not run on this machine: join without --service, and have another program start "wherry join" again\n',
    ]);
    expect(existsSync(rootDir)).toBe(false);
  },
);

testWith(requires("containers", "boxes", "kubectl"))(
  "join: a machine becomes a node that runs pods, which survive a new agent",
  async () => {
    const folder = boxesFolder();
    const options = testBox(folder, 1);
    const { address, gateway } = options;
    const program = wherryProgram();
    const machine = await openBox({
      ...options,
      keep: [process.execPath, packagesFolder(program)],
    });
    const server = await startServer({
      ...{ dir: testDir(), host: "127.0.0.1", port: 0, nodes: 0 },
      ...{ alsoListen: [gateway], advertiseAddress: gateway },
      log: { level: "error", format: "" },
    });
    onTestFinished(() => server.close());
    const { client, close } = await connect({ path: server.kubeconfig });
    onTestFinished(close);
    const create = ["token", "create", "--print-join-command", "--kubeconfig", server.kubeconfig];
    const { stdout: printed } = await startWherry(create).ended;
    const [wherry, ...args] = printed.trim().split(" ");
    expect([wherry, args[1]]).toEqual(["wherry", hostPort(gateway, server.port)]);

    // A box has its cgroups below its own.
    const configuration = join(machine.root, "var/lib/kubelet/config.yaml");
    mkdirSync(dirname(configuration), { recursive: true });
    const ca = "/var/lib/kubelet/pki/ca.crt";
    writeFileSync(configuration, kubeletConfiguration(machine.cgroupParent, ca));
    // The node forwards; that is undone when it leaves.
    await machine.run("sh", ["-c", "echo 0 > /proc/sys/net/ipv4/ip_forward"]);
    const { stdout: closeWait } = await machine.run("cat", [closeWaitFile]);
    const log = join(folder, "agent.log");
    const run = (...command: readonly string[]) =>
      machine.spawn("agent", {
        ...{ program: process.execPath, args: [program, ...command], log },
        env: { ...process.env, KUBECONFIG: "" },
      });
    const first = await run(...args, "--", "--node-ip", address);
    const node = async () => client.get(Node, { name: "node-1" }).catch(() => undefined);
    const isReady = async () =>
      (await node())?.status.conditions?.find(({ type }) => type === "Ready")?.status ??
      readFileSync(log, "utf8").slice(-500);
    await expect.poll(isReady, { timeout: 60_000 }).toBe("True");
    expect((await node())?.spec.podCIDRs).toEqual(["10.243.0.0/24"]);
    // It routes its pods itself, and the rest of the cluster learns how.
    const network = async () =>
      (await node())?.status.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status;
    await expect.poll(network, { timeout: 10_000 }).toBe("False");
    expect((await node())?.metadata.annotations).toMatchObject({
      "flannel.alpha.coreos.com/backend-type": "vxlan",
      "flannel.alpha.coreos.com/public-ip": address,
    });
    expect((await machine.run("nft", ["list", "table", "inet", "wherry-routes"])).stdout).toContain(
      "10.243.0.0/24",
    );
    const files = join(machine.root, "var/lib/kubelet");
    expect(existsSync(join(files, "bootstrap-kubeconfig"))).toBe(false);

    const engine = join(machine.root, "var/lib/wherry/engine");
    const input = ociArchive(busyboxImage(), testImage);
    await callEngine(engine, ["image", "load", "-"], { input, print: async () => {} });
    const key = { namespace: "default", name: "web" };
    await client.create(Pod, {
      metadata: key,
      spec: {
        nodeName: "node-1",
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: testImage, command: ["sh", "-c", "echo hi; sleep 1000"] }],
      },
    });
    const containers = async () => (await client.get(Pod, key)).status.containerStatuses;
    await expect.poll(async () => (await containers())?.[0]?.ready, { timeout: 30_000 }).toBe(true);
    expect((await client.get(Pod, key)).status.podIP).toMatch(/^10\.243\.0\./);
    // The server verifies the certificate that it has issued.
    const kubectl = ["--kubeconfig", server.kubeconfig, "logs", "web"];
    const logs = async () => (await runChild("kubectl", kubectl)).stdout;
    await expect.poll(logs, { timeout: 30_000 }).toBe("hi\n");
    const ping = ["exec", "web", "--", "ping", "-c1", "-W5", gateway];
    const outside = await runChild("kubectl", ["--kubeconfig", server.kubeconfig, ...ping]);
    expect(outside).toMatchObject({ code: 0 });
    const asNode = client.as({ user: "system:node:node-1", groups: ["system:nodes"] });
    const labels = { "node-role.kubernetes.io/control-plane": "" };
    const promoted = asNode.patch(Node, { name: "node-1" }, { merge: { metadata: { labels } } });
    await expect(promoted).rejects.toThrow("is not allowed to modify labels");

    // As the service does it: the next program takes over what runs.
    const survivors = await containers();
    process.kill(first.identity.pid, "SIGKILL");
    await expect.poll(() => isRunning(first.identity)).toBe(false);
    await run("join");
    const heartbeat = async () =>
      (await node())?.status.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime;
    const last = await heartbeat();
    await expect.poll(heartbeat, { timeout: 60_000 }).not.toBe(last);
    expect(await containers()).toEqual(survivors);
    await client.delete(Pod, key);
    await expect
      .poll(() => client.get(Pod, key).catch(() => "gone"), { timeout: 30_000 })
      .toBe("gone");

    // It leaves while a pod runs, which has volumes and a port of the node.
    const again = { namespace: "default", name: "again" };
    await client.create(Pod, {
      metadata: again,
      spec: {
        nodeName: "node-1",
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
            ports: [{ containerPort: 80, hostPort: 8080 }],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
        ],
        volumes: [{ name: "v", emptyDir: { medium: "Memory" } }],
      },
    });
    const isRunningAgain = async () => (await client.get(Pod, again)).status.phase;
    await expect.poll(isRunningAgain, { timeout: 30_000 }).toBe("Running");
    const leave = () => machine.run(process.execPath, [program, "leave", "--yes"]);
    expect(await leave()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/in use|locked/),
    });
    const agent = await machine.find("agent");
    if (agent) process.kill(agent.pid, "SIGKILL");
    await expect.poll(() => machine.find("agent")).toBeUndefined();
    const look = async () =>
      (await machine.run("sh", ["-c", leftOfNode, "sh", machine.cgroupParent])).stdout;
    const before = await look();
    for (const text of ["table ip wherry-proxy", "8080", "10.243.0.", "kubepods", "kubelet/pods"])
      expect(before).toContain(text);
    // Forwarding, and the time after which kube-proxy has half-closed connections forgotten.
    expect(before).toMatch(/^1\n3600\n/);
    expect(await leave()).toMatchObject({ code: 0, stderr: "" });
    expect((await look()).trim()).toBe(`0\n${closeWait}${address}`);
    expect(await leave()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("this machine has not joined a cluster"),
    });
  },
  180_000,
);

const closeWaitFile = "/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_close_wait";

/** What a node has in the kernel and on disk beside its own address. */
const leftOfNode = `
cat /proc/sys/net/ipv4/ip_forward ${closeWaitFile}
nft list ruleset
ip route show proto 87; ip route show proto 88; ip -6 route show proto 87
ip -br -4 address | grep -v ^lo | awk '{print $3}' | sed 's#/.*##'
ip -br link | grep -vE '^(lo|eth0)'
ls -d /sys/fs/cgroup/*"$1"/kubepods /sys/fs/cgroup"$1"/kubepods 2>/dev/null
grep kubelet /proc/self/mountinfo
ls -A /var/lib/kubelet /var/lib/wherry/engine/addresses 2>/dev/null | grep -v config.yaml | grep -v :
`;

const kubeletConfiguration = (cgroupRoot: string, clientCAFile: string): string =>
  JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    ...{ cgroupRoot, cgroupDriver: "cgroupfs", failCgroupV1: false },
    ...{ rotateCertificates: true, serverTLSBootstrap: true },
    nodeStatusUpdateFrequency: "1s",
    authentication: { x509: { clientCAFile }, anonymous: { enabled: false } },
  });
