/** Whether a release of the kernel, such as `6.1.0-13-amd64`, is the wanted `MAJOR.MINOR` or newer. */
export function isKernelAtLeast(release: string, wanted: string): boolean {
  const [major, minor] = numbers(release);
  const [wantedMajor, wantedMinor] = numbers(wanted);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function numbers(version: string): [major: number, minor: number] {
  const [, major = "0", minor = "0"] = /^(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}
