import { expect, test } from "vitest";
import { containerConfig } from "../container/container-config.ts";
import { containerHash } from "../container/container-definition.ts";
import { firstContainer, linuxPod, linuxSettings, podWith } from "./linux.test-support.ts";
import { linuxContainer } from "./linux-container.ts";

const image = { id: "sha256:1", repoTags: [], repoDigests: [], sizeBytes: 1 };
const common = { image, sandboxId: "s", idOf: () => undefined };

test("linuxContainer: image, log and annotations", () => {
  const pod = podWith({
    image: "registry.test/bb:1",
    lifecycle: { preStop: { exec: { command: ["a", "b && c"] } } },
    ports: [{ containerPort: 80, name: "web" }],
  });
  const container = firstContainer(pod);
  const config = containerConfig(pod, container, { attempt: 2 });
  const complete = linuxContainer(config, { ...common, pod, container }, linuxSettings);
  expect(complete).toMatchObject({
    ...{ image: "sha256:1", userSpecifiedImage: "registry.test/bb:1", logPath: "c/2.log" },
    resources: { linux: { cpuShares: 2, oomScoreAdj: 1000 } },
    security: { runAsUser: 0 },
  });
  expect(complete.annotations).toEqual({
    "io.kubernetes.container.hash": containerHash(container),
    "io.kubernetes.container.ports": '[{"name":"web","containerPort":80,"protocol":"TCP"}]',
    "io.kubernetes.container.preStopHandler": '{"exec":{"command":["a","b \\u0026\\u0026 c"]}}',
    "io.kubernetes.container.restartCount": "2",
    "io.kubernetes.container.terminationMessagePath": "/dev/termination-log",
    "io.kubernetes.container.terminationMessagePolicy": "File",
    "io.kubernetes.pod.terminationGracePeriod": "30",
  });
});

test("linuxContainer: an ephemeral container sees the processes of its target", () => {
  const pod = linuxPod({
    ephemeralContainers: [{ name: "e", image: "i", targetContainerName: "c" }],
  });
  const [container] = pod.spec.ephemeralContainers ?? [];
  if (!container) throw new Error("the pod has no ephemeral container");
  const config = containerConfig(pod, container, { attempt: 0 });
  const request = { ...common, pod, container };
  const idOf = (name: string) => `id of ${name}`;
  expect(linuxContainer(config, { ...request, idOf }, linuxSettings)).toMatchObject({
    security: { namespaces: { pid: "target", targetId: "id of c" } },
  });
  expect(() => linuxContainer(config, request, linuxSettings)).toThrow(
    "unable to find target container c",
  );
});
