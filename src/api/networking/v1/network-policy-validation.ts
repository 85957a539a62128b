import { At } from "../../../schema/language/report.ts";
import {
  contains,
  isValidCidrForLegacyField,
  masked,
  parseCidrSloppy,
} from "../../../schema/values/ip.ts";
import { isValidPortName, isValidPortNum } from "../../../schema/values/names.ts";
import { validateLabelSelector } from "../../meta/v1/label-selector.ts";
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "./network-policy-spec.ts";

interface Options {
  readonly allowInvalidValues: boolean;
  readonly validOld: readonly string[];
}

/** The rules of a spec; CIDRs of the old one stay valid, wherever they stand. */
export function validateNetworkPolicySpec(
  spec: NetworkPolicySpec,
  at: At,
  old: NetworkPolicySpec | undefined,
): void {
  const options = { allowInvalidValues: hasInvalidSelector(old), validOld: cidrsOf(old) };
  validateLabelSelector(spec.podSelector, at.child("podSelector"), options);
  for (const [i, { ports = [], from = [] }] of (spec.ingress ?? []).entries()) {
    const here = at.child("ingress").index(i);
    validatePorts(ports, here.child("ports"));
    validatePeers(from, here.child("from"), options);
  }
  for (const [i, { ports = [], to = [] }] of (spec.egress ?? []).entries()) {
    const here = at.child("egress").index(i);
    validatePorts(ports, here.child("ports"));
    validatePeers(to, here.child("to"), options);
  }
  validateTypes(spec.policyTypes ?? [], at.child("policyTypes"));
}

/** All blocks of addresses, each with where it stands. */
export const ipBlocksOf = (spec: NetworkPolicySpec): readonly (readonly [IPBlock, string])[] => [
  ...(spec.ingress ?? []).flatMap(({ from }, i) => blocksOf(from, `spec.ingress[${i}].from`)),
  ...(spec.egress ?? []).flatMap(({ to }, i) => blocksOf(to, `spec.egress[${i}].to`)),
];

const blocksOf = (
  peers: readonly NetworkPolicyPeer[] | undefined,
  path: string,
): readonly (readonly [IPBlock, string])[] =>
  (peers ?? []).flatMap(({ ipBlock }, i) =>
    ipBlock ? [[ipBlock, `${path}[${i}].ipBlock`] as const] : [],
  );

const cidrsOf = (spec: NetworkPolicySpec | undefined): readonly string[] =>
  spec ? ipBlocksOf(spec).flatMap(([{ cidr, except = [] }]) => [cidr, ...except]) : [];

function hasInvalidSelector(spec: NetworkPolicySpec | undefined): boolean {
  const report = At.root();
  validateLabelSelector(spec?.podSelector, report);
  return report.errors.length > 0;
}

function validateTypes(types: readonly string[], at: At): void {
  const known = ["Ingress", "Egress"];
  if (types.length > known.length) {
    at.invalid("", types, "may not specify more than two policyTypes");
    return;
  }
  for (const [i, type] of types.entries())
    if (!known.includes(type)) at.index(i).notSupported("", type, known);
}

function validatePorts(ports: readonly NetworkPolicyPort[], at: At): void {
  for (const [i, entry] of ports.entries()) {
    const { protocol, port, endPort } = entry;
    const here = at.index(i);
    if (!["TCP", "UDP", "SCTP"].includes(protocol))
      here.notSupported("protocol", protocol, ["TCP", "UDP", "SCTP"]);
    if (typeof port === "number") validateRange(port, endPort, here);
    else if (port !== undefined) {
      if (endPort !== undefined)
        here.invalid("endPort", endPort, "may not be specified when `port` is non-numeric");
      here.invalidEach("port", port, isValidPortName(port));
    } else if (endPort !== undefined)
      here.invalid("endPort", endPort, "may not be specified when `port` is not specified");
  }
}

function validateRange(port: number, endPort: number | undefined, at: At): void {
  at.invalidEach("port", port, isValidPortNum(port));
  if (endPort === undefined) return;
  if (endPort < port) at.invalid("endPort", port, "must be greater than or equal to `port`");
  at.invalidEach("endPort", endPort, isValidPortNum(endPort));
}

function validatePeers(peers: readonly NetworkPolicyPeer[], at: At, options: Options): void {
  for (const [i, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const here = at.index(i);
    validateLabelSelector(podSelector, here.child("podSelector"), options);
    validateLabelSelector(namespaceSelector, here.child("namespaceSelector"), options);
    if (ipBlock) validateIpBlock(ipBlock, here.child("ipBlock"), options);
    if (!podSelector && !namespaceSelector && !ipBlock) here.required("", "must specify a peer");
    else if (ipBlock && (podSelector || namespaceSelector))
      here.forbidden("", "may not specify both ipBlock and another peer");
  }
}

function validateIpBlock({ cidr, except = [] }: IPBlock, at: At, { validOld }: Options): void {
  if (cidr === "") {
    at.required("cidr");
    return;
  }
  const legacy = { strict: true, validOld };
  at.invalidEach("cidr", cidr, isValidCidrForLegacyField(cidr, legacy));
  const whole = parseCidrSloppy(cidr);
  if (!whole) return;
  for (const [i, text] of except.entries()) {
    const here = at.child("except").index(i);
    here.invalidEach("", text, isValidCidrForLegacyField(text, legacy));
    const part = parseCidrSloppy(text);
    if (part && (!contains(whole, masked(part).ip) || whole.prefix >= part.prefix))
      here.invalid("", text, "must be a strict subset of `cidr`");
  }
}
