import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage } from "../../engine/images/oci-image.test-support.ts";
import { startRegistry } from "../../engine/images/test-registry.test-support.ts";
import { startRealNode } from "./real-node.test-support.ts";

const notPulled = /^(ErrImagePull|ImagePullBackOff)$/;

testWith(requires("containers"))(
  "startNode: an image that a secret has pulled is for pods with its credentials only, also after a restart",
  async () => {
    const registry = await startRegistry({ auth: "basic", user: "team:right" });
    // An image of its own: the ID decides what was pulled.
    registry.add("app:1", busyboxImage({ Labels: { of: "the registry" } }));
    const image = `${registry.host}/app:1`;
    const node = await startRealNode();
    const createSecret = async (name: string, password: string): Promise<void> => {
      const auths = { [registry.host]: { username: "team", password } };
      await node.client.create(Secret, {
        metadata: { name, namespace: "default" },
        type: "kubernetes.io/dockerconfigjson",
        stringData: { ".dockerconfigjson": JSON.stringify({ auths }) },
      } as never);
    };
    const run = async (name: string, spec: object, container: object = {}): Promise<void> => {
      const use = { image, imagePullPolicy: "IfNotPresent", command: ["sleep", "1000"] };
      const containers = [{ name: "c", ...use, ...container }];
      await node.client.create(Pod, {
        metadata: { name, namespace: "default" },
        spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
      } as never);
    };
    const secrets = (...names: string[]) => ({
      imagePullSecrets: names.map((name) => ({ name })),
    });
    /** What a pod comes to. */
    const end = (name: string) =>
      expect.poll(
        async () => {
          const { phase, containerStatuses: [{ state } = {}] = [] } = (await node.pod(name)).status;
          return phase === "Running" ? phase : state?.waiting?.reason;
        },
        { timeout: 20_000 },
      );
    await createSecret("right", "right");
    await createSecret("copy", "right");
    await createSecret("wrong", "wrong");
    await run("owner", secrets("wrong", "right"));
    await end("owner").toBe("Running");
    const pulls = registry.requests.length;
    await run("copy", secrets("copy"));
    await run("preloaded", {}, { image: testImage });
    for (const name of ["copy", "preloaded"]) await end(name).toBe("Running");
    // Neither has asked the registry.
    expect(registry.requests).toHaveLength(pulls);
    await run("none", {});
    await run("wrong", secrets("wrong"));
    await run("hidden", {}, { imagePullPolicy: "Never" });
    for (const name of ["none", "wrong"]) await end(name).toMatch(notPulled);
    await end("hidden").toBe("ErrImageNeverPull");
    await node.restartNode();
    await run("later", {});
    await end("later").toMatch(notPulled);
    await run("again", secrets("right"));
    await end("again").toBe("Running");
  },
);
