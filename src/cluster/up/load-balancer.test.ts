import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: the machine reaches services of type LoadBalancer",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    const up = await run("up", "--nodes", "2");
    expect(up).toMatchObject({ code: 0 });
    const [, range = ""] = /get addresses of (\S+),/.exec(up.stdout) ?? [];
    expect(range).toMatch(/\.128\/25$/);
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const overrides = JSON.stringify({ spec: { nodeName: "node-2" } });
    const script = "echo hello > /index.html; httpd -f -p 8080 -h /";
    const image = `--image=${testImage}`;
    await kubectl("run", "web", image, `--overrides=${overrides}`, "--", "sh", "-c", script);
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=30s");
    const expose = ["expose", "pod", "web", "--port=80", "--target-port=8080"];
    await kubectl(...expose, "--type=LoadBalancer");
    const addressed = [
      "get",
      "service",
      "web",
      "-o",
      "jsonpath={.status.loadBalancer.ingress[0].ip}",
    ];
    const address = await eventually(async () => {
      const { stdout } = await kubectl(...addressed);
      expect(stdout).toMatch(/^[0-9.]+$/);
      return stdout;
    });
    const request = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 2 ${address} 80`;
    const isReached = () =>
      eventually(async () =>
        expect(await runChild("sh", ["-c", request])).toMatchObject({
          stdout: expect.stringContaining("\nhello\n"),
        }),
      );
    await isReached();
    // Traffic that must stay on its node takes the way to the node of the endpoint.
    const patch = JSON.stringify({ spec: { externalTrafficPolicy: "Local" } });
    await kubectl("patch", "service", "web", "-p", patch);
    const gateway = async () =>
      (await mustRun("ip", ["route", "show", address])).split(" ").slice(1, 3).join(" ");
    await eventually(async () => expect(await gateway()).toMatch(/^via .*\.3$/));
    await isReached();
    await kubectl("delete", "service", "web");
    await eventually(async () => expect(await gateway()).toBe(""));
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);
