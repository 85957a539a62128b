import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { runningBoxes } from "../node/node-boxes.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

/** Responds with the address that a client has. */
const serve = `mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $REMOTE_ADDR\\n' > /www/cgi-bin/who
chmod +x /www/cgi-bin/who; httpd -f -p 8080 -h /www`;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with both families: each kind of address of IPv6 is reached from everywhere, and nothing is left",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "2", "--dual-stack")).toMatchObject({ code: 0 });
    const { dataDir } = machine.record("wherry");
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    for (const [name, nodeName] of [
      ["web", "node-1"],
      ["near", "node-1"],
      ["far", "node-2"],
    ] as const)
      await kubectl(
        ...["run", name, `--image=${testImage}`, `--labels=app=${name}`],
        `--overrides=${JSON.stringify({ spec: { nodeName } })}`,
        ...["--", "sh", "-c", serve],
      );
    await kubectl("expose", "pod", "web", "--port=80", "--target-port=8080");
    const spec = { type: "LoadBalancer", ipFamilyPolicy: "RequireDualStack" };
    await kubectl("patch", "service", "web", "-p", JSON.stringify({ spec }));
    const headless = JSON.stringify({ spec: { ipFamilies: ["IPv6"] } });
    await kubectl(
      ...["expose", "pod", "web", "--name=headless", "--port=80", "--target-port=8080"],
      ...["--cluster-ip=None", `--overrides=${headless}`],
    );
    await kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=30s");
    const read = async (...args: readonly string[]) =>
      (await kubectl("get", ...args)).stdout.trim();
    const ipOf = (pod: string) => read("pod", pod, "-o", "jsonpath={.status.podIPs[1].ip}");
    const [web, near, far] = [await ipOf("web"), await ipOf("near"), await ipOf("far")];
    const service = await read("service", "web", "-o", "jsonpath={.spec.clusterIPs[1]}");
    const balancerOf = (family: number) =>
      read("service", "web", "-o", `jsonpath={.status.loadBalancer.ingress[${family}].ip}`);
    const [balancer4, balancer] = await eventually(async () => {
      const both = await Promise.all([balancerOf(0), balancerOf(1)]);
      expect(both).not.toContain("");
      return both;
    });
    const nodePort = await read("service", "web", "-o", "jsonpath={.spec.ports[0].nodePort}");
    const prefix = web.split(":").slice(0, 3).join(":");
    const [machineIP, node1, node2] = [`${prefix}::1`, `${prefix}::2`, `${prefix}::3`];
    for (const ip of [web, near, far, service, balancer]) expect(ip).toContain(`${prefix}:`);

    const fetch = (address: string, port: string): string =>
      `printf 'GET /cgi-bin/who HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${address} ${port} | tail -n1`;
    const boxes = new Map(
      (await runningBoxes(dataDir)).map(({ name, root }) => [name, /\d+/.exec(root)?.[0] ?? ""]),
    );
    const inBox = (name: string) => (script: string) =>
      runChild("nsenter", [
        "--target",
        boxes.get(name) ?? "",
        "--net",
        "busybox",
        "sh",
        "-c",
        script,
      ]);
    const inPod = (name: string) => (script: string) =>
      kubectl("exec", name, "--", "sh", "-c", script);
    const places = {
      web: inPod("web"),
      near: inPod("near"),
      far: inPod("far"),
      node1: inBox("node-1"),
      node2: inBox("node-2"),
      machine: (script: string) => runChild("busybox", ["sh", "-c", script]),
    };
    const seen = async (address: string, port: string) => {
      const rows = Object.entries(places).map(async ([place, run]) => {
        const { stdout } = await run(fetch(address, port));
        return [place, stdout.trim().replace(/[[\]]/g, "")] as const;
      });
      return Object.fromEntries(await Promise.all(rows));
    };
    await eventually(async () =>
      expect((await places.far(fetch(service, "80"))).stdout).toContain(":"),
    );
    const own = { web, near, far, node1, node2 };
    const fromNode = (address: string | undefined) => ({
      ...{ web: address, near: address, far: address },
      ...{ node1: address, node2: address, machine: address },
    });
    expect({
      pod: await seen(web, "8080"),
      clusterIP: await seen(service, "80"),
      nodePort: await seen(node1, nodePort),
      nodePortOfOther: await seen(node2, nodePort),
      balancer: await seen(balancer, "80"),
    }).toEqual({
      pod: { ...own, machine: machineIP },
      // To itself a pod goes by way of its node, and the machine by way of the first node.
      clusterIP: { ...own, web: node1, machine: node1 },
      nodePort: fromNode(node1),
      nodePortOfOther: fromNode(node2),
      // Each node knows the address itself; the machine sends to the first one.
      balancer: { ...fromNode(node1), far: node2, node2 },
    });
    expect((await places.machine(fetch(balancer4, "80"))).stdout).toMatch(/\d+(\.\d+){3}/);
    const lookUp = "nslookup -type=aaaa headless.default.svc.cluster.local";
    expect((await places.far(lookUp)).stdout).toContain(`Address: ${web}\n`);
    // What cannot be changed is refused.
    await run("down");
    expect(await run("up", "--dual-stack=false")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was created with --dual-stack, which cannot be changed"),
    });
    expect(await run("up")).toMatchObject({ code: 0 });
    expect(machine.record("wherry")).toMatchObject({ ranges: { ipv6: prefix } });
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
    expect(await mustRun("ip", ["-6", "route"])).not.toContain(prefix);
    expect(await mustRun("nft", ["list", "ruleset", "ip6"])).not.toContain(prefix);
  },
  minutes,
);
