import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

testWith(requires("boxes", "kubectl"))(
  "up with real nodes: pods resolve names of the cluster by the DNS of their node",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");

    await kubectl("run", "client", `--image=${testImage}`, "--", "sleep", "1000");
    await kubectl("wait", "--for=condition=Ready", "pod/client", "--timeout=30s");
    const look = async (name: string): Promise<string> =>
      (await kubectl("exec", "client", "--", "busybox", "nslookup", name)).stdout;
    const lookUntil = async (name: string, text: string): Promise<string> => {
      let found = "";
      await expect
        .poll(async () => (found = await look(name)), { timeout: 20_000 })
        .toContain(text);
      return found;
    };
    // By a short name, which the search path completes.
    expect(await lookUntil("kubernetes", "Address: 10.0.0.1")).toContain(
      "kubernetes.default.svc.cluster.local",
    );
  },
  minutes,
);
