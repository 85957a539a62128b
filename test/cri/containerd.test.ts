import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimeSuite } from "../../src/cri/cri-suite.ts";
import { busyboxImage } from "../../src/engine/images/oci-image.test-support.ts";
import { startRegistry } from "../../src/engine/images/test-registry.test-support.ts";
import { describeWith, requires } from "../requires.ts";
import {
  containerdImage,
  startContainerd,
  type TestContainerd,
} from "./containerd.test-support.ts";

describeWith(requires("containerd", "cniPlugins", "containers"))("CRI on containerd", () => {
  let containerd: TestContainerd;
  beforeAll(async () => {
    containerd = await startContainerd();
  });
  afterAll(() => containerd?.close());

  runtimeSuite("containerd", {
    image: containerdImage,
    // Version 1.6 is older than these.
    lacks: ["reportedResources", "stopSignal", "runtimeConfig", "metrics"],
    async open() {
      const { runtime, images } = containerd.connection;
      if (!(await images.imageStatus(containerdImage))) await containerd.import();
      return { runtime, images, pass: (ms) => wait(ms), close: async () => undefined };
    },
  });

  test("images are pulled with credentials", async () => {
    const registry = await startRegistry({ auth: "basic", user: "me:secret" });
    registry.add("app:1", busyboxImage({ User: "nobody" }));
    const { images } = containerd.connection;
    const name = `${registry.host}/app:1`;
    await expect(images.pullImage(name)).rejects.toThrow("failed to pull and unpack image");
    const auth = { username: "me", password: "secret" };
    const pulled = await images.pullImage(name, { auth });
    expect(pulled).toMatchObject({ repoTags: [name], username: "nobody" });
    expect((await images.imageStatus(name))?.id).toBe(pulled.id);
    await images.removeImage(name);
  });
});
