import { expect, test } from "vitest";
import { recordTypes } from "../message/dns-codes.ts";
import { nameIn } from "../message/dns-message.test-support.ts";
import { recordText } from "../message/record-text.test-support.ts";
import { someServices, someSlices } from "./cluster-objects.test-support.ts";
import { ClusterRecords } from "./cluster-records.ts";
import { resolveInCluster } from "./resolve-in-cluster.ts";

const records = new ClusterRecords(() => 1_700_000_000_000);
for (const name of ["default", "other"]) records.setNamespace(name);
for (const service of someServices) records.setService(service);
for (const slice of someSlices) records.setSlice(slice);

const zone = {
  name: nameIn("cluster.local"),
  servers: [Uint8Array.of(10, 0, 0, 10)],
  ttl: 30,
};

/** The texts of an answer, the additional ones after a plus; or what it is instead. */
function answer(name: string, type: keyof typeof recordTypes): readonly string[] | string {
  const question = { name: nameIn(name), type: recordTypes[type], class: 1 };
  const found = resolveInCluster(question, records, zone);
  if (found.type !== "records" && found.type !== "alias") return found.type;
  const added = found.type === "records" ? (found.additionals ?? []) : [];
  return [...found.answers.map(recordText), ...added.map((one) => `+ ${recordText(one)}`)];
}

type Row = readonly [
  name: string,
  type: keyof typeof recordTypes,
  expected: readonly string[] | string,
];

const soa =
  "cluster.local. 30 SOA ns.dns.cluster.local. hostmaster.cluster.local. 1700000000 7200 1800 86400 30";
const dash = "10-1-0-3.db.default.svc.cluster.local.";
const dbTargets = [
  "db-0.db.default.svc.cluster.local.",
  dash,
  "fd00-1--0.db.default.svc.cluster.local.",
];
const dbAddresses = [
  "+ db-0.db.default.svc.cluster.local. 30 A 10.1.0.2",
  `+ ${dash} 30 A 10.1.0.3`,
  "+ db-0.db.default.svc.cluster.local. 30 AAAA fd00:1::2",
  "+ fd00-1--0.db.default.svc.cluster.local. 30 AAAA fd00:1::",
];

const zones: readonly Row[] = [
  ["cluster.local", "SOA", [soa]],
  [
    "cluster.local",
    "NS",
    ["cluster.local. 30 NS ns.dns.cluster.local.", "+ ns.dns.cluster.local. 30 A 10.0.0.10"],
  ],
  ["cluster.local", "A", "no data"],
  ["ns.dns.cluster.local", "A", ["ns.dns.cluster.local. 30 A 10.0.0.10"]],
  ["ns.dns.cluster.local", "AAAA", "no data"],
  ["dns.cluster.local", "A", "no data"],
  ["x.ns.dns.cluster.local", "A", "no name"],
  ["dns-version.cluster.local", "TXT", ['dns-version.cluster.local. 30 TXT "1.1.0"']],
  ["dns-version.cluster.local", "A", "no data"],
  ["x.dns-version.cluster.local", "TXT", "no name"],
  ["svc.cluster.local", "A", "no data"],
  ["default.svc.cluster.local", "A", "no data"],
  ["absent.svc.cluster.local", "A", "no name"],
  ["web.cluster.local", "A", "no name"],
  ["*.cluster.local", "A", "no name"],
  ["example.com", "A", "elsewhere"],
  ["notcluster.local", "A", "elsewhere"],
];

const services: readonly Row[] = [
  ["web.default.svc.cluster.local", "A", ["web.default.svc.cluster.local. 30 A 10.0.0.20"]],
  ["WeB.Default.SVC.cluster.LOCAL", "A", ["WeB.Default.SVC.cluster.LOCAL. 30 A 10.0.0.20"]],
  ["web.default.svc.cluster.local", "AAAA", "no data"],
  ["web.default.svc.cluster.local", "MX", "no data"],
  ["dual.default.svc.cluster.local", "AAAA", ["dual.default.svc.cluster.local. 30 AAAA fd00::21"]],
  ["web.other.svc.cluster.local", "A", "no name"],
  ["*.default.svc.cluster.local", "A", "no name"],
  ["web.*.svc.cluster.local", "A", "no name"],
  [
    "_http._tcp.web.default.svc.cluster.local",
    "SRV",
    [
      "_http._tcp.web.default.svc.cluster.local. 30 SRV 0 100 80 web.default.svc.cluster.local.",
      "+ web.default.svc.cluster.local. 30 A 10.0.0.20",
    ],
  ],
  [
    "web.default.svc.cluster.local",
    "SRV",
    [
      "web.default.svc.cluster.local. 30 SRV 0 50 80 web.default.svc.cluster.local.",
      "web.default.svc.cluster.local. 30 SRV 0 50 53 web.default.svc.cluster.local.",
      "+ web.default.svc.cluster.local. 30 A 10.0.0.20",
    ],
  ],
  ["_http._udp.web.default.svc.cluster.local", "SRV", "no name"],
  [
    "_dns._udp.web.default.svc.cluster.local",
    "A",
    ["_dns._udp.web.default.svc.cluster.local. 30 A 10.0.0.20"],
  ],
  ["_tcp.web.default.svc.cluster.local", "SRV", "no data"],
  ["_sctp.web.default.svc.cluster.local", "SRV", "no name"],
  ["_http.tcp.web.default.svc.cluster.local", "SRV", "no name"],
  ["x._http._tcp.web.default.svc.cluster.local", "SRV", "no name"],
  [
    "unnamed.default.svc.cluster.local",
    "SRV",
    [
      "unnamed.default.svc.cluster.local. 30 SRV 0 100 80 unnamed.default.svc.cluster.local.",
      "+ unnamed.default.svc.cluster.local. 30 A 10.0.0.22",
    ],
  ],
  [
    "10-1-0-1.web.default.svc.cluster.local",
    "A",
    ["10-1-0-1.web.default.svc.cluster.local. 30 A 10.1.0.1"],
  ],
  ["10-1-0-9.web.default.svc.cluster.local", "A", "no name"],
];

