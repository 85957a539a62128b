import { contains, parseCidr, parseIp } from "../../schema/values/ip.ts";

/** A packet that passes the hook of forwarded packets. */
export interface Packet {
  readonly family: "ip" | "ip6";
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly isReply: boolean;
}

/**
 * Understands as much of nft as the tables of network policies use, and rejects what nft rejects: adding what refers
 * to nothing, deleting what is not there or is in use.
 */
export class NftModel {
  /** Elements of sets and maps, by family and name. */
  readonly sets = new Map<string, Map<string, string>>();
  /** Rules of chains, by family and name. */
  readonly chains = new Map<string, string[]>();

  /** Applies a transaction. */
  apply(input: string): void {
    let table: string | undefined;
    let chain: string | undefined;
    for (const line of input.split("\n").map((one) => one.trim())) {
      const inTable = /^table (ip6?) wherry-policies \{$/.exec(line);
      const declared = /^(?:set|map) (\S+) \{ .* \}$/.exec(line);
      const opened = /^chain (\S+) \{$/.exec(line);
      if (inTable) table = inTable[1];
      else if (line === "}") {
        if (chain === undefined) table = undefined;
        chain = undefined;
      } else if (declared) this.sets.set(`${table} ${declared[1]}`, new Map());
      else if (opened) {
        chain = `${table} ${opened[1]}`;
        this.chains.set(chain, []);
      } else if (chain !== undefined) this.chains.get(chain)?.push(line);
      else if (line !== "") this.#command(line);
    }
    this.#check();
  }

  /** Whether a packet passes. */
  passes(packet: Packet): boolean {
    return this.#run(`${packet.family} forward`, packet) !== "drop";
  }

  #command(line: string): void {
    const match = /^(add|delete) (\S+) (ip6?) wherry-policies ?(\S+)? ?(.*)$/.exec(line);
    if (!match) throw new Error(`not understood: ${line}`);
    const [, verb = "", type, family, name, rest = ""] = match;
    const key = `${family} ${name}`;
    const commands: Readonly<Record<string, () => unknown>> = {
      "add table": () => {},
      "delete table": () => this.#deleteTable(`${family} `),
      "add set": () => this.sets.set(key, new Map()),
      "delete set": () => must(this.sets.delete(key), line),
      "add chain": () => this.chains.set(key, []),
      "delete chain": () => must(this.chains.delete(key), line),
      "add rule": () => must(this.chains.get(key)?.push(rest), line),
      "add element": () => this.#elements(line, key, rest),
      "delete element": () => this.#elements(line, key, rest),
    };
    commands[`${verb} ${type}`]?.();
  }

  #deleteTable(prefix: string): void {
    for (const map of [this.sets, this.chains])
      for (const one of [...map.keys()]) if (one.startsWith(prefix)) map.delete(one);
  }

  #elements(line: string, key: string, list: string): void {
    const set = this.sets.get(key);
    must(set !== undefined, line);
    for (const element of list.slice(2, -2).split(", ")) {
      const [text = "", value = ""] = element.split(" : ");
      if (line.startsWith("add")) {
        must(!set.has(text) || set.get(text) === value, line);
        set.set(text, value);
      } else must(set.delete(text), line);
    }
  }

  /** Nothing refers to what is not there. */
  #check(): void {
    for (const [key, elements] of this.sets)
      for (const verdict of elements.values())
        if (verdict !== "")
          must(this.chains.has(`${key.split(" ")[0]} ${verdict.split(" ")[1]}`), verdict);
    for (const [key, rules] of this.chains)
      for (const rule of rules)
        for (const [, name] of rule.matchAll(/@(\S+)/g))
          must(this.sets.has(`${key.split(" ")[0]} ${name}`), rule);
  }

  #run(chain: string, packet: Packet): "drop" | "return" | "accept" {
    for (const rule of this.chains.get(chain) ?? []) {
      const verdict = this.#rule(rule, packet);
      if (verdict === "return" || verdict === "drop" || verdict === "accept") return verdict;
      if (verdict === undefined) continue;
      const [how, name] = verdict.split(" ");
      const result = this.#run(`${packet.family} ${name}`, packet);
      if (how === "goto" || result !== "return") return result;
    }
    return "return";
  }

  /** The verdict of a rule; undefined if it does not match. */
  #rule(rule: string, packet: Packet): string | undefined {
    if (isNeverMet.test(rule)) return undefined;
    let rest = rule;
    for (;;) {
      const found = condition.exec(rest);
      if (!found) return rest;
      rest = rest.slice(found[0].length);
      const { map } = found.groups ?? {};
      if (map !== undefined) return this.#element(packet, found.groups);
      if (!this.#isMet(packet, found.groups ?? {})) return undefined;
    }
  }

  #isMet(packet: Packet, parts: Parts): boolean {
    const { reply, protocol, fields = "", list } = parts;
    if (reply !== undefined) return packet.isReply;
    if (protocol !== undefined) return protocol === packet.protocol.toLowerCase();
    if (list === undefined) return this.#element(packet, parts) !== undefined;
    const value = fieldOf(packet, fields);
    return value !== undefined && isListed(value, list);
  }

  /** What a set or map has for a packet. */
  #element(packet: Packet, { fields = "", map, set }: Parts = {}): string | undefined {
    const values = fields.split(" . ").map((one) => fieldOf(packet, one));
    if (values.includes(undefined)) return undefined;
    return this.sets.get(`${packet.family} ${map ?? set}`)?.get(values.join(" . "));
  }
}

type Parts = Readonly<Record<string, string | undefined>>;

/** The declaration of a hook, and a rule about packets that are not judged here. */
const isNeverMet = /^(?:type filter hook|meta l4proto (?:icmp|ipv6-icmp) ct state related) /;

const condition =
  /^(?:(?<reply>ct direction reply)|meta l4proto (?<protocol>\S+)|(?<fields>(?:\S+ \S+)(?: \. \S+ \S+)*) (?:vmap @(?<map>\S+)|@(?<set>\S+)|\{ (?<list>.*?) \}))(?: |$)/;

/** A field of a packet; undefined if packets of its protocol do not have it. */
function fieldOf(packet: Packet, name: string): string | undefined {
  const [of, field] = name.split(" ");
  if (field === "saddr") return packet.source;
  if (field === "daddr") return packet.destination;
  if (of !== packet.protocol.toLowerCase()) return undefined;
  return String(field === "dport" ? packet.destinationPort : packet.sourcePort);
}

function isListed(value: string, list: string): boolean {
  const number = numberOf(value);
  return list.split(", ").some((item) => {
    const cidr = parseCidr(item);
    const ip = parseIp(value);
    if (cidr && ip) return contains(cidr, ip);
    const [first = "", last = first] = item.split("-");
    return number >= numberOf(first) && number <= numberOf(last);
  });
}

const numberOf = (text: string): bigint => parseIp(text)?.bits ?? BigInt(text);

function must(isSo: unknown, text: string): asserts isSo {
  if (!isSo) throw new Error(`nft rejects: ${text}`);
}
