import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";
import { procMount } from "./baseline-checks.ts";
import {
  type Check,
  type CheckPod,
  containersThat,
  counted,
  quoted,
  setters,
  sorted,
} from "./check.ts";
import { exceptInUserNamespace, exceptOnWindows } from "./exceptions.ts";
import { seccompProfile } from "./profile-checks.ts";

const allowPrivilegeEscalation: CheckPod = (pod) => {
  const containers = containersThat(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  return containers.length === 0
    ? undefined
    : {
        reason: "allowPrivilegeEscalation != false",
        detail: `${counted("container", containers)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

const capabilities: CheckPod = (pod) => {
  const added = (add: readonly string[] = []) => add.filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = containersThat(
    pod,
    ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"),
  );
  const adding = containersThat(
    pod,
    ({ securityContext }) => added(securityContext?.capabilities?.add).length > 0,
  );
  const names = allContainers(pod.spec).flatMap(({ securityContext }) =>
    added(securityContext?.capabilities?.add),
  );
  const details = [];
  if (keeping.length > 0)
    details.push(
      `${counted("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    );
  if (adding.length > 0)
    details.push(
      `${counted("container", adding)} must not include ${quoted(sorted(names))} in securityContext.capabilities.add`,
    );
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const allowedSources = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof Volume)[];

const restrictedVolumes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(
    (volume) => !allowedSources.some((source) => volume[source] !== undefined),
  );
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = sorted(bad.map(sourceOf));
  return {
    reason: "restricted volume types",
    detail: `${counted("volume", names)} ${names.length === 1 ? "uses" : "use"} ${counted("restricted volume type", types)}`,
  };
};

/** A volume has one source, named by its field. */
function sourceOf(volume: Volume): string {
  const fields = Object.entries(volume).filter(
    ([name, value]) => name !== "name" && value !== undefined,
  );
  return fields[0]?.[0] ?? "unknown";
}

const runAsNonRoot: CheckPod = (pod) => {
  const own = pod.spec.securityContext?.runAsNonRoot;
  const explicit = containersThat(
    pod,
    ({ securityContext }) => securityContext?.runAsNonRoot === false,
  );
  const who = setters(own === false, explicit);
  const reason = "runAsNonRoot != true";
  if (who.length > 0)
    return {
      reason,
      detail: `${who.join(" and ")} must not set securityContext.runAsNonRoot=false`,
    };
  const silent = containersThat(
    pod,
    ({ securityContext }) => own !== true && securityContext?.runAsNonRoot === undefined,
  );
  return silent.length === 0
    ? undefined
    : {
        reason,
        detail: `pod or ${counted("container", silent)} must set securityContext.runAsNonRoot=true`,
      };
};

const runAsUser: CheckPod = (pod) => {
  const containers = containersThat(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(pod.spec.securityContext?.runAsUser === 0, containers);
  return who.length === 0
    ? undefined
    : { reason: "runAsUser=0", detail: `${who.join(" and ")} must not set runAsUser=0` };
};

const seccompProfileSet: CheckPod = (pod) => {
  const wrong = seccompProfile(pod);
  if (wrong || pod.spec.securityContext?.seccompProfile) return wrong;
  const silent = containersThat(pod, ({ securityContext }) => !securityContext?.seccompProfile);
  return silent.length === 0
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `pod or ${counted("container", silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
};

/** The checks of the level restricted beside the baseline, in the order in which violations are reported. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, allowPrivilegeEscalation],
      [25, exceptOnWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      [22, capabilities],
      [25, exceptOnWindows(capabilities)],
    ],
    overrides: "capabilities_baseline",
  },
  { id: "procMount_restricted", versions: [[35, procMount]], overrides: "procMount" },
  { id: "restrictedVolumes", versions: [[0, restrictedVolumes]], overrides: "hostPathVolumes" },
  {
    id: "runAsNonRoot",
    versions: [
      [0, runAsNonRoot],
      [35, exceptInUserNamespace(runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, runAsUser],
      [35, exceptInUserNamespace(runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      [19, seccompProfileSet],
      [25, exceptOnWindows(seccompProfileSet)],
    ],
    overrides: "seccompProfile_baseline",
  },
];
