import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { mergeCredentials, pullCredentials } from "./merge-credentials.ts";
import type { ImagePullCredentials } from "./pull-records.ts";

const ownerOf = (name: string) => ({ uid: "1", namespace: "n", name });
const secretOf = (name: string, credentialHash = "h") => ({ ...ownerOf(name), credentialHash });
const secrets = (...kubernetesSecrets: ReturnType<typeof secretOf>[]) => ({ kubernetesSecrets });
const accounts = (...names: string[]) => ({ kubernetesServiceAccounts: names.map(ownerOf) });
const all = { nodePodsAccessible: true };

each<[string, ImagePullCredentials | undefined, ImagePullCredentials, ImagePullCredentials]>([
  ["the first", undefined, secrets(secretOf("a")), secrets(secretOf("a"))],
  [
    "a second one",
    secrets(secretOf("b")),
    secrets(secretOf("a")),
    secrets(secretOf("a"), secretOf("b")),
  ],
  [
    "a renewed one",
    secrets(secretOf("a")),
    secrets(secretOf("a", "i")),
    secrets(secretOf("a", "i")),
  ],
  ["an anonymous pull", { ...secrets(secretOf("a")), ...accounts("x") }, all, all],
  [
    "accounts beside secrets",
    secrets(secretOf("a")),
    accounts("x"),
    { ...secrets(secretOf("a")), ...accounts("x") },
  ],
  ["a second account", accounts("y"), accounts("x"), accounts("x", "y")],
])("mergeCredentials: %s", (_, recorded, added, expected) => {
  expect(mergeCredentials(recorded, added)).toEqual(expected);
});

each<[ImagePullCredentials, ImagePullCredentials]>([
  [all, secrets(secretOf("a"))],
  [secrets(secretOf("a"), secretOf("b")), secrets(secretOf("a"))],
  [accounts("x", "y"), accounts("y")],
])("mergeCredentials: %j knows %j already", (recorded, added) => {
  expect(mergeCredentials(recorded, added)).toBe(recorded);
});

test("pullCredentials: by their source", () => {
  const auth = { username: "u", password: "<p>", email: "e" };
  const owner = ownerOf("a");
  expect(pullCredentials(undefined)).toEqual(all);
  expect(pullCredentials({ auth })).toEqual(all);
  expect(pullCredentials({ auth, source: { kind: "ServiceAccount", owner } })).toEqual(
    accounts("a"),
  );
  // printf '{"username":"u","password":"\\u003cp\\u003e","email":"e"}' | sha256sum
  const hash = "fedf48570878e632a94f33193f5631a658980d163db8066706b8ac3af9b16fd9";
  expect(pullCredentials({ auth, source: { kind: "Secret", owner } })).toEqual(
    secrets(secretOf("a", hash)),
  );
});
