import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { Description } from "../description.ts";
import { environmentLines } from "./container-environment.ts";
import { containerStateLines } from "./container-state.ts";
import { probeText } from "./probe-text.ts";
import { resourceLines } from "./resource-lines.ts";

type Described = Container | EphemeralContainer;

export interface ContainerList {
  readonly title: string;
  readonly containers: readonly Described[] | null | undefined;
  readonly statuses?: readonly ContainerStatus[] | undefined;
  /** The pod, whose metadata are values of variables; undefined in a template. */
  readonly pod?: ObjectMeta | undefined;
}

/** The containers of a pod, or of a pod template. */
export function containerLines(
  d: Description,
  { title, containers, statuses = [], pod }: ContainerList,
): void {
  const list = containers ?? [];
  const [indent, nameIndent] = pod ? ["", ""] : ["  ", " "];
  d.line(`${indent}${title}:${list.length === 0 ? " <none>" : ""}`);
  for (const container of list) {
    const status = statuses.findLast(({ name }) => name === container.name);
    d.line(`${nameIndent}${container.name}:`, 1);
    basicLines(d, container, status);
    textLines(d, "Command", container.command);
    textLines(d, "Args", container.args);
    if (status) containerStateLines(d, status);
    resourceLines(d, container.resources, 2);
    if (container.livenessProbe) d.field("Liveness", probeText(container.livenessProbe), 2);
    if (container.readinessProbe) d.field("Readiness", probeText(container.readinessProbe), 2);
    if (container.startupProbe) d.field("Startup", probeText(container.startupProbe), 2);
    environmentLines(d, container, pod);
    mountLines(d, container);
  }
}

function basicLines(
  d: Description,
  { image = "", ports = [], securityContext }: Described,
  status: ContainerStatus | undefined,
): void {
  if (status) d.field("Container ID", status.containerID ?? "", 2);
  d.field("Image", image, 2);
  if (status) d.field("Image ID", status.imageID ?? "", 2);
  portLine(d, "Port", ports, ({ containerPort }) => containerPort);
  portLine(d, "Host Port", ports, ({ hostPort }) => hostPort);
  const { seccompProfile } = securityContext ?? {};
  if (!seccompProfile) return;
  d.field("SeccompProfile", seccompProfile.type ?? "", 2);
  if (seccompProfile.type === "Localhost")
    d.field("LocalhostProfile", seccompProfile.localhostProfile ?? "", 3);
}

type Ports = NonNullable<Container["ports"]>;

function portLine(
  d: Description,
  title: string,
  ports: Ports,
  numberOf: (port: Ports[number]) => number | undefined,
): void {
  const text = ports
    .map((port) => {
      const number = `${numberOf(port) ?? 0}/${port.protocol ?? ""}`;
      return port.name ? `${number} (${port.name})` : number;
    })
    .join(", ");
  if (text.includes(",")) d.field(`${title}s`, text, 2);
  else d.field(title, text || "<none>", 2);
}

/** The lines of the words of a command. */
function textLines(d: Description, title: string, words: readonly string[] | undefined): void {
  if (!words || words.length === 0) return;
  d.line(`${title}:`, 2);
  for (const word of words) for (const line of word.split("\n")) d.line(line, 3);
}

function mountLines(d: Description, { volumeMounts = [], volumeDevices = [] }: Described): void {
  const none = volumeMounts.length === 0 ? "\t<none>" : "";
  d.line(`Mounts:${none}`, 2);
  const mounts = volumeMounts.toSorted((a, b) => compareUtf8(a.mountPath ?? "", b.mountPath ?? ""));
  for (const { mountPath, name, readOnly, subPath } of mounts) {
    const path = subPath ? `,path=${quote(subPath)}` : "";
    d.line(`${mountPath} from ${name} (${readOnly ? "ro" : "rw"}${path})`, 3);
  }
  if (volumeDevices.length === 0) return;
  d.line(`Devices:${none}`, 2);
  const devices = volumeDevices.toSorted((a, b) =>
    compareUtf8(a.devicePath ?? "", b.devicePath ?? ""),
  );
  for (const { devicePath, name } of devices) d.line(`${devicePath} from ${name}`, 3);
}
