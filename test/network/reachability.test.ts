import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { transform } from "esbuild";
import { expect } from "vitest";
import { boxPaths } from "../../src/cluster/box/box-paths.ts";
import type { BoxRecord } from "../../src/cluster/box/box-record.ts";
import { type Machine, newMachine } from "../../src/cluster/up/machine.test-support.ts";
import { ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { formatIp, parseIp } from "../../src/schema/values/ip.ts";
import { eventually } from "../eventually.ts";
import { requires, testWith } from "../requires.ts";
import { programImage } from "./program-image.test-support.ts";
import type { Addresses, Seen, Target } from "./reach-program.test-support.ts";

const minutes = 180_000;
const image = "registry.test/reach:1";

/** Asks targets from a place, and resolves with what each saw. */
type Ask = (targets: string) => Promise<string>;

/** By the name of a target, which source the backend saw; "" if there was no response. */
type Row = Readonly<Record<string, string>>;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: what reaches what, and the source that a backend sees",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "2", "--dual-stack")).toMatchObject({ code: 0 });
    const program = join(machine.dir, "reach.mjs");
    writeFileSync(program, await programText());
    const files = [{ name: "reach.mjs", content: readFileSync(program) }];
    const archive = await buffer(ociArchive(programImage([process.execPath], { files }), image));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const manifests = join(machine.dir, "manifests.json");
    writeFileSync(manifests, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    expect(await kubectl("apply", "-f", manifests)).toMatchObject({ code: 0 });
    await kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=60s");

    const names = await namesOfAddresses(machine);
    const services = await eventually(async () => {
      const found = await servicesOf(machine);
      expect(Object.values(found).flatMap(({ balancer }) => balancer)).not.toContain("");
      return found;
    });
    const [one, two] = await Promise.all([boxOf(machine, "node-1"), boxOf(machine, "node-2")]);
    const [ipv4 = "", ipv6 = ""] = names.flatMap(([ip, name]) => (name === "backend" ? [ip] : []));
    const headless = "headless.default.svc.cluster.local";
    const { any, local } = services;
    if (!any || !local) throw new Error("there are no services");
    const targets: Readonly<Record<string, Target>> = {
      pod: { addresses: [ipv4, ipv6], tcp: 8080, udp: 8080 },
      headless: { addresses: [headless, headless], tcp: 8080, udp: 8080 },
      clusterIP: { addresses: any.clusterIP, tcp: 80, udp: 80 },
      nodePort1: { addresses: addressesOf(one), ...any.nodePorts },
      nodePort2: { addresses: addressesOf(two), ...any.nodePorts },
      balancer: { addresses: any.balancer, tcp: 80, udp: 80 },
      external: { addresses: externalIPs, tcp: 80, udp: 80 },
      localPort1: { addresses: addressesOf(one), ...local.nodePorts },
      localPort2: { addresses: addressesOf(two), ...local.nodePorts },
      localBalancer: { addresses: local.balancer, tcp: 80, udp: 80 },
      hostPort1: { addresses: addressesOf(one), tcp: 9090, udp: 9090 },
      hostPort2: { addresses: addressesOf(two), tcp: 9090, udp: 9090 },
    };
    const inBox = (box: BoxRecord): Ask => {
      const args = [`--net=/proc/${box.init?.pid}/ns/net`, process.execPath, program, "ask"];
      return (asked) => mustRun("nsenter", [...args, asked]);
    };
    const inPod =
      (name: string): Ask =>
      async (asked) => {
        const command = [process.execPath, "/reach.mjs", "ask", asked];
        const { code, stdout, stderr } = await kubectl("exec", name, "--", ...command);
        if (code !== 0) throw new Error(stderr);
        return stdout;
      };
    const places: Readonly<Record<string, Ask>> = {
      "pod-1": inPod("pod-1"),
      "pod-2": inPod("pod-2"),
      "host-pod-1": inPod("host-pod-1"),
      "host-pod-2": inPod("host-pod-2"),
      "node-1": inBox(one),
      "node-2": inBox(two),
      machine: (asked) => mustRun(process.execPath, [program, "ask", asked]),
    };
    await Promise.all(
      Object.entries(places).map(async ([source, ask]) => {
        const wanted = expected[source] ?? {};
        const known = Object.keys(wanted).map((name) => [name, targets[name]] as const);
        await eventually(async () =>
          expect({ source, ...(await reach(ask, Object.fromEntries(known), names)) }).toEqual({
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

/** The program that asks and responds, for a Node without the types of TypeScript. */
async function programText(): Promise<string> {
  const file = join(import.meta.dirname, "reach-program.test-support.ts");
  return (await transform(readFileSync(file, "utf8"), { loader: "ts", format: "esm" })).code;
}

/** Asks all targets at the same time, in both families and over both protocols; one result if they agree. */
async function reach(
  ask: Ask,
  targets: Readonly<Record<string, Target | undefined>>,
  names: readonly (readonly [address: string, name: string])[],
): Promise<Row> {
  const seen = JSON.parse(await ask(JSON.stringify(targets))) as Readonly<Record<string, Seen>>;
  const named = (text: string): string => {
    const ip = parseIp(text);
    const address = ip ? formatIp(ip) : text;
    return names.find(([one]) => one === address)?.[1] ?? address;
  };
  return Object.fromEntries(
    Object.entries(seen).map(([name, ways]) => {
      const sources = Object.entries(ways).map(([way, text]) => [way, named(text)] as const);
      const [first = ["", ""], ...others] = sources;
      const isOne = others.every(([, source]) => source === first[1]);
      return [name, isOne ? first[1] : sources.map((one) => one.join(" ")).join(", ")];
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
    ...boxes.flatMap(([name, box]) => addressesOf(box).map((ip) => [ip, name] as const)),
    ...boxes.flatMap(([, { gateway, ipv6 }]) =>
      [gateway, ipv6?.gateway ?? ""].map((ip) => [ip, "machine"] as const),
    ),
    ...items
      .filter(({ spec }) => !spec.hostNetwork)
      .flatMap(({ metadata, status }) =>
        status.podIPs.map(({ ip }) => [ip, metadata.name] as const),
      ),
  ];
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly hostNetwork?: boolean };
    readonly status: { readonly podIPs: readonly { readonly ip: string }[] };
  }[];
}

interface FoundService {
  readonly clusterIP: Addresses;
  readonly nodePorts: { readonly tcp: number; readonly udp: number };
  readonly balancer: Addresses;
}

async function servicesOf(machine: Machine): Promise<Readonly<Record<string, FoundService>>> {
  const { stdout } = await machine.kubectl("get", "services", "any", "local", "-o", "json");
  const { items } = JSON.parse(stdout) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: {
        readonly clusterIPs: Addresses;
        readonly ports: readonly { readonly nodePort: number }[];
      };
      readonly status: { readonly loadBalancer: { readonly ingress?: readonly { ip: string }[] } };
    }[];
  };
  return Object.fromEntries(
    items.map(({ metadata, spec, status }) => {
      const [tcp = 0, udp = 0] = spec.ports.map(({ nodePort }) => nodePort);
      const [first, second] = status.loadBalancer.ingress ?? [];
      const balancer = [first?.ip ?? "", second?.ip ?? ""] as const;
      return [metadata.name, { clusterIP: spec.clusterIPs, nodePorts: { tcp, udp }, balancer }];
    }),
  );
}

const folderOf = (machine: Machine, node: string): string =>
  join(machine.record("wherry").dataDir, "nodes", node);

const boxOf = async (machine: Machine, node: string): Promise<BoxRecord> =>
  JSON.parse(readFileSync((await boxPaths(folderOf(machine, node))).record, "utf8"));

const addressesOf = ({ address, ipv6 }: BoxRecord): Addresses => [address, ipv6?.address ?? ""];

/** Addresses of documentation, which only the proxy knows. */
const externalIPs: Addresses = ["203.0.113.7", "2001:db8::7"];

const protocols = ["TCP", "UDP"] as const;

const pod = (name: string, nodeName: string, command: readonly string[], spec = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } } },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image, command, ...ports(name) }],
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
    ipFamilyPolicy: "RequireDualStack",
    ports: protocols.map((protocol) => ({
      ...{ name: protocol.toLowerCase(), protocol, port: 80, targetPort: 8080 },
    })),
    ...spec,
  },
});

