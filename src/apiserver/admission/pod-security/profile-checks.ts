import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import { quote } from "../../../schema/values/quote.ts";
import {
  type CheckPod,
  containersThat,
  counted,
  plural,
  quoted,
  setters,
  sorted,
} from "./check.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const confined = ["RuntimeDefault", "Localhost"];
const isUnconfined = (profile: { readonly type?: string } | undefined): boolean =>
  profile !== undefined && !confined.includes(profile.type ?? "");

/** The AppArmor profile is the usual one, or one of the node. */
export const appArmorProfile: CheckPod = (pod) => {
  const own = pod.spec.securityContext?.appArmorProfile;
  const containers = containersThat(pod, (one) =>
    isUnconfined(one.securityContext?.appArmorProfile),
  );
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`);
  const who = [...setters(isUnconfined(own), containers)];
  if (annotations.length > 0) who.push(plural("annotation", annotations.length));
  if (who.length === 0) return undefined;
  const profiles = [
    own,
    ...allContainers(pod.spec).map(({ securityContext }) => securityContext?.appArmorProfile),
  ];
  const types = profiles.filter(isUnconfined).map((profile) => profile?.type ?? "");
  const values = [...sorted(types), ...sorted(annotations)];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const isAllowedAppArmor = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

/** The SELinux types that containers have. */
export const containerTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

/** SELinux labels have one of the given types, and no user or role. */
export const seLinuxOptions =
  (types: readonly string[]): CheckPod =>
  (pod) => {
    const all = [pod.spec, ...allContainers(pod.spec)].flatMap(
      ({ securityContext }) => securityContext?.seLinuxOptions ?? [],
    );
    const isBad = ({ type = "", user, role }: (typeof all)[number]): boolean =>
      !types.includes(type) || !!user || !!role;
    const containers = containersThat(pod, ({ securityContext }) => {
      const options = securityContext?.seLinuxOptions;
      return options !== undefined && isBad(options);
    });
    const own = pod.spec.securityContext?.seLinuxOptions;
    const who = setters(own !== undefined && isBad(own), containers);
    if (who.length === 0) return undefined;
    const badTypes = sorted(
      all.map(({ type = "" }) => type).filter((type) => !types.includes(type)),
    );
    const what = [
      ...(badTypes.length > 0 ? [counted("type", badTypes)] : []),
      ...(all.some(({ user }) => user) ? ["user may not be set"] : []),
      ...(all.some(({ role }) => role) ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${who.join(" and ")} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
    };
  };

const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";

/** Rejects unconfined seccomp profiles in annotations, which older versions had instead of a field. */
export const seccompAnnotations: CheckPod = ({ metadata, spec }) => {
  const { annotations = {} } = metadata ?? {};
  const keys = [seccompPod, ...allContainers(spec).map(({ name }) => seccompPrefix + name)];
  const bad = keys.flatMap((key) => {
    const value = annotations[key];
    const isAllowed =
      value === undefined ||
      value === "runtime/default" ||
      value === "docker/default" ||
      value.startsWith("localhost/");
    return isAllowed ? [] : [`${key}=${quote(value)}`];
  });
  const forbidden = sorted(bad);
  return forbidden.length === 0
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `forbidden ${plural("annotation", forbidden.length)} ${forbidden.join(", ")}`,
      };
};

/** Rejects unconfined seccomp profiles. */
export const seccompProfile: CheckPod = (pod) => {
  const own = pod.spec.securityContext?.seccompProfile;
  const containers = containersThat(pod, (one) =>
    isUnconfined(one.securityContext?.seccompProfile),
  );
  const who = setters(isUnconfined(own), containers);
  if (who.length === 0) return undefined;
  const profiles = [
    own,
    ...allContainers(pod.spec).map(({ securityContext }) => securityContext?.seccompProfile),
  ];
  const types = profiles.filter(isUnconfined).map((profile) => profile?.type ?? "");
  return {
    reason: "seccompProfile",
    detail: `${who.join(" and ")} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`,
  };
};
