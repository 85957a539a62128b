import { randomBytes } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../../base/log.ts";
import { writePrivateFile } from "../../../platform/files.ts";
import {
  contains,
  formatAddress,
  formatSubnet,
  freeAddress,
  freeSubnet,
  overlaps,
  parseAddress,
  parseSubnet,
  type Subnet,
} from "../../network/ipv4.ts";
import { badRequest, conflict, DockerError, notFound } from "../http/docker-error.ts";
import type { DockerEvents } from "../system/docker-events.ts";
import {
  applyRules,
  ensureBridge,
  hostSubnets,
  removeInterface,
  removeTable,
} from "./network-commands.ts";
import { builtInNames, type NetworkRecord } from "./network-record.ts";
import { type EndpointRules, networkRules } from "./network-rules.ts";

/** The names and addresses that networks may use on this host. */
export interface NetworkPlan {
  /** The interface of the network `bridge`. */
  readonly defaultInterface: string;
  /** The subnet of the network `bridge`. */
  readonly defaultSubnet: string;
  /** The subnets that other networks get, each with the length of their prefixes. */
  readonly pools: readonly { readonly subnet: string; readonly prefixLength: number }[];
  /** The table of the packet filter. */
  readonly table: string;
  /** The beginning of the names of interfaces. */
  readonly interfacePrefix: string;
}

export const defaultNetworkPlan: NetworkPlan = {
  defaultInterface: "wherry0",
  defaultSubnet: "172.17.0.0/16",
  pools: [
    { subnet: "172.18.0.0/15", prefixLength: 16 },
    { subnet: "172.20.0.0/14", prefixLength: 16 },
    { subnet: "172.24.0.0/13", prefixLength: 16 },
    { subnet: "192.168.0.0/16", prefixLength: 20 },
  ],
  table: "wherry_docker",
  interfacePrefix: "wd",
};

export interface NetworkRequest extends Pick<NetworkRecord, "labels" | "options"> {
  readonly name: string;
  readonly driver: string;
  readonly isInternal: boolean;
  readonly isAttachable: boolean;
  /** Empty for one of the pools. */
  readonly subnet: string;
  readonly gateway: string;
  readonly range: string;
}

/** The address of a container in a network, and who has it. */
export interface NetworkMember extends EndpointRules {
  readonly containerId: string;
  readonly network: string;
}

interface NetworksOptions {
  readonly folder: string;
  readonly plan: NetworkPlan;
  readonly events: DockerEvents;
  readonly now: () => number;
  readonly log: Log;
  /** The containers that have an address now, in any network. */
  readonly members: () => readonly NetworkMember[];
}

/** The networks of a node: recorded in one file, and made on the host when the first container needs them. */
export class DockerNetworks {
  readonly #options: NetworksOptions;
  readonly #path: string;
  #networks: readonly NetworkRecord[] = [];
  /** Addresses that are given and not recorded with their container yet. */
  readonly #reserved = new Set<number>();
  #applying: Promise<void> = Promise.resolve();

  private constructor(options: NetworksOptions) {
    this.#options = options;
    this.#path = join(options.folder, "networks.json");
  }

