import { CniError } from "../../../cri/cni/cni-error.ts";
import { checkInterfaceName } from "../../../cri/cni/cni-names.ts";
import type { PluginCall } from "../plugin.ts";

/** What the plugin `bridge` is configured with. */
export interface BridgeConfig {
  readonly bridge: string;
  readonly isGateway: boolean;
  readonly isDefaultGateway: boolean;
  /** Whether another address of the bridge is replaced. */
  readonly forceAddress: boolean;
  readonly ipMasq: boolean;
  readonly hairpinMode: boolean;
  readonly promiscMode: boolean;
  readonly portIsolation: boolean;
  /** Whether the pod can send from its own hardware address only. */
  readonly macspoofchk: boolean;
  readonly enabledad: boolean;
  readonly mtu: number | undefined;
  /** 0 for none. */
  readonly vlan: number;
  readonly preserveDefaultVlan: boolean;
  readonly mac: string | undefined;
  /** The type of the plugin that assigns addresses; none if the pod gets no address. */
  readonly ipamType: unknown;
}

/** Reads a configuration. Throws if it is invalid, or wants what this plugin does not do. */
export function readBridgeConfig({
  config,
  args,
}: Pick<PluginCall, "config" | "args">): BridgeConfig {
  for (const field of ["vlanTrunk", "disableContainerInterface", "uplinkInterface"])
    if (config[field])
      throw new CniError(
        "unsupportedField",
        `unsupported field ${field}: ${JSON.stringify(config[field])}`,
      );
  const { bridge = "cni0", mtu = 0, vlan = 0 } = config;
  const flag = (name: string, otherwise = false): boolean => {
    const value = config[name] ?? otherwise;
    if (typeof value !== "boolean") throw invalid(`${name} is neither true nor false`);
    return value;
  };
  if (typeof bridge !== "string") throw invalid("bridge is not a name");
  checkInterfaceName(bridge);
  if (!isNumber(mtu, 65_535)) throw invalid(`invalid MTU ${String(mtu)}`);
  if (!isNumber(vlan, 4094))
    throw invalid(`invalid VLAN ID ${String(vlan)} (must be between 0 and 4094)`);
  const hairpinMode = flag("hairpinMode");
  const promiscMode = flag("promiscMode");
  if (hairpinMode && promiscMode)
    throw invalid("cannot set hairpin mode and promiscuous mode at the same time");
  const isDefaultGateway = flag("isDefaultGateway");
  return {
    ...{ bridge, isDefaultGateway, isGateway: isDefaultGateway || flag("isGateway") },
    ...{ forceAddress: flag("forceAddress"), ipMasq: flag("ipMasq"), hairpinMode, promiscMode },
    ...{
      portIsolation: flag("portIsolation"),
      macspoofchk: flag("macspoofchk"),
      enabledad: flag("enabledad"),
    },
    ...{
      mtu: mtu === 0 ? undefined : mtu,
      vlan,
      preserveDefaultVlan: flag("preserveDefaultVlan", true),
    },
    mac: readMac(config.runtimeConfig?.mac ?? config.args?.cni?.mac ?? args.mac),
    ipamType: config.ipam?.type || undefined,
  };
}

function readMac(text: unknown): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (typeof text === "string" && /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text))
    return text.toLowerCase();
  throw invalid(`invalid hardware address ${JSON.stringify(text)}`);
}

const isNumber = (value: unknown, most: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;

const invalid = (msg: string): CniError => new CniError("invalidConfig", msg);
