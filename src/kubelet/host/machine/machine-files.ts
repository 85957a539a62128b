/** A number of `/proc/meminfo` in bytes; 0 if it is missing. */
export function memoryBytes(meminfo: string, name: string): number {
  const [, kilobytes = "0"] = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(meminfo) ?? [];
  return Number(kilobytes) * 1024;
}

/** The number of processors in a list of Linux: `0-3,8`. */
export function cpuCount(list: string): number {
  return list
    .trim()
    .split(",")
    .filter((range) => range !== "")
    .map((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return last - first + 1;
    })
    .reduce((sum, count) => sum + count, 0);
}

/** The name of the operating system in `/etc/os-release`. */
export function osImageOf(osRelease: string): string {
  const [, name] = /^PRETTY_NAME=(.*)$/m.exec(osRelease) ?? [];
  return name?.replace(/^"+|"+$/g, "") ?? "Linux";
}

/** The size of the pages of a folder such as `hugepages-2048kB`, in bytes; undefined if it is none. */
export function hugePageBytes(folder: string): number | undefined {
  const [, kilobytes] = /^hugepages-(\d+)kB$/.exec(folder) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The numbers of cores and sockets in `/proc/cpuinfo`; processors that do not say theirs have one core each. */
export function cpuTopology(cpuinfo: string): { readonly cores: number; readonly sockets: number } {
  const processors = cpuinfo.split("\n\n").filter((text) => /^processor\s*:/m.test(text));
  const numberOf = (text: string, name: string): string | undefined =>
    new RegExp(`^${name}\\s*:\\s*(\\d+)`, "m").exec(text)?.[1];
  const sockets = processors.map((text) => numberOf(text, "physical id") ?? "0");
  const cores = processors.map(
    (text, i) => `${sockets[i]}/${numberOf(text, "core id") ?? `of ${i}`}`,
  );
  return { cores: new Set(cores).size, sockets: new Set(sockets).size };
}
