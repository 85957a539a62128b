import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { ClaimDriver } from "../../claims/claim-driver.ts";
import type { ClaimMetrics } from "../../claims/claim-metrics.ts";
import type { Plugin, PluginHandler } from "../plugins/plugin-handler.ts";
import { driverServices } from "./claim-service.ts";
import { DriverConnection, type HealthReceiver } from "./driver-connection.ts";

export interface ClaimDriversOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: ClaimMetrics;
  readonly health: (driver: string) => HealthReceiver;
  /** Called when a driver can be used, and when it cannot be used any more. */
  readonly changed: (driver: string, isUsable: boolean) => void;
}

/** The drivers of claims that are registered on a node. While a driver is replaced, there are two of its name. */
export class ClaimDrivers implements PluginHandler {
  readonly #options: ClaimDriversOptions;
  /** The connections of each driver, the oldest first. */
  readonly #connections = new Map<string, readonly DriverConnection[]>();

  constructor(options: ClaimDriversOptions) {
    this.#options = options;
  }

  /** Finds a driver: the latest one that is connected, else the latest one. Throws if none is registered. */
  get(name: string): ClaimDriver {
    if (name === "") throw new Error("DRA driver name is empty");
    const all = this.#of(name);
    const found = all.findLast(({ isConnected }) => isConnected) ?? all.at(-1);
    if (!found) throw new Error(`DRA driver ${name} is not registered`);
    return found;
  }

  problemOf({ name, endpoint, versions }: Plugin): string | undefined {
    const problem = versionsProblem(versions);
    return (
      problem &&
      `invalid supported gRPC versions of DRA driver plugin ${name} at endpoint ${endpoint}: ${problem}`
    );
  }

  async register(plugin: Plugin): Promise<void> {
    const { name, endpoint, versions } = plugin;
    const methods = driverServices.get(versions.find((one) => driverServices.has(one)) ?? "");
    if (!methods) throw new Error(this.problemOf(plugin));
    if (this.#of(name).some((one) => one.endpoint === endpoint))
      throw new Error(`endpoint ${endpoint} already registered for DRA driver plugin ${name}`);
    const connection = new DriverConnection({
      ...{ ...this.#options, name, endpoint, methods, health: this.#options.health(name) },
      changed: () => this.#tell(name),
    });
    this.#connections.set(name, [...this.#of(name), connection]);
    this.#tell(name);
  }

  async deregister({ name, endpoint }: Plugin): Promise<void> {
    const gone = this.#of(name).filter((one) => one.endpoint === endpoint);
    if (gone.length === 0) return;
    const left = this.#of(name).filter((one) => one.endpoint !== endpoint);
    if (left.length > 0) this.#connections.set(name, left);
    else this.#connections.delete(name);
    for (const connection of gone) connection.close();
    if (left.length === 0) this.#options.health(name).ended();
    this.#tell(name);
  }

  close(): void {
    for (const connections of this.#connections.values())
      for (const connection of connections) connection.close();
    this.#connections.clear();
  }

  #of(name: string): readonly DriverConnection[] {
    return this.#connections.get(name) ?? [];
  }

  #tell(name: string): void {
    const isUsable = this.#of(name).some(({ isConnected }) => isConnected);
    this.#options.log.info("a driver of claims has changed", { name, isUsable });
    this.#options.changed(name, isUsable);
  }
}

/** Why none of the services of a driver can be used. */
function versionsProblem(versions: readonly string[]): string | undefined {
  if (versions.length === 0)
    return "empty list of supported gRPC services (aka supported versions)";
  if (versions.some((one) => driverServices.has(one))) return undefined;
  const [theirs, ours] = [versions, [...driverServices.keys()]].map(quotedList);
  return `none of services supported by the plugin (${theirs}) are supported by the kubelet (${ours})`;
}

const quotedList = (list: readonly string[]): string => `[${list.map(quote).join(" ")}]`;
