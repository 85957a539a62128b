import { expect, test } from "vitest";
import { limitCommands, readBandwidth } from "./bandwidth.ts";

test("readBandwidth: bits per second of the annotations", () => {
  const read = (ingress?: string, egress?: string) =>
    readBandwidth({
      ...(ingress !== undefined && { "kubernetes.io/ingress-bandwidth": ingress }),
      ...(egress !== undefined && { "kubernetes.io/egress-bandwidth": egress }),
    });
  expect(read()).toEqual({});
  expect(read("10M", "1Gi")).toEqual({ ingress: 1e7, egress: 2 ** 30 });
  expect(() => read("999")).toThrow("resource is unreasonably small (< 1kbit)");
  expect(() => read(undefined, "2P")).toThrow("resource is unreasonably large (> 1Pbit)");
  expect(() => read("fast")).toThrow("quantities must match the regular expression");
});

test("limitCommands: what leaves a pod is limited on an interface of its own", () => {
  const link = { sandboxId: "0123456789abcdef", owner: "us" };
  expect(limitCommands(link, {})).toEqual({ links: [], traffic: [] });
  expect(limitCommands(link, { ingress: 1e6 })).toEqual({
    ...{
      links: [],
      traffic: ["qdisc add dev veth0123456789a root tbf rate 1000000bit burst 32768 latency 25ms"],
    },
  });
  const { links, traffic } = limitCommands(link, { egress: 1e9 });
  expect(links).toEqual([
    "link add name ifb0123456789a group 87 type ifb",
    "link set ifb0123456789a alias us up",
  ]);
  expect(traffic[0]).toBe(
    "qdisc add dev ifb0123456789a root tbf rate 1000000000bit burst 1250000 latency 25ms",
  );
});