const inHost = { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" };

const objects = [
  pod("backend", "node-1", [process.execPath, "/reach.mjs", "serve", "8080"]),
  pod("pod-1", "node-1", ["sleep", "1000"]),
  pod("pod-2", "node-2", ["sleep", "1000"]),
  pod("host-pod-1", "node-1", ["sleep", "1000"], inHost),
  pod("host-pod-2", "node-2", ["sleep", "1000"], inHost),
  service("headless", { clusterIP: "None" }),
  service("any", { type: "LoadBalancer", externalIPs }),
  service("local", { type: "LoadBalancer", externalTrafficPolicy: "Local" }),
];

const nowhere = "";

/** What Kubernetes promises for each source, with the backend on node-1. */
const expected: Readonly<Record<string, Row>> = {
  "pod-1": {
    ...{ pod: "pod-1", headless: "pod-1", clusterIP: "pod-1" },
    // The node that gets the packet masquerades it.
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: "node-1", external: "node-1" },
    // Traffic of a node's own pods goes to any endpoint, as if it used the cluster IP.
    ...{ localPort1: "pod-1", localPort2: nowhere, localBalancer: "pod-1" },
    ...{ hostPort1: "pod-1", hostPort2: nowhere },
  },
  "pod-2": {
    ...{ pod: "pod-2", headless: "pod-2", clusterIP: "pod-2" },
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: "node-2", external: "node-2" },
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
    ...{ nodePort1: "node-1", nodePort2: "node-2", balancer: node, external: node },
    ...{ localPort1: node, localPort2: node === "node-2" ? node : nowhere, localBalancer: node },
    ...{ hostPort1: node, hostPort2: nowhere },
  };
}
