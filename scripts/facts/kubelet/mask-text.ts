/** The node that scenarios run on, as messages name it. */
export interface NodeNames {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** Replaces what differs from node to node and from run to run. */
export function maskText(text: string, node: NodeNames): string {
  let masked = text.replaceAll(node.name, "<node>");
  for (const address of node.addresses) masked = masked.replaceAll(address, "<nodeIP>");
  for (const [pattern, replacement] of patterns) masked = masked.replaceAll(pattern, replacement);
  return masked;
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\bsha256:[0-9a-f]{64}\b/g, "<digest>"],
  [/\b[0-9a-f]{64}\b/g, "<id>"],
  [/\b[0-9a-f]{32}\b/g, "<hash>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|UTC|[+-]\d\d:?\d\d))*/g, "<time>"],
  [/\b(?!127\.0\.0\.1\b)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, "<ip>"],
  [/(<ip>|127\.0\.0\.1):\d{5}(?=->)/g, "$1:<port>"],
  [/kube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<s>"],
  [/\/[^\s"':]*\/pods\/<uid>/g, "<kubelet>/pods/<uid>"],
  [/\/[^\s"':]*\/seccomp\//g, "<kubelet>/seccomp/"],
  [
    /(Node didn't have enough resource: \w+, requested: \d+), used: \d+, capacity: \d+/g,
    "$1, used: <n>, capacity: <n>",
  ],
  [/\bin \d+(\.\d+)?(ms|s|µs)\b( \(\d+(\.\d+)?(ms|s|µs) including waiting\))?/g, "in <duration>"],
];
