import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { boxPaths } from "../../src/cluster/box/box-paths.ts";
import type { BoxRecord } from "../../src/cluster/box/box-record.ts";
import { type Machine, newMachine } from "../../src/cluster/up/machine.test-support.ts";
import { ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { eventually } from "../eventually.ts";
import { requires, testWith } from "../requires.ts";
import { programImage } from "./program-image.test-support.ts";

const minutes = 180_000;
const image = "registry.test/socat:1";

/** Runs a script where traffic comes from, and resolves with what it printed. */
type Shell = (script: string) => Promise<string>;

/** An address and port with what responds there, over TCP and over UDP. */
interface Target {
  readonly address: string;
  readonly tcp: number;
  readonly udp: number;
}

/** By the name of a target, which source the backend saw; "" if there was no response. */
type Row = Readonly<Record<string, string>>;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: what reaches what, and the source that a backend sees",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "2")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(programImage(["/usr/bin/socat"]), image));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const manifests = join(machine.dir, "manifests.json");
    writeFileSync(manifests, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    expect(await kubectl("apply", "-f", manifests)).toMatchObject({ code: 0 });
    await kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=60s");

    const names = await namesOfAddresses(machine);
    const services = await eventually(async () => {
      const found = await servicesOf(machine);
      expect(Object.values(found).every(({ balancer }) => balancer !== "")).toBe(true);
      return found;
    });
    const [one, two] = await Promise.all([boxOf(machine, "node-1"), boxOf(machine, "node-2")]);
    const backend = names.find(([, name]) => name === "backend")?.[0] ?? "";
    const { any, local } = services;
    if (!any || !local) throw new Error("there are no services");
    const targets: Readonly<Record<string, Target>> = {
      pod: { address: backend, tcp: 8080, udp: 8080 },
      headless: { address: "headless.default.svc.cluster.local", tcp: 8080, udp: 8080 },
      clusterIP: { address: any.clusterIP, tcp: 80, udp: 80 },
      nodePort1: { address: one.address, ...any.nodePorts },
      nodePort2: { address: two.address, ...any.nodePorts },
      balancer: { address: any.balancer, tcp: 80, udp: 80 },
      localPort1: { address: one.address, ...local.nodePorts },
      localPort2: { address: two.address, ...local.nodePorts },
      localBalancer: { address: local.balancer, tcp: 80, udp: 80 },
      hostPort1: { address: one.address, tcp: 9090, udp: 9090 },
      hostPort2: { address: two.address, tcp: 9090, udp: 9090 },
    };
    const inBox = (box: BoxRecord): Shell => {
      const args = [`--net=/proc/${box.init?.pid}/ns/net`, "sh", "-c"];
      return (script) => mustRun("nsenter", [...args, script]);
    };
    const inPod =
      (name: string): Shell =>
      async (script) => {
        const { code, stdout, stderr } = await kubectl("exec", name, "--", "sh", "-c", script);
        if (code !== 0) throw new Error(stderr);
        return stdout;
      };
    const shells: Readonly<Record<string, Shell>> = {
      "pod-1": inPod("pod-1"),
      "pod-2": inPod("pod-2"),
      "host-pod-1": inPod("host-pod-1"),
      "host-pod-2": inPod("host-pod-2"),
      "node-1": inBox(one),
      "node-2": inBox(two),
      machine: (script) => mustRun("sh", ["-c", script]),
    };
    // Another cluster on this machine may have the same range of services.
    const links = await Promise.all([linkOf(machine, "node-1"), linkOf(machine, "node-2")]);
    const route = await mustRun("ip", ["route", "show", "10.0.0.0/24"]);
    const hasServices = links.some((link) => route.includes(link));
    await Promise.all(
      Object.entries(shells).map(async ([source, shell]) => {
        const row = expected[source] ?? {};
        const wanted = source === "machine" && !hasServices ? without(row, "clusterIP") : row;
        const known = Object.keys(wanted).map((name) => [name, targets[name]] as const);
        await eventually(async () =>
          expect({ source, ...(await reach(shell, Object.fromEntries(known), names)) }).toEqual({
            source,
            ...wanted,
          }),
        );
      }),
    );
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);

/** Asks all targets at the same time, over both protocols; one result if they agree. */
async function reach(
  shell: Shell,
  targets: Readonly<Record<string, Target | undefined>>,
  names: readonly (readonly [address: string, name: string])[],
): Promise<Row> {
  const asked = Object.entries(targets).flatMap(([name, target]) =>
    target === undefined
      ? []
      : [
          `(echo ${name} TCP $(socat -T5 - TCP4:${target.address}:${target.tcp},connect-timeout=3 </dev/null 2>/dev/null)) &`,
          `(echo ${name} UDP $(echo | socat -t3 - UDP4:${target.address}:${target.udp} 2>/dev/null)) &`,
        ],
  );
  const printed = await shell([...asked, "wait"].join("\n"));
  const seen = new Map(
    printed.split("\n").map((line) => {
      const [name, protocol, ...source] = line.split(" ");
      return [`${name} ${protocol}`, source.join(" ")] as const;
    }),
  );
  const named = (address = ""): string => names.find(([one]) => one === address)?.[1] ?? address;
  return Object.fromEntries(
    Object.keys(targets).map((name) => {
      const [tcp, udp] = [named(seen.get(`${name} TCP`)), named(seen.get(`${name} UDP`))];
      return [name, tcp === udp ? tcp : `TCP ${tcp}, UDP ${udp}`];
    }),
  );
}

const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([one]) => one !== name));

