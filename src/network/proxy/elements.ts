import type { IpFamily } from "../services/ip-family.ts";

/** The elements of the sets and maps of a table: their values by their keys; those of sets are empty. */
export type Elements = ReadonlyMap<Container, ReadonlyMap<string, string>>;

/** A set or map of the table of a family. */
export type Container = `${Family} ${ContainerName | MadeName}`;

/** What services need beside elements: sets of clients by their names, and chains with their rules. */
type MadeName = "sticky-sets" | "sticky-chains";

/** How nft calls the families. */
export type Family = "ip" | "ip6";

export const families: readonly Family[] = ["ip", "ip6"];

export const nftFamily = (family: IpFamily): Family => (family === "IPv4" ? "ip" : "ip6");

/** The sets and maps whose elements follow from services and settings; clients that stay are the kernel's. */
export const containerNames = [
  "cluster-ips",
  "service-policies",
  "service-ips",
  "local-service-ips",
  "tcp-service-endpoints",
  "udp-service-endpoints",
  "sctp-service-endpoints",
  "no-endpoints",
  "node-port-policies",
  "node-ports",
  "local-node-ports",
  "tcp-node-port-endpoints",
  "udp-node-port-endpoints",
  "sctp-node-port-endpoints",
  "no-endpoint-node-ports",
  "restricted-services",
  "source-ranges",
  "hairpins",
  "sticky-services",
  "sticky-node-ports",
  "node-port-ips",
  "service-ranges",
  "pod-ranges",
] as const;

export type ContainerName = (typeof containerNames)[number];

/** Collects elements. */
export class ElementsBuilder {
  readonly elements = new Map<Container, Map<string, string>>();
  readonly #family: Family;

  constructor(family: Family) {
    this.#family = family;
  }

  add(name: ContainerName | MadeName, key: string, value = ""): void {
    const container: Container = `${this.#family} ${name}`;
    let entries = this.elements.get(container);
    if (!entries) {
      entries = new Map();
      this.elements.set(container, entries);
    }
    entries.set(key, value);
  }
}
