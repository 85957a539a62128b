import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: services are reached from pods, from other nodes and from the machine",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    const ups = [run("up", "--nodes", "2"), run("up", "other", "--nodes", "1")];
    for (const up of ups) expect(await up).toMatchObject({ code: 0 });
    await kubectl("config", "use-context", "wherry");
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const pod = (name: string, nodeName: string, script: string) =>
      kubectl(
        ...["run", name, `--image=${testImage}`, "--labels=app=web"],
        `--overrides=${JSON.stringify({ spec: { nodeName } })}`,
        ...["--", "sh", "-c", script],
      );
    await pod("web", "node-1", "echo hello > /index.html; httpd -f -p 8080 -h /");
    await pod("client", "node-2", "sleep 1000");
    await kubectl("label", "pod", "client", "app=client", "--overwrite");
    await kubectl("expose", "pod", "web", "--port=80", "--target-port=8080");
    await kubectl("wait", "--for=condition=Ready", "pod/web", "pod/client", "--timeout=30s");
    const get = ["get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"];
    const address = (await kubectl(...get)).stdout;

    const firstService = async (context: string): Promise<string> => {
      const path = "jsonpath={.spec.clusterIP}";
      return (await kubectl("get", "service", "kubernetes", "--context", context, "-o", path))
        .stdout;
    };

    const greeting = expect.stringContaining("\nhello\n");
    const fromPod = (name: string, ...command: string[]) => kubectl("exec", name, "--", ...command);
    const fetch = [
      "sh",
      "-c",
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 5 ${address} 80`,
    ];
    await eventually(async () =>
      expect(await fromPod("client", ...fetch)).toMatchObject({ stdout: greeting }),
    );
    // The endpoint itself, which must not see its own address as the source.
    expect(await fromPod("web", ...fetch)).toMatchObject({ stdout: greeting });
    // The machine.
    expect(await runChild("busybox", fetch)).toMatchObject({ stdout: greeting });
    // The API server; another cluster on this machine has services of its own.
    const host = await firstService("wherry");
    const connect = (to: string): string[] => ["sh", "-c", `nc -w 5 ${to} 443 < /dev/null`];
    expect(await fromPod("client", ...connect(host))).toMatchObject({ code: 0 });
    const other = await firstService("other");
    expect(other).not.toBe(host);
    expect(await runChild("busybox", connect(other))).toMatchObject({ code: 0 });
    expect(await run("delete", "other", "--yes")).toMatchObject({ code: 0 });

    await kubectl("delete", "pod", "web", "--grace-period=0", "--force");
    await eventually(async () => {
      const refused = await fromPod("client", ...fetch);
      expect(refused.stderr).toContain("onnection refused");
    });
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);
