import { expect, test } from "vitest";
import { patched, serviceServer } from "./service-server.test-support.ts";

const dualStack = { serviceRange: "10.0.0.0/24,fd00::/112" };

test.each([
  ["headless", { clusterIP: "None" }],
  ["external", { type: "ExternalName", externalName: "x.example", ports: null }],
])("a service that is %s gets no address", async (_, spec) => {
  const { create, addresses } = await serviceServer();
  await create("web", spec);
  expect(await addresses()).toEqual([]);
});

test("the address of a service cannot change, and requesting another allocates none", async () => {
  const { create, patch, addresses } = await serviceServer();
  await create("web", { clusterIP: "10.0.0.20" });
  expect(await patch("web", { clusterIP: "10.0.0.21", clusterIPs: ["10.0.0.21"] })).toMatch(
    /^422 .*field is immutable|^422 .*may not change once set/,
  );
  expect(await addresses()).toEqual(["10.0.0.20"]);
});

test("a service that becomes an external name releases its addresses, and gets new ones when it changes back", async () => {
  const { create, patch, addresses } = await serviceServer(dualStack);
  await create("web", { ipFamilyPolicy: "RequireDualStack" });
  expect((await addresses()).length).toEqual(2);
  const external = patched(await patch("web", { type: "ExternalName", externalName: "x.example" }));
  expect([external.spec.clusterIP, await addresses()]).toEqual([undefined, []]);
  const back = patched(await patch("web", { type: "ClusterIP", externalName: null }));
  expect(await addresses()).toEqual([back.spec.clusterIP]);
});

test("with two ranges a service has addresses of the requested families", async () => {
  const { create } = await serviceServer(dualStack);
  const families = async (name: string, spec: object) => {
    const { clusterIPs = [], ipFamilies } = (await create(name, spec)).spec;
    expect(clusterIPs.map((ip) => (ip.includes(":") ? "IPv6" : "IPv4"))).toEqual(ipFamilies);
    return ipFamilies;
  };
  expect(await families("single", {})).toEqual(["IPv4"]);
  expect(await families("prefer", { ipFamilyPolicy: "PreferDualStack" })).toEqual(["IPv4", "IPv6"]);
  expect(await families("six", { ipFamilies: ["IPv6"] })).toEqual(["IPv6"]);
  const reverse = { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] };
  expect(await families("reverse", reverse)).toEqual(["IPv6", "IPv4"]);
  const asked = {
    ipFamilyPolicy: "PreferDualStack",
    clusterIP: "fd00::9",
    clusterIPs: ["fd00::9"],
  };
  expect(await families("asked", asked)).toEqual(["IPv6", "IPv4"]);
});

test("a service gets and loses its second address", async () => {
  const { create, patch, addresses } = await serviceServer(dualStack);
  const { spec } = await create("web");
  const up = patched(await patch("web", { ipFamilyPolicy: "PreferDualStack" }));
  const [first, second] = up.spec.clusterIPs ?? [];
  expect([first, await addresses()]).toEqual([spec.clusterIP, [first, second]]);
  const down = patched(await patch("web", { ipFamilyPolicy: "SingleStack" }));
  expect([down.spec.clusterIPs, down.spec.ipFamilies]).toEqual([[first], ["IPv4"]]);
  expect(await addresses()).toEqual([first]);
  const asked = patched(
    await patch("web", { ipFamilyPolicy: "RequireDualStack", clusterIPs: [first, "fd00::77"] }),
  );
  expect([asked.spec.clusterIPs, await addresses()]).toEqual([
    [first, "fd00::77"],
    [first, "fd00::77"],
  ]);
});
