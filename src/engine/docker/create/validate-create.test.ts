import { describe, expect, test } from "vitest";
import { configOf, hostOf } from "./create.test-support.ts";
import { resourcesProblem } from "./resources-problem.ts";
import { restartPolicyProblem, validateCreate } from "./validate-create.ts";

describe("validateCreate", () => {
  test.each<{ readonly config?: object; readonly host?: object; readonly message: string }>([
    {
      config: { WorkingDir: "a" },
      message: "the working directory 'a' is invalid, it needs to be an absolute path",
    },
    { config: { StopSignal: "NOSUCH" }, message: "invalid signal: NOSUCH" },
    { config: { Env: ["=a"] }, message: "invalid environment variable: =a" },
    {
      config: { Healthcheck: { Interval: 1 } },
      message: "Interval in Healthcheck cannot be less than 1ms",
    },
    {
      config: { Healthcheck: { Retries: -1 } },
      message: "Retries in Healthcheck cannot be negative",
    },
    {
      host: { AutoRemove: true, RestartPolicy: { Name: "always" } },
      message: "can't create 'AutoRemove' container with restart policy",
    },
    { host: { PortBindings: { "0/tcp": [] } }, message: 'invalid port specification: "0/tcp"' },
    {
      host: { PortBindings: { "80/tcp": [{ HostPort: "x" }] } },
      message: 'invalid port specification: "x"',
    },
    {
      host: { PortBindings: { "80/tcp": [{ HostIp: "1.2.3.4 accept" }] } },
      message: "invalid IP address: 1.2.3.4 accept",
    },
    {
      config: { ExposedPorts: { "80/tcp accept": {} } },
      message: 'invalid port specification: "80/tcp accept"',
    },
    { host: { ExtraHosts: ["a:1.2.3.4\nb"] }, message: 'bad format for add-host: "a:1.2.3.4\nb"' },
    { host: { IpcMode: "x" }, message: "invalid IPC mode: x" },
    { host: { PidMode: "x" }, message: "invalid PID mode: x" },
    { host: { UTSMode: "x" }, message: "invalid UTS mode: x" },
    { host: { CgroupnsMode: "x" }, message: "invalid cgroup namespace mode: x" },
    {
      host: { OomScoreAdj: 1001 },
      message: "Invalid value 1001, range for oom score adj is [-1000, 1000]",
    },
    { host: { Runtime: "x" }, message: "unknown or invalid runtime name: x" },
    {
      host: { LogConfig: { Type: "syslog" } },
      message: "logger: no log driver named 'syslog' is registered",
    },
    { host: { Tmpfs: { "/": "" } }, message: "invalid specification: destination can't be '/'" },
    {
      host: { DeviceRequests: [{ Count: 1, Capabilities: [["gpu"]] }] },
      message: 'could not select device driver "" with capabilities: [[gpu]]',
    },
    {
      config: { Hostname: "a" },
      host: { NetworkMode: "container:x" },
      message: "conflicting options: hostname and the network mode",
    },
    {
      host: { NetworkMode: "container:" },
      message: "invalid network mode: invalid container format container:<name|id>",
    },
    {
      config: { Hostname: "a" },
      host: { UTSMode: "host" },
      message: "conflicting options: hostname and the UTS mode",
    },
  ])("rejects: $message", ({ config, host, message }) => {
    expect(() => validateCreate(configOf(config), hostOf(host))).toThrow(message);
  });

  test("warns of what has no effect", () => {
    const host = hostOf({ NetworkMode: "host", PortBindings: { "80/tcp": [] } });
    expect(validateCreate(configOf(), host)).toEqual([
      "Published ports are discarded when using host network mode",
    ]);
  });

  test("warns of what is accepted and discarded", () => {
    const host = hostOf({ LogConfig: { Config: { "max-size": "1m" } }, MemorySwappiness: 10 });
    expect(validateCreate(configOf(), host)).toEqual([
      "Log option max-size is not supported by this engine. Setting discarded.",
      "Memory swappiness is not supported by this engine. Setting discarded.",
    ]);
  });

  test("a field of another type is named", () => {
    expect(() => hostOf({ Memory: "1g" })).toThrow(
      "invalid JSON: json: cannot unmarshal string into Go struct field HostConfig.Memory of type int64",
    );
  });
});

describe("resourcesProblem", () => {
  const mb = 1024 * 1024;
  test.each<{ readonly host: object; readonly problem: string | undefined }>([
    { host: { Memory: mb }, problem: "Minimum memory limit allowed is 6MB" },
    {
      host: { Memory: 8 * mb, MemorySwap: mb },
      problem: "Minimum memoryswap limit should be larger than memory limit, see usage",
    },
    {
      host: { MemorySwap: mb },
      problem: "You should always set the Memory limit when using Memoryswap limit, see usage",
    },
    {
      host: { NanoCpus: 3e9 },
      problem: "range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available",
    },
    {
      host: { NanoCpus: 1e9, CpuQuota: 5000 },
      problem: "Conflicting options: Nano CPUs and CPU Quota cannot both be set",
    },
    {
      host: { CpuPeriod: 5 },
      problem:
        "CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)",
    },
    {
      host: { CpusetCpus: "0-2" },
      problem: "Requested CPUs are not available - requested 0-2, available: 0-1",
    },
    { host: { BlkioWeight: 5 }, problem: "Range of blkio weight is from 10 to 1000" },
    { host: { Memory: 8 * mb, NanoCpus: 1e9, CpusetCpus: "0,1" }, problem: undefined },
  ])("$problem", ({ host, problem }) => {
    expect(resourcesProblem(hostOf(host), 2)).toBe(problem);
  });
});

test.each<{ readonly policy: object; readonly problem: string | undefined }>([
  { policy: { Name: "on-failure", MaximumRetryCount: 3 }, problem: undefined },
  {
    policy: { Name: "always", MaximumRetryCount: 1 },
    problem: "invalid restart policy: maximum retry count can only be used with 'on-failure'",
  },
  {
    policy: { Name: "x" },
    problem:
      "invalid restart policy: unknown policy 'x'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'",
  },
])("restartPolicyProblem: $problem", ({ policy, problem }) => {
  expect(restartPolicyProblem(hostOf({ RestartPolicy: policy }).RestartPolicy)).toBe(problem);
});
