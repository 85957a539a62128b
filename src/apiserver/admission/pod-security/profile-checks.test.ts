import { expect, test } from "vitest";
import type { CheckPod, PodLike } from "./check.ts";
import {
  appArmorProfile,
  containerTypes,
  seccompAnnotations,
  seccompProfile,
  seLinuxOptions,
} from "./profile-checks.ts";

interface Given {
  readonly own?: object;
  readonly containers?: readonly object[];
  readonly annotations?: Record<string, string>;
}

/** The violation of a pod with these settings, and containers c, d with theirs. */
function outcomeOf(check: CheckPod, { own, containers = [], annotations }: Given): unknown {
  const violation = check({
    metadata: { annotations },
    spec: {
      securityContext: own,
      containers: containers.map((securityContext, i) => ({ name: "cd"[i], securityContext })),
    },
  } as unknown as PodLike);
  return violation && `${violation.reason}: ${violation.detail}`;
}

const appArmor = (type: string) => ({ appArmorProfile: { type } });
const annotation = (name: string) => `container.apparmor.security.beta.kubernetes.io/${name}`;

test.each([
  [{ own: appArmor("Localhost"), containers: [appArmor("RuntimeDefault"), {}] }, undefined],
  [
    { annotations: { [annotation("a")]: "runtime/default", [annotation("b")]: "localhost/x" } },
    undefined,
  ],
  [
    { own: appArmor("Unconfined"), containers: [{}, appArmor("Unconfined")] },
    'forbidden AppArmor profile: pod and container "d" must not set AppArmor profile type to "Unconfined"',
  ],
  [
    {
      containers: [appArmor("Unconfined")],
      annotations: { [annotation("b")]: "unconfined", [annotation("a")]: "x", other: "unconfined" },
    },
    `forbidden AppArmor profiles: container "c" and annotations must not set AppArmor profile type to "Unconfined", "${annotation("a")}="x"", "${annotation("b")}="unconfined""`,
  ],
])("appArmorProfile: of %j", (given, text) => {
  expect(outcomeOf(appArmorProfile, given as Given)).toBe(text);
});

const seLinux = (seLinuxOptions: object) => ({ seLinuxOptions });

test.each([
  [{ own: seLinux({ level: "s0" }), containers: [seLinux({ type: "container_t" })] }, undefined],
  [
    { own: seLinux({ type: "b", user: "u" }), containers: [seLinux({ type: "a" })] },
    'seLinuxOptions: pod and container "c" set forbidden securityContext.seLinuxOptions: types "a", "b"; user may not be set',
  ],
  [
    { containers: [seLinux({ role: "r" }), seLinux({ user: "" })] },
    'seLinuxOptions: container "c" set forbidden securityContext.seLinuxOptions: role may not be set',
  ],
])("seLinuxOptions: of %j", (given, text) => {
  expect(outcomeOf(seLinuxOptions(containerTypes), given)).toBe(text);
});

const seccomp = (type: string) => ({ seccompProfile: { type } });

test.each([
  [{ own: seccomp("Localhost"), containers: [seccomp("RuntimeDefault"), {}] }, undefined],
  [
    { own: seccomp("Unconfined"), containers: [seccomp("Unconfined"), seccomp("Odd")] },
    'seccompProfile: pod and containers "c", "d" must not set securityContext.seccompProfile.type to "Odd", "Unconfined"',
  ],
])("seccompProfile: of %j", (given, text) => {
  expect(outcomeOf(seccompProfile, given)).toBe(text);
});

const ofContainer = (name: string) => `container.seccomp.security.alpha.kubernetes.io/${name}`;
const ofPod = "seccomp.security.alpha.kubernetes.io/pod";

test.each([
  [{ [ofPod]: "docker/default", [ofContainer("x")]: "unconfined" }, undefined],
  [{ [ofPod]: "" }, `seccompProfile: forbidden annotation ${ofPod}=""`],
  [
    { [ofPod]: "unconfined", [ofContainer("c")]: "x" },
    `seccompProfile: forbidden annotations ${ofContainer("c")}="x", ${ofPod}="unconfined"`,
  ],
])("seccompAnnotations: of %j", (annotations, text) => {
  const given = { annotations: annotations as Record<string, string>, containers: [{}] };
  expect(outcomeOf(seccompAnnotations, given)).toBe(text);
});
