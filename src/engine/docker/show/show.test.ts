import { describe, expect, test } from "vitest";
import type { ContainerRunState } from "../../containers/containers.ts";
import { plainSettings } from "../../containers/oci/plain-settings.test-support.ts";
import { configOf, detailsOf } from "../create/create.test-support.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import { inspectedPorts, listedPorts } from "./container-ports.ts";
import { shownStats } from "./container-stats.ts";
import { inspectedState, statusText, statusWord } from "./docker-state.ts";
import { humanDuration } from "./human-duration.ts";
import { parseProcessTable } from "./process-table.ts";

test.each<[seconds: number, text: string]>([
  [0.5, "Less than a second"],
  [1, "1 second"],
  [59, "59 seconds"],
  [60, "About a minute"],
  [17 * 60, "17 minutes"],
  [3600, "About an hour"],
  [47 * 3600, "47 hours"],
  [3 * 86_400, "3 days"],
  [21 * 86_400, "3 weeks"],
  [90 * 86_400, "3 months"],
  [800 * 86_400, "2 years"],
])("humanDuration: %f s", (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});

const container = (state: ContainerRunState, isRestarting = false): DockerContainer => ({
  id: "1".repeat(64),
  owner: "docker",
  layers: [],
  settings: plainSettings,
  logPath: "/log",
  stdin: false,
  stdinOnce: false,
  details: detailsOf({ isRestarting }),
  createdAt: 0,
  state,
});
const running = { phase: "running", pid: 7, startedAt: 1000, isPaused: false } as const;
const exited = {
  phase: "exited",
  startedAt: 1000,
  finishedAt: 2000,
  exitCode: 3,
  reason: "Error",
  message: "",
} as const;

describe("state", () => {
  test.each<[name: string, container: DockerContainer, word: string, text: string]>([
    ["created", container({ phase: "created" }), "created", "Created"],
    ["running", container(running), "running", "Up 4 seconds"],
    ["paused", container({ ...running, isPaused: true }), "paused", "Up 4 seconds (Paused)"],
    ["exited", container(exited), "exited", "Exited (3) 3 seconds ago"],
    ["restarting", container(exited, true), "restarting", "Restarting (3) 3 seconds ago"],
    [
      "not started",
      container({ ...exited, startedAt: 0, reason: "StartError" }),
      "created",
      "Created",
    ],
  ])("%s", (_name, given, word, text) => {
    expect([statusWord(given), statusText(given, 5000, undefined)]).toEqual([word, text]);
  });

  test("health is part of the status", () => {
    const health = { Status: "starting", FailingStreak: 0, Log: [] } as const;
    expect(statusText(container(running), 5000, health)).toBe("Up 4 seconds (health: starting)");
    expect(statusText(container(running), 5000, { ...health, Status: "healthy" })).toBe(
      "Up 4 seconds (healthy)",
    );
  });

  test("inspectedState: times that never were are Go's zero", () => {
    expect(inspectedState(container(running), undefined)).toEqual({
      Status: "running",
      Running: true,
      Paused: false,
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: 7,
      ExitCode: 0,
      Error: "",
      StartedAt: "1970-01-01T00:00:01.000Z",
      FinishedAt: "0001-01-01T00:00:00Z",
    });
  });
});

test("ports: published and exposed ones", () => {
  const endpoint = {
    config: null,
    networkId: "n",
    endpointId: "e",
    address: "10.0.0.2",
    prefixLength: 24,
    gateway: "10.0.0.1",
    macAddress: "",
    ports: { "80/tcp": [{ hostIp: "0.0.0.0", hostPort: 8080 }] },
  };
  const details = detailsOf({
    config: configOf({ ExposedPorts: { "80/tcp": {}, "53/udp": {} } }),
    endpoints: { bridge: endpoint },
  });
  expect(listedPorts(details)).toEqual([
    { IP: "0.0.0.0", PrivatePort: 80, PublicPort: 8080, Type: "tcp" },
    { PrivatePort: 53, Type: "udp" },
  ]);
  expect(inspectedPorts(details)).toEqual({
    "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "8080" }],
    "53/udp": null,
  });
});

test("parseProcessTable: the lines of some processes", () => {
  const output = "UID   PID CMD\nroot    1 init\nroot   42 sh -c  a b\n";
  expect(parseProcessTable(output, new Set(["42"]))).toEqual({
    Titles: ["UID", "PID", "CMD"],
    Processes: [["root", "42", "sh -c a b"]],
  });
  expect(() => parseProcessTable("UID CMD\n", new Set())).toThrow(
    "Couldn't find PID field in ps output",
  );
});

test("shownStats: a container that does not run uses nothing", () => {
  const sample = { at: 1000, cgroup: undefined, systemCpuNs: 5, networks: {} };
  expect(shownStats(container(exited), sample, undefined)).toMatchObject({
    name: "/web",
    preread: "0001-01-01T00:00:00Z",
    memory_stats: {},
    pids_stats: {},
    cpu_stats: { cpu_usage: { total_usage: 0 } },
  });
});
