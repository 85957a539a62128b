import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { ContainerStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { LogPiece } from "../../cri/streams.ts";
import { containerLogOptions, containerLogs, loggedContainer } from "./container-logs.ts";

const now = Date.UTC(2030, 0, 1);
const plain = { follow: false, previous: false, timestamps: false, stream: "All" };

each<[query: string, options: object]>([
  ["", {}],
  ["follow=true&previous=1&timestamps=", { follow: true, previous: true, timestamps: true }],
  ["follow=false&previous=0&timestamps=FALSE", {}],
  ["tailLines=0", { tailLines: 0 }],
  ["tailLines=7&tail=3", { tailLines: 3 }],
  ["tailLines=7&tail=all", {}],
  ["limitBytes=10", { limitBytes: 10 }],
  ["sinceSeconds=60", { since: now - 60_000 }],
  ["sinceTime=2030-01-01T01:00:00%2B01:00", { since: now }],
  ["sinceTime=2029-12-31T23:59:59.5Z", { since: now - 500 }],
  ["sinceTime=", { since: 0 }],
  ["stream=All&tailLines=1", { tailLines: 1 }],
  ["stream=Stderr", { stream: "Stderr" }],
])("containerLogOptions: %s", (query, options) => {
  expect(containerLogOptions(new URLSearchParams(query), now)).toEqual({ ...plain, ...options });
});

each<[query: string, status: number]>([
  ["tailLines=", 400],
  ["tailLines=x", 400],
  ["tail=x", 400],
  ["limitBytes=1.5", 400],
  ["sinceTime=yesterday", 400],
  ["tailLines=-1", 422],
  ["limitBytes=0", 422],
  ["sinceSeconds=0", 422],
  ["sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z", 422],
  ["stream=Other", 422],
  ["stream=Stdout&tailLines=1", 422],
])("containerLogOptions: %s is rejected", (query, status) => {
  const body = { 400: '{"message": "Unable to decode query."}' }[status];
  expect(containerLogOptions(new URLSearchParams(query), now)).toMatchObject({
    status,
    body: body ?? '{"message": "Invalid request."}',
  });
});

const running = { state: { running: {} }, containerID: "wherry://now" };
const ended = (id: string) => ({ terminated: { exitCode: 0, containerID: id } });
const waiting = (reason: string) => ({ state: { waiting: { reason } } });

each<[what: string, status: object | undefined, isPrevious: boolean, found: string]>([
  ["running", running, false, "now"],
  ["ended", { state: ended("wherry://end") }, false, "end"],
  ["ended before", { state: ended(""), lastState: ended("wherry://last") }, false, "last"],
  ["restarting", { ...waiting("CrashLoopBackOff"), lastState: ended("wherry://l") }, false, "l"],
  ["previous", { ...running, lastState: ended("wherry://last") }, true, "last"],
  ["unknown", undefined, false, 'container "c" in pod "p" is not available'],
  ["without previous", running, true, 'previous terminated container "c" in pod "p" not found'],
  ["gone", { state: ended("") }, false, 'container "c" in pod "p" is terminated'],
  [
    "gone before",
    { ...waiting("x"), lastState: ended("") },
    false,
    'container "c" in pod "p" is terminated',
  ],
  [
    "without image",
    waiting("ErrImagePull"),
    false,
    `container "c" in pod "p" is waiting to start: image can't be pulled`,
  ],
  [
    "still without image",
    waiting("ImagePullBackOff"),
    false,
    'container "c" in pod "p" is waiting to start: trying and failing to pull image',
  ],
  [
    "waiting",
    waiting("ContainerCreating"),
    false,
    'container "c" in pod "p" is waiting to start: ContainerCreating',
  ],
  [
    "without state",
    { state: {} },
    false,
    'container "c" in pod "p" is waiting to start - no logs yet',
  ],
])("loggedContainer: a container that is %s", (_, status, isPrevious, found) => {
  const containerStatuses = status ? [{ name: "c", ...status } as unknown as ContainerStatus] : [];
  const pod = { metadata: { name: "p" }, status: { containerStatuses } } as unknown as Pod;
  const result = loggedContainer(pod, "c", isPrevious);
  expect("problem" in result ? result.problem : result.id).toBe(found);
});

const at = Date.UTC(2030, 0, 1, 1, 2, 3, 4);
const pieces: readonly LogPiece[] = [
  { stream: "stdout", at, nanos: 5, bytes: Buffer.from("one\n") },
  { stream: "stderr", at, nanos: 60, bytes: Buffer.from("part") },
  { stream: "stderr", at, nanos: 70, bytes: Buffer.from("end\n") },
];

async function textOf(logs: () => AsyncGenerator<LogPiece>, options: object): Promise<string> {
  const { signal } = new AbortController();
  const given = { options: { ...plain, ...options }, signal };
  const parts: Uint8Array[] = [];
  for await (const part of containerLogs({ logs }, { id: "i", fullId: "wherry://i" }, given))
    parts.push(part);
  return Buffer.concat(parts).toString();
}

each<[options: object, text: string]>([
  [{}, "one\npartend\n"],
  [
    { timestamps: true },
    "2030-01-01T01:02:03.004000005Z one\n2030-01-01T01:02:03.004000060Z partend\n",
  ],
  [{ stream: "Stdout" }, "one\n"],
  [{ stream: "Stderr", timestamps: true }, "2030-01-01T01:02:03.004000060Z partend\n"],
  [{ limitBytes: 6 }, "one\npa"],
  [{ limitBytes: 32, timestamps: true }, "2030-01-01T01:02:03.004000005Z o"],
])("containerLogs: %j", async (options, text) => {
  const logs = async function* () {
    yield* pieces;
  };
  expect(await textOf(logs, options)).toBe(text);
});

test("containerLogs: an error ends the log with its message", async () => {
  const missing = async function* () {
    yield* pieces.slice(0, 1);
    throw new RuntimeError("NotFound", "no such container");
  };
  expect(await textOf(missing, {})).toBe("one\nunable to retrieve container logs for wherry://i");
  const failing = async function* () {
    yield* pieces.slice(0, 1);
    throw new Error("broken disk");
  };
  expect(await textOf(failing, {})).toBe("one\nbroken disk");
});
