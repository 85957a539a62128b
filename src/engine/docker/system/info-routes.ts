import { existsSync, readFileSync } from "node:fs";
import { cpus, hostname, release, totalmem } from "node:os";
import type { DockerContext } from "../docker-context.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";
import { statusWord } from "../show/docker-state.ts";
import { diskUsage } from "./disk-usage.ts";

/** The routes of `docker info` and `docker system df`. */
export function infoRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("GET /info", () => ({ status: 200, json: infoOf(context) })),
    route("GET /system/df", async ({ query }) => ({
      status: 200,
      json: await diskUsage(context, query.getAll("type")),
    })),
  ];
}

function infoOf(context: DockerContext): object {
  const words = context.registry.list().map(statusWord);
  const count = (...wanted: readonly string[]): number =>
    words.filter((word) => wanted.includes(word)).length;
  return {
    ID: "wherry",
    Containers: words.length,
    ContainersRunning: count("running", "restarting"),
    ContainersPaused: count("paused"),
    ContainersStopped: count("created", "exited"),
    Images: context.images.store.list().length,
    Driver: "overlay2",
    DriverStatus: [
      ["Supports d_type", "true"],
      ["Native Overlay Diff", "true"],
    ],
    Plugins: {
      Volume: ["local"],
      Network: ["bridge", "host", "null"],
      Authorization: null,
      Log: ["json-file", "local", "none"],
    },
    ...limits,
    IPv4Forwarding: readText("/proc/sys/net/ipv4/ip_forward") === "1",
    Debug: false,
    NFd: 0,
    NGoroutines: 0,
    SystemTime: new Date(context.clock.now()).toISOString(),
    LoggingDriver: "json-file",
    CgroupDriver: "cgroupfs",
    CgroupVersion: existsSync("/sys/fs/cgroup/cgroup.controllers") ? "2" : "1",
    NEventsListener: 0,
    KernelVersion: release(),
    OperatingSystem: osField("PRETTY_NAME") || "Linux",
    OSVersion: osField("VERSION_ID"),
    OSType: "linux",
    Architecture: process.arch === "x64" ? "x86_64" : "aarch64",
    IndexServerAddress: "https://index.docker.io/v1/",
    RegistryConfig: {
      InsecureRegistryCIDRs: ["127.0.0.0/8"],
      IndexConfigs: {
        "docker.io": { Name: "docker.io", Mirrors: [], Secure: true, Official: true },
      },
      Mirrors: [],
    },
    NCPU: cpus().length,
    MemTotal: totalmem(),
    GenericResources: null,
    DockerRootDir: context.dataDir,
    HttpProxy: "",
    HttpsProxy: "",
    NoProxy: "",
    Name: hostname(),
    Labels: [],
    ExperimentalBuild: false,
    ServerVersion: context.version,
    Runtimes: { runc: { path: "runc" } },
    DefaultRuntime: "runc",
    Swarm: {
      NodeID: "",
      NodeAddr: "",
      LocalNodeState: "inactive",
      ControlAvailable: false,
      Error: "",
      RemoteManagers: null,
    },
    // Containers run on without the engine.
    LiveRestoreEnabled: true,
    Isolation: "",
    InitBinary: "catatonit",
    ContainerdCommit: { ID: "" },
    RuncCommit: { ID: "" },
    InitCommit: { ID: "" },
    SecurityOptions: ["name=seccomp,profile=builtin"],
    Warnings: null,
  };
}

/** The limits that containers can have: all of them where the engine runs. */
const limits = {
  MemoryLimit: true,
  SwapLimit: true,
  CpuCfsPeriod: true,
  CpuCfsQuota: true,
  CPUShares: true,
  CPUSet: true,
  PidsLimit: true,
  OomKillDisable: true,
  BridgeNfIptables: false,
  BridgeNfIp6tables: false,
};

function osField(name: string): string {
  const line = new RegExp(`^${name}=(.*)$`, "m").exec(readText("/etc/os-release"));
  return (line?.[1] ?? "").replaceAll('"', "");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
