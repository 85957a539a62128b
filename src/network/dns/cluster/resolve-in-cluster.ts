import { recordTypes } from "../message/dns-codes.ts";
import type { DnsQuestion } from "../message/dns-message.ts";
import { type DnsName, foldCase, isWithin, labelsOf } from "../message/dns-name.ts";
import { addressBytes, addressRecord, nameRecord, txtRecord } from "../message/make-record.ts";
import {
  addressRecords,
  type ClusterAnswer,
  type ClusterZone,
  type Known,
  recordsOrNone,
  within,
  zoneSoa,
} from "./cluster-answer.ts";
import type { ClusterRecords } from "./cluster-records.ts";
import { resolveService } from "./resolve-service.ts";
import { addressOfReverseName } from "./reverse-name.ts";

/** The version of the specification that clients can ask for. */
const schemaVersion = "1.1.0";

/** Answers a question from the objects of a cluster. Records have the name as it was asked, with its case. */
export function resolveInCluster(
  question: DnsQuestion,
  records: ClusterRecords,
  zone: ClusterZone,
): ClusterAnswer {
  const folded = foldCase(question.name);
  if (!isWithin(folded, zone.name)) return reverse(question, folded, { records, zone });
  const prefix = folded.slice(0, folded.length - zone.name.length);
  const labels = labelsOf(`${prefix}\0`);
  const [kind, ...rest] = labels.reverse();
  switch (kind) {
    case undefined:
      return apex(question, records, zone);
    case "svc":
      return resolveService(question, rest, { records, zone });
    case "pod":
      return pod(question, rest, { records, zone });
    case "dns-version":
      if (rest.length > 0) return { type: "no name" };
      return question.type === recordTypes.TXT
        ? { type: "records", answers: [txtRecord(question.name, zone.ttl, schemaVersion)] }
        : { type: "no data" };
    case "dns":
      if (rest.length === 0) return { type: "no data" };
      return rest.length === 1 && rest[0] === "ns"
        ? recordsOrNone(addressRecords(question, zone.servers, zone.ttl))
        : { type: "no name" };
    default:
      return { type: "no name" };
  }
}

function apex(question: DnsQuestion, records: ClusterRecords, zone: ClusterZone): ClusterAnswer {
  const { name, type } = question;
  const { ttl, servers } = zone;
  if (type === recordTypes.SOA) return { type: "records", answers: [zoneSoa(records, zone)] };
  if (type !== recordTypes.NS) return { type: "no data" };
  const target = within(zone, "ns", "dns");
  return {
    type: "records",
    answers: [nameRecord(name, { type, ttl, target })],
    additionals: servers.map((address) => addressRecord(target, ttl, address)),
  };
}

/** The address of a pod is in its name: whether there is such a pod is not verified, as in clusters of kubeadm. */
function pod(question: DnsQuestion, labels: readonly string[], { records, zone }: Known) {
  const [namespace, label, ...more] = labels;
  if (namespace === undefined) return { type: "no data" } as const;
  if (more.length > 0 || !records.hasNamespace(namespace)) return { type: "no name" } as const;
  if (label === undefined) return { type: "no data" } as const;
  const address = addressOfLabel(label);
  if (!address) return { type: "no name" } as const;
  return recordsOrNone(addressRecords(question, [address], zone.ttl));
}

function addressOfLabel(label: string): Uint8Array | undefined {
  const isFour = /^\d+-\d+-\d+-\d+$/.test(label);
  return addressBytes(label.replaceAll("-", isFour ? "." : ":"));
}

function reverse(question: DnsQuestion, folded: DnsName, { records, zone }: Known): ClusterAnswer {
  const address = addressOfReverseName(folded);
  const owners = address ? records.owners(address) : [];
  if (owners.length === 0) return { type: "elsewhere" };
  const { name, type } = question;
  if (type !== recordTypes.PTR) return { type: "no data" };
  const targets = owners.map(({ namespace, service, label }) =>
    within(zone, ...(label === undefined ? [] : [label]), service, namespace, "svc"),
  );
  return {
    type: "records",
    answers: [...new Set(targets)].map((target) =>
      nameRecord(name, { type, ttl: zone.ttl, target }),
    ),
  };
}
