import { expect, test } from "vitest";
import type { Container, ContainerRunState } from "../containers/containers.ts";
import { plainSettings } from "../containers/oci/plain-settings.test-support.ts";
import type { CriContainerDetails } from "./container-details.ts";
import { containerInfo, containerStatus } from "./container-status.ts";

const details: CriContainerDetails = {
  ...{ sandboxId: "s", podUid: "u", image: "docker.io/library/app:1", stopSignal: "SIGTERM" },
  ...{ imageRef: "docker.io/library/app@sha256:1", imageId: "sha256:2" },
  config: {
    ...{ metadata: { name: "main", attempt: 2 }, image: "sha256:2", userSpecifiedImage: "app:1" },
    ...{ kind: "container", command: [], args: [], workingDir: "", env: [], labels: { a: "b" } },
    ...{ annotations: {}, stdin: false, stdinOnce: false, tty: false, terminationMessagePath: "" },
    resources: { memoryRequestBytes: 5 },
  },
};
const container = (state: ContainerRunState): Container => ({
  ...{ id: "c", owner: "cri", layers: [], stdin: false, stdinOnce: false, details, state },
  ...{ logPath: "/log", createdAt: 100 },
  settings: { ...plainSettings, resources: { cpuShares: 512, memoryLimitBytes: 1 << 20 } },
});

test("containerStatus: a container that is being started is not running yet", () => {
  expect(containerStatus(container({ phase: "starting" }), details)).toMatchObject({
    ...{ state: "created", createdAt: 100, startedAt: 0, finishedAt: 0, exitCode: 0, reason: "" },
    ...{ userSpecifiedImage: "app:1", imageRef: "docker.io/library/app@sha256:1", logPath: "/log" },
    user: { uid: 0, gid: 0, supplementalGroups: [] },
  });
});

test("containerStatus: limits are those that apply, requests those that were given", () => {
  const running = { phase: "running", pid: 7, startedAt: 150, isPaused: false } as const;
  const { state, startedAt, resources } = containerStatus(container(running), details);
  expect([state, startedAt]).toEqual(["running", 150]);
  expect(resources).toMatchObject({
    ...{ cpuRequestMillis: 500, memoryLimitBytes: 1 << 20, memoryRequestBytes: 5 },
  });
  expect(JSON.parse(containerInfo(container(running)).info ?? "")).toMatchObject({ pid: 7 });
});

test("containerStatus: the end of a container, with its reason", () => {
  const exited: ContainerRunState = {
    phase: "exited",
    startedAt: 150,
    finishedAt: 200,
    exitCode: 137,
    reason: "OOMKilled",
    message: "",
  };
  expect(containerStatus(container(exited), details)).toMatchObject({
    ...{ state: "exited", finishedAt: 200, exitCode: 137, reason: "OOMKilled" },
  });
});
