import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mustRun, runChild } from "../../src/platform/run-child.ts";
import { startContainerd } from "../cri/containerd.test-support.ts";
import { describeWith, requires } from "../requires.ts";
import { type InstalledPlugins, installPlugins } from "./cni-node.test-support.ts";

describeWith(requires("containerd", "containers", "nft"))(
  "our CNI plugins, run by containerd",
  () => {
    let installed: InstalledPlugins;
    beforeAll(async () => {
      installed = await installPlugins();
    });
    afterAll(() => installed?.remove());

    const pod = (name: string, hostPort: number) => ({
      metadata: { name, namespace: "default", uid: name, attempt: 0 },
      ...{ hostname: name, hostNetwork: false, labels: {}, annotations: {} },
      ...{
        logDirectory: "/tmp",
        portMappings: [
          { protocol: "TCP" as const, containerPort: 80, hostPort, hostIp: "127.0.0.1" },
        ],
      },
    });

    const networks = [
      {
        what: "bridge, host-local and portmap",
        subnet: "10.196.1",
        plugins: (bridge: string, folder: string) => [
          {
            ...{ type: "bridge", bridge, isGateway: false },
            ipam: {
              type: "host-local",
              subnet: "10.196.1.0/24",
              dataDir: join(folder, "addresses"),
            },
          },
          { type: "portmap", capabilities: { portMappings: true }, snat: false },
          { type: "loopback" },
        ],
        files: (folder: string, name: string) => join(folder, "addresses", name),
      },
      {
        what: "the built-in network",
        subnet: "10.196.2",
        plugins: (_: string, folder: string) => [
          { type: "wherry", podCidr: "10.196.2.0/24", dataDir: folder },
          { type: "portmap", capabilities: { portMappings: true }, snat: false },
        ],
        files: (folder: string, name: string) => join(folder, name, "addresses"),
      },
    ];
    for (const { what, subnet, plugins, files } of networks)
      test(`${what}: pods get addresses, and nothing is left of them`, async () => {
        const names: string[] = [];
        const containerd = await startContainerd({
          binFolder: installed.folder,
          plugins: (name, folder) => {
            names.push(name, folder);
            return plugins(name, folder);
          },
        });
        const [network = "", folder = ""] = names;
        try {
          const { runtime } = containerd.connection;
          await runtime.status();
          const ids = await Promise.all(
            [1, 2, 3].map((n) => runtime.runPodSandbox(pod(`p${n}`, 42_000 + n))),
          );
          const statuses = await Promise.all(ids.map((id) => runtime.podSandboxStatus(id)));
          const addresses = statuses.flatMap(({ ips }) => ips);
          expect([...addresses].sort()).toEqual([2, 3, 4].map((n) => `${subnet}.${n}`));
          const table = await mustRun("nft", ["list", "table", "inet", "wherry-cni-portmap"]);
          for (const n of [1, 2, 3]) expect(table).toContain(`127.0.0.1 . tcp . ${42_000 + n}`);
          for (const id of ids) {
            await runtime.stopPodSandbox(id);
            await runtime.removePodSandbox(id);
          }
          const left = await mustRun("nft", ["list", "table", "inet", "wherry-cni-portmap"]);
          expect(left).not.toContain(network);
          expect(
            readdirSync(files(folder, network)).filter((name) => name.startsWith("10.")),
          ).toEqual([]);
        } finally {
          await containerd.close();
          for (const table of ["wherry-cni-portmap", "wherry-pods"])
            await runChild("nft", ["delete", "table", "inet", table]);
        }
      }, 60_000);
  },
);
