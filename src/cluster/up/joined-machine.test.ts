import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { wherryProgram } from "../../../test/wherry-program.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { boxesFolder, testBox } from "../box/box.test-support.ts";
import { boxIpv6, randomPrefix } from "../box/ipv6-ranges.ts";
import { openBox } from "../box/open-box.ts";
import { callEngine } from "../commands/image/run-in-engine.ts";
import { packagesFolder } from "../node/program-paths.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

/** Responds with the address that a client has. */
const serve = `mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $REMOTE_ADDR\\n' > /www/cgi-bin/who
chmod +x /www/cgi-bin/who; httpd -f -p 8080 -h /www`;

const fetch = (address: string, port = 8080): string =>
  `printf 'GET /cgi-bin/who HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${address} ${port} | tail -n1`;

/** An address of IPv4, as a socket of both families shows it. */
const plain = (text: string): string => text.trim().replace(/^\[::ffff:(.*)\]$/, "$1");

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: pods of boxes and those of a machine that joins reach each other, and services",
  async () => {
    const user = newMachine({ nodes: "real" });
    const { run, kubectl } = user;
    expect(await run("up", "--nodes", "2", "--dual-stack")).toMatchObject({ code: 0 });
    const folder = boxesFolder();
    const ipv6 = boxIpv6(randomPrefix(randomBytes(5)), 0);
    const options = { ...testBox(folder, 1), ipv6 };
    const program = wherryProgram();
    const machine = await openBox({
      ...options,
      node: "far",
      keep: [process.execPath, packagesFolder(program)],
    });
    const configuration = join(machine.root, "var/lib/kubelet/config.yaml");
    mkdirSync(dirname(configuration), { recursive: true });
    const { stdout: dns } = await kubectl(
      ...["get", "service", "kube-dns", "-n", "kube-system", "-o", "jsonpath={.spec.clusterIP}"],
    );
    writeFileSync(configuration, kubeletConfiguration(machine.cgroupParent, dns));
    const { stdout: printed } = await run("token", "create", "--print-join-command");
    const log = join(folder, "agent.log");
    await machine.spawn("agent", {
      ...{ program: process.execPath, log, env: { ...process.env, KUBECONFIG: "" } },
      args: [
        program,
        ...printed.trim().split(" ").slice(1),
        "--",
        "--node-ip",
        `${options.address},${ipv6.address}`,
      ],
    });
    await eventually(async () => {
      const ready = await kubectl("wait", "--for=condition=Ready", "node/far", "--timeout=5s");
      if (ready.code !== 0) throw new Error(readFileSync(log, "utf8").slice(-500));
    });

    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await user.feed(archive, "image", "load", "--cluster", "wherry", "-");
    await callEngine(join(machine.root, "var/lib/wherry/engine"), ["image", "load", "-"], {
      ...{ input: ociArchive(busyboxImage(), testImage), print: async () => {} },
    });
    for (const [name, nodeName] of [
      ["near", "node-1"],
      ["beside", "node-2"],
      ["away", "far"],
    ] as const) {
      await kubectl(
        ...["run", name, `--image=${testImage}`, `--labels=app=${name}`],
        `--overrides=${JSON.stringify({ spec: { nodeName } })}`,
        ...["--", "sh", "-c", serve],
      );
      await kubectl("expose", "pod", name, "--port=80", "--target-port=8080");
    }
    await kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=60s");
    const read = async (...args: readonly string[]) => (await kubectl("get", ...args)).stdout;
    const ipsOf = async (pod: string) =>
      (await read("pod", pod, "-o", "jsonpath={.status.podIPs[*].ip}")).split(" ");
    const ipOf = async (pod: string) => (await ipsOf(pod))[0] ?? "";
    const serviceOf = (name: string) => read("service", name, "-o", "jsonpath={.spec.clusterIP}");
    const [near, beside, away] = [await ipOf("near"), await ipOf("beside"), await ipOf("away")];
    const seen = async (pod: string, script: string) =>
      plain((await kubectl("exec", pod, "--", "sh", "-c", script)).stdout);
    // Each sees the address of the pod.
    await eventually(async () => expect(await seen("near", fetch(away))).toBe(near));
    expect(await seen("beside", fetch(away))).toBe(beside);
    expect(await seen("away", fetch(near))).toBe(away);
    expect(await seen("away", fetch(beside))).toBe(away);
    expect(await seen("near", fetch(await serviceOf("away"), 80))).toBe(near);
    const [[, near6 = ""], [, away6 = ""]] = await Promise.all([ipsOf("near"), ipsOf("away")]);
    expect(await seen("near", fetch(away6))).toBe(`[${near6}]`);
    expect(await seen("away", fetch(near6))).toBe(`[${away6}]`);
    expect(await seen("away", fetch(await serviceOf("near"), 80))).toBe(away);
    expect(await seen("away", "busybox nslookup beside.default.svc.cluster.local")).toContain(
      await serviceOf("beside"),
    );
    // The machine with the boxes, by way of one of them.
    const fromHere = async (address: string, port?: number) =>
      plain((await runChild("busybox", ["sh", "-c", fetch(address, port)])).stdout);
    await eventually(async () => expect(await fromHere(away)).toMatch(/^\d+(\.\d+){3}$/));
    expect(await fromHere(await serviceOf("away"), 80)).toMatch(/^\d+(\.\d+){3}$/);
    expect(await fromHere(away6)).toMatch(/^\[fd.*\]$/);
    // The node leaves, and with it what led to its pods.
    await kubectl("delete", "node", "far");
    const range = away.replace(/\d+$/, "0/24");
    await eventually(async () => {
      expect(await mustRun("ip", ["route"])).not.toContain(range);
    });
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);

const kubeletConfiguration = (cgroupRoot: string, dns: string): string =>
  JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    ...{ cgroupRoot, cgroupDriver: "cgroupfs", failCgroupV1: false },
    ...{ rotateCertificates: true, serverTLSBootstrap: true },
    ...{ clusterDomain: "cluster.local", clusterDNS: [dns] },
    authentication: {
      x509: { clientCAFile: "/var/lib/kubelet/pki/ca.crt" },
      anonymous: { enabled: false },
      webhook: { enabled: true },
    },
    authorization: { mode: "Webhook" },
  });
