import type { At } from "../../../../schema/language/report.ts";
import { isValidGroupId, isValidUserId } from "../../../../schema/values/names.ts";
import { validateSysctls } from "../pod/sysctl.ts";
import type { PodValidationOptions } from "../pod/validation/pod-validation-options.ts";
import type { PodSecurityContext, SecurityContext } from "./security-context.ts";
import { validateAppArmorProfile, validateSeccompProfile } from "./security-profile.ts";
import { validateWindowsOptions } from "./windows-options.ts";

const procMounts = ["Default", "Unmasked"];

/** The rules of a container's security context; `hostUsers`: the pod has no user namespace of its own. */
export function validateSecurityContext(
  context: SecurityContext,
  at: At,
  { hostUsers }: { readonly hostUsers: boolean },
): void {
  const { procMount, seccompProfile, windowsOptions, appArmorProfile } = context;
  if (context.privileged && at.options.flags?.refusesPrivileged)
    at.forbidden("privileged", "disallowed by cluster policy");
  validateIds(context, at, ["runAsUser", "runAsGroup"]);
  if (procMount !== undefined && !procMounts.includes(procMount))
    at.notSupported("procMount", procMount, procMounts);
  if (procMount === "Unmasked" && hostUsers)
    at.invalid("procMount", procMount, "`hostUsers` must be false to use `Unmasked`");
  if (seccompProfile) validateSeccompProfile(seccompProfile, at.child("seccompProfile"));
  validateEscalation(context, at);
  if (windowsOptions) validateWindowsOptions(windowsOptions, at.child("windowsOptions"));
  if (appArmorProfile) validateAppArmorProfile(appArmorProfile, at.child("appArmorProfile"));
}

/** What of the pod's spec the rules of its security context look at. */
export interface PodNamespaces {
  readonly hostNetwork?: boolean | undefined;
  readonly hostPID?: boolean | undefined;
  readonly hostIPC?: boolean | undefined;
  readonly shareProcessNamespace?: boolean | undefined;
}

/** The rules of a pod's security context. */
export function validatePodSecurityContext(
  context: PodSecurityContext,
  at: At,
  { spec, options }: { readonly spec: PodNamespaces; readonly options: PodValidationOptions },
): void {
  validateIds(context, at, ["fsGroup", "runAsUser", "runAsGroup"]);
  for (const [i, gid] of (context.supplementalGroups ?? []).entries())
    at.child("supplementalGroups").index(i).invalidEach("", gid, isValidGroupId(gid));
  if (spec.shareProcessNamespace && spec.hostPID)
    at.invalid(
      "shareProcessNamespace",
      true,
      "ShareProcessNamespace and HostPID cannot both be enabled",
    );
  validateSysctls(context.sysctls ?? [], at.child("sysctls"), {
    hostNetwork: spec.hostNetwork === true,
    hostIPC: spec.hostIPC === true,
    allowHostNamespaces: options.allowNamespacedSysctlsForHostNetAndHostIPC === true,
  });
  validateChoice(context, at, ["fsGroupChangePolicy", "Always", "OnRootMismatch"]);
  const { seccompProfile, windowsOptions, appArmorProfile } = context;
  if (seccompProfile) validateSeccompProfile(seccompProfile, at.child("seccompProfile"));
  if (windowsOptions) validateWindowsOptions(windowsOptions, at.child("windowsOptions"));
  if (appArmorProfile) validateAppArmorProfile(appArmorProfile, at.child("appArmorProfile"));
  validateChoice(context, at, ["supplementalGroupsPolicy", "Merge", "Strict"]);
  const changePolicies = options.allowOnlyRecursiveSELinuxChangePolicy
    ? ["Recursive"]
    : ["MountOption", "Recursive"];
  validateChoice(context, at, ["seLinuxChangePolicy", ...changePolicies]);
}

type IdField = "fsGroup" | "runAsUser" | "runAsGroup";

function validateIds(
  context: { readonly [F in IdField]?: number | undefined },
  at: At,
  fields: readonly IdField[],
): void {
  for (const field of fields) {
    const id = context[field];
    if (id === undefined) continue;
    at.invalidEach(field, id, field === "runAsUser" ? isValidUserId(id) : isValidGroupId(id));
  }
}

type ChoiceField = "fsGroupChangePolicy" | "supplementalGroupsPolicy" | "seLinuxChangePolicy";

function validateChoice(
  context: PodSecurityContext,
  at: At,
  [field, ...values]: readonly [ChoiceField, ...string[]],
): void {
  const chosen = context[field];
  if (chosen !== undefined && !values.includes(chosen)) at.notSupported(field, chosen, values);
}

function validateEscalation(context: SecurityContext, at: At): void {
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged)
    at.invalid(
      "",
      asShown(context),
      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    );
  for (const capability of context.capabilities?.add ?? [])
    if (capability === "CAP_SYS_ADMIN")
      at.invalid(
        "",
        asShown(context),
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
      );
}

/** A security context in the form in which the API server shows it in errors: Go's. */
function asShown(context: SecurityContext): unknown {
  const { capabilities, seLinuxOptions, windowsOptions } = context;
  const profile = (given: SecurityContext["seccompProfile"]) =>
    given ? { Type: given.type, LocalhostProfile: given.localhostProfile ?? null } : null;
  return {
    Capabilities: capabilities
      ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null }
      : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions
      ? {
          User: seLinuxOptions.user ?? "",
          Role: seLinuxOptions.role ?? "",
          Type: seLinuxOptions.type ?? "",
          Level: seLinuxOptions.level ?? "",
        }
      : null,
    WindowsOptions: windowsOptions
      ? {
          GMSACredentialSpecName: windowsOptions.gmsaCredentialSpecName ?? null,
          GMSACredentialSpec: windowsOptions.gmsaCredentialSpec ?? null,
          RunAsUserName: windowsOptions.runAsUserName ?? null,
          HostProcess: windowsOptions.hostProcess ?? null,
        }
      : null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: profile(context.seccompProfile),
    AppArmorProfile: profile(context.appArmorProfile),
  };
}
