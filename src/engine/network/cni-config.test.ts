import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { parseCniConfig, pluginInput, resultAddresses } from "./cni-config.ts";

test("parseCniConfig: a single plugin is a list of one", () => {
  expect(
    parseCniConfig('{"cniVersion":"0.4.0","name":"n","type":"bridge","mtu":1400}', "f"),
  ).toEqual({
    cniVersion: "0.4.0",
    name: "n",
    plugins: [{ type: "bridge", mtu: 1400 }],
  });
});

each<[string, string]>([
  ["{", "cannot parse f"],
  ["[]", "f has no name"],
  ['{"name":"n"}', "f has neither plugins nor a type"],
  ['{"name":"n","plugins":[]}', "f has no plugins"],
  ['{"name":"n","plugins":[{}]}', "a plugin in f has no type"],
])("parseCniConfig: %s", (text, problem) => {
  expect(() => parseCniConfig(text, "f")).toThrow(problem);
});

test("pluginInput: a plugin gets the arguments that it is capable of, and the result before", () => {
  const plugin = { type: "portmap", capabilities: { portMappings: true }, snat: true };
  const config = { cniVersion: "1.0.0", name: "n", plugins: [plugin] };
  const call = { arguments: { portMappings: [1], dns: {} }, prevResult: { ips: [] } };
  expect(pluginInput(config, plugin, call)).toEqual({
    ...{ type: "portmap", snat: true, cniVersion: "1.0.0", name: "n" },
    ...{ runtimeConfig: { portMappings: [1] }, prevResult: { ips: [] } },
  });
});

test("resultAddresses: of a result in any version", () => {
  expect(resultAddresses({ ips: [{ address: "10.0.0.2/24" }, { address: "fd00::2/64" }] })).toEqual(
    ["10.0.0.2", "fd00::2"],
  );
  expect(resultAddresses({ ip4: { ip: "10.0.0.2/24" } })).toEqual(["10.0.0.2"]);
});
