import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

/** Responds with the address that a client has. */
const serve = `mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $REMOTE_ADDR\\n' > /www/cgi-bin/who
chmod +x /www/cgi-bin/who; httpd -f -p 8080 -h /www`;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with both families: services have addresses of both, which stays so, and nothing is left",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "2", "--dual-stack")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    for (const [name, nodeName] of [
      ["web", "node-1"],
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
    const [web, far] = [await ipOf("web"), await ipOf("far")];
    const service = await read("service", "web", "-o", "jsonpath={.spec.clusterIPs[1]}");
    const balancerOf = (family: number) =>
      read("service", "web", "-o", `jsonpath={.status.loadBalancer.ingress[${family}].ip}`);
    const [balancer4, balancer] = await eventually(async () => {
      const both = await Promise.all([balancerOf(0), balancerOf(1)]);
      expect(both).not.toContain("");
      return both;
    });
    const prefix = web.split(":").slice(0, 3).join(":");
    const node1 = `${prefix}::2`;
    for (const ip of [web, far, service, balancer]) expect(ip).toContain(`${prefix}:`);

    const fetch = (address: string, port: string): string =>
      `printf 'GET /cgi-bin/who HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${address} ${port} | tail -n1`;
    const inPod = (name: string, script: string) => kubectl("exec", name, "--", "sh", "-c", script);
    const onMachine = (script: string) => runChild("busybox", ["sh", "-c", script]);
    await eventually(async () =>
      expect((await inPod("far", fetch(service, "80"))).stdout.trim()).toBe(`[${far}]`),
    );
    // To itself a pod goes by way of its node.
    expect((await inPod("web", fetch(service, "80"))).stdout.trim()).toBe(`[${node1}]`);
    expect((await onMachine(fetch(balancer, "80"))).stdout.trim()).toBe(`[${node1}]`);
    expect((await onMachine(fetch(balancer4, "80"))).stdout).toMatch(/\d+(\.\d+){3}/);
    const lookUp = "nslookup -type=aaaa headless.default.svc.cluster.local";
    expect((await inPod("far", lookUp)).stdout).toContain(`Address: ${web}\n`);
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
