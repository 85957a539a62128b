import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { SecurityProfile } from "../../../cri/linux-types.ts";
import { apparmorProfile, type LoadedProfiles, parseProfiles } from "./apparmor-profile.ts";

const loaded = parseProfiles("docker-default (enforce)\n/usr/bin/man with (x) (complain)\n");

each<[SecurityProfile | undefined, LoadedProfiles, string | undefined]>([
  [undefined, loaded, undefined],
  [undefined, undefined, undefined],
  [{ type: "unconfined" }, undefined, undefined],
  [{ type: "runtimeDefault" }, loaded, undefined],
  [{ type: "localhost", ref: "docker-default" }, loaded, "docker-default"],
  [{ type: "localhost", ref: "localhost//usr/bin/man with (x)" }, loaded, "/usr/bin/man with (x)"],
])("apparmorProfile: %j", (profile, profiles, expected) => {
  expect(apparmorProfile(profile, profiles)).toBe(expected);
});

each<[SecurityProfile, LoadedProfiles, string]>([
  [{ type: "runtimeDefault" }, undefined, "apparmor is not supported"],
  [{ type: "localhost", ref: "a" }, undefined, "apparmor is not supported"],
  [{ type: "localhost", ref: "a" }, loaded, "apparmor profile not found a"],
])("apparmorProfile: rejects %j", (profile, profiles, message) => {
  expect(() => apparmorProfile(profile, profiles)).toThrow(new Error(message));
});