  static async open(options: NetworksOptions): Promise<DockerNetworks> {
    const networks = new DockerNetworks(options);
    const path = networks.#path;
    try {
      networks.#networks = JSON.parse(await readFile(path, "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        const kept = `${path}.damaged`;
        options.log.error("the record of the networks is damaged", error, { kept });
        await rename(path, kept);
      }
      await networks.#write(builtIn(options));
    }
    return networks;
  }

  get plan(): NetworkPlan {
    return this.#options.plan;
  }

  list(): readonly NetworkRecord[] {
    return this.#networks;
  }

  /** The network with a name or an ID. */
  get(nameOrId: string): NetworkRecord | undefined {
    return this.#networks.find(({ id, name }) => id === nameOrId || name === nameOrId);
  }

  /** Finds a network by its name, its ID, or the beginning of its ID. */
  find(nameOrId: string): NetworkRecord {
    const exact = this.get(nameOrId);
    if (exact) return exact;
    const matches = this.#networks.filter(({ id }) => nameOrId !== "" && id.startsWith(nameOrId));
    const [match] = matches;
    if (!match) throw notFound(`network ${nameOrId} not found`);
    if (matches.length > 1)
      throw badRequest(
        `network ${nameOrId} is ambiguous (${matches.length} matches found on ID prefix)`,
      );
    return match;
  }

  async create(request: NetworkRequest): Promise<NetworkRecord> {
    const { name, driver } = request;
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name))
      throw badRequest(
        `invalid network name ${JSON.stringify(name)}: only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`,
      );
    if (builtInNames.has(name) || name === "default")
      throw new DockerError(403, `operation is not permitted on predefined ${name} network `);
    if (driver !== "bridge")
      throw badRequest(`could not find plugin ${driver} in v1 plugin registry: plugin not found`);
    if (this.#networks.some((other) => other.name === name))
      throw conflict(`network with name ${name} already exists`);
    const problem = bridgeProblem(request);
    if (problem !== undefined) throw badRequest(problem);
    const subnet =
      request.subnet === "" ? await this.#freeSubnet() : this.#givenSubnet(request.subnet);
    const id = randomBytes(32).toString("hex");
    const { labels, options, isInternal, isAttachable } = request;
    const record: NetworkRecord = {
      id,
      name,
      driver: "bridge",
      createdAt: this.#options.now(),
      isInternal,
      isAttachable,
      labels,
      options,
      bridge: {
        interface:
          options["com.docker.network.bridge.name"] ??
          `${this.plan.interfacePrefix}-${id.slice(0, 12 - this.plan.interfacePrefix.length)}`,
        subnet: formatSubnet(subnet),
        gateway: request.gateway || formatAddress(subnet.base + 1),
        ...(request.range !== "" && { range: request.range }),
      },
    };
    await this.#write([...this.#networks, record]);
    await this.ensure(record);
    this.#emit("create", record);
    return record;
  }

  async remove(nameOrId: string): Promise<void> {
    const network = this.find(nameOrId);
    if (builtInNames.has(network.name))
      throw new DockerError(403, `${network.name} is a pre-defined network and cannot be removed`);
    const member = this.#options.members().find((one) => one.network === network.name);
    if (member)
      throw new DockerError(
        403,
        `error while removing network: network ${network.name} has active endpoints (name:"${member.containerId.slice(0, 12)}")`,
      );
    await this.#write(this.#networks.filter(({ id }) => id !== network.id));
    if (network.bridge) await removeInterface(network.bridge.interface);
    await this.apply();
    this.#emit("destroy", network);
  }

  /** Makes the bridge of a network on the host, unless it is there. */
  async ensure({ bridge }: NetworkRecord): Promise<void> {
    const subnet = parseSubnet(bridge?.subnet ?? "");
    if (bridge && subnet) await ensureBridge(bridge, subnet.prefixLength);
  }

  /** Reserves an address of a network until `release`. */
  reserve({ bridge, name }: NetworkRecord, wanted: string): number {
    const subnet = parseSubnet(bridge?.subnet ?? "");
    if (!bridge || !subnet) throw badRequest(`network ${name} has no addresses`);
    const taken = new Set(this.#reserved);
    for (const { address } of this.#options.members()) taken.add(parseAddress(address) ?? 0);
    taken.add(parseAddress(bridge.gateway) ?? 0);
    const range = parseSubnet(bridge.range ?? "") ?? subnet;
    const address =
      wanted === "" ? freeAddress(subnet, range, taken) : this.#wanted(wanted, subnet, taken);
    if (address === undefined)
      throw new DockerError(
        500,
        `no available IPv4 addresses on this network's address pools: ${name}`,
      );
    this.#reserved.add(address);
    return address;
  }

  release(address: number): void {
    this.#reserved.delete(address);
  }

  /** Brings the packet filter up to date with the containers that run now. */
  apply(): Promise<void> {
    this.#applying = this.#applying.catch(() => undefined).then(() => this.#apply());
    return this.#applying;
  }

  /** Makes the rules for containers that still run, or removes what is left of those that do not. */
  async takeOver(): Promise<void> {
    if (this.#options.members().length > 0) await this.apply();
    // A host without these programs has nothing left, either.
    else await this.#clear().catch(() => undefined);
  }

  /** Removes all interfaces and rules from the host, unless a container uses them; the record stays. */
  async close(): Promise<void> {
    await this.#applying.catch(() => undefined);
    if (this.#options.members().length === 0) await this.#clear().catch(() => undefined);
  }

  async #clear(): Promise<void> {
    for (const { bridge } of this.#networks) if (bridge) await removeInterface(bridge.interface);
    await removeTable(this.plan.table);
  }

  async #apply(): Promise<void> {
    const members = this.#options.members();
    const networks = this.#networks.flatMap(({ name, bridge, isInternal }) =>
      bridge
        ? [
            {
              interface: bridge.interface,
              subnet: bridge.subnet,
              isInternal,
              endpoints: members.filter(({ network }) => network === name),
            },
          ]
        : [],
    );
    await applyRules(networkRules(this.plan.table, networks));
  }

  #wanted(text: string, subnet: Subnet, taken: ReadonlySet<number>): number {
    const address = parseAddress(text);
    if (address === undefined || !contains(subnet, address))
      throw badRequest(`no configured subnet or ip-range contain the IP address ${text}`);
    if (taken.has(address)) throw new DockerError(403, "Address already in use");
    return address;
  }

  #givenSubnet(text: string): Subnet {
    const subnet = parseSubnet(text);
    if (!subnet) throw badRequest(`invalid subnet ${text}: invalid CIDR block notation`);
    if (this.#subnets().some((other) => overlaps(other, subnet)))
      throw new DockerError(403, "Pool overlaps with other one on this address space");
    return subnet;
  }

  async #freeSubnet(): Promise<Subnet> {
    const pools = this.plan.pools.flatMap(({ subnet, prefixLength }) => {
      const parsed = parseSubnet(subnet);
      return parsed ? [{ subnet: parsed, prefixLength }] : [];
    });
    const onHost = (await hostSubnets()).flatMap((subnet) => parseSubnet(subnet) ?? []);
    const subnet = freeSubnet(pools, [...this.#subnets(), ...onHost]);
    if (!subnet)
      throw new DockerError(500, "all predefined address pools have been fully subnetted");
    return subnet;
  }

  #subnets(): readonly Subnet[] {
    return this.#networks.flatMap(({ bridge }) => parseSubnet(bridge?.subnet ?? "") ?? []);
  }

  async #write(networks: readonly NetworkRecord[]): Promise<void> {
    await writePrivateFile(this.#path, JSON.stringify(networks));
    this.#networks = networks;
  }

  #emit(action: string, { id, name, driver }: NetworkRecord): void {
    this.#options.events.emit({ type: "network", action, id, attributes: { name, type: driver } });
  }
}

