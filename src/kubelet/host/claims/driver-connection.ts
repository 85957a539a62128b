import { delays } from "../../../base/backoff.ts";
import { type Clock, type Timer, ticksOf } from "../../../base/clock.ts";
import type { Sent } from "../../../base/protobuf-message.ts";
import type { Random } from "../../../base/random.ts";
import { grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../../platform/grpc/grpc-method.ts";
import type { ClaimDriver } from "../../claims/claim-driver.ts";
import type { DeviceHealthMessage, DeviceMessage } from "../../claims/claim-messages.ts";
import type { ClaimMetrics } from "../../claims/claim-metrics.ts";
import { defaultTimeoutMs, type ReportedHealth } from "../../claims/device-health.ts";
import type { ClaimIdentity, PreparedDevice } from "../../claims/node-claim.ts";
import { type PluginClient, PluginError, pluginClient } from "../plugins/plugin-client.ts";
import { type DriverMethods, watchResourcesMethod } from "./claim-service.ts";

export interface DriverConnectionOptions {
  readonly name: string;
  readonly endpoint: string;
  readonly methods: DriverMethods;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: ClaimMetrics;
  /** Called when the driver responds, and when it no longer does. */
  readonly changed: () => void;
  readonly health: HealthReceiver;
}

/** Receives what a driver tells of the health of its devices. */
export interface HealthReceiver {
  report(devices: readonly ReportedHealth[]): void;
  /** The driver tells no longer. */
  ended(): void;
}

/** The connection to a driver, which is opened again whenever it ends. */
export class DriverConnection implements ClaimDriver {
  readonly name: string;
  readonly endpoint: string;
  readonly #options: DriverConnectionOptions;
  readonly #client: PluginClient;
  readonly #ticks: () => number;
  #nextDelay: () => number;
  #isConnected = false;
  #isClosed = false;
  #reconnect: Timer | undefined;
  #watchAgain: Timer | undefined;
  /** Cancels the watch of the health of devices. */
  #unwatch: (() => void) | undefined;

  constructor(options: DriverConnectionOptions) {
    this.name = options.name;
    this.endpoint = options.endpoint;
    this.#options = options;
    this.#ticks = ticksOf(options.clock);
    this.#nextDelay = delays(reconnecting, options.random);
    this.#client = pluginClient(options.endpoint, {
      greeted: () => this.#connected(),
      ended: () => this.#disconnected(),
    });
    this.#client.connect();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  async prepare(claims: readonly ClaimIdentity[]) {
    const response = await this.#call(this.#options.methods.prepare, messageOf(claims));
    return new Map(
      response.claims.map(({ key, value }) => [
        key,
        { error: value?.error ?? "", devices: value?.devices.map(deviceOf) ?? [] },
      ]),
    );
  }

  async unprepare(claims: readonly ClaimIdentity[]) {
    const response = await this.#call(this.#options.methods.unprepare, messageOf(claims));
    return new Map(response.claims.map(({ key, value }) => [key, { error: value?.error ?? "" }]));
  }

  close(): void {
    this.#isClosed = true;
    this.#reconnect?.cancel();
    this.#watchAgain?.cancel();
    this.#unwatch?.();
    this.#client.close();
  }

  async #call<I, O>(method: GrpcMethod<I, O>, request: Sent<I>): Promise<O> {
    const began = this.#ticks();
    let code = "OK";
    try {
      return await this.#client.call(method, request, { timeoutMs: longestMs });
    } catch (error) {
      code = error instanceof PluginError ? error.code : "Unknown";
      throw error;
    } finally {
      const seconds = (this.#ticks() - began) / 1000;
      this.#options.metrics.called(this.name, method.path, code, seconds);
    }
  }

  #connected(): void {
    if (this.#isClosed) return;
    this.#isConnected = true;
    this.#nextDelay = delays(reconnecting, this.#options.random);
    this.#options.changed();
    if (!this.#unwatch) this.#watch();
  }

  #disconnected(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const wasConnected = this.#isConnected;
    this.#isConnected = false;
    this.#watchAgain?.cancel();
    this.#reconnect?.cancel();
    this.#reconnect = clock.setTimer(this.#nextDelay(), () => this.#client.connect());
    if (wasConnected) this.#options.changed();
  }

  #watch(): void {
    const { health, clock } = this.#options;
    this.#watchAgain?.cancel();
    this.#unwatch = this.#client.follow(
      watchResourcesMethod,
      {},
      {
        message: ({ devices }) => health.report(devices.map(healthOf)),
        end: (error) => {
          this.#unwatch = undefined;
          if (this.#isClosed) return;
          health.ended();
          // A driver that does not tell at all is asked again when it is started again.
          if (error?.code === grpcCodes.unimplemented || !this.#isConnected) return;
          this.#watchAgain = clock.setTimer(watchAgainMs, () => this.#watch());
        },
      },
    );
  }
}

/** As Go's client of gRPC. */
const reconnecting = { duration: 1000, factor: 1.6, jitter: 0.2, cap: 120_000, steps: 100 };

/** Half of the time after which upstream's kubelet calls again. */
const longestMs = 45_000;
const watchAgainMs = 5000;

const messageOf = (claims: readonly ClaimIdentity[]) => ({
  claims: claims.map(({ namespace, uid, name }) => ({ namespace, uid, name })),
});

const deviceOf = (device: DeviceMessage): PreparedDevice => ({
  pool: device.pool_name,
  device: device.device_name,
  ...(device.share_id !== undefined && { shareId: device.share_id }),
  requests: device.request_names,
  cdiDevices: device.cdi_device_ids,
});

function healthOf(reported: DeviceHealthMessage): ReportedHealth {
  const seconds = Number(reported.health_check_timeout_seconds);
  return {
    pool: reported.device?.pool_name ?? "",
    device: reported.device?.device_name ?? "",
    health: healths[reported.health],
    timeoutMs: seconds > 0 ? seconds * 1000 : defaultTimeoutMs,
    message: shortened(reported.message),
  };
}

const healths = { UNKNOWN: "Unknown", HEALTHY: "Healthy", UNHEALTHY: "Unhealthy" } as const;

const longestMessage = 1024;

const shortened = (message: string): string =>
  message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`;
