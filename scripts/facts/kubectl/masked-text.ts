/** What a run's texts contain that another run's do not. */
export interface RunNames {
  /** The address of the server, without the scheme. */
  readonly server: string;
  /** The folder in which the command ran. */
  readonly folder: string;
}

/** A text without times, ids, versions, addresses and paths of its run. */
export function maskedText(text: string, { server, folder }: RunNames): string {
  let masked = text.replaceAll(server, "SERVER").replaceAll(folder, "FOLDER");
  for (const [pattern, replacement] of patterns) masked = masked.replaceAll(pattern, replacement);
  return masked;
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN"],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UID"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "TIME"],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/("?resourceVersion\\*"?: ?\\*"?)\d+/g, "$1RV"],
  [/(resourceVersion(?:Match)?=)\d+/g, "$1RV"],
  [/(resourceVersion%3D)\d+/g, "$1RV"],
  // Informers choose at random how long a watch lasts.
  [/(timeoutSeconds=)\d+/g, "$1N"],
  [/([?&]timeout=)(?:\d+h)?\d+m\d+s/g, "$1N"],
  // The folders that diff compares, and the times of their files.
  [/[^\s"'{}]*\/(LIVE|MERGED)-\d+/g, "TMP/$1"],
  [/\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, "\tTIME"],
  // The files that are edited.
  [/[^\s"'{}]*\/kubectl-edit-\d+/g, "TMP/kubectl-edit"],
  [
    /(?<![a-z0-9-])((?:node-debugger-[a-z0-9.-]+?|debugger|kube-api-access)-)[bcdfghjklmnpqrstvwxz2456789]{5}\b(?!-)/g,
    "$1SUFFIX",
  ],
  // The header of a log line: a letter for the severity, the day, the time and the process.
  [/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\S+?):\d+\]/gm, "$1 $2]"],
];
