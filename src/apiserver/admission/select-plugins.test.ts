import { expect, test } from "vitest";
import { pluginFaults, selectPlugins } from "./select-plugins.ts";

const byDefault = selectPlugins({ enable: [], disable: [] });

test("selectPlugins: enabled plugins and default ones are in the plugins' own order", () => {
  const enable = ["AlwaysDeny", "AlwaysPullImages", "AlwaysAdmit", "NamespaceLifecycle"];
  const selected = selectPlugins({ enable, disable: ["Priority"] });
  expect(selected.filter((name) => enable.includes(name))).toEqual([
    "AlwaysAdmit",
    "NamespaceLifecycle",
    "AlwaysPullImages",
    "AlwaysDeny",
  ]);
  const others = byDefault.filter((name) => name !== "Priority" && !enable.includes(name));
  expect(selected.filter((name) => !enable.includes(name))).toEqual(others);
});

test("selectPlugins: a plugin that is off by default can be disabled", () => {
  expect(selectPlugins({ enable: [], disable: ["AlwaysDeny"] })).toEqual(byDefault);
});

test("selectPlugins: a choice that is not valid is none", () => {
  expect(() => selectPlugins({ enable: ["Nope"], disable: [] })).toThrow(
    'enable-admission-plugins plugin "Nope" is unknown',
  );
});

test.each([
  [[], [], []],
  [["AlwaysAdmit"], ["LimitRanger"], []],
  [
    ["No", "AlwaysAdmit", "Nor"],
    ["Never"],
    [
      'enable-admission-plugins plugin "No" is unknown',
      'enable-admission-plugins plugin "Nor" is unknown',
      'disable-admission-plugins plugin "Never" is unknown',
    ],
  ],
  [
    ["Priority", "LimitRanger", "Priority"],
    ["LimitRanger", "Priority"],
    ["[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped"],
  ],
  [[], ["NodeRestriction", "ResourceQuota"], []],
])("pluginFaults: enabled %j, disabled %j", (enable, disable, faults) => {
  expect(pluginFaults({ enable, disable })).toEqual(faults);
});