/** Pods, nodes and the machine by their addresses. */
async function namesOfAddresses(machine: Machine): Promise<readonly (readonly [string, string])[]> {
  const { stdout } = await machine.kubectl("get", "pods", "-o", "json");
  const { items } = JSON.parse(stdout) as PodList;
  const boxes = await Promise.all(
    ["node-1", "node-2"].map(async (name) => [name, await boxOf(machine, name)] as const),
  );
  return [
    ...boxes.map(([name, { address }]) => [address, name] as const),
    ...boxes.map(([, { gateway }]) => [gateway, "machine"] as const),
    ...items
      .filter(({ spec }) => !spec.hostNetwork)
      .map(({ metadata, status }) => [status.podIP, metadata.name] as const),
  ];
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly hostNetwork?: boolean };
    readonly status: { readonly podIP: string };
  }[];
}

interface FoundService {
  readonly clusterIP: string;
  readonly nodePorts: { readonly tcp: number; readonly udp: number };
  readonly balancer: string;
}

async function servicesOf(machine: Machine): Promise<Readonly<Record<string, FoundService>>> {
  const { stdout } = await machine.kubectl("get", "services", "any", "local", "-o", "json");
  const { items } = JSON.parse(stdout) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: {
        readonly clusterIP: string;
        readonly ports: readonly { readonly nodePort: number }[];
      };
      readonly status: { readonly loadBalancer: { readonly ingress?: readonly { ip: string }[] } };
    }[];
  };
  return Object.fromEntries(
    items.map(({ metadata, spec, status }) => {
      const [tcp = 0, udp = 0] = spec.ports.map(({ nodePort }) => nodePort);
      const balancer = status.loadBalancer.ingress?.[0]?.ip ?? "";
      return [metadata.name, { clusterIP: spec.clusterIP, nodePorts: { tcp, udp }, balancer }];
    }),
  );
}

const folderOf = (machine: Machine, node: string): string =>
  join(machine.record("wherry").dataDir, "nodes", node);

const boxOf = async (machine: Machine, node: string): Promise<BoxRecord> =>
  JSON.parse(readFileSync((await boxPaths(folderOf(machine, node))).record, "utf8"));

const linkOf = async (machine: Machine, node: string): Promise<string> =>
  (await boxPaths(folderOf(machine, node))).link;

const protocols = ["TCP", "UDP"] as const;

const pod = (name: string, nodeName: string, script: string, spec = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } } },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image, command: ["sh", "-c", script], ...ports(name) }],
    ...spec,
  },
});

const ports = (name: string) =>
  name === "backend"
    ? {
        ports: protocols.map((protocol) => ({ protocol, containerPort: 8080, hostPort: 9090 })),
        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      }
    : {};

const service = (name: string, spec = {}) => ({
  ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
  spec: {
    selector: { app: "backend" },
    ports: protocols.map((protocol) => ({
      ...{ name: protocol.toLowerCase(), protocol, port: 80, targetPort: 8080 },
    })),
    ...spec,
  },
});

/** It responds with the address of the client. */
const respond = `socat UDP4-RECVFROM:8080,fork SYSTEM:'read x; echo $SOCAT_PEERADDR' &
exec socat TCP4-LISTEN:8080,fork,reuseaddr,backlog=100 SYSTEM:'echo $SOCAT_PEERADDR'`;

const inHost = { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" };

const objects = [
  pod("backend", "node-1", respond),
  pod("pod-1", "node-1", "sleep 1000"),
  pod("pod-2", "node-2", "sleep 1000"),
  pod("host-pod-1", "node-1", "sleep 1000", inHost),
  pod("host-pod-2", "node-2", "sleep 1000", inHost),
  service("headless", { clusterIP: "None" }),
  service("any", { type: "LoadBalancer" }),
  service("local", { type: "LoadBalancer", externalTrafficPolicy: "Local" }),
];

const nowhere = "";

/** What Kubernetes promises for each source, with the backend on node-1. */
const expected: Readonly<Record<string, Row>> = {
  "pod-1": {
    ...{ pod: "pod-1", headless: "pod-1", clusterIP: "pod-1" },
    // The node that gets the packet masquerades it.
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: "node-1" },
    // Traffic of a node's own pods goes to any endpoint, as if it used the cluster IP.
    ...{ localPort1: "pod-1", localPort2: nowhere, localBalancer: "pod-1" },
    ...{ hostPort1: "pod-1", hostPort2: nowhere },
  },
  "pod-2": {
    ...{ pod: "pod-2", headless: "pod-2", clusterIP: "pod-2" },
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: "node-2" },
    ...{ localPort1: "pod-2", localPort2: "pod-2", localBalancer: "pod-2" },
    ...{ hostPort1: "pod-2", hostPort2: nowhere },
  },
  "host-pod-1": fromNode("node-1"),
  "host-pod-2": fromNode("node-2"),
  "node-1": without(fromNode("node-1"), "headless"),
  "node-2": without(fromNode("node-2"), "headless"),
  machine: {
    ...{ pod: "machine", clusterIP: "node-1" },
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: "node-1" },
    ...{ localPort1: "machine", localPort2: nowhere, localBalancer: "machine" },
    ...{ hostPort1: "machine", hostPort2: nowhere },
  },
};

/** From a node or a pod in its network. */
function fromNode(node: "node-1" | "node-2"): Row {
  return {
    ...{ pod: node, headless: node, clusterIP: node },
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: node },
    ...{ localPort1: node, localPort2: node === "node-2" ? node : nowhere, localBalancer: node },
    ...{ hostPort1: node, hostPort2: nowhere },
  };
}
