import { recordTypes } from "../message/dns-codes.ts";
import type { DnsQuestion, DnsRecord } from "../message/dns-message.ts";
import { type DnsName, parseName } from "../message/dns-name.ts";
import { addressBytes, addressRecord, nameRecord, srvRecord } from "../message/make-record.ts";
import {
  addressRecords,
  type ClusterAnswer,
  type Known,
  recordsOrNone,
  within,
} from "./cluster-answer.ts";
import type { NamedService } from "./cluster-records.ts";
import type { NamedPort } from "./endpoint-names.ts";

/** Answers for names below `svc`; the labels are in reverse: namespace, service, and what is before it. */
export function resolveService(
  question: DnsQuestion,
  labels: readonly string[],
  known: Known,
): ClusterAnswer {
  const [namespace, name, ...before] = labels;
  if (namespace === undefined) return { type: "no data" };
  if (name === undefined)
    return { type: known.records.hasNamespace(namespace) ? "no data" : "no name" };
  const service = known.records.service(namespace, name);
  const part = partOf(before);
  if (!service || !part) return { type: "no name" };
  if (service.externalName !== undefined)
    return before.length > 0 ? { type: "no name" } : alias(question, service.externalName, known);
  const targets = targetsOf(service, part, known);
  if (targets.length === 0) return { type: "no name" };
  // A name such as `_tcp` only has others below it.
  if (part.protocol !== undefined && part.port === undefined) return { type: "no data" };
  return answer(question, targets, known);
}

/** What the labels before a service's name choose of it. */
interface Part {
  readonly endpoint?: string;
  readonly port?: string;
  readonly protocol?: string;
}

function partOf(before: readonly string[]): Part | undefined {
  const [first, second, ...more] = before;
  if (more.length > 0) return undefined;
  if (first === undefined) return {};
  if (second === undefined)
    return first.startsWith("_") ? { protocol: first.slice(1) } : { endpoint: first };
  if (!first.startsWith("_") || !second.startsWith("_")) return undefined;
  return { protocol: first.slice(1), port: second.slice(1) };
}

/** An address with a name of its own, and those of its ports that were asked for. */
interface Target {
  readonly name: DnsName;
  readonly address: Uint8Array;
  readonly ports: readonly NamedPort[];
}

function targetsOf(
  service: NamedService,
  { endpoint, port, protocol }: Part,
  { records, zone }: Known,
): readonly Target[] {
  const { namespace, name, isHeadless, addresses } = service;
  const chosen = (ports: readonly NamedPort[]): readonly NamedPort[] =>
    ports.filter(
      (one) =>
        (port === undefined || one.name === port) &&
        (protocol === undefined || one.protocol === protocol),
    );
  const isChosen = ({ ports }: Target): boolean => protocol === undefined || ports.length > 0;
  if (!isHeadless && endpoint === undefined) {
    const target = within(zone, name, namespace, "svc");
    const ports = chosen(service.ports);
    return addresses.map((address) => ({ name: target, address, ports })).filter(isChosen);
  }
  return records
    .endpoints(namespace, name)
    .filter(({ label }) => endpoint === undefined || label === endpoint)
    .map(({ label, address, ports }) => ({
      ...{ name: within(zone, label, name, namespace, "svc"), address, ports: chosen(ports) },
    }))
    .filter(isChosen);
}

function answer(
  question: DnsQuestion,
  targets: readonly Target[],
  { zone: { ttl } }: Known,
): ClusterAnswer {
  if (question.type === recordTypes.SRV) return serviceRecords(question.name, targets, ttl);
  const addresses = targets.map(({ address }) => address);
  return recordsOrNone(addressRecords(question, addresses, ttl));
}

/** Records SRV that share the load equally, and the addresses of their targets. */
function serviceRecords(name: DnsName, targets: readonly Target[], ttl: number): ClusterAnswer {
  const ports = new Map<string, { readonly target: DnsName; readonly port: number }>();
  const additionals = new Map<string, DnsRecord>();
  for (const { name: target, address, ports: some } of targets) {
    for (const { port } of some) ports.set(`${port} ${target}`, { target, port });
    if (some.length > 0)
      additionals.set(`${address.join(".")} ${target}`, addressRecord(target, ttl, address));
  }
  if (ports.size === 0) return { type: "no data" };
  const weight = Math.max(1, Math.floor(100 / ports.size));
  const answers = [...ports.values()].map((one) => srvRecord(name, { ...one, ttl, weight }));
  return { type: "records", answers, additionals: [...additionals.values()] };
}

/** A service of type ExternalName. An address is no name, and has no records. */
function alias({ name }: DnsQuestion, externalName: string, { zone }: Known): ClusterAnswer {
  const target = addressBytes(externalName) ? undefined : parseName(externalName);
  if (target === undefined) return { type: "no name" };
  const answers = [nameRecord(name, { type: recordTypes.CNAME, ttl: zone.ttl, target })];
  return { type: "alias", answers, target };
}
