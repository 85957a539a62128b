import { expect, test } from "vitest";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { WantedSlice } from "../endpointslice/plan-slices.ts";
import { mirrorPlan } from "./mirror-plan.ts";

/** `80: 1 2!` is a subset with port 80 and addresses 10.0.0.1 and 10.0.0.2, the last not ready. */
function endpoints(subsets: readonly string[], metadata: object = {}): Endpoints {
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web", namespace: "default", uid: "now", ...metadata },
    subsets: subsets.map((text) => {
      const [port, hosts = ""] = text.split(":");
      const all = hosts.trim().split(" ");
      const ips = (some: readonly string[]) =>
        some.map((host) => {
          const bare = host.replace("!", "");
          return { ip: /^\d+$/.test(bare) ? `10.0.0.${bare}` : bare.replaceAll("_", ":") };
        });
      return {
        addresses: ips(all.filter((host) => !host.endsWith("!"))),
        notReadyAddresses: ips(all.filter((host) => host.endsWith("!"))),
        ports: [{ port: Number(port), protocol: "TCP" }],
      };
    }),
  } as unknown as Endpoints;
}

const textOf = ({ addressType, ports, endpoints: all }: WantedSlice): string => {
  const hosts = (all ?? []).map(
    ({ addresses, conditions }) =>
      `${addresses[0]?.replace("10.0.0.", "")}${conditions.ready ? "" : "!"}`,
  );
  return `${addressType} ${ports?.[0]?.port}: ${hosts.join(" ")}`;
};

/** The slices that a first plan makes, as they would be there then. */
const made = (from: Endpoints): readonly EndpointSlice[] =>
  mirrorPlan(from, [], 3).create.map(
    (slice, i) =>
      ({ ...slice, metadata: { ...slice.metadata, name: `s${i}` } }) as unknown as EndpointSlice,
  );

interface Row {
  readonly name: string;
  readonly from: Endpoints;
  readonly slices?: readonly EndpointSlice[];
  readonly create?: readonly string[];
  readonly update?: Readonly<Record<string, string>>;
  readonly delete?: readonly string[];
  readonly invalid?: number;
  readonly skipped?: number;
}
const plain = endpoints(["80: 1 2!"]);

test.each<Row>([
  { name: "nothing is nothing", from: endpoints([]) },
  { name: "a subset is a slice", from: plain, create: ["IPv4 80: 1 2!"] },
  { name: "mirrored addresses are kept", from: plain, slices: made(plain) },
  {
    name: "each address family has its own slices",
    from: endpoints(["80: 1 fd00__1"]),
    create: ["IPv4 80: 1", "IPv6 80: fd00::1"],
  },
  {
    name: "an address that changes is written",
    from: endpoints(["80: 1 2"]),
    slices: made(plain),
    update: { s0: "IPv4 80: 1 2" },
  },
  {
    name: "a slice of other ports is used again",
    from: endpoints(["81: 1"]),
    slices: made(plain),
    update: { s0: "IPv4 81: 1" },
  },
  {
    name: "a slice of another family is not",
    from: endpoints(["80: fd00__1"]),
    slices: made(plain),
    create: ["IPv6 80: fd00::1"],
    delete: ["s0"],
  },
  {
    name: "one slice is enough",
    from: plain,
    slices: [...made(plain), { ...made(plain)[0], metadata: { name: "t" } } as EndpointSlice],
    delete: ["t"],
  },
  {
    name: "without addresses, slices are deleted",
    from: endpoints([]),
    slices: made(plain),
    delete: ["s0"],
  },
  {
    name: "labels are followed",
    from: endpoints(["80: 1 2!"], { labels: { team: "blue" } }),
    slices: made(plain),
    update: { s0: "IPv4 80: 1 2!" },
  },
  {
    name: "annotations are followed",
    from: endpoints(["80: 1 2!"], { annotations: { a: "b" } }),
    slices: made(plain),
    update: { s0: "IPv4 80: 1 2!" },
  },
  {
    name: "annotations about the write of Endpoints are not copied",
    from: endpoints(["80: 1 2!"], {
      annotations: {
        "endpoints.kubernetes.io/last-change-trigger-time": "x",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
      },
    }),
    slices: made(plain),
  },
  {
    name: "slices of former Endpoints of the name get the new owner",
    from: endpoints(["80: 1 2!"], { uid: "later" }),
    slices: made(plain),
    update: { s0: "IPv4 80: 1 2!" },
  },
  {
    name: "addresses are mirrored up to the limit, ready ones first",
    from: endpoints(["80: 1! 2 3 4 5"]),
    create: ["IPv4 80: 2 3 4"],
    skipped: 2,
  },
  {
    name: "invalid addresses are skipped",
    from: endpoints(["80: 1 x"]),
    create: ["IPv4 80: 1"],
    invalid: 1,
    skipped: 1,
  },
])("mirrorPlan: $name", ({ from, slices = [], ...row }) => {
  const { create = [], update = {}, delete: gone = [], invalid = 0, skipped = 0 } = row;
  const plan = mirrorPlan(from, slices, 3);
  expect({
    create: plan.create.map(textOf),
    update: Object.fromEntries(plan.update.map((one) => [one.metadata.name, textOf(one)])),
    delete: plan.delete.map(({ metadata }) => metadata.name),
    invalid: plan.invalid,
    skipped: plan.skipped,
  }).toEqual({ create, update, delete: gone, invalid, skipped });
});
