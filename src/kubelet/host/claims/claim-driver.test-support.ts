import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { MessageOf, Sent } from "../../../base/protobuf-message.ts";
import type { GrpcError } from "../../../platform/grpc/grpc-error.ts";
import { type GrpcReply, streamHandler, unaryHandler } from "../../../platform/grpc/grpc-server.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import type { NodeWatchResourcesResponse } from "../../claims/claim-messages.ts";
import { registrationHandlers, serveSocket } from "../plugins/plugin.test-support.ts";
import { driverServices, watchResourcesMethod } from "./claim-service.ts";

/** A driver of claims in this process, which records how it was called. */
export interface TestClaimDriver {
  readonly name: string;
  readonly socket: string;
  /** `prepare NAME…` and `unprepare NAME…`, in order. */
  readonly calls: string[];
  /** What the plugin watcher notified it of: "" for success. */
  readonly outcomes: readonly string[];
  /** The error of each claim, by the name of the call and the name of the claim: `prepare c`. */
  readonly errors: Map<string, string>;
  /** The errors with which calls are answered, by their names. */
  readonly failures: Map<"prepare" | "unprepare", GrpcError>;
  /** What it awaits before it answers a call. */
  readonly holds: Map<"prepare" | "unprepare", Promise<void>>;
  /** Tells the health of devices; the latest is also told to those who ask later. */
  tell(devices: Health): Promise<void>;
  /** Creates its socket of the registration service, which registers it. */
  register(folder: string): Promise<{ close(): Promise<void> }>;
  /** Ends all of it, as when its process ends. */
  close(): Promise<void>;
}

type Health = NonNullable<Sent<MessageOf<typeof NodeWatchResourcesResponse>>["devices"]>;

export interface TestClaimDriverOptions {
  readonly name?: string;
  /** The folder of its socket. */
  readonly folder: string;
  readonly version?: "v1" | "v1beta1";
  /** The requests that its device is for. */
  readonly requests?: readonly string[];
  readonly cdiDevices?: readonly string[];
  readonly hasHealth?: boolean;
}

/** Serves a driver until the test ends. Each claim gets the device `device-CLAIM` of the pool `pool`. */
export async function serveClaimDriver(options: TestClaimDriverOptions): Promise<TestClaimDriver> {
  const { name = "dra.example.com", folder, version = "v1", hasHealth = true } = options;
  const { requests = [], cdiDevices = [] } = options;
  const service = `${version}.DRAPlugin`;
  const socket = join(folder, `${name}.sock`);
  const methods = driverServices.get(service);
  if (!methods) throw new Error(`there is no service ${service}`);
  const calls: string[] = [];
  const outcomes: string[] = [];
  const errors = new Map<string, string>();
  const failures: TestClaimDriver["failures"] = new Map();
  const holds: TestClaimDriver["holds"] = new Map();
  const watchers = new Set<GrpcReply<MessageOf<typeof NodeWatchResourcesResponse>>>();
  let told: Health = [];
  const called = async (call: "prepare" | "unprepare", claims: readonly { name: string }[]) => {
    calls.push([call, ...claims.map((claim) => claim.name)].join(" "));
    await holds.get(call);
    const failure = failures.get(call);
    if (failure) throw failure;
  };
  const server = await serveSocket(socket, [
    unaryHandler(methods.prepare, async ({ claims }) => {
      await called("prepare", claims);
      return {
        claims: claims.map((claim) => ({
          key: claim.uid,
          value: {
            error: errors.get(`prepare ${claim.name}`),
            devices: [
              {
                ...{ pool_name: "pool", device_name: `device-${claim.name}` },
                ...{ request_names: requests, cdi_device_ids: cdiDevices },
              },
            ],
          },
        })),
      };
    }),
    unaryHandler(methods.unprepare, async ({ claims }) => {
      await called("unprepare", claims);
      return {
        claims: claims.map((claim) => ({
          key: claim.uid,
          value: { error: errors.get(`unprepare ${claim.name}`) },
        })),
      };
    }),
    ...(hasHealth
      ? [
          streamHandler(watchResourcesMethod, async (_, reply) => {
            watchers.add(reply);
            if (told.length > 0) await reply.send({ devices: told });
            await new Promise((resolve) => reply.signal.addEventListener("abort", resolve));
            watchers.delete(reply);
          }),
        ]
      : []),
  ]);
  const registrations: { close(): Promise<void> }[] = [];
  return {
    ...{ name, socket, calls, outcomes, errors, failures, holds },
    async tell(devices) {
      told = devices;
      for (const reply of watchers) await reply.send({ devices });
    },
    async register(registry) {
      const introduction = { type: "DRAPlugin", name, endpoint: socket, versions: [service] };
      const path = join(registry, `${name}-reg.sock`);
      const registration = await serveSocket(path, registrationHandlers(introduction, outcomes));
      registrations.push(registration);
      return registration;
    },
    async close() {
      for (const registration of registrations) await registration.close();
      await server.close();
    },
  };
}

/** Describes a device to runtimes of this machine, in YAML as most drivers do, until the test ends; returns its name. */
export function describeCdiDevice(device: string, containerEdits: object): string {
  const kind = `example.com/wherry-${process.pid}`;
  const path = `/var/run/cdi/wherry-${process.pid}-${device}.yaml`;
  mkdirSync("/var/run/cdi", { recursive: true });
  onTestFinished(() => rmSync(path, { force: true }));
  const devices = [{ name: device, containerEdits }];
  writeFileSync(path, toYaml({ cdiVersion: "0.6.0", kind, devices }));
  return `${kind}=${device}`;
}
