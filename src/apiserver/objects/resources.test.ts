import { expect, test } from "vitest";
import type { AnyKind } from "./object.ts";
import { newestFirst, Resources } from "./resources.ts";

const kind = (group: string, version: string, plural: string, struct?: object): AnyKind =>
  ({ group, version, plural, kind: plural.toUpperCase(), struct }) as unknown as AnyKind;

test("Resources: custom kinds are added to the declared ones, and removed again", () => {
  const declared = kind("a", "v1", "things", {});
  const [one, two] = [kind("b", "v1", "ones"), kind("a", "v1", "twos")];
  const resources = new Resources([declared]);
  resources.setCustom([one, two]);
  expect([
    resources.find("b", "v1", "ones"),
    resources.findVersion("a/v1", "TWOS"),
    resources.findDeclared("a", "v1", "TWOS"),
    resources.of("a", "v1"),
    resources.groups.map(({ name }) => name),
  ]).toEqual([one, two, undefined, [declared, two], ["a", "b"]]);
  resources.setCustom([]);
  expect([resources.find("b", "v1", "ones"), resources.kinds]).toEqual([undefined, [declared]]);
});

test("Resources: a declared kind is found before a custom kind of the same name", () => {
  const declared = kind("a", "v1", "things", {});
  const resources = new Resources([declared]);
  resources.setCustom([kind("a", "v1", "things")]);
  expect(resources.find("a", "v1", "things")).toBe(declared);
});

test("newestFirst: stable before beta before alpha, then anything else by name", () => {
  const versions = [
    "foo1",
    "v1alpha2",
    "v1",
    "v2beta1",
    "v10",
    "v11alpha1",
    "v1beta2",
    "bar",
    "v2",
  ];
  expect(versions.sort(newestFirst)).toEqual([
    "v10",
    "v2",
    "v1",
    "v2beta1",
    "v1beta2",
    "v11alpha1",
    "v1alpha2",
    "bar",
    "foo1",
  ]);
});