/** Why the values of a request cannot be those of a bridge: they become words of commands. */
function bridgeProblem({ options, gateway, range }: NetworkRequest): string | undefined {
  const { "com.docker.network.bridge.name": name } = options;
  if (name !== undefined && !/^(?!\.{1,2}$)[a-zA-Z0-9_.-]{1,15}$/.test(name))
    return `invalid bridge name ${JSON.stringify(name)}: only 1 to 15 of [a-zA-Z0-9_.-] are allowed`;
  if (gateway !== "" && parseAddress(gateway) === undefined)
    return `invalid gateway address ${gateway}: invalid address`;
  if (range !== "" && parseSubnet(range) === undefined)
    return `invalid ip-range ${range}: invalid CIDR block notation`;
  return undefined;
}

function builtIn({ plan, now }: NetworksOptions): readonly NetworkRecord[] {
  const subnet = parseSubnet(plan.defaultSubnet);
  if (!subnet) throw new Error(`invalid subnet ${plan.defaultSubnet}`);
  const common = {
    createdAt: now(),
    isInternal: false,
    isAttachable: false,
    labels: {},
    options: {},
  };
  const id = (): string => randomBytes(32).toString("hex");
  return [
    {
      ...common,
      id: id(),
      name: "bridge",
      driver: "bridge",
      options: { "com.docker.network.bridge.name": plan.defaultInterface },
      bridge: {
        interface: plan.defaultInterface,
        subnet: plan.defaultSubnet,
        gateway: formatAddress(subnet.base + 1),
      },
    },
    { ...common, id: id(), name: "host", driver: "host" },
    { ...common, id: id(), name: "none", driver: "null" },
  ];
}