const headless: readonly Row[] = [
  [
    "db.default.svc.cluster.local",
    "A",
    ["db.default.svc.cluster.local. 30 A 10.1.0.2", "db.default.svc.cluster.local. 30 A 10.1.0.3"],
  ],
  [
    "db.default.svc.cluster.local",
    "AAAA",
    [
      "db.default.svc.cluster.local. 30 AAAA fd00:1::2",
      "db.default.svc.cluster.local. 30 AAAA fd00:1::",
    ],
  ],
  ["db-0.db.default.svc.cluster.local", "A", ["db-0.db.default.svc.cluster.local. 30 A 10.1.0.2"]],
  [
    "db-0.db.default.svc.cluster.local",
    "AAAA",
    ["db-0.db.default.svc.cluster.local. 30 AAAA fd00:1::2"],
  ],
  ["10-1-0-3.db.default.svc.cluster.local", "A", [`${dash} 30 A 10.1.0.3`]],
  [
    "fd00-1--0.db.default.svc.cluster.local",
    "AAAA",
    ["fd00-1--0.db.default.svc.cluster.local. 30 AAAA fd00:1::"],
  ],
  ["10-1-0-2.db.default.svc.cluster.local", "A", "no name"],
  ["db-2.db.default.svc.cluster.local", "A", "no name"],
  [
    "_sql._tcp.db.default.svc.cluster.local",
    "SRV",
    [
      ...dbTargets.map(
        (target) => `_sql._tcp.db.default.svc.cluster.local. 30 SRV 0 33 5432 ${target}`,
      ),
      ...dbAddresses,
    ],
  ],
  ["empty.default.svc.cluster.local", "A", "no name"],
  [
    "portless.default.svc.cluster.local",
    "A",
    ["portless.default.svc.cluster.local. 30 A 10.1.0.5"],
  ],
  ["portless.default.svc.cluster.local", "SRV", "no data"],
];

const aliases: readonly Row[] = [
  [
    "out.default.svc.cluster.local",
    "A",
    ["out.default.svc.cluster.local. 30 CNAME www.Example.com."],
  ],
  [
    "out.default.svc.cluster.local",
    "CNAME",
    ["out.default.svc.cluster.local. 30 CNAME www.Example.com."],
  ],
  ["_http._tcp.out.default.svc.cluster.local", "SRV", "no name"],
  ["x.out.default.svc.cluster.local", "A", "no name"],
  ["address.default.svc.cluster.local", "A", "no name"],
];

const pods: readonly Row[] = [
  [
    "10-1-2-3.default.pod.cluster.local",
    "A",
    ["10-1-2-3.default.pod.cluster.local. 30 A 10.1.2.3"],
  ],
  ["10-1-2-3.default.pod.cluster.local", "AAAA", "no data"],
  [
    "fd00--7.default.pod.cluster.local",
    "AAAA",
    ["fd00--7.default.pod.cluster.local. 30 AAAA fd00::7"],
  ],
  ["10-1-2.default.pod.cluster.local", "A", "no name"],
  ["10-1-2-300.default.pod.cluster.local", "A", "no name"],
  ["web.default.pod.cluster.local", "A", "no name"],
  ["10-1-2-3.absent.pod.cluster.local", "A", "no name"],
  ["x.10-1-2-3.default.pod.cluster.local", "A", "no name"],
  ["default.pod.cluster.local", "A", "no data"],
  ["absent.pod.cluster.local", "A", "no name"],
  ["pod.cluster.local", "A", "no data"],
];

const reversed = (text: string): string => [...text].reverse().join(".");

const reverse: readonly Row[] = [
  [
    "20.0.0.10.in-addr.arpa",
    "PTR",
    ["20.0.0.10.in-addr.arpa. 30 PTR web.default.svc.cluster.local."],
  ],
  [
    "2.0.1.10.in-addr.arpa",
    "PTR",
    ["2.0.1.10.in-addr.arpa. 30 PTR db-0.db.default.svc.cluster.local."],
  ],
  ["3.0.1.10.IN-ADDR.arpa", "PTR", [`3.0.1.10.IN-ADDR.arpa. 30 PTR ${dash}`]],
  ["20.0.0.10.in-addr.arpa", "A", "no data"],
  ["4.0.1.10.in-addr.arpa", "PTR", "elsewhere"],
  ["020.0.0.10.in-addr.arpa", "PTR", "elsewhere"],
  ["0.0.10.in-addr.arpa", "PTR", "elsewhere"],
  ["in-addr.arpa", "PTR", "elsewhere"],
  [
    `${reversed("fd000000000000000000000000000021")}.ip6.arpa`,
    "PTR",
    [
      `${reversed("fd000000000000000000000000000021")}.ip6.arpa. 30 PTR dual.default.svc.cluster.local.`,
    ],
  ],
];

test.each([...zones, ...services, ...headless, ...aliases, ...pods, ...reverse])(
  "resolveInCluster: %s %s",
  (name, type, expected) => {
    expect(answer(name, type)).toEqual(expected);
  },
);
