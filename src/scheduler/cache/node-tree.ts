import type { Node } from "../../api/core/v1/node/node.ts";

/** The names of nodes by zone, to iterate with alternating zones. */
export class NodeTree {
  readonly #zones = new Map<string, string[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(node: Node): void {
    const zone = zoneOf(node);
    const { name = "" } = node.metadata;
    const names = this.#zones.get(zone);
    if (!names) this.#zones.set(zone, [name]);
    else if (names.includes(name)) return;
    else names.push(name);
    this.#size++;
  }

  remove(node: Node): void {
    const zone = zoneOf(node);
    const names = this.#zones.get(zone);
    const at = names?.indexOf(node.metadata.name ?? "") ?? -1;
    if (!names || at < 0) return;
    names.splice(at, 1);
    if (names.length === 0) this.#zones.delete(zone);
    this.#size--;
  }

  update(old: Node, now: Node): void {
    if (zoneOf(old) === zoneOf(now)) return;
    this.remove(old);
    this.add(now);
  }

  /** The first node of each zone, then the second of each, and so on. */
  names(): readonly string[] {
    const zones = [...this.#zones.values()];
    const names: string[] = [];
    for (let i = 0; names.length < this.#size; i++)
      for (const zone of zones) {
        const name = zone[i];
        if (name !== undefined) names.push(name);
      }
    return names;
  }
}

/** Region and zone of a node, from its labels; empty without labels. */
function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone =
    labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  const region =
    labels["failure-domain.beta.kubernetes.io/region"] ??
    labels["topology.kubernetes.io/region"] ??
    "";
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}
